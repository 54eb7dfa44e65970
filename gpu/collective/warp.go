package collective

import "github.com/gridstride/gridstride/gpu"

// WarpSum is the sum of v over the threads of the warp.
func WarpSum[T gpu.Number](v T) T {
	return WarpReduce(v, add[T])
}

// WarpMin is the smallest v of the threads of the warp, as the built-in min: NaN if one is NaN, and
// -0 is smaller than +0.
func WarpMin[T gpu.Number](v T) T {
	return WarpReduce(v, smaller[T])
}

// WarpMax is the largest v of the threads of the warp, as the built-in max: NaN if one is NaN, and
// +0 is larger than -0.
func WarpMax[T gpu.Number](v T) T {
	return WarpReduce(v, larger[T])
}

// WarpReduce combines v of the threads of the warp by op, which must be associative and
// commutative, up to rounding.
func WarpReduce[T any](v T, op func(x, y T) T) T {
	n := warpThreads()
	mask := firstLanes(n)
	lane := gpu.LaneID()
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		if other := gpu.ShflDownSync(mask, v, d); lane+d < n {
			v = op(v, other)
		}
	}
	return gpu.ShflSync(mask, v, 0)
}

// WarpInclusiveSum is the sum of v over the thread and those before it in the warp.
func WarpInclusiveSum[T gpu.Number](v T) T {
	return WarpInclusiveScan(v, add[T])
}

// WarpInclusiveScan combines v of the first thread of the warp to v of the caller by op, in that
// order: op must be associative, up to rounding.
func WarpInclusiveScan[T any](v T, op func(x, y T) T) T {
	mask := firstLanes(warpThreads())
	lane := gpu.LaneID()
	for d := 1; d < gpu.WarpSize; d *= 2 {
		if before := gpu.ShflUpSync(mask, v, d); lane >= d {
			v = op(before, v)
		}
	}
	return v
}

// warpThreads is the number of threads of the caller's warp: fewer than 32 in the last warp of some
// blocks.
func warpThreads() int {
	return min(blockThreads()-gpu.WarpID()*gpu.WarpSize, gpu.WarpSize)
}

// firstLanes is the mask of the lanes below n, 1 <= n <= 32.
func firstLanes(n int) uint32 {
	return gpu.FullMask >> uint(gpu.WarpSize-n)
}

// blockThreads is the number of threads of the block.
func blockThreads() int {
	return gpu.BlockDim.X * gpu.BlockDim.Y * gpu.BlockDim.Z
}

func add[T gpu.Number](x, y T) T { return x + y }

func smaller[T gpu.Number](x, y T) T { return min(x, y) }

func larger[T gpu.Number](x, y T) T { return max(x, y) }

// linearThread is the caller's place among the threads of the block.
func linearThread() int {
	return gpu.ThreadIdx.X + gpu.BlockDim.X*(gpu.ThreadIdx.Y+gpu.BlockDim.Y*gpu.ThreadIdx.Z)
}
