package gpu

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/math/half"
	"github.com/gridstride/gridstride/internal/math/ieee"
)

// The package's comment says what the numbers of 16 bits share.

// Half has the methods that [Float16] and [BFloat16] share, for generic code: H is the type itself.
//
//	func Axpy[H gpu.Half[H]](a H, x, y []H)
type Half[H any] interface {
	Float16 | BFloat16

	Bits() uint16
	Float32() float32
	Float64() float64

	Add(y H) H
	Sub(y H) H
	Mul(y H) H
	Div(y H) H
	FMA(y, z H) H
	Neg() H
	Abs() H
	Sqrt() H
	Min(y H) H
	Max(y H) H

	Equal(y H) bool
	Less(y H) bool
	LessEqual(y H) bool
	Compare(y H) int
	IsNaN() bool
	IsInf(sign int) bool
	Signbit() bool
}

// Rounding says how to round a number that a type cannot represent. The names are
// math/big's.
type Rounding uint8

// The roundings of IEEE 754, and of PTX: .rn, .rz, .rm and .rp.
const (
	ToNearestEven Rounding = iota
	ToZero
	ToNegativeInf
	ToPositiveInf
)

// Float16Of is the Float16 nearest to x, the even one of two: ±Inf from 65520 on. A constant needs
// no type: Float16Of(1.5).
func Float16Of[T Number](x T) Float16 { return RoundFloat16(x, ToNearestEven) }

// RoundFloat16 is x as a Float16, rounded once. It costs least where r is a constant.
func RoundFloat16[T Number](x T, r Rounding) Float16 {
	if isDouble[T]() {
		return Float16{roundF16(float64(x), r)}
	}
	return Float16{roundF16(float32(x), r)} // an integer that has no float32 is beyond Float16, too
}

func roundF16[F Float](x F, r Rounding) uint16 {
	switch r {
	case ToZero:
		return half.F16Zero(x)
	case ToNegativeInf:
		return half.F16Down(x)
	case ToPositiveInf:
		return half.F16Up(x)
	}
	return half.F16Nearest(x)
}

// BFloat16Of is the BFloat16 nearest to x, the even one of two. A constant needs no type:
// BFloat16Of(1.5).
func BFloat16Of[T Number](x T) BFloat16 { return RoundBFloat16(x, ToNearestEven) }

// RoundBFloat16 is x as a BFloat16, rounded once. It costs least where r is a constant.
func RoundBFloat16[T Number](x T, r Rounding) BFloat16 {
	if isDouble[T]() {
		return BFloat16{roundBF16(float64(x), r)}
	}
	return BFloat16{roundBF16(toSingle(x), r)}
}

func roundBF16[F Float](x F, r Rounding) uint16 {
	switch r {
	case ToZero:
		return half.BF16Zero(x)
	case ToNegativeInf:
		return half.BF16Down(x)
	case ToPositiveInf:
		return half.BF16Up(x)
	}
	return half.BF16Nearest(x)
}

// isDouble reports whether T is a float64: the others have 1/3 rounded more, or as 0.
func isDouble[T Number]() bool { return float64(T(1)/3) == 1.0/3 }

// toSingle is x as a float32. Each rounding to 16 bits gives the same of it as of x: an integer
// that has no float32 is rounded to odd.
func toSingle[T Number](x T) float32 {
	switch {
	case T(1)/2 != 0 || unsafe.Sizeof(x) <= 2:
		return float32(x)
	case x < 0:
		return -ieee.OddInteger(-uint64(x))
	}
	return ieee.OddInteger(uint64(x))
}

// Float16FromBits is the number of some bits, as IEEE 754's binary16 has them: a sign, five bits of
// exponent, ten of fraction.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// BFloat16FromBits is the number whose bits are the upper half of a float32's.
func BFloat16FromBits(bits uint16) BFloat16 { return BFloat16{bits} }

// ToFloat32 is x as a float32: exactly, except that a float64 is rounded to nearest.
func ToFloat32[T Real](x T) float32 {
	switch h := any(x).(type) {
	case Float16:
		return h.Float32()
	case BFloat16:
		return h.Float32()
	}
	if unsafe.Sizeof(x) == 4 {
		return *(*float32)(unsafe.Pointer(&x))
	}
	return float32(*(*float64)(unsafe.Pointer(&x)))
}

// FromFloat32 is x as a T, rounded to nearest.
func FromFloat32[T Real](x float32) T {
	var y T
	switch p := any(&y).(type) {
	case *Float16:
		*p = Float16Of(x)
	case *BFloat16:
		*p = BFloat16Of(x)
	default:
		if unsafe.Sizeof(y) == 4 {
			*(*float32)(unsafe.Pointer(&y)) = x
		} else {
			*(*float64)(unsafe.Pointer(&y)) = float64(x)
		}
	}
	return y
}

// ToFloat64 is x as a float64, exactly.
func ToFloat64[T Real](x T) float64 {
	if unsafe.Sizeof(x) == 8 {
		return *(*float64)(unsafe.Pointer(&x))
	}
	return float64(ToFloat32(x))
}

// FromFloat64 is x as a T, rounded to nearest.
func FromFloat64[T Real](x float64) T {
	var y T
	switch p := any(&y).(type) {
	case *Float16:
		*p = Float16Of(x)
	case *BFloat16:
		*p = BFloat16Of(x)
	default:
		if unsafe.Sizeof(y) == 4 {
			*(*float32)(unsafe.Pointer(&y)) = float32(x)
		} else {
			*(*float64)(unsafe.Pointer(&y)) = x
		}
	}
	return y
}
