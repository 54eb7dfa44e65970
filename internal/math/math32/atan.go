package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Atan is the arc tangent of x. With q = -1/x it is pi/2 + atan(q), so that q is 1 at most. The
// polynomial is longer than math64's, but a third range would take as long. What the inverse and
// q^2 round off counts by the derivative near 1, if it shows.
func Atan(x float32) float32 {
	q, base, low := ieee.Abs(x), float32(0), float32(0)
	limited := ieee.Limit(q, 1<<60)
	if inverse := ieee.Inverse(limited); q > 1 {
		rounded := float32(ieee.FMA(-inverse, limited, 1) * inverse) // off the inverse
		q, base, low = -inverse, piBy2A, ieee.FMA(rounded, -0.55, piBy2B)
	}
	z := float32(q * q)
	sum, rest := mathcommon.FastSum(base, q) // exactly q without a base
	rest += ieee.FMA(float32(ieee.FMA(q, q, -z)*q), -0.15, low)
	return ieee.Copysign(sum+ieee.FMA(q, atanTail(z), rest), x)
}

// Atan2 is the angle of the point (x, y), from -pi to pi, computed as math64's.
func Atan2(y, x float32) float32 { return mathcommon.Atan2(y, x, piBy4A, piBy4B, atanReduced) }

// atanTail is (atan(q) - q)/q for z = q^2 and q up to 1, a polynomial.
func atanTail(z float32) float32 {
	p := float32(-0x1.d5a1aap-10)
	p = ieee.FMA(p, z, 0x1.6551e2p-7)
	p = ieee.FMA(p, z, -0x1.fe7d24p-6)
	p = ieee.FMA(p, z, 0x1.da9c2ep-5)
	p = ieee.FMA(p, z, -0x1.5825f2p-4)
	p = ieee.FMA(p, z, 0x1.c0946cp-4)
	p = ieee.FMA(p, z, -0x1.24211ap-3)
	p = ieee.FMA(p, z, 0x1.9991ecp-3)
	p = ieee.FMA(p, z, -0x1.55553ep-2)
	return float32(p * z)
}

// atanReduced is the arc tangent of q + rest without q, for q from -tan(1/2) to tan(1/2).
func atanReduced(q, rest float32) float32 {
	z := float32(q * q)
	p := float32(0x1.36349ap-5)
	p = ieee.FMA(p, z, -0x1.45feep-4)
	p = ieee.FMA(p, z, 0x1.c054e6p-4)
	p = ieee.FMA(p, z, -0x1.2455b8p-3)
	p = ieee.FMA(p, z, 0x1.9997eep-3)
	p = ieee.FMA(p, z, -0x1.555554p-2)
	return ieee.FMA(z, ieee.FMA(q, p, -rest), rest) // the derivative is 1-z, nearly
}
