package gpu

// One thread of a GPU of 9.0 or newer copies many bytes at once, in bulk: between global and
// shared memory, and between the shared memory of the blocks of a cluster. The bytes are a
// multiple of 16, and both addresses are multiples of 16. A copy to shared memory completes at an
// [MBarrier], which must expect its bytes. A thread waits for its copies from shared memory in
// groups. Copies in bulk access memory through another proxy than threads: they see writes of
// threads to shared memory only after [FenceProxyAsync]. They need //gpu:kernel target=sm_90 or
// newer.

// CpAsyncBulk starts a copy of src, in global memory, to the beginning of dst, in shared memory of
// the block, which also holds ready. PTX's cp.async.bulk.
func CpAsyncBulk[T any](dst, src []T, ready *MBarrier) {
	onHost("CpAsyncBulk")
}

// CpAsyncBulkMulticast is [CpAsyncBulk] to several blocks of the cluster, as
// [CpAsyncBulkTensorMulticast] is. PTX's .multicast::cluster.
func CpAsyncBulkMulticast[T any](dst, src []T, ready *MBarrier, blocks uint16) {
	onHost("CpAsyncBulkMulticast")
}

// CpAsyncBulkCluster starts a copy of src, in shared memory of the block, to the beginning of dst,
// in shared memory of a block of the cluster, which also holds ready: [MapSharedRank] gives both.
// PTX's cp.async.bulk of .shared::cluster.
func CpAsyncBulkCluster[T any](dst, src []T, ready *MBarrier) {
	onHost("CpAsyncBulkCluster")
}

// CpAsyncBulkStore starts a copy of src, in shared memory of the block, to the beginning of dst, in
// global memory. The thread waits for it in groups. PTX's cp.async.bulk of .bulk_group.
func CpAsyncBulkStore[T any](dst, src []T) {
	onHost("CpAsyncBulkStore")
}

// CpAsyncBulkPrefetch starts to fetch src, in global memory, into the L2 cache. PTX's
// cp.async.bulk.prefetch.
func CpAsyncBulkPrefetch[T any](src []T) {
	onHost("CpAsyncBulkPrefetch")
}

// CpAsyncBulkCommitGroup makes a group of the copies from shared memory that the thread has started
// and that are in none yet. The group may be empty. PTX's cp.async.bulk.commit_group.
func CpAsyncBulkCommitGroup() {
	onHost("CpAsyncBulkCommitGroup")
}

// CpAsyncBulkWaitGroup waits for all groups of the thread but the last n, a constant: what they
// write is there. PTX's cp.async.bulk.wait_group.
func CpAsyncBulkWaitGroup(n int) {
	onHost("CpAsyncBulkWaitGroup")
}

// CpAsyncBulkWaitGroupRead waits until all groups of the thread but the last n, a constant, have
// been read from shared memory, which may be written again. Before a thread ends that has started
// copies, it waits so at least. PTX's cp.async.bulk.wait_group.read.
func CpAsyncBulkWaitGroupRead(n int) {
	onHost("CpAsyncBulkWaitGroupRead")
}

// FenceMBarrierInit makes the mbarriers that the thread has initialised known to copies, and, with
// a [SyncCluster] after it, to the other blocks of the cluster. PTX's fence.mbarrier_init.
func FenceMBarrierInit() {
	onHost("FenceMBarrierInit")
}
