package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Pow is x to the power of y, 2^(y*log2(x)), with the logarithm and the product as sums of two
// numbers.
func Pow(x, y float32) float32 {
	f, n := split(ieee.Float32bits(x))
	power, rest := logTimes(f, n, y)
	if isUsual(n) && ieee.Abs(power) < 125 { // no infinity or NaN, and a normal number, though power is rounded
		t := power + toInteger
		return scale(exp2Of((power-(t-toInteger))+rest), t)
	}
	return powAny(x, y)
}

// powAny is Pow of any numbers.
func powAny(x, y float32) float32 {
	if special, is := powSpecial(x, y); is {
		return special
	}
	bits := ieee.Float32bits(ieee.Abs(x))
	if !isNormalPositive(bits) {
		bits = normalBits(ieee.Abs(x))
	}
	f, n := split(bits)
	power, rest := logTimes(f, n, y)
	t := power + toInteger
	p := scaleAny(exp2Of((power-(t-toInteger))+rest), t, power, 129, -151)
	if x < 0 && isOdd(y) {
		return -p
	}
	return p
}

// logTimes is y*log2(x) as a sum, for the x with the f and the n of split.
func logTimes(f, n, y float32) (power, rest float32) {
	high, low := log2Of(f, n)
	power = float32(y * high)
	return power, ieee.FMA(y, low, ieee.FMA(y, high, -power))
}

// powSpecial is x^y where one of them is 0, infinite or NaN, x is 1, or the result is not a number.
// is reports whether they are.
func powSpecial(x, y float32) (power float32, is bool) {
	inf := ieee.Inf[float32](1)
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
		return ieee.NaN[float32](), true
	}
	return 0, false
}

// isOdd reports whether y is an odd integer.
func isOdd(y float32) bool {
	half := float32(y * 0.5)
	return ieee.Trunc(y) == y && ieee.Trunc(half) != half
}

// log2Of is the binary logarithm of a number by the f and the n of split, as a sum of two numbers
// that has twice as many bits less a few. With u = 2*f/(2+f) it is n + log2(e)*(u + u^3/12 + u^5/80
// + …), after P. T. P. Tang, Table-driven implementation of the logarithm function, 1990, without
// the tables.
func log2Of(f, n float32) (high, low float32) {
	const (
		log2ELo = 0x1.4ae0cp-26
		c1      = 0x1.ec709ep-4 // log2(e)/12, in two parts
		c1Lo    = -0x1.e28ccp-31
	)
	n = float32(n * 0x1p-23)
	r := NearReciprocal(f)
	u := float32(2 * f * r)
	uLo := float32(ieee.FMA(-f, u, 2*(f-u)) * r) // u + uLo is 2*f/(2+f)
	a := float32(u * log2E)
	aLo := ieee.FMA(u, log2ELo, ieee.FMA(uLo, log2E, ieee.FMA(u, log2E, -a)))
	z := float32(u * u)
	zLo := ieee.FMA(u+u, uLo, ieee.FMA(u, u, -z))
	p := float32(0x1.22b93ep-13)
	p = ieee.FMA(p, z, 0x1.4795a8p-11)
	p = ieee.FMA(p, z, 0x1.a6199ep-9)
	p = ieee.FMA(p, z, 0x1.2776c4p-6)
	p = ieee.FMA(p, z, c1Lo)
	q := c1 + p
	qLo := ieee.FMA(zLo, 0x1.2776c4p-6, (c1-q)+p) // zLo is not small: p leaves it out
	s := float32(z * q)
	sLo := ieee.FMA(zLo, q, ieee.FMA(z, qLo, ieee.FMA(z, q, -s)))
	b := float32(u * s)
	bLo := ieee.FMA(uLo, s, ieee.FMA(u, sLo, ieee.FMA(u, s, -b)))
	first := n + a
	high = first + b
	low = ((n - first) + a) + ((first - high) + b) + (aLo + bLo)
	return high, low
}

// NearReciprocal is 1 / (2+f) within 2^-20, for the f of split.
func NearReciprocal(f float32) float32 {
	r := float32(-0x1.05072p-6)
	r = ieee.FMA(r, f, 0x1.0b0e86p-5)
	r = ieee.FMA(r, f, -0x1.000d94p-4)
	r = ieee.FMA(r, f, 0x1.ffc41ap-4)
	r = ieee.FMA(r, f, -0x1.ffffa2p-3)
	r = ieee.FMA(r, f, 0x1.00000cp-1)
	return r
}
