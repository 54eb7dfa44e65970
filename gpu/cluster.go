package gpu

// A cluster is blocks of a grid that run at once, near to each other: they meet at a barrier, and
// each reads and writes the shared memory of the others. A GPU of 9.0 or newer has them:
// //gpu:kernel target=sm_90. The directive or the launch says how many blocks a cluster has, at
// most 8, in each dimension; without either each block is one cluster:
//
//	//gpu:kernel target=sm_90 block=128 cluster=4
//	gridstride.Grid(64).Block(128).Cluster(4)

// The special registers about clusters.
var (
	// ClusterIdx is the index of the block's cluster in the grid of clusters. PTX's %clusterid.
	ClusterIdx Dim3

	// ClusterDim is the number of blocks of a cluster. PTX's %cluster_nctaid.
	ClusterDim Dim3

	// BlockIdxInCluster is the index of the block in its cluster, 0 <= BlockIdxInCluster.X <
	// ClusterDim.X and so on. PTX's %cluster_ctaid.
	BlockIdxInCluster Dim3
)

// BlockRank is the number of the block in its cluster, 0 <= BlockRank() < ClusterSize(). CUDA's
// cluster_group::block_rank, PTX's %cluster_ctarank.
func BlockRank() int {
	panic(hostCall("BlockRank"))
}

// ClusterSize is how many blocks the cluster has. CUDA's cluster_group::num_blocks, PTX's
// %cluster_nctarank.
func ClusterSize() int {
	panic(hostCall("ClusterSize"))
}

// SyncCluster waits until every thread of the cluster has called it, or has returned. After it, a
// thread reads what all threads of the cluster wrote before it, to shared or global memory. All
// threads of a block must reach the same call, as with [SyncThreads]. CUDA's cluster_group::sync,
// PTX's barrier.cluster.
//
// A block whose threads have all returned has no shared memory any more. So before a block returns,
// a SyncCluster makes sure that no other block still reads or writes its own.
func SyncCluster() {
	onHost("SyncCluster")
}

// ArriveCluster is the first half of [SyncCluster] and does not wait. The threads of the cluster
// read the thread's earlier writes after their [WaitCluster]. Each thread calls the two in turn.
// CUDA's cluster_group::barrier_arrive, PTX's barrier.cluster.arrive.
func ArriveCluster() {
	onHost("ArriveCluster")
}

// WaitCluster waits until every thread of the cluster has called [ArriveCluster], or has returned.
// CUDA's cluster_group::barrier_wait, PTX's barrier.cluster.wait.
func WaitCluster() {
	onHost("WaitCluster")
}

// MapSharedRank is a pointer to the same variable in the shared memory of another block of the
// cluster, by its rank: p points into what [Shared] or [DynamicShared] gave.
//
//	counts := gpu.Shared[[64]uint32]()
//	other := gpu.MapSharedRank(counts, (gpu.BlockRank()+1)%gpu.ClusterSize())
//	gpu.AtomicAdd(&other[i], 1)
//
// A rank that the cluster does not have is an index out of range. The first access must follow a
// [SyncCluster], because the other block may not have begun before. No access may follow the end of
// the other block. CUDA's cluster_group::map_shared_rank, PTX's mapa.
func MapSharedRank[T any](p *T, rank int) *T {
	panic(hostCall("MapSharedRank"))
}
