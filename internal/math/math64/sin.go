package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sin is the sine of x radians.
//
// The argument is reduced to pi/4 and less, where the sine and the cosine are polynomials, as in
// Muller, Elementary Functions (third edition, 2016). Their coefficients are chosen by the
// quadrant, as a GPU does that in parallel with its arithmetic of float64. What reduction has
// rounded off is added at the end.
func Sin(x float64) float64 {
	n, high, low := reduce(x)
	return turned(n, wave(n, high, low))
}

// Cos is the cosine of x radians. It is computed as Sin is.
func Cos(x float64) float64 {
	n, high, low := reduceFrom(x, 1)
	return turned(n, wave(n, high, low))
}

// Sincos is Sin and Cos of x, for little more than one of them.
func Sincos(x float64) (sin, cos float64) {
	n, high, low := reduce(x)
	s, c := sinReduced(high, low), cosReduced(high, low)
	return quadrant(n, s, c), quadrant(n+1, s, c)
}

// quadrant is the sine of an angle whose reduced one has the sine s and the cosine c.
func quadrant(n int32, s, c float64) float64 {
	return turned(n, choose(n&1 != 0, s, c))
}

// turned is s, or -s in the third and the fourth quadrant.
func turned(n int32, s float64) float64 {
	return ieee.Float64frombits(ieee.Float64bits(s) ^ uint64(n)<<62&(1<<63))
}

// waves are the coefficients of the sine and of the cosine.
var waves = [2][7]float64{
	{0, -0x1.5d8cdp-33, 0x1.ae5e5p-26, -0x1.71de3559f8248p-19, 0x1.a01a019bed59ap-13, -0x1.111111110f744p-7, 0x1.5555555555548p-3},
	{-0x1.8d3f7p-37, 0x1.1ee4ep-29, -0x1.27e4fp-22, 0x1.a01a019082b5fp-16, -0x1.6c16c16c0c6cdp-10, 0x1.5555555555503p-5, -0.5},
}

// wave is sinReduced, or cosReduced where n is odd.
func wave(n int32, high, low float64) float64 {
	z := float64(high * high)
	c := waves[uint(n)&1]
	p := float64(c[0])
	p = ieee.FMA(p, z, c[1])
	p = ieee.FMA(p, z, c[2])
	p = ieee.FMA(p, z, c[3])
	p = ieee.FMA(p, z, c[4])
	p = ieee.FMA(p, z, c[5])
	p = ieee.FMA(p, z, c[6])
	sin := high - ieee.FMA(float64(z*high), p, low)
	cos := ieee.FMA(high, ieee.FMA(high, p, low), 1)
	return choose(n&1 != 0, sin, cos)
}

// sinReduced is the sine of high - low, for high up to pi/4.
func sinReduced(high, low float64) float64 {
	z := float64(high * high)
	p := -0x1.5d8cdp-33
	p = ieee.FMA(p, z, 0x1.ae5e5p-26)
	p = ieee.FMA(p, z, -0x1.71de3559f8248p-19)
	p = ieee.FMA(p, z, 0x1.a01a019bed59ap-13)
	p = ieee.FMA(p, z, -0x1.111111110f744p-7)
	p = ieee.FMA(p, z, 0x1.5555555555548p-3)
	return high - ieee.FMA(float64(z*high), p, low)
}

// cosReduced is the cosine of high - low, for high up to pi/4.
func cosReduced(high, low float64) float64 {
	z := float64(high * high)
	p := -0x1.8d3f7p-37
	p = ieee.FMA(p, z, 0x1.1ee4ep-29)
	p = ieee.FMA(p, z, -0x1.27e4fp-22)
	p = ieee.FMA(p, z, 0x1.a01a019082b5fp-16)
	p = ieee.FMA(p, z, -0x1.6c16c16c0c6cdp-10)
	p = ieee.FMA(p, z, 0x1.5555555555503p-5)
	p = ieee.FMA(p, z, -0.5)
	// high*(high*p - low), so that what z has rounded off does not count for the term before the
	// last.
	return ieee.FMA(high, ieee.FMA(high, p, low), 1)
}

// choose is a select instruction.
func choose(odd bool, even, other float64) float64 {
	if odd {
		return other
	}
	return even
}
