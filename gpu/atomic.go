package gpu

// The package's comment says what atomics share. Atomics on a [Float16] and a [BFloat16] compute
// like the methods of these types. An atomic on a pair is one step. The pair's address must be a
// multiple of 4, as in a slice.

// Ordering is the memory order of an atomic, or its scope. An atomic takes at most one of each, as
// constants: AtomicLoad(&ready, Acquire, BlockScope). Without them it is [Relaxed] and of
// [DeviceScope]. Orders and scopes are PTX's memory model's and libcu++'s cuda::atomic_ref's.
type Ordering uint8

const (
	// Relaxed orders no other memory accesses.
	Relaxed Ordering = iota + 1
	// Acquire is for loads and for atomics that read and change: after one has read the value of a
	// [Release], the accesses after it see all accesses before that Release.
	Acquire
	// Release is for stores and for atomics that read and change: the accesses before it come first
	// for every thread that acquires what it writes.
	Release
	// AcqRel is both, for atomics that read and change.
	AcqRel

	// BlockScope concerns the threads of the block.
	BlockScope
	// DeviceScope concerns the threads of the device.
	DeviceScope
	// SystemScope concerns the host and the other devices, too.
	SystemScope
)

// AtomicLoad is *addr, read in one step and anew at each call: what other threads write while the
// kernel runs is seen. PTX's ld.relaxed and ld.acquire.
func AtomicLoad[T Atomic](addr *T, how ...Ordering) T {
	return threadCall[T]("AtomicLoad", addr)
}

// AtomicStore sets *addr to v in one step. PTX's st.relaxed and st.release.
func AtomicStore[T Atomic](addr *T, v T, how ...Ordering) {
	threadCall[any]("AtomicStore", addr, v)
}

// AtomicAdd adds v to *addr and gives the old value. A floating-point sum depends on the order in
// which threads add. In global memory subnormal float32 count as zeros of their sign, and a sum
// that is subnormal becomes one: PTX's atom.add.f32 does that there, but not in shared memory.
func AtomicAdd[T Atomic](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicAdd", addr, v)
}

// AtomicSub subtracts v from *addr and gives the old value. Subnormal float32 are zeros to it where
// they are to [AtomicAdd].
func AtomicSub[T Atomic](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicSub", addr, v)
}

// AtomicMin sets *addr to the smaller of *addr and v and gives the old value. Of floating-point
// numbers -0 is smaller than +0, and a NaN stays and replaces every number, as the built-in min has
// it. Which NaN it is does not depend on the order of the threads.
func AtomicMin[T Atomic](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicMin", addr, v)
}

// AtomicMax sets *addr to the larger of *addr and v and gives the old value. Of floating-point
// numbers +0 is larger than -0, and a NaN stays and replaces every number, as the built-in max has
// it. Which NaN it is does not depend on the order of the threads.
func AtomicMax[T Atomic](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicMax", addr, v)
}

// AtomicAnd sets *addr to *addr & v and gives the old value.
func AtomicAnd[T Integer](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicAnd", addr, v)
}

// AtomicOr sets *addr to *addr | v and gives the old value.
func AtomicOr[T Integer](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicOr", addr, v)
}

// AtomicXor sets *addr to *addr ^ v and gives the old value.
func AtomicXor[T Integer](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicXor", addr, v)
}

// AtomicExch sets *addr to v and gives the old value.
func AtomicExch[T Atomic](addr *T, v T, how ...Ordering) T {
	return threadCall[T]("AtomicExch", addr, v)
}

// AtomicCAS sets *addr to new if it is old, and gives the value that it found. If that value is
// old, the exchange happened. Numbers of 16 bits are compared by their bits, as == does.
func AtomicCAS[T Bitwise](addr *T, old, new T, how ...Ordering) T {
	return threadCall[T]("AtomicCAS", addr, old, new)
}

// AtomicInc adds 1 to *addr, or sets it to 0 if it is limit or more, and gives the old value.
// CUDA's atomicInc.
func AtomicInc(addr *uint32, limit uint32, how ...Ordering) uint32 {
	return threadCall[uint32]("AtomicInc", addr, limit)
}

// AtomicDec subtracts 1 from *addr, or sets it to limit if it is 0 or more than limit, and gives
// the old value. CUDA's atomicDec.
func AtomicDec(addr *uint32, limit uint32, how ...Ordering) uint32 {
	return threadCall[uint32]("AtomicDec", addr, limit)
}

// AtomicExch128 is [AtomicExch] of 16 bytes in one step. It needs sm_90 or newer
// (//gpu:kernel target=sm_90), and an address that is a multiple of 16, as elements of a slice and
// variables in shared memory have.
func AtomicExch128(addr *Uint64x2, v Uint64x2, how ...Ordering) Uint64x2 {
	return threadCall[Uint64x2]("AtomicExch128", addr, v)
}

// AtomicCAS128 is [AtomicCAS] of 16 bytes in one step, with the needs of [AtomicExch128].
func AtomicCAS128(addr *Uint64x2, old, new Uint64x2, how ...Ordering) Uint64x2 {
	return threadCall[Uint64x2]("AtomicCAS128", addr, old, new)
}
