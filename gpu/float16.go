package gpu

import (
	"cmp"

	"github.com/gridstride/gridstride/internal/math/half"
)

// Float16 is a floating-point number of 16 bits, IEEE 754's binary16 and CUDA's __half: eleven
// significant bits, from 2^-24 (6e-8) to 65504. The zero value is 0.
type Float16 struct{ bits uint16 }

// Bits is the bits of x. [Float16FromBits] is its inverse.
func (x Float16) Bits() uint16 { return x.bits }

// Float32 is x as a float32, exactly.
func (x Float16) Float32() float32 { return half.F16ToF32(x.bits) }

// Float64 is x as a float64, exactly.
func (x Float16) Float64() float64 { return float64(x.Float32()) }

// Add is x + y.
func (x Float16) Add(y Float16) Float16 { return Float16{half.F16Add(x.bits, y.bits)} }

// Sub is x - y.
func (x Float16) Sub(y Float16) Float16 { return Float16{half.F16Sub(x.bits, y.bits)} }

// Mul is x * y.
func (x Float16) Mul(y Float16) Float16 { return Float16{half.F16Mul(x.bits, y.bits)} }

// Div is x / y.
func (x Float16) Div(y Float16) Float16 { return Float16{half.F16Div(x.bits, y.bits)} }

// FMA is x*y + z, rounded once.
func (x Float16) FMA(y, z Float16) Float16 { return Float16{half.F16FMA(x.bits, y.bits, z.bits)} }

// Neg is -x.
func (x Float16) Neg() Float16 { return Float16{x.bits ^ 1<<15} }

// Abs is the absolute value of x.
func (x Float16) Abs() Float16 { return Float16{x.bits &^ (1 << 15)} }

// Sqrt is the square root of x. It is NaN for x < 0.
func (x Float16) Sqrt() Float16 { return Float16{half.F16Sqrt(x.bits)} }

// Min is the smaller of x and y as the built-in min has it: NaN if one is, and -0 is less than +0.
func (x Float16) Min(y Float16) Float16 { return Float16{half.F16Min(x.bits, y.bits)} }

// Max is the larger of x and y as the built-in max has it: NaN if one is, and +0 is larger than -0.
func (x Float16) Max(y Float16) Float16 { return Float16{half.F16Max(x.bits, y.bits)} }

// Equal reports whether x and y are the same number: -0 is +0, and NaN is nothing.
func (x Float16) Equal(y Float16) bool { return x.Float32() == y.Float32() }

// Less reports whether x < y.
func (x Float16) Less(y Float16) bool { return x.Float32() < y.Float32() }

// LessEqual reports whether x <= y.
func (x Float16) LessEqual(y Float16) bool { return x.Float32() <= y.Float32() }

// Compare is -1, 0 or +1 as [cmp.Compare] has it: NaN is less than every number, and equal to NaN.
func (x Float16) Compare(y Float16) int { return cmp.Compare(x.Float32(), y.Float32()) }

// IsNaN reports whether x is not a number.
func (x Float16) IsNaN() bool { return x.bits&^(1<<15) > half.F16Inf }

// IsInf reports whether x is +Inf (sign > 0), -Inf (sign < 0) or either (sign == 0).
func (x Float16) IsInf(sign int) bool {
	return sign >= 0 && x.bits == half.F16Inf || sign <= 0 && x.bits == half.F16Inf|1<<15
}

// Signbit reports whether x is negative or -0, or a NaN with its sign bit set.
func (x Float16) Signbit() bool { return x.bits>>15 != 0 }
