package fast32

import "github.com/gridstride/gridstride/internal/math/ieee"

const (
	log2E  = 0x1.71547652b82fep+0
	log210 = 0x1.a934f0979a371p+1
	ln2    = 0x1.62e42fefa39efp-1
	log102 = 0x1.34413509f79ffp-2
)

// Exp is about e to the power of x, within 2 + 1.18*|x| units in the last place: what rounds off the
// product with log2(e) counts for that much.
func Exp(x float32) float32 { return exp2(float32(x * log2E)) }

// Exp2 is about 2 to the power of x, within 2.2 units in the last place.
func Exp2(x float32) float32 { return exp2(x) }

// Exp10 is about 10 to the power of x, within 2 + 2.97*|x| units in the last place.
func Exp10(x float32) float32 { return exp2(float32(x * log210)) }

// Log is about the natural logarithm of x, with an absolute error of 2^-21.4 at most for x from 1/2
// to 2, and a relative error of 2^-21.5 at most for any other normal x above 0.
func Log(x float32) float32 { return float32(log2(x) * ln2) }

// Log2 is about the binary logarithm of x, with an absolute error of 2^-22 at most for x from 1/2 to
// 2, and a relative error of 2^-22 at most for any other normal x above 0.
func Log2(x float32) float32 { return log2(x) }

// Log10 is about the decimal logarithm of x, with an absolute error of 2^-22 at most for x from 1/2
// to 2, and a relative error of 2^-21.5 at most for any other normal x above 0.
func Log10(x float32) float32 { return float32(log2(x) * log102) }

// Pow is about x to the power of y, for x above 0. Its relative error is about the error of y*log2(x),
// times the size of that. For x below 0 it is NaN.
func Pow(x, y float32) float32 { return exp2(float32(y * log2(x))) }

// Rsqrt is about 1 / sqrt(x), with a relative error of 2^-22.9 at most for a normal x above 0.
func Rsqrt(x float32) float32 { return rsqrt(x) }

// Tanh is about the hyperbolic tangent of x, within 3 units in the last place: an odd polynomial up
// to 0.55, and beyond that 1 - 2/(e^2x + 1).
func Tanh(x float32) float32 {
	a := ieee.Abs(x)
	y := ieee.FMA(-2, rcp(exp2(float32(a*(2*log2E)))+1), 1)
	if a < 0.55 {
		z := float32(a * a)
		p := float32(0x1.0dd3a6p-06)
		p = ieee.FMA(p, z, -0x1.afa3ep-05)
		p = ieee.FMA(p, z, 0x1.10d0bcp-03)
		p = ieee.FMA(p, z, -0x1.55545ep-02)
		y = ieee.FMA(float32(a*z), p, a)
	}
	return ieee.Copysign(y, x)
}

// Erfc is about 1 - erf(x), with a relative error of 2^-20 at most for a normal result. From
// x = 9.34 on it is 0.
//
// It is e^(-x*x)/(x+1) times a polynomial in 1/(x+1), as math32's (Shepherd and Laframboise,
// Chebyshev approximation of (1+2x)exp(x^2)erfc(x), 1981). The exponent is a sum of two numbers,
// since its error would be an error of the result as large as the exponent.
func Erfc(x float32) float32 {
	a := ieee.Limit(ieee.Abs(x), 10)
	q := rcp(a + 1)
	s := q - 0.5
	p := float32(-0x1.27171cp-02)
	p = ieee.FMA(p, s, 0x1.d75f18p-02)
	p = ieee.FMA(p, s, -0x1.0e62dep-03)
	p = ieee.FMA(p, s, -0x1.327b64p-02)
	p = ieee.FMA(p, s, 0x1.a409cep-02)
	p = ieee.FMA(p, s, -0x1.c973cp-04)
	p = ieee.FMA(p, s, -0x1.878142p-02)
	p = ieee.FMA(p, s, 0x1.e6c6ccp-02)
	p = ieee.FMA(p, s, 0x1.b5d888p-01)
	y := float32(float32(p*q) * expOfSquare(a))
	if x < 0 {
		return 2 - y
	}
	return y
}

// expOfSquare is about e^(-a*a).
func expOfSquare(a float32) float32 {
	const low = log2E - 0x1.715476p+0
	square := float32(a * a)
	high := float32(square * -log2E)
	rest := ieee.FMA(square, -low, ieee.FMA(square, -log2E, -high))
	e := exp2(high)
	return ieee.FMA(e, ieee.FMA(rest, ln2, -ieee.FMA(a, a, -square)), e)
}
