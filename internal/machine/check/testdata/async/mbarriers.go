package async

import "github.com/gridstride/gridstride/gpu"

// The mistakes of Handed.
const (
	notInitialized = iota + 1
	initUnordered
	initTwice
	tooFewArrive
	tooManyArrive
	waitNot
	waitForPast
	usedAfterInval
	noArrivals
)

// Handed has one warp write what the other reads. All 64 threads arrive, and the second warp waits.
//
//gpu:kernel block=64 target=sm_90
func Handed(out []int32, arrivals, fault int) {
	ready, tile := gpu.Shared[gpu.MBarrier](), gpu.Shared[[32]int32]()
	thread := gpu.ThreadIdx.X
	if thread == 0 && fault != notInitialized {
		gpu.MBarrierInit(ready, arrivals)
		if fault == initTwice {
			gpu.MBarrierWaitParity(ready, 1)
			gpu.MBarrierInit(ready, arrivals)
		}
	}
	if fault != initUnordered {
		gpu.SyncThreads()
	}
	if fault == usedAfterInval {
		if thread == 0 {
			gpu.MBarrierInval(ready)
		}
		gpu.SyncThreads()
	}
	if thread < 32 {
		tile[thread] = int32(thread)
		if fault != tooFewArrive || thread < 30 {
			gpu.MBarrierArrive(ready)
		}
		return
	}
	token := gpu.MBarrierArrive(ready)
	switch fault {
	case waitNot:
	case waitForPast:
		gpu.MBarrierWaitParity(ready, 1)
	default:
		gpu.MBarrierWait(ready, token)
	}
	out[thread-32] = tile[63-thread]
}

// The mistakes of Ring.
const (
	phaseOffByOne = iota + 1
	emptyNotAwaited
	parityStays
	readBeforeArrival
	copiesNotAwaited
	oneConsumerLess
)

// Ring has one warp copy tiles of 32 elements to two places in turn, and another read them.
//
//gpu:kernel block=64 target=sm_90
func Ring(a, out []int32, fault int) {
	tiles := gpu.Shared[[2][32]int32]()
	full, empty := gpu.Shared[[2]gpu.MBarrier](), gpu.Shared[[2]gpu.MBarrier]()
	thread, lane := gpu.ThreadIdx.X, gpu.LaneID()
	if thread < 2 {
		gpu.MBarrierInit(&full[thread], 32)
		gpu.MBarrierInit(&empty[thread], 32)
	}
	gpu.SyncThreads()
	for round := range len(a) / 32 {
		place, phase := round%2, round/2%2
		if fault == parityStays {
			phase = 0
		}
		if thread < 32 {
			if fault != emptyNotAwaited {
				gpu.MBarrierWaitParity(&empty[place], 1-phase)
			}
			gpu.CpAsync(&tiles[place][lane], &a[32*round+lane])
			if fault == copiesNotAwaited {
				gpu.MBarrierArrive(&full[place])
			} else {
				gpu.CpAsyncMBarrierArriveNoInc(&full[place])
			}
			continue
		}
		switch fault {
		case phaseOffByOne:
			gpu.MBarrierWaitParity(&full[place], 1-phase)
		case readBeforeArrival:
			out[32*round+lane] = tiles[place][31-lane]
			fallthrough
		default:
			gpu.MBarrierWaitParity(&full[place], phase)
		}
		out[32*round+lane] = tiles[place][31-lane]
		if fault != oneConsumerLess || lane > 0 {
			gpu.MBarrierArrive(&empty[place])
		}
	}
	gpu.CpAsyncWaitAll()
}

// The mistakes of Bytes.
const (
	expectTooMany = iota + 1
	expectTooFew
	expectOverflow
)

// Bytes waits for bytes that the threads of a warp say are there. The first thread expects them.
//
//gpu:kernel block=32 target=sm_90
func Bytes(out []int32, bytes, fault int) {
	bar, tile := gpu.Shared[gpu.MBarrier](), gpu.Shared[[32]int32]()
	lane := gpu.LaneID()
	if lane == 0 {
		gpu.MBarrierInit(bar, 32)
	}
	gpu.SyncWarp(gpu.FullMask)
	tile[lane] = int32(lane)
	if lane == 0 {
		gpu.MBarrierExpectTx(bar, bytes)
	}
	gpu.SyncWarp(gpu.FullMask)
	gpu.MBarrierCompleteTx(bar, 4)
	gpu.MBarrierWait(bar, gpu.MBarrierArrive(bar))
	out[lane] = tile[31-lane]
}
