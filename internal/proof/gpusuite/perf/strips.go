package perf

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
)

// ClaimsBy2 and its like search for one query as package nearest does, with as many blocks on a
// multiprocessor as the name says. The warps claim rows, or have equal shares.
//
//gpu:kernel block=128 minblocks=2
//gpu:nobounds
func ClaimsBy2(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16}, true)
}

//gpu:kernel block=128 minblocks=3
//gpu:nobounds
func ClaimsBy3(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16}, true)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func ClaimsBy4(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16}, true)
}

//gpu:kernel block=128 minblocks=3
//gpu:nobounds
func SharesBy3(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16}, false)
}
