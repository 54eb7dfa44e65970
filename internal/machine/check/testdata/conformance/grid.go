package conformance

import "github.com/gridstride/gridstride/gpu"

// GridNeighbour reads what another block wrote before all met.
//
//gpu:kernel
func GridNeighbour(a, b []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	a[i] = int32(i)
	gpu.SyncGrid()
	b[i] = a[len(a)-1-i]
}

// BlockNeighbour has only the block meet.
//
//gpu:kernel
func BlockNeighbour(a, b []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	a[i] = int32(i)
	gpu.SyncThreads()
	b[i] = a[len(a)-1-i]
}

// GridRounds adds neighbours again and again, from one buffer to the other.
//
//gpu:kernel
func GridRounds(a, b []int32, rounds int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	for range rounds {
		b[i] = a[i] + a[len(a)-1-i]
		a, b = b, a
		gpu.SyncGrid()
	}
}

// GridRoundsInPlace does so in one buffer.
//
//gpu:kernel
func GridRoundsInPlace(a []int32, rounds int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	for range rounds {
		a[i] += a[len(a)-1-i]
		gpu.SyncGrid()
	}
}

// GridLateWrite has all threads read an element on both sides of the meeting, and one write it.
//
//gpu:kernel
func GridLateWrite(a []int32) {
	sum := int32(0)
	for range 2 {
		sum += a[0]
		gpu.SyncGrid()
	}
	sum += a[0]
	if gpu.BlockIdx.X == gpu.GridDim.X-1 && gpu.ThreadIdx.X == 0 {
		a[0] = sum + 1
	}
}

// GridUniform meets behind a condition that is the same for all.
//
//gpu:kernel
func GridUniform(a []int32, x int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if x > 0 {
		gpu.SyncGrid()
	}
	a[i]++
}

// GridReturned sends threads without work home before the meeting, which is wrong for a grid.
//
//gpu:kernel
func GridReturned(a []int32, n int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= n {
		return
	}
	gpu.SyncGrid()
	a[i]++
}

// GridBlockReturned has all blocks but the first return.
//
//gpu:kernel
func GridBlockReturned(a []int32) {
	if gpu.BlockIdx.X > 0 {
		return
	}
	gpu.SyncGrid()
	a[gpu.ThreadIdx.X]++
}

// GridOrBlock has a warp wait for the block where the other waits for the grid.
//
//gpu:kernel
func GridOrBlock(a []int32) {
	if gpu.ThreadIdx.X < 32 {
		gpu.SyncThreads()
	} else {
		gpu.SyncGrid()
	}
	a[gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X]++
}
