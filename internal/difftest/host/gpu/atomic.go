package gpu

// The atomics: threads run one after the other, so nothing comes between, and no order is missed.

// Ordering is the order or the scope of an atomic.
type Ordering uint8

// The orderings, none of which changes anything here.
const (
	Relaxed, Acquire, Release, AcqRel    Ordering = 0, 0, 0, 0
	BlockScope, DeviceScope, SystemScope Ordering = 0, 0, 0
)

// AtomicLoad gives *addr.
func AtomicLoad[T Number](addr *T, how ...Ordering) T { return *addr }

// AtomicStore sets *addr to v.
func AtomicStore[T Number](addr *T, v T, how ...Ordering) { *addr = v }

// Addend is the types that random programs add.
type Addend interface{ Number }

// AtomicAdd adds v to *addr and gives the old value.
func AtomicAdd[T Addend](addr *T, v T, how ...Ordering) T { return update(addr, *addr+v) }

// AtomicSub subtracts v from *addr and gives the old value.
func AtomicSub[T Number](addr *T, v T, how ...Ordering) T { return update(addr, *addr-v) }

// AtomicMin sets *addr to the smaller of *addr and v and gives the old value.
func AtomicMin[T Number](addr *T, v T, how ...Ordering) T { return update(addr, min(*addr, v)) }

// AtomicMax sets *addr to the larger of *addr and v and gives the old value.
func AtomicMax[T Number](addr *T, v T, how ...Ordering) T { return update(addr, max(*addr, v)) }

// AtomicAnd sets *addr to *addr & v and gives the old value.
func AtomicAnd[T Integer](addr *T, v T, how ...Ordering) T { return update(addr, *addr&v) }

// AtomicOr sets *addr to *addr | v and gives the old value.
func AtomicOr[T Integer](addr *T, v T, how ...Ordering) T { return update(addr, *addr|v) }

// AtomicXor sets *addr to *addr ^ v and gives the old value.
func AtomicXor[T Integer](addr *T, v T, how ...Ordering) T { return update(addr, *addr^v) }

// AtomicExch sets *addr to v and gives the old value.
func AtomicExch[T Number](addr *T, v T, how ...Ordering) T { return update(addr, v) }

// AtomicCAS sets *addr to new if it is old, and gives the value it found.
func AtomicCAS[T Integer](addr *T, old, new T, how ...Ordering) T {
	if *addr != old {
		return *addr
	}
	return update(addr, new)
}

// AtomicInc is CUDA's atomicInc.
func AtomicInc(addr *uint32, limit uint32, how ...Ordering) uint32 {
	if *addr >= limit {
		return update(addr, 0)
	}
	return update(addr, *addr+1)
}

// AtomicDec is CUDA's atomicDec.
func AtomicDec(addr *uint32, limit uint32, how ...Ordering) uint32 {
	if *addr == 0 || *addr > limit {
		return update(addr, limit)
	}
	return update(addr, *addr-1)
}

// AtomicExch128 sets *addr to v and gives the old value.
func AtomicExch128(addr *Uint64x2, v Uint64x2, how ...Ordering) Uint64x2 { return update(addr, v) }

// AtomicCAS128 sets *addr to new if it is old, and gives the value it found.
func AtomicCAS128(addr *Uint64x2, old, new Uint64x2, how ...Ordering) Uint64x2 {
	if *addr != old {
		return *addr
	}
	return update(addr, new)
}

func update[T any](addr *T, v T) T {
	old := *addr
	*addr = v
	return old
}
