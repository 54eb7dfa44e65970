package twofold

import "github.com/gridstride/gridstride/internal/math/ieee"

// erfOf is the error function of x from 0 to 3, by the series 2*x/sqrt(pi) * e^-x² * sum of
// (2x²)^k / (1*3*5*...*(2k+1)) (Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.6).
func erfOf(x float64) Sum {
	z := product(x, x)
	double := scaled(z, 2)
	s, t := of(1), of(1)
	for k := 3.0; t.High > 0x1p-108*s.High; k += 2 {
		t = over(times(t, double), of(k))
		s = add(s, t)
	}
	e := expOf(negative(z))
	s = times(times(s, of(x)), scaled(e.Sum, power(e.Exponent)))
	return times(s, twoByRootPi)
}

// fraction is sqrt(pi) * e^x² times the complementary error function of x from 3 on, by its
// continued fraction (7.1.14).
func fraction(x float64) Sum {
	f := of(x)
	for k := 80; k >= 1; k-- {
		f = add(of(x), over(of(float64(k)*0.5), f))
	}
	return over(of(1), f)
}

// erfcOf is the complementary error function of x from 0 on.
func erfcOf(x float64) Value {
	if x < 3 {
		return plain(sub(of(1), erfOf(x)))
	}
	v := expOf(negative(product(x, x)))
	v.Sum = scaled(times(times(v.Sum, fraction(x)), twoByRootPi), 0.5)
	return v
}

// Erf is the error function.
func Erf(x, _, _ float64) Value {
	a := ieee.Abs(x)
	if !(a > tiny) {
		return none()
	}
	v := of(1)
	switch {
	case a < 3:
		v = erfOf(a)
	case a < 10:
		c := erfcOf(a)
		v = sub(v, scaled(c.Sum, power(c.Exponent)))
	}
	return plain(scaled(v, ieee.Copysign(1, x)))
}

// Erfc is the complementary error function.
func Erfc(x, _, _ float64) Value {
	switch {
	case !(x < 28 && x > -1000):
		return none()
	case x >= 0:
		return erfcOf(x)
	case x > -3:
		return plain(add(of(1), erfOf(-x)))
	}
	c := erfcOf(min(-x, 10))
	return plain(sub(of(2), scaled(c.Sum, power(c.Exponent))))
}

// inverse is the y near a number at which the complementary error function is x, for x up to 1, by
// a step of Newton's.
func inverse(x, near float64) Value {
	v := erfcOf(near)
	m, n := ieee.Frexp(x)
	// The difference relative to x, and then to the slope, -2/sqrt(pi) * e^-y².
	d := add(over(scaled(v.Sum, ieee.Ldexp(1.0, v.Exponent-n)), of(m)), of(-1)).High
	e := expOf(negative(product(near, near)))
	step := d * ieee.Ldexp(m/e.Sum.High, n-e.Exponent) / twoByRootPi.High
	return plain(fast(near, step+near*step*step))
}

// Erfcinv is the inverse of the complementary error function, by a step from near.
func Erfcinv(x, _, near float64) Value {
	switch {
	case !(x > 0 && x < 2) || x == 1 || !isFinite(near):
		return none()
	case x > 0.5 && x < 1.5:
		return erfinv(1-x, near)
	case x < 1:
		return inverse(x, near)
	}
	v := inverse(2-x, -near)
	v.Sum = negative(v.Sum)
	return v
}

// Erfinv is the inverse of the error function, by a step from near.
func Erfinv(x, _, near float64) Value {
	a := ieee.Abs(x)
	if !(a > tiny && a < 1 && isFinite(near)) {
		return none()
	}
	if a < 0.5 {
		return erfinv(x, near)
	}
	v := inverse(1-a, ieee.Abs(near))
	v.Sum = scaled(v.Sum, ieee.Copysign(1, x))
	return v
}

// erfinv is Erfinv up to 1/2.
func erfinv(x, near float64) Value {
	a, y := ieee.Abs(x), ieee.Abs(near)
	d := sub(of(a), erfOf(y)).High
	e := expOf(product(y, y))
	step := d * ieee.Ldexp(e.Sum.High, e.Exponent) / twoByRootPi.High
	return plain(scaled(fast(y, step), ieee.Copysign(1, x)))
}
