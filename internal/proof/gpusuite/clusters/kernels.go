// Package clusters has kernels for clusters of blocks: their barrier, and the shared memory of one
// block in the hands of another.
package clusters

import "github.com/gridstride/gridstride/gpu"

// Rotate hands each element to the block of the next rank, through that block's shared memory. The
// elements of the grid are as many as its threads.
//
//gpu:kernel target=sm_90 block=96 cluster=4
func Rotate(in, out []int32) {
	mine := gpu.Shared[[96]int32]()
	next := gpu.MapSharedRank(mine, (gpu.BlockRank()+1)%gpu.ClusterSize())
	t := gpu.ThreadIdx.X
	i := gpu.BlockIdx.X*gpu.BlockDim.X + t
	gpu.SyncCluster() // the next block has begun
	next[t] = in[i]
	gpu.SyncCluster()
	out[i] = mine[t]
}

// Collect has each block read what the others of its cluster hold, of whatever shape that is. A row
// of out has for each rank of the cluster the sum of that block's thread indices and its number.
//
//gpu:kernel target=sm_90
func Collect(out []int32) {
	sum, cells := gpu.Shared[int32](), gpu.Shared[[2]int32]()
	first := gpu.ThreadIdx.X+gpu.ThreadIdx.Y+gpu.ThreadIdx.Z == 0
	block := gpu.BlockIdx.X + gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z)
	if first {
		*sum = 0
		cells[1] = int32(block)
	}
	gpu.SyncThreads()
	gpu.AtomicAdd(sum, int32(gpu.ThreadIdx.X), gpu.BlockScope)
	gpu.ArriveCluster()
	rank, n := gpu.BlockRank(), gpu.ClusterSize()
	gpu.WaitCluster()
	if first {
		for r := range n {
			out[block*n+r] = *gpu.MapSharedRank(sum, r) + 1000*gpu.MapSharedRank(cells, r)[1]
		}
		out[block*n+rank] += 1000000
	}
	gpu.SyncCluster()
}

// Count counts values of 0 to len(bins)-1. The bins are spread over the blocks of the cluster. Each
// block has its share in dynamic shared memory, and any block adds to any (CUDA C++ Programming
// Guide, "Distributed Shared Memory").
//
//gpu:kernel target=sm_90
func Count(values []int32, bins []uint32) {
	share := gpu.DynamicShared[uint32]()
	n := len(share)
	for i := gpu.ThreadIdx.X; i < n; i += gpu.BlockDim.X {
		share[i] = 0
	}
	gpu.SyncCluster()
	for i := range gpu.GridStride(len(values)) {
		v := int(values[i])
		gpu.AtomicAdd(gpu.MapSharedRank(&share[v%n], v/n), 1)
	}
	gpu.SyncCluster()
	first := gpu.BlockRank() * n
	for i := gpu.ThreadIdx.X; i < n; i += gpu.BlockDim.X {
		gpu.AtomicAdd(&bins[first+i], share[i])
	}
}

// Where writes for each block its cluster, its place in the cluster and the cluster's shape.
//
//gpu:kernel target=sm_90 cluster=2x2
func Where(out []gpu.Dim3) {
	if gpu.ThreadIdx.X == 0 {
		block := gpu.BlockIdx.X + gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z)
		out[3*block], out[3*block+1], out[3*block+2] = gpu.ClusterIdx, gpu.BlockIdxInCluster, gpu.ClusterDim
	}
}

// Beyond reads the shared memory of a block of any rank.
//
//gpu:kernel target=sm_90
func Beyond(out []int32, rank int) {
	mine := gpu.Shared[int32]()
	*mine = 7
	gpu.SyncCluster()
	out[gpu.BlockIdx.X] = *gpu.MapSharedRank(mine, rank)
	gpu.SyncCluster()
}

// Around hands each element to the block of the next rank of its cluster, and from there to the
// same block of the next cluster, for which the grid meets.
//
//gpu:kernel target=sm_90
func Around(in, middle, out []int32) {
	mine := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	i := gpu.BlockIdx.X*gpu.BlockDim.X + t
	mine[t] = in[i]
	gpu.SyncCluster()
	middle[i] = gpu.MapSharedRank(mine, (gpu.BlockRank()+1)%gpu.ClusterSize())[t]
	gpu.SyncGrid()
	out[i] = middle[(i+gpu.ClusterSize()*gpu.BlockDim.X)%len(in)]
	gpu.SyncCluster()
}

// Pass hands 64 elements in each round from each block to the next of the cluster, which says when
// it has read them.
//
//gpu:kernel target=sm_90 block=64 cluster=4
func Pass(in, out []int32, rounds int) {
	got := gpu.Shared[[64]int32]()
	full, empty := gpu.Shared[gpu.MBarrier](), gpu.Shared[gpu.MBarrier]()
	t, me, size := gpu.ThreadIdx.X, gpu.BlockRank(), gpu.ClusterSize()
	if t == 0 {
		gpu.MBarrierInit(full, 64)
		gpu.MBarrierInit(empty, 64)
	}
	gpu.SyncCluster()
	next, last := (me+1)%size, (me+size-1)%size
	for round := range rounds {
		at := (gpu.BlockIdx.X*rounds + round) * 64
		gpu.MBarrierWaitParityCluster(empty, 1-round%2)
		gpu.MapSharedRank(got, next)[t] = in[at+t]
		gpu.MBarrierArriveCluster(gpu.MapSharedRank(full, next))
		gpu.MBarrierWaitParityCluster(full, round%2)
		out[at+t] = got[63-t]
		gpu.MBarrierArriveCluster(gpu.MapSharedRank(empty, last))
	}
	gpu.SyncCluster() // no block ends before it has its last arrivals
}
