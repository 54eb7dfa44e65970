package twofold

import "github.com/gridstride/gridstride/internal/math/ieee"

// Rsqrt is 1 / sqrt(x).
func Rsqrt(x, _, _ float64) Value {
	if !isPositive(x) {
		return none()
	}
	m, n := ieee.Frexp(x)
	if n&1 != 0 {
		m, n = 2*m, n-1
	}
	return Value{over(of(1), root(of(m))), -n / 2}
}

// Cbrt is the cube root of x, a step of Newton's from near.
func Cbrt(x, _, near float64) Value {
	if x == 0 || !isFinite(x) {
		return none()
	}
	_, k := ieee.Frexp(near)
	y := ieee.Ldexp(near, -k)
	m := ieee.Ldexp(ieee.Ldexp(x, -2*k), -k)
	z := product(y, y)
	e := sub(of(m), times(z, of(y)))
	return Value{add(of(y), over(e, scaled(z, 3))), k}
}

// Hypot is sqrt(x^2 + y^2).
func Hypot(x, y, _ float64) Value {
	x, y = ieee.Abs(x), ieee.Abs(y)
	if x < y {
		x, y = y, x
	}
	if !(isFinite(x) && isFinite(y)) || x == 0 {
		return none()
	}
	m, n := ieee.Frexp(x)
	y = ieee.Ldexp(y, -n)
	if y < 0x1p-300 { // which does not show
		y = 0
	}
	return Value{root(add(product(m, m), product(y, y))), n}
}
