package gpu

import (
	"math"
	"reflect"
	"unsafe"
)

// The atomics: threads run one after the other, so nothing comes between, and no order is missed.

// Ordering is the order or the scope of an atomic.
type Ordering uint8

// The orderings. None changes anything here.
const (
	Relaxed, Acquire, Release, AcqRel    Ordering = 0, 0, 0, 0
	BlockScope, DeviceScope, SystemScope Ordering = 0, 0, 0
)

// The constraints of the real package.
type (
	Atomic interface {
		Number | Float16 | BFloat16 | Float16x2 | BFloat16x2
	}
	Bitwise interface {
		Integer | Float16 | BFloat16 | Float16x2 | BFloat16x2
	}
)

// AtomicLoad gives *addr.
func AtomicLoad[T Atomic](addr *T, how ...Ordering) T { return *addr }

// AtomicStore sets *addr to v.
func AtomicStore[T Atomic](addr *T, v T, how ...Ordering) { *addr = v }

// AtomicAdd adds v to *addr and gives the old value.
func AtomicAdd[T Atomic](addr *T, v T, how ...Ordering) T {
	return update(addr, flushed(addr, compute("Add", flushed(addr, *addr), flushed(addr, v))))
}

// AtomicSub subtracts v from *addr and gives the old value.
func AtomicSub[T Atomic](addr *T, v T, how ...Ordering) T {
	return update(addr, flushed(addr, compute("Sub", flushed(addr, *addr), flushed(addr, v))))
}

// AtomicMin sets *addr to the smaller of *addr and v and gives the old value.
func AtomicMin[T Atomic](addr *T, v T, how ...Ordering) T {
	return update(addr, compute("Min", *addr, v))
}

// AtomicMax sets *addr to the larger of *addr and v and gives the old value.
func AtomicMax[T Atomic](addr *T, v T, how ...Ordering) T {
	return update(addr, compute("Max", *addr, v))
}

// flushed is v, or a zero of its sign where v is a subnormal float32 and addr points to global
// memory.
func flushed[T any](addr *T, v T) T {
	x, ok := any(v).(float32)
	if !ok || x == 0 || x <= -0x1p-126 || x >= 0x1p-126 || x != x || block.holds(unsafe.Pointer(addr)) {
		return v
	}
	return any(float32(math.Copysign(0, float64(x)))).(T)
}

// compute is the method of a number of 16 bits, or what it is for other numbers.
func compute[T any](method string, x, y T) T {
	v, w := reflect.ValueOf(x), reflect.ValueOf(y)
	result := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Struct:
		result = v.MethodByName(method).Call([]reflect.Value{w})[0]
	case v.CanInt():
		result.SetInt(arithmetic(method, v.Int(), w.Int()))
	case v.CanUint():
		result.SetUint(arithmetic(method, v.Uint(), w.Uint()))
	default: // a sum of float32 that is rounded twice is as good as one that is rounded once
		result.SetFloat(arithmetic(method, v.Float(), w.Float()))
	}
	return result.Interface().(T)
}

// arithmetic is compute of plain numbers.
func arithmetic[T int64 | uint64 | float64](method string, x, y T) T {
	switch method {
	case "Add":
		return x + y
	case "Sub":
		return x - y
	case "Min":
		return min(x, y)
	}
	return max(x, y)
}

// AtomicAnd sets *addr to *addr & v and gives the old value.
func AtomicAnd[T Integer](addr *T, v T, how ...Ordering) T { return update(addr, *addr&v) }

// AtomicOr sets *addr to *addr | v and gives the old value.
func AtomicOr[T Integer](addr *T, v T, how ...Ordering) T { return update(addr, *addr|v) }

// AtomicXor sets *addr to *addr ^ v and gives the old value.
func AtomicXor[T Integer](addr *T, v T, how ...Ordering) T { return update(addr, *addr^v) }

// AtomicExch sets *addr to v and gives the old value.
func AtomicExch[T Atomic](addr *T, v T, how ...Ordering) T { return update(addr, v) }

// AtomicCAS sets *addr to new if it is old, and gives the value it found.
func AtomicCAS[T Bitwise](addr *T, old, new T, how ...Ordering) T {
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
