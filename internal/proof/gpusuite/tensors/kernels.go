// Package tensors has kernels that copy boxes of arrays between global and shared memory by tensor
// maps.
package tensors

import "github.com/gridstride/gridstride/gpu"

// Load copies each block's box in its form in shared memory, with zeros between its rows. Block b's
// coordinates are the rank numbers from at[rank*b]. A box spans box elements in shared memory, and
// bytes is the size of its data.
//
//gpu:kernel target=sm_90 block=96 T=uint8,gpu.BFloat16,float32,int64,gpu.TF32
func Load[T any](m gpu.TensorMap[T], rank, box, bytes int, at []int32, out []T) {
	tile, ready := gpu.DynamicShared[T](), gpu.Shared[gpu.MBarrier]()
	t := gpu.ThreadIdx.X
	if t == 0 {
		gpu.MBarrierInit(ready, 1)
		gpu.FenceMBarrierInit()
		gpu.PrefetchTensorMap(m)
	}
	for i := t; i < box; i += gpu.BlockDim.X {
		var zero T
		tile[i] = zero
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	if t == 0 {
		gpu.MBarrierArriveExpectTx(ready, bytes)
		load(tile, m, ready, at[rank*gpu.BlockIdx.X:][:rank])
	}
	gpu.MBarrierWaitParity(ready, 0)
	for i := t; i < box; i += gpu.BlockDim.X {
		out[gpu.BlockIdx.X*box+i] = tile[i]
	}
}

func load[T any](tile []T, m gpu.TensorMap[T], ready *gpu.MBarrier, at []int32) {
	switch len(at) {
	case 1:
		gpu.CpAsyncBulkTensor(tile, m, ready, int(at[0]))
	case 2:
		gpu.CpAsyncBulkPrefetchTensor(m, int(at[0]), int(at[1]))
		gpu.CpAsyncBulkTensor(tile, m, ready, int(at[0]), int(at[1]))
	case 3:
		gpu.CpAsyncBulkTensor(tile, m, ready, int(at[0]), int(at[1]), int(at[2]))
	case 4:
		gpu.CpAsyncBulkTensor(tile, m, ready, int(at[0]), int(at[1]), int(at[2]), int(at[3]))
	case 5:
		gpu.CpAsyncBulkTensor(tile, m, ready, int(at[0]), int(at[1]), int(at[2]), int(at[3]), int(at[4]))
	}
}

// Store writes each block's box, given in its form in shared memory, to the tensor.
//
//gpu:kernel target=sm_90 block=96 T=uint8,gpu.BFloat16,float32,int64,gpu.TF32
func Store[T any](m gpu.TensorMap[T], rank, box int, at []int32, in []T) {
	tile := gpu.DynamicShared[T]()
	t := gpu.ThreadIdx.X
	for i := t; i < box; i += gpu.BlockDim.X {
		tile[i] = in[gpu.BlockIdx.X*box+i]
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	if t == 0 {
		store(m, tile, at[rank*gpu.BlockIdx.X:][:rank])
		gpu.CpAsyncBulkCommitGroup()
		gpu.CpAsyncBulkWaitGroupRead(0)
	}
}

func store[T any](m gpu.TensorMap[T], tile []T, at []int32) {
	switch len(at) {
	case 1:
		gpu.CpAsyncBulkTensorStore(m, tile, int(at[0]))
	case 2:
		gpu.CpAsyncBulkTensorStore(m, tile, int(at[0]), int(at[1]))
	case 3:
		gpu.CpAsyncBulkTensorStore(m, tile, int(at[0]), int(at[1]), int(at[2]))
	case 4:
		gpu.CpAsyncBulkTensorStore(m, tile, int(at[0]), int(at[1]), int(at[2]), int(at[3]))
	case 5:
		gpu.CpAsyncBulkTensorStore(m, tile, int(at[0]), int(at[1]), int(at[2]), int(at[3]), int(at[4]))
	}
}

// Spread gives every block of a cluster the same tile of 32 rows of 64: each of its blocks reads a
// quarter of it, and hands that to all. Cluster c's tile begins at row 32*c.
//
//gpu:kernel target=sm_90 block=64 cluster=4
func Spread(m gpu.TensorMap[gpu.BFloat16], out []gpu.BFloat16) {
	const rows, width = 8, 64
	tile, ready := gpu.Shared[[4 * rows * width]gpu.BFloat16](), gpu.Shared[gpu.MBarrier]()
	t, rank := gpu.ThreadIdx.X, gpu.BlockRank()
	if t == 0 {
		gpu.MBarrierInit(ready, 1)
		gpu.FenceMBarrierInit()
		gpu.MBarrierArriveExpectTx(ready, len(tile)*2)
	}
	gpu.SyncCluster()
	if t == 0 {
		row := rows * (4*gpu.ClusterIdx.X + rank)
		gpu.CpAsyncBulkTensorMulticast(tile[rank*rows*width:], m, ready, 0b1111, 0, row)
	}
	gpu.MBarrierWaitParity(ready, 0)
	for i := t; i < len(tile); i += gpu.BlockDim.X {
		out[gpu.BlockIdx.X*len(tile)+i] = tile[i]
	}
	gpu.SyncCluster()
}

// Pipe copies a matrix of 64 columns, a tile of 16 rows at a time, through a ring of three tiles. A
// warp starts the copies, and the others write what has come.
//
//gpu:kernel target=sm_90 block=160
func Pipe(m gpu.TensorMap[float32], rows int, out []float32) {
	const stages, height, width = 3, 16, 64
	tiles := gpu.Shared[[stages][height * width]float32]()
	full, empty := gpu.Shared[[stages]gpu.MBarrier](), gpu.Shared[[stages]gpu.MBarrier]()
	t := gpu.ThreadIdx.X
	if t == 0 {
		for s := range stages {
			gpu.MBarrierInit(&full[s], 1)
			gpu.MBarrierInit(&empty[s], 128)
		}
		gpu.FenceMBarrierInit()
	}
	gpu.SyncThreads()
	n := (rows + height - 1) / height
	if t >= 128 {
		for i := 0; i < n && t == 128; i++ {
			s := i % stages
			if i >= stages {
				gpu.MBarrierWaitParity(&empty[s], i/stages%2^1)
			}
			gpu.MBarrierArriveExpectTx(&full[s], height*width*4)
			gpu.CpAsyncBulkTensor(tiles[s][:], m, &full[s], 0, i*height)
		}
		return
	}
	for i := range n {
		s := i % stages
		gpu.MBarrierWaitParity(&full[s], i/stages%2)
		for j := t; j < height*width && i*height*width+j < len(out); j += 128 {
			out[i*height*width+j] = tiles[s][j]
		}
		gpu.MBarrierArrive(&empty[s])
	}
}

// Relay is [Pipe] in clusters of two blocks. Each block reads every other tile of a matrix of 64
// columns and hands it to both. A block's half of a tile may be written again after both blocks
// have read the last.
//
//gpu:kernel target=sm_90 block=160 cluster=2
func Relay(m gpu.TensorMap[float32], rows int, out []float32) {
	const stages, height, width = 2, 8, 64
	tiles := gpu.Shared[[stages][2 * height * width]float32]()
	full, empty := gpu.Shared[[stages]gpu.MBarrier](), gpu.Shared[[stages]gpu.MBarrier]()
	t, rank := gpu.ThreadIdx.X, gpu.BlockRank()
	if t == 0 {
		for s := range stages {
			gpu.MBarrierInit(&full[s], 1)
			gpu.MBarrierInit(&empty[s], 2*128)
		}
		gpu.FenceMBarrierInit()
	}
	gpu.SyncCluster()
	n := (rows + 2*height - 1) / (2 * height)
	if t >= 128 {
		for i := 0; i < n && t == 128; i++ {
			s := i % stages
			if i >= stages {
				gpu.MBarrierWaitParity(&empty[s], i/stages%2^1)
			}
			gpu.MBarrierArriveExpectTx(&full[s], 2*height*width*4)
			gpu.CpAsyncBulkTensorMulticast(tiles[s][rank*height*width:], m, &full[s], 0b11, 0, (2*i+rank)*height)
		}
	} else {
		half := out[rank*len(out)/2:]
		for i := range n {
			s := i % stages
			gpu.MBarrierWaitParity(&full[s], i/stages%2)
			for j := t; j < 2*height*width && i*2*height*width+j < len(out)/2; j += 128 {
				half[i*2*height*width+j] = tiles[s][j]
			}
			gpu.MBarrierArriveCluster(gpu.MapSharedRank(&empty[s], 0))
			gpu.MBarrierArriveCluster(gpu.MapSharedRank(&empty[s], 1))
		}
	}
	gpu.SyncCluster()
}

// Plain copies in to out by way of shared memory, 64 elements a block, of bytes that follow each
// other.
//
//gpu:kernel target=sm_90 block=32
func Plain(in, out []int32) {
	tile, ready := gpu.Shared[[64]int32](), gpu.Shared[gpu.MBarrier]()
	at := 64 * gpu.BlockIdx.X
	n := min(64, len(in)-at)
	t := gpu.ThreadIdx.X
	if t == 0 {
		gpu.MBarrierInit(ready, 1)
		gpu.FenceMBarrierInit()
		gpu.CpAsyncBulkPrefetch(in[at : at+n])
		gpu.MBarrierArriveExpectTx(ready, 4*n)
		gpu.CpAsyncBulk(tile[:], in[at:at+n], ready)
	}
	gpu.SyncThreads()
	gpu.MBarrierWaitParity(ready, 0)
	if t == 0 {
		gpu.CpAsyncBulkStore(out[at:], tile[:n])
		gpu.CpAsyncBulkCommitGroup()
		gpu.CpAsyncBulkWaitGroup(0)
	}
}

// Hand hands the 128 elements of each block to the block of the next rank, and gives all blocks of
// the cluster the first 32 elements of in.
//
//gpu:kernel target=sm_90 block=128 cluster=4
func Hand(in, out []int32) {
	mine, got, first := gpu.Shared[[128]int32](), gpu.Shared[[128]int32](), gpu.Shared[[32]int32]()
	ready := gpu.Shared[gpu.MBarrier]()
	t, rank := gpu.ThreadIdx.X, gpu.BlockRank()
	i := 128*gpu.BlockIdx.X + t
	if t == 0 {
		gpu.MBarrierInit(ready, 1)
		gpu.FenceMBarrierInit()
		gpu.MBarrierArriveExpectTx(ready, 4*(128+32))
	}
	mine[t] = in[i]
	gpu.FenceProxyAsync()
	gpu.SyncCluster()
	if t == 0 {
		next := (rank + 1) % 4
		gpu.CpAsyncBulkCluster(gpu.MapSharedRank(got, next)[:], mine[:], gpu.MapSharedRank(ready, next))
		if rank == 0 {
			gpu.CpAsyncBulkMulticast(first[:], in[:32], ready, 0b1111)
		}
	}
	gpu.MBarrierWaitParity(ready, 0)
	out[i] = got[t] + 1000*first[t%32]
	gpu.SyncCluster()
}
