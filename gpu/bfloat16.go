package gpu

import (
	"cmp"

	"github.com/gridstride/gridstride/internal/math/half"
)

// BFloat16 is the upper half of a float32, CUDA's __nv_bfloat16: eight significant bits, and
// float32's range. The zero value is 0.
type BFloat16 struct{ bits uint16 }

// Bits is the bits of x. [BFloat16FromBits] is its inverse.
func (x BFloat16) Bits() uint16 { return x.bits }

// Float32 is x as a float32, exactly.
func (x BFloat16) Float32() float32 { return half.BF16ToF32(x.bits) }

// Float64 is x as a float64, exactly.
func (x BFloat16) Float64() float64 { return float64(x.Float32()) }

// Add is x + y.
func (x BFloat16) Add(y BFloat16) BFloat16 { return BFloat16{half.BF16Add(x.bits, y.bits)} }

// Sub is x - y.
func (x BFloat16) Sub(y BFloat16) BFloat16 { return BFloat16{half.BF16Sub(x.bits, y.bits)} }

// Mul is x * y.
func (x BFloat16) Mul(y BFloat16) BFloat16 { return BFloat16{half.BF16Mul(x.bits, y.bits)} }

// Div is x / y.
func (x BFloat16) Div(y BFloat16) BFloat16 { return BFloat16{half.BF16Div(x.bits, y.bits)} }

// FMA is x*y + z, rounded once.
func (x BFloat16) FMA(y, z BFloat16) BFloat16 { return BFloat16{half.BF16FMA(x.bits, y.bits, z.bits)} }

// Neg is -x.
func (x BFloat16) Neg() BFloat16 { return BFloat16{x.bits ^ 1<<15} }

// Abs is the absolute value of x.
func (x BFloat16) Abs() BFloat16 { return BFloat16{x.bits &^ (1 << 15)} }

// Sqrt is the square root of x. It is NaN for x < 0.
func (x BFloat16) Sqrt() BFloat16 { return BFloat16{half.BF16Sqrt(x.bits)} }

// Min is the smaller of x and y as the built-in min has it: NaN if one is, and -0 is less than +0.
func (x BFloat16) Min(y BFloat16) BFloat16 { return BFloat16{half.BF16Min(x.bits, y.bits)} }

// Max is the larger of x and y as the built-in max has it: NaN if one is, and +0 is larger than -0.
func (x BFloat16) Max(y BFloat16) BFloat16 { return BFloat16{half.BF16Max(x.bits, y.bits)} }

// Equal reports whether x and y are the same number: -0 is +0, and NaN is nothing.
func (x BFloat16) Equal(y BFloat16) bool { return x.Float32() == y.Float32() }

// Less reports whether x < y.
func (x BFloat16) Less(y BFloat16) bool { return x.Float32() < y.Float32() }

// LessEqual reports whether x <= y.
func (x BFloat16) LessEqual(y BFloat16) bool { return x.Float32() <= y.Float32() }

// Compare is -1, 0 or +1 as [cmp.Compare] has it: NaN is less than every number, and equal to NaN.
func (x BFloat16) Compare(y BFloat16) int { return cmp.Compare(x.Float32(), y.Float32()) }

// IsNaN reports whether x is not a number.
func (x BFloat16) IsNaN() bool { return x.bits&^(1<<15) > half.BF16Inf }

// IsInf reports whether x is +Inf (sign > 0), -Inf (sign < 0) or either (sign == 0).
func (x BFloat16) IsInf(sign int) bool {
	return sign >= 0 && x.bits == half.BF16Inf || sign <= 0 && x.bits == half.BF16Inf|1<<15
}

// Signbit reports whether x is negative or -0, or a NaN with its sign bit set.
func (x BFloat16) Signbit() bool { return x.bits>>15 != 0 }
