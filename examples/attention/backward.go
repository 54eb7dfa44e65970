package main

import "github.com/gridstride/gridstride/gpu"

// The gradients, with P the weights, which are the powers of the scores S, and O = PV the result:
//
//	dV = PᵀdO   dP = dO Vᵀ   dS = P∘(dP - delta)   dQ = dS K   dK = dSᵀQ
//
// delta is for each query the product of its rows of dO and of O (FlashAttention-2, section 3.1.2).
// P is computed again, from Q, K and the logarithms. One kernel has a block for 64 queries, and goes
// through the keys, and one has it the other way round. That multiplies more than FlashAttention-2
// does, whose blocks add to dQ by atomics. It gives the same bits in each run.

// Saved has the inputs of the backward pass: Forward's inputs and logarithms, and the gradient of its
// result.
type Saved[R Row] struct {
	Q, K, V, Grad []R
	Logs, Deltas  []float32
}

// ofHead is the part of the block's head.
func (s *Saved[R]) ofHead(shape *Shape) Saved[R] {
	return Saved[R]{
		ofHead(s.Q, shape.Queries), ofHead(s.K, shape.Keys), ofHead(s.V, shape.Keys), ofHead(s.Grad, shape.Queries),
		ofHead(s.Logs, shape.Queries), ofHead(s.Deltas, shape.Queries),
	}
}

// Deltas multiplies each row of a result and of its gradient. Any grid will do.
//
//gpu:kernel R=Row64,Row128 target=sm_80
func Deltas[R Row](out, grad []R, deltas []float32) {
	for i := range gpu.GridStride(len(out)) {
		var sum float32
		for c := range len(out[i]) {
			x, y := out[i][c], grad[i][c]
			for e := range x {
				sum = gpu.FMA(x[e].Float32(), y[e].Float32(), sum)
			}
		}
		deltas[i] = sum
	}
}

// GradQueries computes dQ. Launch it like [Forward].
//
//gpu:kernel R:S=Row64:Sums64,Row128:Sums128 block=128 target=sm_80
//gpu:nobounds
func GradQueries[R Row, S Sums](saved Saved[R], gradQ []R, shape Shape) {
	t := gpu.Shared[struct{ q, grad, k, v Tile[R] }]()
	in := saved.ofHead(&shape)
	first := tileRows * gpu.BlockIdx.X
	row := first + warpRow()
	t.q.fetch(in.Q, first)
	t.grad.fetch(in.Grad, first)
	var sum S
	for key := 0; key < shape.keysOf(first); key += tileRows {
		t.k.fetch(in.K, key)
		t.v.fetch(in.V, key)
		arrive()
		p := dots(&t.q, &t.k)
		p.mask(row, key, &shape)
		dp := dots(&t.grad, &t.v)
		for j := range p {
			for e := range p[j] {
				r, _ := p[j].At(gpu.LaneID(), e)
				query := min(row+r, shape.Queries-1)
				p[j][e] = gpu.ApproxExp2(p[j][e]-in.Logs[query]) * (dp[j][e] - in.Deltas[query])
			}
		}
		sum = add(sum, &p, &t.k)
		gpu.SyncThreads() // the tiles are overwritten next
	}
	gpu.CpAsyncWaitAll()
	put(ofHead(gradQ, shape.Queries), row, sum, [2]float32{shape.Scale, shape.Scale})
}

// GradKeys computes dK and dV. Launch with a block for each 64 keys, and the heads along Y.
//
//gpu:kernel R:S=Row64:Sums64,Row128:Sums128 block=128 target=sm_80
//gpu:nobounds
func GradKeys[R Row, S Sums](saved Saved[R], gradK, gradV []R, shape Shape) {
	t := gpu.Shared[struct{ q, grad, k, v Tile[R] }]()
	in := saved.ofHead(&shape)
	first := tileRows * gpu.BlockIdx.X
	row := first + warpRow()
	t.k.fetch(in.K, first)
	t.v.fetch(in.V, first)
	var sumK, sumV S
	for query := shape.queriesOf(first); query < shape.Queries; query += tileRows {
		t.q.fetch(in.Q, query)
		t.grad.fetch(in.Grad, query)
		arrive()
		p := dots(&t.k, &t.q)
		p.maskTransposed(row, query, &shape)
		ds := dots(&t.v, &t.grad)
		for j := range p {
			for e := range p[j] {
				_, c := p[j].At(gpu.LaneID(), e)
				q := min(query+8*j+c, shape.Queries-1)
				p[j][e] = gpu.ApproxExp2(p[j][e] - in.Logs[q])
				ds[j][e] = p[j][e] * (ds[j][e] - in.Deltas[q])
			}
		}
		sumV = add(sumV, &p, &t.grad)
		sumK = add(sumK, &ds, &t.q)
		gpu.SyncThreads() // the tiles are overwritten next
	}
	gpu.CpAsyncWaitAll()
	put(ofHead(gradK, shape.Keys), row, sumK, [2]float32{shape.Scale, shape.Scale})
	put(ofHead(gradV, shape.Keys), row, sumV, [2]float32{1, 1})
}
