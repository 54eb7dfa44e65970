package gpu

// What atomics have in common is said in the package's comment.

// AtomicAdd adds v to *addr and gives the old value. A floating-point sum depends on the order in
// which threads add.
func AtomicAdd[T Word](addr *T, v T) T {
	panic(hostCall("AtomicAdd"))
}

// AtomicSub subtracts v from *addr and gives the old value.
func AtomicSub[T Word](addr *T, v T) T {
	panic(hostCall("AtomicSub"))
}

// AtomicMin sets *addr to the smaller of *addr and v and gives the old value.
func AtomicMin[T WordInteger](addr *T, v T) T {
	panic(hostCall("AtomicMin"))
}

// AtomicMax sets *addr to the larger of *addr and v and gives the old value.
func AtomicMax[T WordInteger](addr *T, v T) T {
	panic(hostCall("AtomicMax"))
}

// AtomicAnd sets *addr to *addr & v and gives the old value.
func AtomicAnd[T WordInteger](addr *T, v T) T {
	panic(hostCall("AtomicAnd"))
}

// AtomicOr sets *addr to *addr | v and gives the old value.
func AtomicOr[T WordInteger](addr *T, v T) T {
	panic(hostCall("AtomicOr"))
}

// AtomicXor sets *addr to *addr ^ v and gives the old value.
func AtomicXor[T WordInteger](addr *T, v T) T {
	panic(hostCall("AtomicXor"))
}

// AtomicExch sets *addr to v and gives the old value.
func AtomicExch[T Word](addr *T, v T) T {
	panic(hostCall("AtomicExch"))
}

// AtomicCAS sets *addr to new if it is old, and gives the value that it found. If that value is
// old, the exchange happened.
func AtomicCAS[T WordInteger](addr *T, old, new T) T {
	panic(hostCall("AtomicCAS"))
}

// AtomicInc adds 1 to *addr, or sets it to 0 if it is limit or more, and gives the old value.
// CUDA's atomicInc.
func AtomicInc(addr *uint32, limit uint32) uint32 {
	panic(hostCall("AtomicInc"))
}

// AtomicDec subtracts 1 from *addr, or sets it to limit if it is 0 or more than limit, and gives
// the old value. CUDA's atomicDec.
func AtomicDec(addr *uint32, limit uint32) uint32 {
	panic(hostCall("AtomicDec"))
}
