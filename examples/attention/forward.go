package main

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// Forward is attention: for each query the mean of the values that it sees, weighted by the softmax
// of its scores, which are its products with the keys. The scores are never in memory. A block goes
// through the keys tile by tile, and corrects what it has of the sums whenever it meets a larger
// score: T. Dao and others, "FlashAttention: Fast and Memory-Efficient Exact Attention with
// IO-Awareness", 2022; T. Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work
// Partitioning", 2023. Tensor cores multiply bfloat16, and add up float32.
//
// logs is for the gradients: for each query the binary logarithm of the sum of the powers of its
// scores. A query that sees nothing, or has scores of -Inf only, gets zeros, and the logarithm +Inf:
// so all its weights are 2^-Inf in the backward pass, too.
//
// Launch with a block for each 64 queries, and the heads along Y.
//
//gpu:kernel R:S=Row64:Sums64,Row128:Sums128 block=128 target=sm_80
//gpu:nobounds
func Forward[R Row, S Sums](q, k, v, out []R, logs []float32, shape Shape) {
	t := gpu.Shared[struct{ q, k, v Tile[R] }]()
	q, out = ofHead(q, shape.Queries), ofHead(out, shape.Queries)
	k, v = ofHead(k, shape.Keys), ofHead(v, shape.Keys)
	first := tileRows * gpu.BlockIdx.X
	keys := shape.keysOf(first)
	t.q.fetch(q, first)
	t.k.fetch(k, 0)
	arrive()
	var sum S
	soft := newSoftmax()
	for key := 0; key < keys; key += tileRows {
		t.v.fetch(v, key) // while the keys are multiplied
		s := dots(&t.q, &t.k)
		s.mask(first+warpRow(), key, &shape)
		sum = scale(sum, soft.take(&s))
		arrive()
		t.k.fetch(k, key+tileRows) // while the values are
		sum = add(sum, &s, &t.v)
		arrive()
	}
	factor, log := soft.end()
	put(out, first+warpRow(), sum, factor)
	putLogs(ofHead(logs, shape.Queries), first+warpRow(), log)
}

// ofHead is the n rows of the block's head.
func ofHead[T any](rows []T, n int) []T { return rows[gpu.BlockIdx.Y*n:][:n] }

// softmax has the largest score so far of each of a lane's two rows, and the sum of the lane's
// weights. M. Milakov and N. Gimelshein, "Online
// normalizer calculation for softmax", 2018.
type softmax struct{ largest, sum [2]float32 }

func newSoftmax() softmax {
	none := float32(math.Inf(-1))
	return softmax{largest: [2]float32{none, none}}
}

// take makes weights of scores, and returns the factors by which earlier weights have become
// smaller.
func (soft *softmax) take(s *Scores) (factor [2]float32) {
	for r := range 2 {
		largest := soft.largest[r]
		for j := range s {
			largest = max(largest, s[j][2*r], s[j][2*r+1])
		}
		largest = max(largest, gpu.ShflXorSync(gpu.FullMask, largest, 1))
		largest = max(largest, gpu.ShflXorSync(gpu.FullMask, largest, 2))
		zero := largest
		if math.IsInf(float64(largest), -1) {
			zero = 0 // -Inf - -Inf would be NaN, and these weights are 0
		}
		factor[r] = gpu.ApproxExp2(soft.largest[r] - zero)
		soft.largest[r] = largest
		soft.sum[r] *= factor[r]
		for j := range s {
			for e := 2 * r; e < 2*r+2; e++ {
				s[j][e] = gpu.ApproxExp2(s[j][e] - zero)
				soft.sum[r] += s[j][e]
			}
		}
	}
	return factor
}

// end returns the factors that turn sums into means, and the logarithms of the rows' sums.
func (soft *softmax) end() (factor, log [2]float32) {
	for r := range 2 {
		sum := soft.sum[r]
		sum += gpu.ShflXorSync(gpu.FullMask, sum, 1)
		sum += gpu.ShflXorSync(gpu.FullMask, sum, 2)
		factor[r], log[r] = 1/sum, soft.largest[r]+gpu.Log2(sum)
		if sum == 0 {
			factor[r], log[r] = 0, float32(math.Inf(1))
		}
	}
	return factor, log
}

// scale is sums times a factor for each of the lane's rows.
func scale[S Sums](sum S, factor [2]float32) S {
	for j := range len(sum) {
		for e := range 4 {
			sum[j][e] *= factor[e/2]
		}
	}
	return sum
}

// putLogs writes the logarithms of a warp's rows. One lane of each quad does it.
func putLogs(logs []float32, first int, log [2]float32) {
	if gpu.LaneID()%4 != 0 {
		return
	}
	for r := range 2 {
		if row := first + gpu.LaneID()/4 + 8*r; row < len(logs) {
			logs[row] = log[r]
		}
	}
}
