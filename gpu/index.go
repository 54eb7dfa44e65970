package gpu

// Dim3 is an index or a size in the three dimensions of a grid or a block.
type Dim3 struct {
	X, Y, Z int
}

// The special registers. They are read-only: the compiler refuses an assignment.
var (
	// ThreadIdx is the index of the thread in its block, 0 <= ThreadIdx.X < BlockDim.X and so on.
	// CUDA's threadIdx, PTX's %tid.
	ThreadIdx Dim3

	// BlockIdx is the index of the block in the grid, 0 <= BlockIdx.X < GridDim.X and so on.
	// CUDA's blockIdx, PTX's %ctaid.
	BlockIdx Dim3

	// BlockDim is the number of threads in a block. CUDA's blockDim, PTX's %ntid.
	BlockDim Dim3

	// GridDim is the number of blocks in the grid. CUDA's gridDim, PTX's %nctaid.
	GridDim Dim3
)

// WarpSize is the number of threads in a warp.
const WarpSize = 32

// GridStride is the grid-stride loop over 0 <= i < n: a thread of global index t in a grid of T
// threads gets t, t+T, t+2T, … so that the threads of a one-dimensional grid together get every
// index once.
//
//	for i := range gpu.GridStride(len(a)) {
//		c[i] = a[i] + b[i]
//	}
//
// is compiled as
//
//	for i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X; i < len(a); i += gpu.GridDim.X * gpu.BlockDim.X {
//		c[i] = a[i] + b[i]
//	}
//
// It can only be ranged over.
func GridStride(n int) func(yield func(i int) bool) {
	return threadCall[func(yield func(i int) bool)]("GridStride", n)
}

// LaneID is the index of the thread in its warp, 0 <= LaneID() < WarpSize. PTX's %laneid.
func LaneID() int {
	return threadCall[int]("LaneID")
}

// WarpID is the index of the thread's warp in its block: the linear thread index
// ThreadIdx.X + BlockDim.X*(ThreadIdx.Y + BlockDim.Y*ThreadIdx.Z), divided by [WarpSize].
func WarpID() int {
	return threadCall[int]("WarpID")
}
