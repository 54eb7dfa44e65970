package gpu

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/math/half"
)

// The numbers of 8 bits are formats of memory and of tensor cores: they have no arithmetic. A
// kernel computes with their float32.

// E4M3 is a floating-point number of 8 bits with three bits of fraction, CUDA's __nv_fp8_e4m3: four
// significant bits, from 2^-9 (0.002) to 448, without infinities. The zero value is 0.
type E4M3 struct{ bits uint8 }

// E5M2 is a floating-point number of 8 bits with two bits of fraction, CUDA's __nv_fp8_e5m2: three
// significant bits, from 2^-16 (2e-5) to 57344. It is the upper half of a [Float16]. The zero value
// is 0.
type E5M2 struct{ bits uint8 }

// E4M3Of is the E4M3 nearest to x, the even one of two. What is beyond 448, an infinity too, is 448
// with its sign: PTX's cvt.rn.satfinite.e4m3x2.f32, which is one instruction from target=sm_89 on.
func E4M3Of[T Number](x T) E4M3 {
	if isDouble[T]() {
		return E4M3{half.E4M3Nearest(float64(x))}
	}
	return E4M3{half.E4M3Nearest(float32(x))} // an integer that has no float32 is beyond E4M3, too
}

// E5M2Of is the E5M2 nearest to x, the even one of two. What is beyond 57344, an infinity too, is
// 57344 with its sign: PTX's cvt.rn.satfinite.e5m2x2.f32, which is one instruction from
// target=sm_89 on.
func E5M2Of[T Number](x T) E5M2 {
	if isDouble[T]() {
		return E5M2{half.E5M2Nearest(float64(x))}
	}
	return E5M2{half.E5M2Nearest(float32(x))}
}

// E4M3FromBits is the number of some bits: a sign, four bits of exponent, three of fraction.
func E4M3FromBits(bits uint8) E4M3 { return E4M3{bits} }

// E5M2FromBits is the number of some bits: a sign, five bits of exponent, two of fraction.
func E5M2FromBits(bits uint8) E5M2 { return E5M2{bits} }

// Bits is the bits of x. [E4M3FromBits] is its inverse.
func (x E4M3) Bits() uint8 { return x.bits }

// Bits is the bits of x. [E5M2FromBits] is its inverse.
func (x E5M2) Bits() uint8 { return x.bits }

// Float32 is x as a float32, exactly.
func (x E4M3) Float32() float32 { return half.E4M3ToF32(x.bits) }

// Float32 is x as a float32, exactly.
func (x E5M2) Float32() float32 { return half.E5M2ToF32(x.bits) }

// IsNaN reports whether x is not a number.
func (x E4M3) IsNaN() bool { return x.bits&0x7f == half.ByteNaN }

// IsNaN reports whether x is not a number.
func (x E5M2) IsNaN() bool { return x.bits&0x7f > half.E5M2Inf }

// IsInf reports whether x is +Inf (sign > 0), -Inf (sign < 0) or either (sign == 0).
func (x E5M2) IsInf(sign int) bool {
	return sign >= 0 && x.bits == half.E5M2Inf || sign <= 0 && x.bits == half.E5M2Inf|0x80
}

// String is x with as few digits as tell it from every other E4M3. It is for the host only, as
// Format is.
func (x E4M3) String() string { return half.E4M3Text(x.bits).String() }

// String is x with as few digits as tell it from every other E5M2. It is for the host only, as
// Format is.
func (x E5M2) String() string { return half.E5M2Text(x.bits).String() }

// Format prints x with the verbs of floating-point numbers. %v is [E4M3.String].
func (x E4M3) Format(s fmt.State, verb rune) { half.E4M3Text(x.bits).Format(s, verb) }

// Format prints x with the verbs of floating-point numbers. %v is [E5M2.String].
func (x E5M2) Format(s fmt.State, verb rune) { half.E5M2Text(x.bits).Format(s, verb) }
