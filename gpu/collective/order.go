package collective

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
)

// keyBits is the number of bits of a key.
func keyBits[K gpu.Number]() int {
	var key K
	return 8 * int(unsafe.Sizeof(key))
}

// order is an unsigned number of key's bits, larger for a larger key. The bits of a positive
// floating-point number are in order, the bits of a negative one in reverse order. Together they
// follow IEEE 754's totalOrder.
func order[K gpu.Number](key K) uint64 {
	sign := uint64(1) << (keyBits[K]() - 1)
	all := sign<<1 - 1
	if K(1)/3 == 0 { // an integer
		if K(0)-1 > 0 {
			return uint64(key)
		}
		return uint64(key)&all ^ sign
	}
	var word uint64
	if keyBits[K]() == 32 {
		word = uint64(math.Float32bits(float32(key)))
	} else {
		word = math.Float64bits(float64(key))
	}
	if word&sign != 0 {
		return ^word & all
	}
	return word | sign
}

// digitOf is the digit of a key's order that begins with a bit.
func digitOf[K gpu.Number](key K, bit int) uint32 {
	if keyBits[K]() == 64 {
		return uint32(order(key)>>bit) % digits
	}
	return uint32(order(key)) >> bit % digits
}

// lowest is the smallest number of a type.
func lowest[T gpu.Number]() T {
	switch {
	case T(1)/3 != 0:
		return T(math.Inf(-1))
	case T(0)-1 > 0:
		return 0
	}
	return T(int64(-1) << (keyBits[T]() - 1))
}

// SortKey is key's place in the order of [BlockSort], as an unsigned number of as many bits as the
// key has: a sort by it, digit by digit, is a sort of keys.
func SortKey[K gpu.Number](key K) uint64 { return order(key) }
