package twofold

import "github.com/gridstride/gridstride/internal/math/ieee"

// small is e^r - 1, for |r| up to 0.36, by its series.
func small(r Sum) Sum {
	p := inverseFactorials[len(inverseFactorials)-1].High
	for k := len(inverseFactorials) - 2; k > exact; k-- {
		p = ieee.FMA(p, r.High, inverseFactorials[k].High)
	}
	q := of(p)
	for k := exact; k >= 1; k-- {
		q = add(times(q, r), inverseFactorials[k])
	}
	return times(q, r)
}

// exact is the last term of a series whose factors need two numbers.
const exact = 13

// expOf is e^x, for |x| up to 10^4.
func expOf(x Sum) Value {
	n := nearest(float64(x.High * log2E))
	s := add(of(1), small(reduced(x, n)))
	return Value{s, int(n)}
}

// reduced is x - n*ln2. The parts of ln2 have so few bits that their products with n are exact.
func reduced(x Sum, n float64) Sum {
	x = add(x, of(-float64(n*ln2A)))
	x = add(x, of(-float64(n*ln2B)))
	return sub(x, times(of(n), ln2C))
}

// minusOne is e^x - 1.
func minusOne(x Sum) Value {
	if ieee.Abs(x.High) < 0.36 {
		return plain(small(x))
	}
	v := expOf(x)
	v.Sum = sub(v.Sum, of(power(-v.Exponent)))
	return v
}

// Exp is e^x.
func Exp(x, _, _ float64) Value {
	if !(ieee.Abs(x) < 1000) {
		return none()
	}
	return expOf(of(x))
}

// Exp2 is 2^x.
func Exp2(x, _, _ float64) Value {
	if !(ieee.Abs(x) < 1200) {
		return none()
	}
	n := nearest(x)
	return Value{add(of(1), small(times(of(x-n), ln2))), int(n)}
}

// Exp10 is 10^x.
func Exp10(x, _, _ float64) Value {
	if !(ieee.Abs(x) < 400) {
		return none()
	}
	return expOf(times(of(x), ln10))
}

// Expm1 is e^x - 1.
func Expm1(x, _, _ float64) Value {
	if !(x > -700 && x < 1000 && ieee.Abs(x) > tiny) {
		return none()
	}
	return minusOne(of(x))
}

// tiny is a number below which the second parts of sums could be too small for a float64.
const tiny = 0x1p-900

// Pow is x^y, for an x above 0.
func Pow(x, y, _ float64) Value {
	if !(x > 0 && isFinite(x) && ieee.Abs(y) > tiny && ieee.Abs(y) < 0x1p500) {
		return none()
	}
	p := times(logOf(of(x)), of(y))
	if !(ieee.Abs(p.High) < 1000) {
		return none()
	}
	return expOf(p)
}

// Sinh is the hyperbolic sine.
func Sinh(x, _, _ float64) Value {
	a := ieee.Abs(x)
	if !(a < 1000 && a > tiny) {
		return none()
	}
	if a > 40 {
		v := expOf(of(a))
		v.Sum, v.Exponent = scaled(v.Sum, ieee.Copysign(1, x)), v.Exponent-1
		return v
	}
	e := minusOne(of(a))
	t := scaled(e.Sum, power(e.Exponent))
	t = add(t, over(t, add(of(1), t)))
	return plain(scaled(t, ieee.Copysign(0.5, x)))
}

// Cosh is the hyperbolic cosine.
func Cosh(x, _, _ float64) Value {
	a := ieee.Abs(x)
	if !(a < 1000) {
		return none()
	}
	v := expOf(of(a))
	v.Exponent--
	if a > 40 {
		return v
	}
	e := scaled(v.Sum, power(v.Exponent))
	return plain(add(e, over(of(0.25), e)))
}

// Tanh is the hyperbolic tangent.
func Tanh(x, _, _ float64) Value {
	a := ieee.Abs(x)
	if !(a > tiny) {
		return none()
	}
	e := minusOne(of(2 * min(a, 60)))
	t := scaled(e.Sum, power(e.Exponent))
	return plain(scaled(over(t, add(of(2), t)), ieee.Copysign(1, x)))
}
