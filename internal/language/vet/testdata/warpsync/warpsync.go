// Package warpsync has warp operations for all lanes where all lanes come by, and where they do not.
package warpsync

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Ragged(x []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(x) {
		x[i] = gpu.ShflDownSync(gpu.FullMask, x[i], 1) // want "^gpu.ShflDownSync for all lanes is inside `if i < len\\(x\\)` \\(line 9\\), which not all lanes of the warp enter: move it out of the branch, or give it a mask of the lanes that reach it$"
	}
	mask := gpu.BallotSync(gpu.FullMask, i < len(x))
	if i < len(x) {
		x[i] = gpu.ShflDownSync(mask, x[i], 1)
	}
	for i := range gpu.GridStride(len(x)) {
		x[i] = gpu.ShflXorSync(0xffffffff, x[i], 1) // want "gpu.ShflXorSync for all lanes is in the loop `for i := range"
	}
	if gpu.LaneID() == 0 {
		gpu.SyncWarp(gpu.FullMask) // want "gpu.SyncWarp for all lanes is inside"
	}
	if x[gpu.LaneID()] > 0 && gpu.AllSync(gpu.FullMask, x[0] > 1) { // want "gpu.AllSync for all lanes is inside"
		x[0] = 1
	}
}

// WholeWarps has branches that whole warps take.
//
//gpu:kernel block=256
func WholeWarps(x []float32, rows int) {
	tid := gpu.ThreadIdx.X
	sum := x[tid]
	if tid < 64 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 16)
	}
	if tid >= gpu.WarpSize*rows || 32 <= tid || tid > 31 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 8)
	}
	if warp := tid / gpu.WarpSize; warp == rows {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 4)
	}
	for row := gpu.WarpID(); row < rows; row += gpu.BlockDim.X / gpu.WarpSize {
		for col := 0; col < 100; col += 32 {
			sum += gpu.ShflDownSync(gpu.FullMask, sum, 2)
		}
	}
	if gpu.AnySync(gpu.FullMask, sum > 1) {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 1)
	}
	if gpu.ShflSync(gpu.FullMask, sum, 0) > 1 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 1)
	}
	if tid>>5 == 0 || tid&^31 == 64 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 1)
	}
	if tid < 16 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 1) // want "is inside `if tid < 16`"
	}
	if tid <= 32 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 1) // want "is inside `if tid <= 32`"
	}
	if sum > 0 {
		sum += gpu.ShflUpSync(gpu.FullMask, sum, 1) // want "is inside `if sum > 0`"
	}
	x[tid] = sum
}

// Rows has rows of whole warps, as far as is known.
//
//gpu:kernel
func Rows(x []float32) {
	if gpu.ThreadIdx.Y == 0 {
		x[gpu.ThreadIdx.X] = gpu.ShflSync(gpu.FullMask, x[gpu.ThreadIdx.X], 0)
	}
	linear := gpu.ThreadIdx.Y*gpu.BlockDim.X + gpu.ThreadIdx.X
	if linear < 32 {
		x[linear] = gpu.ShflSync(gpu.FullMask, x[linear], 0)
	}
}

// Tiles has rows of half a warp.
//
//gpu:kernel block=16x16
func Tiles(x []float32) {
	if gpu.ThreadIdx.Y == 0 {
		x[gpu.ThreadIdx.X] = gpu.ShflSync(gpu.FullMask, x[gpu.ThreadIdx.X], 0) // want "is inside `if gpu.ThreadIdx.Y == 0`"
	}
}

// Grid has whole warps of the grid take rows, and a loop that whole warps leave.
//
//gpu:kernel
func Grid(x []float32, rows int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if row := i / gpu.WarpSize; row < rows {
		x[row] = gpu.ShflSync(gpu.FullMask, x[i], 0)
	}
	for j := i; j < (len(x)+31)/32*32; j += gpu.BlockDim.X * gpu.GridDim.X {
		if gpu.BallotSync(gpu.FullMask, j < len(x)) == 0 {
			x[j] = 1
		}
	}
	if spread := i + 32*gpu.LaneID(); spread < 64 {
		x[i] = gpu.ShflSync(gpu.FullMask, x[i], 0) // want "is inside `if spread < 64`"
	}
	for j := i; j < len(x); j += gpu.BlockDim.X {
		x[j] = gpu.ShflSync(gpu.FullMask, x[i], 0) // want "is in the loop `for j < len\\(x\\)`"
	}
}

// Threes has blocks of no whole warps.
//
//gpu:kernel block=48
func Threes(x []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < 64 {
		x[i] = gpu.ShflSync(gpu.FullMask, x[i], 0) // want "is inside `if i < 64`"
	}
}
