package gpu

// An MBarrier is a barrier in shared memory that threads, and copies, arrive at without waiting,
// and that threads wait for: PTX's mbarrier. It goes through phases. A phase is over when as many
// arrivals have come as the MBarrier was made for, and all the bytes that it was told to expect.
// Then the next phase begins, with no arrivals.
//
// A thread waits for a phase by the token that its arrival in that phase gave, or by the phase's
// parity: 0 for the first phase, 1 for the second, 0 again for the third. A wait for the parity of
// a phase that is over goes on at once until the next phase is over as well. So a thread waits for
// each phase in turn, or knows otherwise that no other phase is meant.
//
// Threads that wait for the phase see a thread's accesses before its arrival. An MBarrier is in
// shared memory. One thread inits it before others use it, with a barrier of the block between:
//
//	ready := gpu.Shared[gpu.MBarrier]()
//	if gpu.ThreadIdx.X == 0 {
//		gpu.MBarrierInit(ready, gpu.BlockDim.X)
//	}
//	gpu.SyncThreads()
//
// The GPU must be an 8.0 or newer: //gpu:kernel target=sm_80.
type MBarrier struct{ _ uint64 }

// MBarrierToken is the phase of an [MBarrier] in which an arrival counted.
type MBarrierToken struct{ _ uint64 }

// MBarrierMax is the most arrivals in a phase of an [MBarrier], and the most bytes that it expects.
const MBarrierMax = 1<<20 - 1

// MBarrierInit initializes b so that each phase completes after that number of arrivals: 1 to
// [MBarrierMax]. If b is an MBarrier already, invalidate it first. PTX's mbarrier.init.
func MBarrierInit(b *MBarrier, arrivals int) {
	onHost("MBarrierInit")
}

// MBarrierInval ends an MBarrier, which no thread uses any more, so that its memory can be another
// one's, or anything. PTX's mbarrier.inval.
func MBarrierInval(b *MBarrier) {
	onHost("MBarrierInval")
}

// MBarrierArrive arrives, and gives the phase in which that counted. PTX's mbarrier.arrive.
func MBarrierArrive(b *MBarrier) MBarrierToken {
	panic(hostCall("MBarrierArrive"))
}

// MBarrierArriveCluster arrives at an MBarrier of any block of the cluster, to which
// [MapSharedRank] points, and gives no token. What the thread did before is seen by those that wait
// for the phase with [MBarrierWaitParityCluster], in that block. PTX's mbarrier.arrive of
// .shared::cluster. The GPU must be a 9.0 or newer.
//
//	gpu.MBarrierArriveCluster(gpu.MapSharedRank(empty, rank))
func MBarrierArriveCluster(b *MBarrier) {
	onHost("MBarrierArriveCluster")
}

// MBarrierArriveClusterNoFence is [MBarrierArriveCluster] of a thread that has written nothing for
// other blocks, and so waits for no write: one that says that it has read a place, or that the
// products which read it are over. PTX's mbarrier.arrive of .shared::cluster, without a scope.
func MBarrierArriveClusterNoFence(b *MBarrier) {
	onHost("MBarrierArriveClusterNoFence")
}

// MBarrierArriveDrop is [MBarrierArrive], and takes one off the arrivals of all later phases. A
// thread with nothing more to do leaves in this way. PTX's mbarrier.arrive_drop.
func MBarrierArriveDrop(b *MBarrier) MBarrierToken {
	panic(hostCall("MBarrierArriveDrop"))
}

// MBarrierExpectTx has the current phase also wait for that number of bytes of copies. PTX's
// mbarrier.expect_tx. The GPU must be a 9.0 or newer.
func MBarrierExpectTx(b *MBarrier, bytes int) {
	onHost("MBarrierExpectTx")
}

// MBarrierArriveExpectTx is [MBarrierExpectTx], and then [MBarrierArrive]. PTX's
// mbarrier.arrive.expect_tx. The GPU must be a 9.0 or newer.
func MBarrierArriveExpectTx(b *MBarrier, bytes int) MBarrierToken {
	panic(hostCall("MBarrierArriveExpectTx"))
}

// MBarrierCompleteTx counts bytes of the current phase as arrived, as a copy does. PTX's
// mbarrier.complete_tx. The GPU must be a 9.0 or newer.
func MBarrierCompleteTx(b *MBarrier, bytes int) {
	onHost("MBarrierCompleteTx")
}

// MBarrierTestWait reports whether the phase of a token is over, without waiting. The phase is the
// one under way or the one before. PTX's mbarrier.test_wait.
func MBarrierTestWait(b *MBarrier, phase MBarrierToken) bool {
	panic(hostCall("MBarrierTestWait"))
}

// MBarrierTestWaitParity reports whether the last phase of a parity, 0 or 1, is over. PTX's
// mbarrier.test_wait.parity.
func MBarrierTestWaitParity(b *MBarrier, parity int) bool {
	panic(hostCall("MBarrierTestWaitParity"))
}

// MBarrierTryWait is [MBarrierTestWait], and may wait for a while before it says no. PTX's
// mbarrier.try_wait, or mbarrier.test_wait for GPUs before 9.0.
func MBarrierTryWait(b *MBarrier, phase MBarrierToken) bool {
	panic(hostCall("MBarrierTryWait"))
}

// MBarrierTryWaitParity is [MBarrierTestWaitParity], and may wait for a while before it says no.
// PTX's mbarrier.try_wait.parity, or mbarrier.test_wait.parity for GPUs before 9.0.
func MBarrierTryWaitParity(b *MBarrier, parity int) bool {
	panic(hostCall("MBarrierTryWaitParity"))
}

// MBarrierWait waits until the phase of a token is over: a loop of [MBarrierTryWait].
func MBarrierWait(b *MBarrier, phase MBarrierToken) {
	onHost("MBarrierWait")
}

// MBarrierWaitParity waits until the last phase of a parity, 0 or 1, is over: a loop of
// [MBarrierTryWaitParity].
func MBarrierWaitParity(b *MBarrier, parity int) {
	onHost("MBarrierWaitParity")
}

// MBarrierTryWaitParityCluster is [MBarrierTryWaitParity] for a phase in which threads of other
// blocks of the cluster arrive. The MBarrier is one of the thread's own block. PTX's
// mbarrier.try_wait.parity.acquire.cluster. The GPU must be a 9.0 or newer.
func MBarrierTryWaitParityCluster(b *MBarrier, parity int) bool {
	panic(hostCall("MBarrierTryWaitParityCluster"))
}

// MBarrierWaitParityCluster waits until the last phase of a parity, 0 or 1, is over: a loop of
// [MBarrierTryWaitParityCluster].
func MBarrierWaitParityCluster(b *MBarrier, parity int) {
	onHost("MBarrierWaitParityCluster")
}

// CpAsyncMBarrierArrive arrives at b when all copies that the thread has issued are there. The
// phase under way waits for one arrival more than it would otherwise, which is this one. PTX's
// cp.async.mbarrier.arrive.
func CpAsyncMBarrierArrive(b *MBarrier) {
	onHost("CpAsyncMBarrierArrive")
}

// CpAsyncMBarrierArriveNoInc is [CpAsyncMBarrierArrive] with an arrival that is one of those for
// which b was made. PTX's cp.async.mbarrier.arrive.noinc.
func CpAsyncMBarrierArriveNoInc(b *MBarrier) {
	onHost("CpAsyncMBarrierArriveNoInc")
}
