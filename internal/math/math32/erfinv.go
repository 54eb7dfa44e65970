package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Erfinv is the inverse of Erf, NaN outside [-1, 1].
//
// It is computed as math64's, but that 1-x*x is rounded for w up to 5, where that shows little.
func Erfinv(x float32) float32 {
	a := ieee.Abs(x)
	v := ieee.FMA(-a, a, 1)
	if bits := ieee.Float32bits(v); bits-leastBits < 0x3f800000-leastBits { // above least, and not 1
		c, low := erfinvCentre(v)
		return ieee.Copysign(ieee.FMA(a, c, float32(a*low)), x)
	}
	if v == 1 {
		// The cube of x is too small to show. The product is a large one, so that its second part
		// is not lost where x is close to the least numbers.
		y, rest := mathcommon.MulSum(0x1.c5bf8ap-1, -0x1.c96212p-26, float32(a*0x1p24), 0)
		return ieee.Copysign(float32((y+rest)*0x1p-24), x)
	}
	if !(a < 1) {
		if a == 1 {
			return ieee.Copysign(ieee.Inf[float32](1), x)
		}
		return ieee.NaN[float32]()
	}
	above, aboveLow := mathcommon.FastSum(1, a)
	below, belowLow := mathcommon.FastSum(1, -a)
	return ieee.Copysign(erfinvFar(mathcommon.MulSum(above, aboveLow, below, belowLow)), x)
}

// least is a v = e^-w for which w is nearly 5.
const (
	least     = 0x1.bap-8
	leastBits = 0x3bdd0000
)

// Erfcinv is the inverse of Erfc, NaN outside [0, 2]. It is computed as Erfinv is.
func Erfcinv(x float32) float32 {
	d, dLow := mathcommon.FastSum(1, -x)
	if v := float32(x * (2 - x)); v > least {
		c, low := erfinvCentre(v)
		return ieee.FMA(d, c, ieee.FMA(d, low, float32(dLow*c)))
	}
	if !(x > 0 && x < 2) {
		switch x {
		case 0:
			return ieee.Inf[float32](1)
		case 2:
			return ieee.Inf[float32](-1)
		}
		return ieee.NaN[float32]()
	}
	e, eLow := mathcommon.FastSum(2, -x)
	return ieee.Copysign(erfinvFar(mathcommon.MulSum(e, eLow, x, 0)), d)
}

// erfinvCentre is erfinv(x)/x for v = 1-x*x from e^-5 to 1, a polynomial in -log(v) - 5/2.
func erfinvCentre(v float32) (c, low float32) {
	f, n := split(ieee.Float32bits(v))
	s, rest := mathcommon.FastSum(ieee.FMA(n, -ln2Hi*0x1p-23, -2.5), -f)
	s, lost := mathcommon.TwoSum(s, -ieee.FMA(float32(f*f), logTail(f), float32(n*(ln2Lo*0x1p-23))))
	rest += lost
	p := float32(0x1.0e5984p-33)
	p = ieee.FMA(p, s, 0x1.de69e8p-32)
	p = ieee.FMA(p, s, -0x1.74e6e8p-27)
	p = ieee.FMA(p, s, 0x1.1b3f5ep-26)
	p = ieee.FMA(p, s, 0x1.00f722p-21)
	p = ieee.FMA(p, s, -0x1.cbda82p-19)
	p = ieee.FMA(p, s, -0x1.4f4424p-18)
	p = ieee.FMA(p, s, 0x1.c9bb8ep-13)
	p = ieee.FMA(p, s, -0x1.4863d2p-10)
	p = ieee.FMA(p, s, -0x1.11c3e2p-8)
	return mathcommon.LastTerms(s, rest, p, 0x1.f91e8ap-3, -0x1.a94b74p-29, 0x1.805c5cp+0, 0x1.ff29a6p-25)
}

// minusLog is -log(v+low), for numbers up to 1.
func minusLog(v, low float32) (w, wLow float32) {
	w, wLow = logSum(v)
	return -w, -ieee.FMA(low, mathcommon.NearInverse(v), wLow)
}

// erfinvFar is the inverse of the error function at x, where v + low is 1-x*x, e^-5 or less.
func erfinvFar(v, low float32) float32 {
	w, wLow := minusLog(v, low)
	root := ieee.Sqrt(w)
	rootLow := float32((ieee.FMA(-root, root, w) + wLow) * mathcommon.NearInverse(float32(2*root)))
	q, rest := mathcommon.Quotient(1, root, rootLow)
	s := q - 0x1.18p-2
	p := float32(0x1.8f4aeap+10)
	p = ieee.FMA(p, s, -0x1.61c892p+9)
	p = ieee.FMA(p, s, -0x1.ddc8ccp+8)
	p = ieee.FMA(p, s, 0x1.f669b8p+6)
	p = ieee.FMA(p, s, 0x1.22708cp+5)
	p = ieee.FMA(p, s, -0x1.42f57p-2)
	p = ieee.FMA(p, s, -0x1.f3bae4p+1)
	p = ieee.FMA(p, s, 0x1.7c9c0cp-2)
	p = ieee.FMA(p, s, -0x1.98adc6p-1)
	p = ieee.FMA(p, s, 0x1.e72c68p-2)
	p = ieee.FMA(p, s, 0x1.dcabf8p-4)
	c, cLow := mathcommon.LastTerms(s, rest, p, -0x1.8c6cccp-3, -0x1.e7fc5p-29, 0x1.e923d8p-1, 0x1.9bae2p-26)
	y, low := mathcommon.MulSum(c, cLow, root, rootLow)
	return y + low
}
