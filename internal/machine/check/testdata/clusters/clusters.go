// Package clusters is kernels for clusters of blocks, each of which has a known verdict of the checks.
package clusters

import "github.com/gridstride/gridstride/gpu"

// place is the global index of the thread.
func place() int { return gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X }

// next is the rank of the next block of the cluster.
func next() int { return (gpu.BlockRank() + 1) % gpu.ClusterSize() }

// Exchange reads what the next block wrote, between two meetings.
//
//gpu:kernel target=sm_90
func Exchange(out []int32) {
	mine := gpu.Shared[[64]int32]()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.SyncCluster()
	out[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
	gpu.SyncCluster()
}

// ExchangeBlock takes a barrier of the block for one of the cluster.
//
//gpu:kernel target=sm_90
func ExchangeBlock(out []int32) {
	mine := gpu.Shared[[64]int32]()
	gpu.SyncCluster()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.SyncThreads()
	out[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
	gpu.SyncCluster()
}

// ExchangeTwice writes again before all have read.
//
//gpu:kernel target=sm_90
func ExchangeTwice(out []int32) {
	mine := gpu.Shared[[64]int32]()
	for round := range 2 {
		mine[gpu.ThreadIdx.X] = int32(place() + round)
		gpu.SyncCluster()
		out[place()] += gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
	}
	gpu.SyncCluster()
}

// ExchangeRounds is right about that.
//
//gpu:kernel target=sm_90
func ExchangeRounds(out []int32) {
	mine := gpu.Shared[[64]int32]()
	for round := range 2 {
		mine[gpu.ThreadIdx.X] = int32(place() + round)
		gpu.SyncCluster()
		out[place()] += gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
		gpu.SyncCluster()
	}
}

// ExchangeGlobal hands over through global memory what only the cluster reads.
//
//gpu:kernel target=sm_90
func ExchangeGlobal(a, out []int32) {
	a[place()] = int32(place())
	gpu.SyncCluster()
	first := (gpu.ClusterIdx.X*gpu.ClusterSize() + next()) * gpu.BlockDim.X
	out[place()] = a[first+gpu.ThreadIdx.X]
}

// ExchangeGrid reads in global memory what the next block of the grid wrote, of any cluster.
//
//gpu:kernel target=sm_90
func ExchangeGrid(a, out []int32) {
	a[place()] = int32(place())
	gpu.SyncCluster()
	out[place()] = a[(place()+gpu.BlockDim.X)%len(a)]
}

// EarlyArrival writes between arriving and waiting what the others then read.
//
//gpu:kernel target=sm_90
func EarlyArrival(out []int32) {
	mine := gpu.Shared[[64]int32]()
	gpu.ArriveCluster()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.WaitCluster()
	out[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
	gpu.SyncCluster()
}

// Arrival does something of its own between the two.
//
//gpu:kernel target=sm_90
func Arrival(out []int32) {
	mine, own := gpu.Shared[[64]int32](), gpu.Shared[[64]int32]()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.ArriveCluster()
	own[gpu.ThreadIdx.X] = 1
	gpu.WaitCluster()
	out[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X] + own[gpu.ThreadIdx.X]
	gpu.SyncCluster()
}

// Leader has one thread read for its block, which then meets by itself.
//
//gpu:kernel target=sm_90
func Leader(out []int32) {
	mine, copied := gpu.Shared[[64]int32](), gpu.Shared[[64]int32]()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.SyncCluster()
	if gpu.ThreadIdx.X == 0 {
		other := gpu.MapSharedRank(mine, next())
		for i := range gpu.BlockDim.X {
			copied[i] = other[i]
		}
	}
	gpu.SyncThreads()
	out[place()] = copied[gpu.ThreadIdx.X]
	gpu.SyncCluster()
}

// Leaves ends without a last meeting, so that a block may have ended whose memory another reads.
//
//gpu:kernel target=sm_90
func Leaves(out []int32) {
	mine := gpu.Shared[[64]int32]()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.SyncCluster()
	out[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
}

// Counts adds up in the first block of the cluster, by atomics.
//
//gpu:kernel target=sm_90
func Counts(out []int32) {
	sum := gpu.Shared[int32]()
	if gpu.ThreadIdx.X == 0 {
		*sum = 0
	}
	gpu.SyncCluster()
	gpu.AtomicAdd(gpu.MapSharedRank(sum, 0), 1)
	gpu.SyncCluster()
	if gpu.ThreadIdx.X == 0 && gpu.BlockRank() == 0 {
		out[gpu.ClusterIdx.X] = *sum
	}
}

// CountsNarrow uses atomics whose scope is the block.
//
//gpu:kernel target=sm_90
func CountsNarrow(out []int32) {
	sum := gpu.Shared[int32]()
	if gpu.ThreadIdx.X == 0 {
		*sum = 0
	}
	gpu.SyncCluster()
	gpu.AtomicAdd(gpu.MapSharedRank(sum, 0), 1, gpu.BlockScope)
	gpu.SyncCluster()
	if gpu.ThreadIdx.X == 0 && gpu.BlockRank() == 0 {
		out[gpu.ClusterIdx.X] = *sum
	}
}

// Unwritten reads what the next block has written only in part.
//
//gpu:kernel target=sm_90
func Unwritten(out []int32, n int) {
	mine := gpu.Shared[[64]int32]()
	if gpu.ThreadIdx.X < n {
		mine[gpu.ThreadIdx.X] = 1
	}
	gpu.SyncCluster()
	out[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X] + 1
	gpu.SyncCluster()
}

// Filled has each thread write to the next block, and read there what it got.
//
//gpu:kernel target=sm_90
func Filled(out []int32) {
	mine := gpu.Shared[[64]int32]()
	gpu.SyncCluster()
	gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X] = int32(place())
	gpu.SyncCluster()
	out[place()] = mine[gpu.ThreadIdx.X]
}

// Skips has some threads of a block go past the meeting.
//
//gpu:kernel target=sm_90
func Skips(out []int32, n int) {
	if gpu.ThreadIdx.X < n {
		gpu.SyncCluster()
	}
	out[place()] = 1
}

// Parted has one block wait for itself where the others wait for the cluster.
//
//gpu:kernel target=sm_90
func Parted(out []int32, rank int) {
	if gpu.BlockRank() == rank && gpu.ThreadIdx.X < 32 {
		gpu.SyncBarrier(1, 64)
	}
	gpu.SyncCluster()
	out[place()] = 1
}

// Branches has each warp of a block wait for the cluster in a call of its own.
//
//gpu:kernel target=sm_90
func Branches(out []int32) {
	if gpu.ThreadIdx.X < 32 {
		out[place()] = 1
		gpu.SyncCluster()
	} else {
		out[place()] = 2
		gpu.SyncCluster()
	}
}

// The mistakes of Credits.
const (
	initNotSeen = iota + 1
	readEarly
	writtenEarly
	oneArrivalLess
	localArrival
	narrowWait
)

// Credits has the first block of a cluster write rounds of numbers to the last one, which says by an
// arrival at an mbarrier of the first that it has read them.
//
//gpu:kernel target=sm_90
func Credits(out []int32, rounds, fault int) {
	tile := gpu.Shared[[32]int32]()
	full, empty := gpu.Shared[gpu.MBarrier](), gpu.Shared[gpu.MBarrier]()
	t, last := gpu.ThreadIdx.X, gpu.ClusterSize()-1
	if t == 0 {
		gpu.MBarrierInit(full, 32)
		gpu.MBarrierInit(empty, 32)
	}
	if fault != initNotSeen {
		gpu.SyncCluster()
	}
	switch gpu.BlockRank() {
	case 0:
		for round := range rounds {
			if round > 0 && fault != writtenEarly {
				gpu.MBarrierWaitParityCluster(empty, (round-1)%2)
			}
			gpu.MapSharedRank(tile, last)[t] = int32(round + t)
			gpu.MBarrierArriveCluster(gpu.MapSharedRank(full, last))
		}
	case last:
		for round := range rounds {
			switch fault {
			case readEarly:
			case narrowWait:
				gpu.MBarrierWaitParity(full, round%2)
			default:
				gpu.MBarrierWaitParityCluster(full, round%2)
			}
			out[gpu.ClusterIdx.X*32+t] += tile[31-t]
			switch {
			case fault == localArrival:
				gpu.MBarrierArrive(gpu.MapSharedRank(empty, 0))
			case fault != oneArrivalLess || round == 0 || t > 0:
				gpu.MBarrierArriveCluster(gpu.MapSharedRank(empty, 0))
			}
		}
	}
	gpu.SyncCluster()
}

// The mistakes of Around.
const (
	clusterForGrid = iota + 1
	gridForCluster
)

// Around hands numbers on in clusters, and then to the next cluster, for which the grid meets.
//
//gpu:kernel target=sm_90
func Around(middle, out []int32, fault int) {
	mine := gpu.Shared[[64]int32]()
	mine[gpu.ThreadIdx.X] = int32(place())
	gpu.SyncCluster()
	middle[place()] = gpu.MapSharedRank(mine, next())[gpu.ThreadIdx.X]
	switch {
	case fault == clusterForGrid:
		gpu.SyncCluster()
	case fault == gridForCluster && gpu.BlockRank() == 1:
		gpu.SyncCluster()
	default:
		gpu.SyncGrid()
	}
	out[place()] = middle[(place()+gpu.ClusterSize()*gpu.BlockDim.X)%len(middle)]
	gpu.SyncCluster()
}
