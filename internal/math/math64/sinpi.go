package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sinpi is the sine of pi*x. It is exactly 0, with the sign of x, for integers.
//
// The reduction to a quadrant is exact. There sine and cosine are polynomials, chosen as Sin's.
func Sinpi(x float64) float64 {
	a := ieee.Abs(x)
	var s float64
	if !isBelow(x, 0x1p50) {
		s = halfTurns(withoutEven(a), 0)
	} else {
		s = halfTurns(a, 0)
	}
	return ieee.Float64frombits(ieee.Float64bits(s) ^ ieee.Float64bits(x)&(1<<63))
}

// Cospi is the cosine of pi*x. It is exactly +0 for an integer and a half.
func Cospi(x float64) float64 {
	if !isBelow(x, 0x1p50) {
		return halfTurns(withoutEven(x), 1)
	}
	return halfTurns(x, 1)
}

// withoutEven is x without an even integer. It is exact, and NaN of an infinity.
func withoutEven(x float64) float64 {
	half := float64(0.5 * x)
	return x - float64(2*ieee.Trunc(half))
}

// halfTurns is the sine of pi*x and turn quarter turns more, for |x| below 2^50. It is never -0.
func halfTurns(x, turn float64) float64 {
	t := ieee.FMA(x, 2, toInteger+turn)
	f := ieee.FMA(t-(toInteger+turn), -0.5, x) // from -1/4 to 1/4, exactly
	n := uint(lower(t))
	c := &turns[n&1]
	z := float64(f * f)
	p := c[0]
	p = ieee.FMA(p, z, c[1])
	p = ieee.FMA(p, z, c[2])
	p = ieee.FMA(p, z, c[3])
	p = ieee.FMA(p, z, c[4])
	p = ieee.FMA(p, z, c[5])
	p = ieee.FMA(p, z, c[6])
	s := ieee.FMA(f, c[7], float64(f*p))
	s = choose(n&1 != 0, s, ieee.FMA(f, s, 1))
	if n&2 != 0 {
		s = 0 - s
	}
	return s
}

// turns are the coefficients of sin(pi*f)/f and of (cos(pi*f)-1)/f, by f². The last ones are sums
// of two numbers: what the larger part is multiplied with is exact, and the smaller one is added to
// the rest of the polynomial.
var turns = [2][8]float64{
	{0x1.e404730d3a881p-12, -0x1.e300aa06552e8p-8, 0x1.50783021b72dp-4, -0x1.32d2cce33c519p-1,
		0x1.466bc67758e39p+1, -0x1.4abbce625be47p+2, 0x1.1a62633145c07p-53, 0x1.921fb54442d18p+1},
	{-0x1.b2adc3c2be93bp-14, 0x1.f9cd49dcd4522p-10, -0x1.a6d1edf3c7569p-6, 0x1.e1f5068571deep-3,
		-0x1.55d3c7e3ca9cap+0, 0x1.03c1f081b5abep+2, -0x1.692b71366cc04p-52, -0x1.3bd3cc9be45dep+2},
}
