// Package async has kernels with asynchronous copies, matrices in shared memory and mbarriers:
// right where fault is none, and else with the mistake that it names.
package async

import "github.com/gridstride/gridstride/gpu"

// The mistakes of Copied.
const (
	none = iota
	noWait
	noCommit
	groupLeft
	noBarrier
	waitBehindBarrier
	sourceWritten
	destinationWritten
	readInFlight
)

// Copied copies 64 elements to shared memory, and each thread reads what another has copied.
//
//gpu:kernel block=64 target=sm_90
func Copied(a, out []float32, fault int) {
	tile := gpu.Shared[[64]float32]()
	i := gpu.ThreadIdx.X
	gpu.CpAsync(&tile[i], &a[i])
	if fault != noCommit {
		gpu.CpAsyncCommitGroup()
	}
	switch fault {
	case sourceWritten:
		a[i] = 1
	case destinationWritten:
		tile[i] = 1
	case readInFlight:
		out[i] = tile[i]
	}
	switch fault {
	case noWait:
	case groupLeft:
		gpu.CpAsyncWaitGroup(1)
	case waitBehindBarrier:
		gpu.SyncThreads()
		gpu.CpAsyncWaitGroup(0)
	default:
		gpu.CpAsyncWaitGroup(0)
	}
	if fault != noBarrier && fault != waitBehindBarrier {
		gpu.SyncThreads()
	}
	out[i] = tile[63-i]
}

// The mistakes of Stages.
const (
	tooFewStages = iota + 1
	waitTooShort
)

// Stages adds up tiles of 32 elements, of which some are on their way while one is read.
//
//gpu:kernel block=32 target=sm_90
func Stages(a, out []float32, fault int) {
	tiles := gpu.Shared[[3][32]float32]()
	i, n, stages := gpu.ThreadIdx.X, len(a)/32, 3
	if fault == tooFewStages { // the tile that is read is overwritten
		stages = 2
	}
	copyTo := func(round int) {
		if round < n {
			gpu.CpAsync(&tiles[round%stages][i], &a[32*round+i])
		}
		gpu.CpAsyncCommitGroup()
	}
	copyTo(0)
	copyTo(1)
	var sum float32
	for round := range n {
		if fault == waitTooShort {
			gpu.CpAsyncWaitGroup(2)
		} else {
			gpu.CpAsyncWaitGroup(1)
		}
		gpu.SyncThreads()
		copyTo(round + 2)
		sum += tiles[round%stages][31-i]
	}
	out[i] = sum
	gpu.CpAsyncWaitAll()
}

// The mistakes of Matrix.
const (
	inFlight = iota + 1
	misaligned
	partOfWarp
	rowsUnwritten
	storedUnordered
)

// Matrix takes 16 by 8 elements through a fragment.
//
//gpu:kernel block=32 target=sm_90
func Matrix(a, out []gpu.Float16, fault int) {
	tile, back := gpu.Shared[[16 * 16]gpu.Float16](), gpu.Shared[[16 * 8]gpu.Float16]()
	lane, at := gpu.LaneID(), 0
	if lane < 15 || lane == 15 && fault != rowsUnwritten {
		gpu.CpAsync((*[8]gpu.Float16)(tile[16*lane:]), (*[8]gpu.Float16)(a[8*lane:]))
	}
	if fault != inFlight {
		gpu.CpAsyncWaitAll()
	}
	gpu.SyncWarp(gpu.FullMask)
	if fault == misaligned {
		at = 1
	}
	if fault == partOfWarp && lane >= 30 {
		return
	}
	var f gpu.A16x8[gpu.Float16]
	r, c := f.RowAt(lane)
	f = gpu.LdMatrixRows[gpu.A16x8[gpu.Float16]](&tile[16*r+c+at])
	gpu.StMatrixRows(&back[8*r+c], f)
	if fault != storedUnordered {
		gpu.SyncWarp(gpu.FullMask)
	}
	for i := lane; i < 128; i += 32 {
		if x := back[i]; x.Float32() > 0 {
			out[i] = x
		}
	}
	gpu.CpAsyncWaitAll()
}
