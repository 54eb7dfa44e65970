package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Rows sorts each row of a matrix of at most 1024 columns. Launch with a block for each row.
//
//gpu:kernel block=256
func Rows(matrix []float32, columns int) {
	keys := gpu.Shared[[1024]float32]()
	scratch := gpu.Shared[[1024]float32]()
	row := matrix[gpu.BlockIdx.X*columns:][:columns]
	for i := gpu.ThreadIdx.X; i < len(row); i += gpu.BlockDim.X {
		keys[i] = row[i]
	}
	collective.BlockSort(keys[:len(row)], scratch[:])
	for i := gpu.ThreadIdx.X; i < len(row); i += gpu.BlockDim.X {
		row[i] = keys[i]
	}
}

// Letters counts the bytes of a text. Launch with one block.
//
//gpu:kernel block=256
func Letters(text []byte, counts []uint32) {
	bins := gpu.Shared[[256]uint32]()
	collective.BlockHistogram(bins[:], len(text), func(i int) int { return int(text[i]) })
	counts[gpu.ThreadIdx.X] = bins[gpu.ThreadIdx.X]
}

// Farthest writes the k points that are farthest from 0, the farthest first. Launch with one block.
// There are at least k points.
//
//gpu:kernel block=256
func Farthest(points []gpu.Float32x2, k int, at []int32) {
	list := gpu.Shared[collective.TopK[float32]]()
	state := gpu.Shared[collective.TopKState[float32]]()
	if gpu.ThreadIdx.X == 0 {
		*state = collective.NoLimit[float32]()
	}
	gpu.SyncThreads()
	i := gpu.ThreadIdx.X
	for again := true; again; {
		for ; i < len(points); i += gpu.BlockDim.X {
			p := points[i]
			v := gpu.FMA(p.X, p.X, p.Y*p.Y)
			if state.Passes(v, int32(i)) && !list.Offer(state, v, int32(i)) {
				break // there is no room: once the list was cut
			}
		}
		gpu.SyncThreads()
		again = state.Count > collective.TopKRoom
		list.Cut(state, k)
	}
	if gpu.ThreadIdx.X < k {
		at[gpu.ThreadIdx.X] = list.Indices[gpu.ThreadIdx.X]
	}
}
