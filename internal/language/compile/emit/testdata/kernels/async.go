package p

import "github.com/gridstride/gridstride/gpu"

// Staged has, between the waits of a round, ldmatrix and mma alone: the registers of the one are
// those of the other. A copy is one instruction.
//
//gpu:kernel block=32 target=sm_90
func Staged(a, b []gpu.Float16, c []float32, steps int) {
	tiles := gpu.Shared[[2][16 * 24]gpu.Float16]()
	lane := gpu.LaneID()
	var y gpu.B16x8[gpu.Float16]
	for i := range y {
		row, col := y.At(lane, i)
		y[i] = b[8*row+col]
	}
	line := (*[8]gpu.Float16)(tiles[0][24*(lane/2)+8*(lane%2):])
	var x gpu.A16x16[gpu.Float16]
	row, col := x.RowAt(lane)
	var sum gpu.C16x8[float32]
	for step := range steps {
		gpu.CpAsync(line, (*[8]gpu.Float16)(a[256*step+8*lane:]), gpu.CacheGlobal)
		gpu.CpAsyncCommitGroup()
		gpu.CpAsyncWaitGroup(0)
		gpu.SyncWarp(gpu.FullMask)
		sum = gpu.MMA16x8x16(gpu.LdMatrixRows[gpu.A16x16[gpu.Float16]](&tiles[0][24*row+col]), y, sum)
		gpu.SyncWarp(gpu.FullMask)
	}
	for i := range sum {
		row, col := sum.At(lane, i)
		c[8*row+col] = sum[i]
	}
}

// Barriers waits in a loop of two instructions, for a parity and for a token. A pointer that may be
// nil is a generic one, which mbarrier.arrive needs in shared memory.
//
//gpu:kernel block=64 target=sm_90
func Barriers(out []int32, last bool) {
	bars, tile := gpu.Shared[[2]gpu.MBarrier](), gpu.Shared[[64]int32]()
	thread := gpu.ThreadIdx.X
	if thread < 2 {
		gpu.MBarrierInit(&bars[thread], 64)
	}
	gpu.SyncThreads()
	tile[thread] = int32(thread)
	token := gpu.MBarrierArriveExpectTx(&bars[0], 16)
	gpu.MBarrierCompleteTx(&bars[0], 16)
	gpu.MBarrierWait(&bars[0], token)
	var bar *gpu.MBarrier
	if last {
		bar = &bars[1]
	}
	gpu.MBarrierArrive(bar)
	gpu.MBarrierWaitParity(&bars[1], 0)
	out[thread] = tile[63-thread]
}

// Drained waits for one group after the other: how many may stay in flight is a constant when the
// call is inlined and its loop unrolled.
//
//gpu:kernel block=32 target=sm_90
func Drained(a, sums []float32) {
	tiles := gpu.Shared[[4][32]float32]()
	sums[gpu.LaneID()] = drain(tiles[:], a)
}

func drain(tiles [][32]float32, a []float32) (sum float32) {
	lane := gpu.LaneID()
	for i := range 4 {
		gpu.CpAsync(&tiles[i][lane], &a[32*i+lane])
		gpu.CpAsyncCommitGroup()
	}
	for i := range 4 {
		gpu.CpAsyncWaitGroup(3 - i)
		sum += tiles[i][lane]
	}
	return sum
}
