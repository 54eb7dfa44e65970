package tensor

import "github.com/gridstride/gridstride/gpu"

// placeBytes is the size of a place, which an mbarrier is told to expect.
const placeBytes = 2 * side * lineSize

// TMA has one thread copy for all: it asks for a tile with one instruction, and the tensor memory
// accelerator does the rest, with the edges and the swizzle. The warps that multiply have no
// addresses to compute and no copies to issue.
//
// Two mbarriers a place hand it to and fro. full is over when the bytes of both tiles are there,
// and empty when the four warps have multiplied them.
//
// Launch as Shared.
//
//gpu:kernel block=160 minblocks=2 target=sm_90
//gpu:nobounds
func TMA(a, b gpu.TensorMap[gpu.BFloat16], c []float32, m, n, l int) {
	places := gpu.Shared[[stages]place]()
	full, empty := gpu.Shared[[stages]gpu.MBarrier](), gpu.Shared[[stages]gpu.MBarrier]()
	if gpu.ThreadIdx.X == 0 {
		for i := range full {
			gpu.MBarrierInit(&full[i], 1)
			gpu.MBarrierInit(&empty[i], warps)
		}
		gpu.FenceMBarrierInit()
	}
	gpu.SyncThreads()

	row, col := side*gpu.BlockIdx.Y, side*gpu.BlockIdx.X
	if gpu.ThreadIdx.X >= warps*gpu.WarpSize {
		if gpu.LaneID() == 0 {
			for round := range rounds(n) {
				i, parity := round%stages, round/stages%2
				gpu.MBarrierWaitParity(&empty[i], 1-parity) // at once in the first rounds
				copyPlace(&places[i], &full[i], a, b, row, col, round*depth)
			}
		}
		return
	}
	var sum sums
	for round := range rounds(n) {
		i, parity := round%stages, round/stages%2
		gpu.MBarrierWaitParity(&full[i], parity)
		multiply(&sum, &places[i])
		gpu.SyncWarp(gpu.FullMask) // all lanes have read the place
		if gpu.LaneID() == 0 {
			gpu.MBarrierArrive(&empty[i])
		}
	}
	putSums(&sum, c, row, col, m, l)
}

// copyPlace starts the copies of a place, which is full when the phase of full is over.
func copyPlace(p *place, full *gpu.MBarrier, a, b gpu.TensorMap[gpu.BFloat16], row, col, k int) {
	gpu.MBarrierArriveExpectTx(full, placeBytes)
	gpu.CpAsyncBulkTensor(p.a[:], a, full, k, row)
	gpu.CpAsyncBulkTensor(p.b[:], b, full, k, col)
}
