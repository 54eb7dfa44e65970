package perf

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/nearest"
)

// Claims4x16 and its like are the search of package nearest for one query with another number of warps
// in a block, of vectors in a strip's row, and of pieces; the warps claim rows, or have equal shares.
//
//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func Claims4x16(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16, Pieces: 1}, true)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func Shares4x16(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16, Pieces: 1}, false)
}

//gpu:kernel block=128 minblocks=5
//gpu:nobounds
func Claims4x16By5(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16, Pieces: 1}, true)
}

//gpu:kernel block=128 minblocks=3
//gpu:nobounds
func Claims4x16By3(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16, Pieces: 1}, true)
}

//gpu:kernel block=128 minblocks=7
//gpu:nobounds
func Claims4x8(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*9 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 8, Pieces: 1}, true)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func Pieces2x16(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16, Pieces: 2}, true)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func Pieces4x16(rows, query []gpu.Float32x4, s nearest.Shape, lists []float32, listed []int32, work []uint32, hits []int32, scores []float32) {
	nearest.One(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, lists, listed, work, hits, scores,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16, Pieces: 4}, true)
}
