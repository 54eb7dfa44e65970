package bench

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

const (
	copyBlock = 256
	copyEach  = 4
	copyTile  = copyBlock * copyEach
)

// copyAll copies src, 16 bytes with each instruction and four loads under way in each thread: a
// variant's share is relative to its speed.
//
//gpu:kernel block=256
func copyAll(dst, src []gpu.Uint32x4) {
	dst = dst[:len(src)]
	tid := gpu.ThreadIdx.X
	i := gpu.BlockIdx.X * copyTile
	for ; i+copyTile <= len(src); i += gpu.GridDim.X * copyTile {
		from, to := (*[copyTile]gpu.Uint32x4)(src[i:i+copyTile]), (*[copyTile]gpu.Uint32x4)(dst[i:i+copyTile])
		var v [copyEach]gpu.Uint32x4
		for k := range copyEach {
			v[k] = from[k*copyBlock+tid]
		}
		for k := range copyEach {
			to[k*copyBlock+tid] = v[k]
		}
	}
	for i += tid; i < len(src); i += copyBlock {
		dst[i] = src[i]
	}
}

// fmaEach is the number of accumulators of a thread: enough multiply-adds under way that none waits
// for another.
const fmaEach = 16

// fmaAll does rounds·fmaEach multiply-adds in each thread, on registers alone: a matrix product's
// share is relative to its speed. x has the factor and the term, which keep the accumulators
// finite.
//
//gpu:kernel block=256 T=float32,float64
func fmaAll[T gpu.Float](x []T, rounds int) {
	factor, term := x[0], x[1]
	var acc [fmaEach]T
	for k := range fmaEach {
		acc[k] = T(gpu.ThreadIdx.X + k)
	}
	for range rounds {
		for k := range fmaEach {
			acc[k] = gpu.FMA(acc[k], factor, term)
		}
	}
	var sum T
	for k := range fmaEach {
		sum += acc[k]
	}
	if sum < 0 { // never; but no compiler knows, and so none leaves the work out
		x[0] = sum
	}
}
