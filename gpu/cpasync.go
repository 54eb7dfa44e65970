package gpu

// A thread copies from global to shared memory without waiting: a copy arrives at some time between
// the call that issues it and a wait for it. Until then neither its source may be written nor its
// destination be used. A thread waits for its copies, in groups. Other threads need a barrier after
// that wait, or wait at an [MBarrier] for an arrival that follows the copies.
//
// Asynchronous copies need an 8.0 or newer: //gpu:kernel target=sm_80.

// CacheOp says which caches a copy goes through.
type CacheOp uint8

const (
	// CacheAll keeps what is read in the L1 and the L2 cache: PTX's .ca.
	CacheAll CacheOp = iota + 1
	// CacheGlobal goes past the L1 cache: PTX's .cg. It is for 16 bytes.
	CacheGlobal
)

// CpAsync copies *src, in global memory, to *dst, in shared memory, and does not wait for the copy.
// A T has 4, 8 or 16 bytes, as a float32 or an [8]Float16 has, and both addresses are multiples of
// that. cache is a constant. Without it the copy is [CacheAll]. PTX's cp.async.
//
//	gpu.CpAsync((*[8]gpu.Float16)(tile[at:]), (*[8]gpu.Float16)(a[from:]), gpu.CacheGlobal)
func CpAsync[T any](dst, src *T, cache ...CacheOp) {
	onHost("CpAsync")
}

// CpAsyncZeroFill is [CpAsync] of the elements that src has, up to as many as *dst has. The others
// of *dst become zero. A tile needs this at the edge of a matrix. src may be empty.
//
//	row := a[r*k : (r+1)*k]
//	gpu.CpAsyncZeroFill((*[8]gpu.Float16)(tile[at:]), row[min(c, k):])
func CpAsyncZeroFill[A Fragment[T], T any](dst *A, src []T, cache ...CacheOp) {
	onHost("CpAsyncZeroFill")
}

// CpAsyncCommitGroup makes a group of the copies that the thread has issued and that are in none
// yet. The group may be empty. PTX's cp.async.commit_group.
func CpAsyncCommitGroup() {
	onHost("CpAsyncCommitGroup")
}

// CpAsyncWaitGroup waits for all groups of the thread but the last n, which must be a constant once
// calls are inlined and loops of a constant number of rounds unrolled. It does not wait for a copy
// that is in no group. PTX's cp.async.wait_group.
func CpAsyncWaitGroup(n int) {
	onHost("CpAsyncWaitGroup")
}

// CpAsyncWaitAll waits for all copies of the thread. PTX's cp.async.wait_all.
func CpAsyncWaitAll() {
	onHost("CpAsyncWaitAll")
}
