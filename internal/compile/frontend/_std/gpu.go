// Package gpu is the bodies of those functions of gpu that can be written in Go. They replace the
// ones of the real package, which panic. What is neither here nor an intrinsic of package lower is
// plain Go there.
package gpu

// GridStride has another signature here: by now every loop over it is rewritten to
// for i, end, step := gpu.GridStride(n); i < end; i += step.
func GridStride(n int) (i, end, step int) {
	return BlockIdx.X*BlockDim.X + ThreadIdx.X, n, GridDim.X * BlockDim.X
}

func WarpID() int {
	return (ThreadIdx.X + BlockDim.X*(ThreadIdx.Y+BlockDim.Y*ThreadIdx.Z)) >> 5
}

func AtomicSub[T Word](addr *T, v T) T { return AtomicAdd(addr, -v) }
