package gpu

// FullMask names all 32 threads of a warp.
const FullMask uint32 = 0xffffffff

// What shuffles and votes have in common is said in the package's comment.

// ShflSync is the value v of lane srcLane, taken modulo [WarpSize]. CUDA's __shfl_sync. With the
// same srcLane in all lanes it is a broadcast.
func ShflSync[T any](mask uint32, v T, srcLane int) T {
	return threadCall[T]("ShflSync", mask, v, srcLane)
}

// ShflUpSync is the value v of the lane that is delta below, or the caller's v if no such lane
// exists. delta counts modulo [WarpSize]. CUDA's __shfl_up_sync.
func ShflUpSync[T any](mask uint32, v T, delta int) T {
	return threadCall[T]("ShflUpSync", mask, v, delta)
}

// ShflDownSync is the value v of the lane that is delta above, or the caller's v if no such lane
// exists. delta counts modulo [WarpSize]. CUDA's __shfl_down_sync. The sum of a warp, in lane 0:
//
//	for delta := gpu.WarpSize / 2; delta > 0; delta /= 2 {
//		sum += gpu.ShflDownSync(gpu.FullMask, sum, delta)
//	}
func ShflDownSync[T any](mask uint32, v T, delta int) T {
	return threadCall[T]("ShflDownSync", mask, v, delta)
}

// ShflXorSync is the value v of another lane: the one whose index is the caller's index xor
// laneMask. laneMask counts modulo [WarpSize]. CUDA's __shfl_xor_sync.
func ShflXorSync[T any](mask uint32, v T, laneMask int) T {
	return threadCall[T]("ShflXorSync", mask, v, laneMask)
}

// BallotSync has bit i set where lane i is in mask and has called it with cond true. CUDA's
// __ballot_sync.
func BallotSync(mask uint32, cond bool) uint32 {
	return threadCall[uint32]("BallotSync", mask, cond)
}

// AnySync reports whether cond is true for a thread of mask. CUDA's __any_sync.
func AnySync(mask uint32, cond bool) bool {
	return threadCall[bool]("AnySync", mask, cond)
}

// AllSync reports whether cond is true for every thread of mask. CUDA's __all_sync.
func AllSync(mask uint32, cond bool) bool {
	return threadCall[bool]("AllSync", mask, cond)
}

// MatchAnySync has bit i set where lane i is in mask and has called it with the same v. So the
// lanes that share a bin or a key find each other, and one of them can act for all. Values are the
// same where their bits are: a NaN may be, and 0 and -0 are not. CUDA's __match_any_sync, PTX's
// match.any.sync.
func MatchAnySync[T any](mask uint32, v T) uint32 {
	return threadCall[uint32]("MatchAnySync", mask, v)
}

// MatchAllSync reports whether all lanes of mask have called it with the same v, as [MatchAnySync]
// compares. CUDA's __match_all_sync, PTX's match.all.sync.
func MatchAllSync[T any](mask uint32, v T) bool {
	return threadCall[bool]("MatchAllSync", mask, v)
}

// ReduceAddSync is the sum of the values v of the lanes of mask, for each of them. CUDA's
// __reduce_add_sync. For a target of sm_80 or newer the reductions of integers of at most 32 bits
// are an instruction, PTX's redux.sync. Else they are a few shuffles.
func ReduceAddSync[T Integer](mask uint32, v T) T {
	return threadCall[T]("ReduceAddSync", mask, v)
}

// ReduceMinSync is the smallest of the values v of the lanes of mask. CUDA's __reduce_min_sync.
func ReduceMinSync[T Integer](mask uint32, v T) T {
	return threadCall[T]("ReduceMinSync", mask, v)
}

// ReduceMaxSync is the largest of the values v of the lanes of mask. CUDA's __reduce_max_sync.
func ReduceMaxSync[T Integer](mask uint32, v T) T {
	return threadCall[T]("ReduceMaxSync", mask, v)
}

// ReduceAndSync has the bits that all values v of the lanes of mask have. CUDA's __reduce_and_sync.
func ReduceAndSync[T Integer](mask uint32, v T) T {
	return threadCall[T]("ReduceAndSync", mask, v)
}

// ReduceOrSync has the bits that a value v of a lane of mask has. CUDA's __reduce_or_sync.
func ReduceOrSync[T Integer](mask uint32, v T) T {
	return threadCall[T]("ReduceOrSync", mask, v)
}

// ReduceXorSync is the exclusive or of the values v of the lanes of mask. CUDA's __reduce_xor_sync.
func ReduceXorSync[T Integer](mask uint32, v T) T {
	return threadCall[T]("ReduceXorSync", mask, v)
}

// ActiveMask has bit i set where lane i runs together with the caller at this moment. It says
// nothing about the next moment: [SyncWarp] and a mask from [BallotSync] make threads run together.
// CUDA's __activemask.
func ActiveMask() uint32 {
	return threadCall[uint32]("ActiveMask")
}

// ElectSync reports whether the caller is the one lane of mask that the hardware elects: the lane
// that starts a copy or arrives for the others. It elects the same lane each time. PTX's
// elect.sync, for GPUs of 9.0 and newer: //gpu:kernel target=sm_90.
func ElectSync(mask uint32) bool {
	return threadCall[bool]("ElectSync", mask)
}

// SetMaxNRegInc raises the registers that each thread of the warp may have to n, a constant and a
// multiple of 8 from 24 to 256, and waits until the block can give these. All warps of a
// warpgroup make the call, each as a whole. A warpgroup is four warps, and the number of the
// first is a multiple of four. PTX's setmaxnreg.inc, for GPUs of 9.0 alone: //gpu:kernel
// target=sm_90a minblocks=1. The number of blocks says how many registers a thread has at first:
// 65,536 over all threads of the blocks, down to a multiple of 8, and no more than the largest n
// of the kernel's.
func SetMaxNRegInc(n int) {
	onHost("SetMaxNRegInc")
}

// SetMaxNRegDec lowers the registers that each thread of the warp may have to n, for others to
// take. The rest is as [SetMaxNRegInc] has it. PTX's setmaxnreg.dec.
func SetMaxNRegDec(n int) {
	onHost("SetMaxNRegDec")
}
