// Package tensors has copies of boxes of tensors, in every way to get them wrong: way 0 is right.
package tensors

import "github.com/gridstride/gridstride/gpu"

const rows, width = 8, 32 // of a box

// Load reads a box of a matrix, and writes it.
//
//gpu:kernel target=sm_90a
func Load(m gpu.TensorMap[float32], out []float32, way int) {
	tile, ready := gpu.Shared[[rows*width + 64]float32](), gpu.Shared[gpu.MBarrier]()
	t := gpu.ThreadIdx.X
	if t == 0 && way != 4 {
		gpu.MBarrierInit(ready, 1)
		if way != 5 {
			gpu.FenceMBarrierInit()
		}
	}
	if way != 6 {
		gpu.SyncThreads()
	}
	if way == 7 {
		tile[t] = 1
		if t == 0 {
			gpu.FenceProxyAsync()
		}
		gpu.SyncThreads()
	}
	if t == 0 {
		bytes := rows * width * 4
		switch way {
		case 2:
			bytes += 16
		case 3:
			bytes -= 16
		}
		gpu.MBarrierArriveExpectTx(ready, bytes)
		switch way {
		case 8:
			gpu.CpAsyncBulkTensor(tile[4:], m, ready, 0, 0)
		case 9:
			gpu.CpAsyncBulkTensor(tile[32:], m, ready, 0, 0)
			gpu.CpAsyncBulkTensor(tile[rows*width:], m, ready, 0, 0)
		case 10:
			gpu.CpAsyncBulkTensor(tile[:], m, ready, 0)
		default:
			gpu.CpAsyncBulkTensor(tile[:], m, ready, 0, 0)
		}
	}
	switch way {
	case 1:
	case 11:
		gpu.MBarrierWaitParity(ready, 1)
	default:
		gpu.MBarrierWaitParity(ready, 0)
	}
	for i := t; i < rows*width && way != 4; i += gpu.BlockDim.X {
		out[i] = tile[i]
	}
}

// Ring reads boxes that follow each other through a ring of two. The first warp starts the copies.
//
//gpu:kernel target=sm_90a block=96
func Ring(m gpu.TensorMap[float32], out []float32, way int) {
	tiles := gpu.Shared[[2][rows * width]float32]()
	full, empty := gpu.Shared[[2]gpu.MBarrier](), gpu.Shared[[2]gpu.MBarrier]()
	t, n := gpu.ThreadIdx.X, len(out)/(rows*width)
	if t == 0 {
		for s := range 2 {
			gpu.MBarrierInit(&full[s], 1)
			gpu.MBarrierInit(&empty[s], 64)
		}
		gpu.FenceMBarrierInit()
	}
	gpu.SyncThreads()
	if t < 32 {
		for i := 0; i < n && t == 0; i++ {
			if i >= 2 && way != 1 {
				gpu.MBarrierWaitParity(&empty[i%2], (i/2+1)%2)
			}
			gpu.MBarrierArriveExpectTx(&full[i%2], rows*width*4)
			gpu.CpAsyncBulkTensor(tiles[i%2][:], m, &full[i%2], 0, i*rows)
		}
		return
	}
	for i := range n {
		gpu.MBarrierWaitParity(&full[i%2], i/2%2)
		if way == 2 {
			gpu.MBarrierArrive(&empty[i%2])
		}
		for j := t - 32; j < rows*width; j += 64 {
			out[i*rows*width+j] = tiles[i%2][j]
		}
		if way != 2 && !(way == 3 && t == 40) {
			gpu.MBarrierArrive(&empty[i%2])
		}
	}
}

// Store makes a box of what threads have written, or, in way 6, of what nobody has.
//
//gpu:kernel target=sm_90a
func Store(m gpu.TensorMap[float32], way int) {
	tile := gpu.Shared[[rows * width]float32]()
	t := gpu.ThreadIdx.X
	for i := t; i < rows*width && way != 6; i += gpu.BlockDim.X {
		tile[i] = float32(i)
	}
	if way != 1 {
		gpu.FenceProxyAsync()
	}
	if way != 2 {
		gpu.SyncThreads()
	}
	if t == 0 {
		gpu.CpAsyncBulkTensorStore(m, tile[:], 0, 0)
		if way != 4 {
			gpu.CpAsyncBulkCommitGroup()
		}
		if way != 3 && way != 5 {
			gpu.CpAsyncBulkWaitGroupRead(0)
		}
	}
	if way != 5 {
		gpu.SyncThreads()
		tile[t] = 0
	}
}

// Written reads what it has copied to global memory.
//
//gpu:kernel target=sm_90a
func Written(m gpu.TensorMap[float32], memory, out []float32, way int) {
	tile := gpu.Shared[[rows * width]float32]()
	t := gpu.ThreadIdx.X
	for i := t; i < rows*width; i += gpu.BlockDim.X {
		tile[i] = float32(i)
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	if t != 0 {
		return
	}
	gpu.CpAsyncBulkTensorStore(m, tile[:], 0, 0)
	gpu.CpAsyncBulkCommitGroup()
	if way == 0 {
		gpu.CpAsyncBulkWaitGroup(0)
	} else {
		gpu.CpAsyncBulkWaitGroupRead(0)
	}
	out[0] = memory[5]
}

// Spread gives both blocks of a cluster a box that the first of them reads.
//
//gpu:kernel target=sm_90a cluster=2
func Spread(m gpu.TensorMap[float32], out []float32, way int) {
	tile, ready := gpu.Shared[[rows * width]float32](), gpu.Shared[gpu.MBarrier]()
	t, rank := gpu.ThreadIdx.X, gpu.BlockRank()
	if t == 0 {
		gpu.MBarrierInit(ready, 1)
		if way != 2 || rank == 0 {
			gpu.FenceMBarrierInit()
		}
		gpu.MBarrierArriveExpectTx(ready, rows*width*4)
	}
	if way == 1 {
		gpu.SyncThreads()
	} else {
		gpu.SyncCluster()
	}
	if way == 3 && rank == 1 {
		return
	}
	if t == 0 && rank == 0 {
		gpu.CpAsyncBulkTensorMulticast(tile[:], m, ready, 0b11, 0, 0)
	}
	gpu.MBarrierWaitParity(ready, 0)
	for i := t; i < rows*width; i += gpu.BlockDim.X {
		out[rank*rows*width+i] = tile[i]
	}
}

// Product multiplies two boxes, while the next is on its way to where the first factor is. In ways
// 3 and 4 the second factor has another swizzle, and in 4 threads have written it anew.
//
//gpu:kernel target=sm_90a block=128
func Product(m gpu.TensorMap[gpu.BFloat16], out []float32, way int) {
	a, b := gpu.Shared[[64 * 64]gpu.BFloat16](), gpu.Shared[[64 * 64]gpu.BFloat16]()
	ready := gpu.Shared[[2]gpu.MBarrier]()
	t := gpu.ThreadIdx.X
	if t == 0 {
		gpu.MBarrierInit(&ready[0], 1)
		gpu.MBarrierInit(&ready[1], 1)
		gpu.FenceMBarrierInit()
	}
	gpu.SyncThreads()
	if t == 0 {
		gpu.MBarrierArriveExpectTx(&ready[0], 2*64*64*2)
		gpu.CpAsyncBulkTensor(a[:], m, &ready[0], 0, 0)
		gpu.CpAsyncBulkTensor(b[:], m, &ready[0], 0, 64)
	}
	var sum gpu.C64x64[float32]
	if way != 1 {
		gpu.MBarrierWaitParity(&ready[0], 0)
	}
	swizzle := gpu.Swizzle128
	if way >= 3 {
		swizzle = gpu.Swizzle64
	}
	if way == 4 {
		for i := t; i < len(b); i += gpu.BlockDim.X {
			b[i] = gpu.BFloat16{}
		}
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
	}
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, gpu.MatrixOf(a[:], 16, 1024, gpu.Swizzle128), gpu.MatrixOf(b[:], 16, 1024, swizzle), false)
	gpu.WGMMACommit()
	if way != 2 {
		gpu.WGMMAWait(0)
	}
	gpu.SyncThreads()
	if t == 0 {
		gpu.MBarrierArriveExpectTx(&ready[1], 64*64*2)
		gpu.CpAsyncBulkTensor(a[:], m, &ready[1], 0, 128)
	}
	gpu.MBarrierWaitParity(&ready[1], 0)
	gpu.WGMMAWait(0)
	out[t] = sum[0] + gpu.ToFloat32(a[t])
}
