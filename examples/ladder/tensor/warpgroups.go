package tensor

import "github.com/gridstride/gridstride/gpu"

// groupSize is the threads of a warpgroup, and groupRows the rows of A that it multiplies.
const (
	groupSize = 4 * gpu.WarpSize
	groupRows = 64
)

// Warpgroups multiplies by warpgroups: one instruction takes 64 rows of A and 128 of B, and reads
// both from shared memory itself. No fragment is loaded, and each number leaves shared memory half
// as often. Both warpgroups of a block must have read a place before its first thread has it filled
// again.
//
// Launch as Shared.
//
//gpu:kernel block=256 minblocks=2 target=sm_90a
//gpu:nobounds
func Warpgroups(a, b gpu.TensorMap[gpu.BFloat16], c []float32, m, n, l int) {
	places, full := gpu.Shared[[stages]place](), gpu.Shared[[stages]gpu.MBarrier]()
	row, col := side*gpu.BlockIdx.Y, side*gpu.BlockIdx.X
	fill := func(round int) {
		if i := round % stages; gpu.ThreadIdx.X == 0 && round < rounds(n) {
			copyPlace(&places[i], &full[i], a, b, row, col, round*depth)
		}
	}
	if gpu.ThreadIdx.X == 0 {
		for i := range full {
			gpu.MBarrierInit(&full[i], 1)
		}
		gpu.FenceMBarrierInit()
	}
	gpu.SyncThreads()
	for round := range stages {
		fill(round)
	}
	group := gpu.ThreadIdx.X / groupSize
	var sum gpu.C64x128[float32]
	for round := range rounds(n) {
		i, parity := round%stages, round/stages%2
		gpu.MBarrierWaitParity(&full[i], parity)
		gpu.WGMMAFence()
		for k := 0; k < depth; k += 16 {
			x := gpu.MatrixOf(places[i].a[group*groupRows*depth+k:], 0, 8*lineSize, gpu.Swizzle128)
			y := gpu.MatrixOf(places[i].b[k:], 0, 8*lineSize, gpu.Swizzle128)
			gpu.WGMMA(&sum, x, y, true)
		}
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		gpu.SyncThreads() // both have read the place
		fill(round + stages)
	}
	for i := range sum {
		r, s := sum.At(gpu.ThreadIdx.X%groupSize, i)
		put(c, row+group*groupRows+r, col+s, m, l, sum[i])
	}
}
