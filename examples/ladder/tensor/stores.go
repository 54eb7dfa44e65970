package tensor

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// storeCols is how many columns of its sums a warpgroup writes at a time: lines of 128 bytes.
const storeCols = lineSize / 4

// stage is their shared memory, swizzled.
type stage [groupRows * storeCols]float32

// Stores is Persistent whose sums go to C by way of shared memory, from where the tensor memory
// accelerator writes whole lines. The next columns are on their way to shared memory meanwhile.
//
// Launch as Persistent. l is a multiple of 4.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func Stores(a, b gpu.TensorMap[gpu.BFloat16], c gpu.TensorMap[float32], m, n, l int) {
	at, ring, p := gpu.Shared[[ringPlaces]large](), newRing(cluster), problem{a, b, m, n, l}
	stages := gpu.Shared[[2][2]stage]()
	order := orderOf(m, l)
	first, step := gpu.ClusterIdx.X, gpu.GridDim.X/cluster
	var turn tile.Turn
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == consumers {
			for i := first; i < order.Tiles(); i += step {
				row, col := tileAt(order, i)
				turn = bring(at, ring, turn, &p, row, col, cluster)
			}
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		group := gpu.ThreadIdx.X / groupSize
		for i := first; i < order.Tiles(); i += step {
			row, col := tileAt(order, i)
			var sum gpu.C64x256[float32]
			turn = sumTile(at, ring, turn, n, &sum)
			store(&sum, &stages[group], c, row+group*groupRows, col, m, l)
		}
		gpu.CpAsyncBulkWaitGroup(0)
	}
	gpu.SyncCluster()
}

// store writes a warpgroup's sums to C, which begin at a row and a column. Of its two stages one is
// written while the other is copied, by the first thread.
func store(sum *gpu.C64x256[float32], stages *[2]stage, c gpu.TensorMap[float32], row, col, rows, cols int) {
	const each = storeCols / 2 // sums of a thread
	group, thread := gpu.ThreadIdx.X/groupSize, gpu.ThreadIdx.X%groupSize
	for part := range len(sum) / each {
		to := &stages[part%2]
		if thread == 0 {
			gpu.CpAsyncBulkWaitGroupRead(1) // the copy before the last has read this stage
		}
		gpu.SyncBarrier(1+group, groupSize)
		for i := range each {
			r, s := sum.At(thread, i)
			to[gpu.Swizzle128.Offset(r*lineSize+4*s)/4] = sum[part*each+i]
		}
		gpu.FenceProxyAsync() // copies read by another way than threads write
		gpu.SyncBarrier(1+group, groupSize)
		if thread == 0 {
			if row < rows && col+part*storeCols < cols {
				gpu.CpAsyncBulkTensorStore(c, to[:], col+part*storeCols, row)
			}
			gpu.CpAsyncBulkCommitGroup()
		}
	}
}
