package tensor

import "math"

// Integers is how products of integers of 8 bits are added up, in 32 bits.
type Integers struct {
	SignedA, SignedB bool
	// Saturates says that a sum outside of 32 bits becomes the nearest in it. Else it wraps.
	Saturates bool
}

// Dot is the sum of a[i]*b[i] and c.
func (n *Integers) Dot(a, b []uint32, c uint32) uint32 {
	sum := int64(int32(c))
	for i := range a {
		sum += int64(extend(a[i], n.SignedA) * extend(b[i], n.SignedB))
	}
	if n.Saturates {
		sum = min(max(sum, math.MinInt32), math.MaxInt32)
	}
	return uint32(sum)
}

// extend widens a number of 8 bits.
func extend(x uint32, signed bool) int32 {
	if signed {
		return int32(int8(x))
	}
	return int32(uint8(x))
}
