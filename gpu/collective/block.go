package collective

import "github.com/gridstride/gridstride/gpu"

// maxWarps is the number of warps of the largest block.
const maxWarps = 1024 / gpu.WarpSize

// BlockSum is the sum of v over the threads of the block.
func BlockSum[T gpu.Number](v T) T {
	return BlockReduce(v, add[T])
}

// BlockMin is the smallest v of the threads of the block, as the built-in min: NaN if one is NaN,
// and -0 is smaller than +0.
func BlockMin[T gpu.Number](v T) T {
	return BlockReduce(v, smaller[T])
}

// BlockMax is the largest v of the threads of the block, as the built-in max: NaN if one is NaN,
// and +0 is larger than -0.
func BlockMax[T gpu.Number](v T) T {
	return BlockReduce(v, larger[T])
}

// BlockReduce combines v of the threads of the block by op, which must be associative and
// commutative, up to rounding. It takes two barriers.
//
// Every thread reads the warps' results, 32 at most. All threads read one word at a time, which
// shared memory gives to a whole warp at once. So this takes no longer than a second round of
// shuffles in one warp, and it needs no third barrier to hand the result out.
func BlockReduce[T any](v T, op func(x, y T) T) T {
	results := gpu.Shared[[maxWarps]T]()
	v = WarpReduce(v, op)
	if gpu.LaneID() == 0 {
		results[gpu.WarpID()] = v
	}
	gpu.SyncThreads()
	v = results[0]
	for _, w := range results[1:blockWarps()] {
		v = op(v, w)
	}
	gpu.SyncThreads() // results may be written again
	return v
}

// BlockInclusiveSum is the sum of v over the thread and those before it in the block.
func BlockInclusiveSum[T gpu.Number](v T) T {
	return BlockInclusiveScan(v, add[T])
}

// BlockExclusiveSum is the sum of v over the threads before the caller in the block, 0 for the
// first, and the sum over all threads of the block: where each thread of a block has v results to
// write, before is its place and total their number. This keeps the positive numbers of in, in
// their order:
//
//	before, total := collective.BlockExclusiveSum(keep) // keep is 1 where v > 0, else 0
//	if keep == 1 {
//		out[before] = v
//	}
//	if gpu.ThreadIdx.X == 0 {
//		count[0] = total
//	}
func BlockExclusiveSum[T gpu.Number](v T) (before, total T) {
	return BlockExclusiveScan(v, 0, add[T])
}

// BlockInclusiveScan combines v of the first thread of the block to v of the caller by op, in that
// order: op must be associative, up to rounding. It takes two barriers.
func BlockInclusiveScan[T any](v T, op func(x, y T) T) T {
	totals := gpu.Shared[[maxWarps]T]()
	v = WarpInclusiveScan(v, op)
	if gpu.LaneID() == warpThreads()-1 {
		totals[gpu.WarpID()] = v
	}
	gpu.SyncThreads()
	if warp := gpu.WarpID(); warp > 0 {
		before := totals[0]
		for _, w := range totals[1:warp] {
			before = op(before, w)
		}
		v = op(before, v)
	}
	gpu.SyncThreads() // totals may be written again
	return v
}

// BlockExclusiveScan combines v of the threads before the caller by op, as [BlockInclusiveScan]
// does. The first thread gets identity. total combines v of all threads of the block. It takes two
// barriers.
func BlockExclusiveScan[T any](v, identity T, op func(x, y T) T) (before, total T) {
	totals := gpu.Shared[[maxWarps]T]()
	n := warpThreads()
	through := WarpInclusiveScan(v, op)
	lane, warp := gpu.LaneID(), gpu.WarpID()
	if lane == n-1 {
		totals[warp] = through
	}
	before = gpu.ShflUpSync(firstLanes(n), through, 1)
	gpu.SyncThreads()
	total = totals[0]
	warpsBefore := identity
	for w, t := range totals[1:blockWarps()] {
		if w+1 == warp {
			warpsBefore = total
		}
		total = op(total, t)
	}
	gpu.SyncThreads() // totals may be written again
	switch {
	case lane == 0:
		return warpsBefore, total
	case warp == 0:
		return before, total
	}
	return op(warpsBefore, before), total
}

// blockWarps is the number of warps of the block, the last one perhaps partial.
func blockWarps() int {
	return (blockThreads() + gpu.WarpSize - 1) / gpu.WarpSize
}
