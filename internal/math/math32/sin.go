package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sin is the sine of x radians, computed as math64.Sin is, but that both polynomials are evaluated:
// they are short.
func Sin(x float32) float32 {
	n, high, low := reduce(x)
	return quadrant(n, sinReduced(high, low), cosReduced(high, low))
}

// Cos is the cosine of x radians. It is computed as Sin is.
func Cos(x float32) float32 {
	n, high, low := reduceFrom(x, 1)
	return quadrant(n, sinReduced(high, low), cosReduced(high, low))
}

// Sincos is Sin and Cos of x, for little more than one of them.
func Sincos(x float32) (sin, cos float32) {
	n, high, low := reduce(x)
	s, c := sinReduced(high, low), cosReduced(high, low)
	return quadrant(n, s, c), quadrant(n+1, s, c)
}

// quadrant is the sine of an angle whose reduced one has the sine s and the cosine c.
func quadrant(n int32, s, c float32) float32 {
	return ieee.Float32frombits(ieee.Float32bits(choose(n&1 != 0, s, c)) ^ uint32(n)<<30&(1<<31))
}

// sinReduced is the sine of high - low, for high up to pi/4.
func sinReduced(high, low float32) float32 {
	z := float32(high * high)
	p := float32(0x1.994f34p-13)
	p = ieee.FMA(p, z, -0x1.11077p-7)
	p = ieee.FMA(p, z, 0x1.555546p-3)
	return high - ieee.FMA(float32(z*high), p, low)
}

// cosReduced is the cosine of high - low, for high up to pi/4.
func cosReduced(high, low float32) float32 {
	z := float32(high * high)
	p := float32(0x1.9bbfcp-16)
	p = ieee.FMA(p, z, -0x1.6c1292p-10)
	p = ieee.FMA(p, z, 0x1.555554p-5)
	p = ieee.FMA(p, z, -0.5)
	// high*(high*p - low), so that what z has rounded off does not count for the term before the
	// last.
	return ieee.FMA(high, ieee.FMA(high, p, low), 1)
}

// choose is a select instruction.
func choose(odd bool, even, other float32) float32 {
	if odd {
		return other
	}
	return even
}
