package math64

import "github.com/gridstride/gridstride/internal/ieee"

// ln2 in two parts. A multiple of the first by an exponent is exact.
const (
	log2E = 0x1.71547652b82fep+0
	ln2Hi = 0x1.62e42fefa3800p-1
	ln2Lo = 0x1.ef35793c76730p-45
)

// toInteger added to a number of less than 2^51 leaves the nearest integer in the low bits.
const toInteger = 0x1.8p52

// Exp is e to the power of x.
//
// x = n*ln2 + r with |r| <= ln2/2, after Cody and Waite, Software Manual for the Elementary
// Functions, 1980. e^r is a polynomial.
func Exp(x float64) float64 {
	const (
		overflow  = 0x1.62e42fefa39efp+9  // the largest x whose result is finite
		underflow = -0x1.74910d52d3052p+9 // the least x whose result is not 0
	)
	if !(x <= overflow && x >= underflow) {
		switch {
		case x > overflow:
			return ieee.Inf[float64](1)
		case x < underflow:
			return 0
		}
		return x
	}
	t := ieee.FMA(x, log2E, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -ln2Lo, ieee.FMA(n, -ln2Hi, x))
	p := 0x1.ade16b0d5d2bbp-26
	p = ieee.FMA(p, r, 0x1.28af44e06f61ap-22)
	p = ieee.FMA(p, r, 0x1.71dee61dbbdb7p-19)
	p = ieee.FMA(p, r, 0x1.a01997c3ddb1p-16)
	p = ieee.FMA(p, r, 0x1.a01a0147627b5p-13)
	p = ieee.FMA(p, r, 0x1.6c16c1852cdf4p-10)
	p = ieee.FMA(p, r, 0x1.1111111122324p-7)
	p = ieee.FMA(p, r, 0x1.555555555029dp-5)
	p = ieee.FMA(p, r, 0x1.5555555555511p-3)
	p = ieee.FMA(p, r, 0x1.000000000000bp-1)
	p = ieee.FMA(p, r, 1)
	p = ieee.FMA(p, r, 1)
	return scale(p, int(int32(ieee.Float64bits(t))))
}

// scale is x * 2^n, for x from 1/2 to 2 and n from -1075 to 1024. It rounds once, where the result
// is subnormal.
func scale(x float64, n int) float64 {
	half := n / 2
	return x * pow2(half) * pow2(n-half)
}

// pow2 is 2^n, for n from -1022 to 1023.
func pow2(n int) float64 { return ieee.Float64frombits(uint64(n+1023) << 52) }
