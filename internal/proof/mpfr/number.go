package mpfr

import (
	"math"

	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// Precision is the number of bits of a Number.
const Precision = 128

// Number is a number of MPFR's with Precision bits, whose memory is Go's: MPFR calls this the
// custom interface. New makes one. It must not be copied, since it points into itself.
type Number struct {
	precision int64
	sign      int32
	exponent  int64   // the value is sign * 0.limbs * 2^exponent, or one of those below
	at        *uint64 // &limbs[0]
	limbs     [Precision / 64]uint64
}

// The exponents of values that are no numbers other than 0 (mpfr.h: __MPFR_EXP_ZERO and so on).
const (
	zero     = math.MinInt64 + 1
	nan      = math.MinInt64 + 2
	infinity = math.MinInt64 + 3
)

// New is a Number of value 0.
func New() *Number {
	z := &Number{precision: Precision, sign: 1, exponent: zero}
	z.at = &z.limbs[0]
	return z
}

// Set makes z the number x, exactly, and returns z.
func (z *Number) Set(x float64) *Number {
	z.sign, z.limbs = 1, [2]uint64{}
	if math.Signbit(x) {
		z.sign = -1
	}
	switch {
	case math.IsNaN(x):
		z.exponent = nan
	case math.IsInf(x, 0):
		z.exponent = infinity
	case x == 0:
		z.exponent = zero
	default:
		fraction, exponent := math.Frexp(math.Abs(x))
		z.limbs[1], z.exponent = uint64(fraction*0x1p53)<<11, int64(exponent)
	}
	return z
}

// Real is the value of z, with its first 106 bits.
func (z *Number) Real() ulp.Real {
	sign := float64(z.sign)
	switch z.exponent {
	case nan:
		return ulp.Of(math.NaN())
	case infinity:
		return ulp.Of(sign * math.Inf(1))
	case zero:
		return ulp.Of(math.Copysign(0, sign))
	}
	high := z.limbs[1]
	rest := high<<53 | z.limbs[0]>>11
	return ulp.Real{
		High:     sign * float64(high>>11) * 0x1p-52,
		Low:      sign * float64(rest) * 0x1p-116,
		Exponent: int(z.exponent) - 1,
	}
}
