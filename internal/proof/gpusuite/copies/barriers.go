package copies

import "github.com/gridstride/gridstride/gpu"

// Pipeline writes each element of a, plus one, to out, which is as long. The first warp of a block
// copies tiles of 32 elements to shared memory, and the second reads them. A tile is full when 32
// arrivals have followed the copies, and empty when the readers have arrived.
//
//gpu:kernel block=64 target=sm_80
func Pipeline(a, out []int32) {
	tiles := gpu.Shared[[lines][32]int32]()
	full, empty := gpu.Shared[[lines]gpu.MBarrier](), gpu.Shared[[lines]gpu.MBarrier]()
	thread, lane, step := gpu.ThreadIdx.X, gpu.LaneID(), 32*gpu.GridDim.X
	if thread < lines {
		gpu.MBarrierInit(&full[thread], 32)
		gpu.MBarrierInit(&empty[thread], 32)
	}
	gpu.SyncThreads()
	round := 0
	for at := 32 * gpu.BlockIdx.X; at < len(a); at += step {
		tile, phase := round%lines, round/lines%2
		if thread < 32 {
			gpu.MBarrierWaitParity(&empty[tile], 1-phase) // at once for the first rounds
			if at+lane < len(a) {
				gpu.CpAsync(&tiles[tile][lane], &a[at+lane])
			}
			gpu.CpAsyncMBarrierArriveNoInc(&full[tile])
		} else {
			gpu.MBarrierWaitParity(&full[tile], phase)
			if i := at + 31 - lane; i < len(a) {
				out[i] = tiles[tile][31-lane] + 1
			}
			gpu.MBarrierArrive(&empty[tile])
		}
		round++
	}
	gpu.CpAsyncWaitAll()
}

// Tokens passes a value from thread to thread of a block of 64, through all lengths of a ring, and
// has threads drop out. The sum of what a thread got is in out.
//
//gpu:kernel block=64 target=sm_80
func Tokens(out []int32) {
	values, meet := gpu.Shared[[2][64]int32](), gpu.Shared[gpu.MBarrier]()
	thread := gpu.ThreadIdx.X
	if thread == 0 {
		gpu.MBarrierInit(meet, 64)
	}
	gpu.SyncThreads()
	var sum int32
	for round := range 16 {
		left := 64 - 4*round // threads that are still there
		values[round%2][thread] = int32(round * thread)
		if thread >= left-4 {
			gpu.MBarrierArriveDrop(meet)
			break
		}
		gpu.MBarrierWait(meet, gpu.MBarrierArrive(meet))
		sum += values[round%2][(thread+1)%left]
	}
	out[64*gpu.BlockIdx.X+thread] = sum
}

// Transactions has each thread of a block tell of bytes to come, and each of the same number that
// are there, until the phase is over. Threads say in which of four steps it was.
//
//gpu:kernel block=64 target=sm_90
func Transactions(out []int32) {
	bar := gpu.Shared[gpu.MBarrier]()
	thread := gpu.ThreadIdx.X
	if thread == 0 {
		gpu.MBarrierInit(bar, 64)
	}
	gpu.SyncThreads()
	over := func(step int32) {
		gpu.SyncThreads()
		if gpu.MBarrierTestWaitParity(bar, 0) && out[thread] == 0 {
			out[thread] = step
		}
		gpu.SyncThreads()
	}
	out[thread] = 0
	gpu.MBarrierExpectTx(bar, 16)
	over(1)
	gpu.MBarrierArriveExpectTx(bar, 4*thread)
	over(2)
	gpu.MBarrierCompleteTx(bar, 16)
	over(3)
	gpu.MBarrierCompleteTx(bar, 4*thread)
	over(4)
	if thread == 0 {
		gpu.MBarrierInval(bar)
	}
}
