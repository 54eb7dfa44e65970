package perf

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/nearest"
)

// Strip4x16 and its like are the search of package nearest for one query, by the dot product, with
// another number of warps in a block, and of vectors in a strip's row: more warps of a narrow strip, or
// fewer of a wide one, have as many bytes under way.
//
//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func Strip4x16(rows, query []gpu.Float32x4, s nearest.Shape, scores []float32, chosen, counts []int32) {
	nearest.Best(gpu.Shared[[4 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, scores, chosen, counts,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 16}, 4, vectorOf)
}

//gpu:kernel block=64 minblocks=8
//gpu:nobounds
func Strip2x16(rows, query []gpu.Float32x4, s nearest.Shape, scores []float32, chosen, counts []int32) {
	nearest.Best(gpu.Shared[[2 * (32*17 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, scores, chosen, counts,
		nearest.Strip{Warps: 2, Queries: 1, Vectors: 16}, 4, vectorOf)
}

//gpu:kernel block=64 minblocks=4
//gpu:nobounds
func Strip2x32(rows, query []gpu.Float32x4, s nearest.Shape, scores []float32, chosen, counts []int32) {
	nearest.Best(gpu.Shared[[2 * (32*33 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, scores, chosen, counts,
		nearest.Strip{Warps: 2, Queries: 1, Vectors: 32}, 4, vectorOf)
}

//gpu:kernel block=128 minblocks=7
//gpu:nobounds
func Strip4x8(rows, query []gpu.Float32x4, s nearest.Shape, scores []float32, chosen, counts []int32) {
	nearest.Best(gpu.Shared[[4 * (32*9 + 32)]gpu.Float32x4]()[:], rows, query, nil, nil, s, scores, chosen, counts,
		nearest.Strip{Warps: 4, Queries: 1, Vectors: 8}, 4, vectorOf)
}

// vectorOf is a vector of a row that begins with column c, and zeros behind the last column.
func vectorOf(row []gpu.Float32x4, c, cols int) (v gpu.Float32x4) {
	if c < cols {
		v = row[c/4]
	}
	return v
}
