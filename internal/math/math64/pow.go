package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
)

// Pow is x to the power of y, 2^(y*log2(x)), with the logarithm and the product as sums of two
// numbers.
func Pow(x, y float64) float64 {
	f, n := splitAt(ieee.Float64bits(x), rootHalf)
	power, rest := logTimes(f, n, y)
	if isNormalPositive(ieee.Float64bits(x)) && isBelow(power, 1021) { // no infinity or NaN, and a normal number, though power is rounded
		t := power + toInteger
		return scale(exp2Of((power-(t-toInteger))+rest), t)
	}
	return powAny(x, y)
}

// rootHalf is sqrt(1/2), by its upper bits: the least 1+f, with which the logarithm of 1+f is small
// relative to n.
const rootHalf = 0x3fe6a09e

// powAny is Pow of any numbers.
func powAny(x, y float64) float64 {
	if special, is := powSpecial(x, y); is {
		return special
	}
	bits := ieee.Float64bits(ieee.Abs(x))
	if !isNormalPositive(bits) {
		bits = normalBits(ieee.Abs(x))
	}
	f, n := splitAt(bits, rootHalf)
	power, rest := logTimes(f, n, y)
	t := power + toInteger
	p := scaleAny(exp2Of((power-(t-toInteger))+rest), t, power, 1025, -1076)
	if x < 0 && isOdd(y) {
		return -p
	}
	return p
}

// logTimes is y*log2(x) as a sum, for the x with the f and the n of split.
func logTimes(f, n, y float64) (power, rest float64) {
	high, low := log2Of(f, n)
	power = float64(y * high)
	return power, ieee.FMA(y, low, ieee.FMA(y, high, -power))
}

// powSpecial is x^y where one of them is 0, infinite or NaN, x is 1, or the result is not a number.
// is reports whether they are.
func powSpecial(x, y float64) (power float64, is bool) {
	inf := ieee.Inf[float64](1)
	switch {
	case y == 0 || x == 1:
		return 1, true
	case x != x || y != y:
		return x + y, true
	case ieee.IsInf(y, 0):
		switch a := ieee.Abs(x); {
		case a == 1:
			return 1, true
		case (a > 1) == (y > 0):
			return inf, true
		}
		return 0, true
	case x == 0 || ieee.IsInf(x, 0):
		if (x == 0) == (y > 0) {
			power = 0
		} else {
			power = inf
		}
		if isOdd(y) {
			power = ieee.Copysign(power, x)
		}
		return power, true
	case x < 0 && ieee.Trunc(y) != y:
		return ieee.NaN[float64](), true
	}
	return 0, false
}

// isOdd reports whether y is an odd integer.
func isOdd(y float64) bool {
	half := float64(y * 0.5)
	return ieee.Trunc(y) == y && ieee.Trunc(half) != half
}

// log2Of is the binary logarithm of a number by the f and the n of split, as a sum of two numbers
// that has twice as many bits less a few. With u = 2*f/(2+f) it is n + log2(e)*(u + u^3/12 + u^5/80
// + …), after P. T. P. Tang, Table-driven implementation of the logarithm function, 1990, without
// the tables.
func log2Of(f, n float64) (high, low float64) {
	const (
		log2ELo = 0x1.777d0ffda0d24p-56
		c1      = 0x1.ec709dc3a03fdp-4 // log2(e)/12, in two parts
		c1Lo    = 0x1.d27f05548af0cp-58
	)
	n = float64(n * 0x1p-20)
	r := float64(math32.NearReciprocal(float32(f)))
	d := 2 + f
	r = ieee.FMA(r, ieee.FMA(-d, r, 1), r)
	r = ieee.FMA(r, ieee.FMA(-d, r, 1), r)
	u := float64(2 * f * r)
	uLo := float64(ieee.FMA(-f, u, 2*(f-u)) * r) // u + uLo is 2*f/(2+f)
	a := float64(u * log2E)
	aLo := ieee.FMA(u, log2ELo, ieee.FMA(uLo, log2E, ieee.FMA(u, log2E, -a)))
	z := float64(u * u)
	zLo := ieee.FMA(u+u, uLo, ieee.FMA(u, u, -z))
	p := 0x1.61f9cbe0b1746p-22
	p = ieee.FMA(p, z, 0x1.58fbc9769235cp-20)
	p = ieee.FMA(p, z, 0x1.8a09c39efdbc3p-18)
	p = ieee.FMA(p, z, 0x1.c68ee9190bd45p-16)
	p = ieee.FMA(p, z, 0x1.0c9a853b65b47p-13)
	p = ieee.FMA(p, z, 0x1.484b13d6ac344p-11)
	p = ieee.FMA(p, z, 0x1.a61762a7aede5p-9)
	p = ieee.FMA(p, z, 0x1.2776c50ef9bfcp-6)
	p = ieee.FMA(p, z, c1Lo)
	q := c1 + p
	qLo := ieee.FMA(zLo, 0x1.2776c50ef9bfcp-6, (c1-q)+p) // zLo is not small: p leaves it out
	s := float64(z * q)
	sLo := ieee.FMA(zLo, q, ieee.FMA(z, qLo, ieee.FMA(z, q, -s)))
	b := float64(u * s)
	bLo := ieee.FMA(uLo, s, ieee.FMA(u, sLo, ieee.FMA(u, s, -b)))
	first := n + a
	high = first + b
	low = ((n - first) + a) + ((first - high) + b) + (aLo + bLo)
	return high, low
}

// Pow10 is 10 to the power of n, correctly rounded if it is a normal number: 5^n as a sum of two
// numbers, times 2^n.
func Pow10(n int) float64 {
	switch {
	case n > 308:
		return ieee.Inf[float64](1)
	case n < -323:
		return 0
	}
	m := max(n, -n)
	high, low := 1.0, 0.0
	times := func(bit int, factor, rest float64) {
		if m&bit != 0 {
			p := float64(high * factor)
			low = ieee.FMA(high, rest, ieee.FMA(low, factor, ieee.FMA(high, factor, -p)))
			high = p
		}
	}
	times(1, 5, 0)
	times(2, 25, 0)
	times(4, 625, 0)
	times(8, 390625, 0)
	times(16, 152587890625, 0)
	times(32, 0x1.3b8b5b5056e17p+74, -0x1.3107fp+20)
	times(64, 0x1.84f03e93ff9f5p+148, -0x1.2ac340948e389p+93)
	times(128, 0x1.27748f9301d32p+297, -0x1.901cc86649e4ap+243)
	times(256, 0x1.54fdd7f73bf3cp+594, -0x1.7222446fe467p+539)
	if n < 0 {
		q := 1 / high
		high, low = q, float64(ieee.FMA(-q, low, ieee.FMA(-q, high, 1))*q)
	}
	return ieee.Ldexp(high+low, n)
}
