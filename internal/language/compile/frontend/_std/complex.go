// Package complex has the functions that a division of complex numbers is lowered to.
package complex

import "github.com/gridstride/gridstride/internal/math/ieee"

// Divide is (a+bi) / (c+di), as Go's run-time library computes it: after Smith, Algorithm 116,
// Communications of the ACM 5(8), 1962, and where both parts are NaN as annex G.5.1 of C99 says.
func Divide(a, b, c, d float64) (re, im float64) {
	if ieee.Abs(c) >= ieee.Abs(d) {
		ratio := d / c
		denom := c + ratio*d
		re = (a + b*ratio) / denom
		im = (b - a*ratio) / denom
	} else {
		ratio := c / d
		denom := d + ratio*c
		re = (a*ratio + b) / denom
		im = (b*ratio - a) / denom
	}
	if re == re || im == im {
		return re, im
	}
	inf := ieee.Inf[float64](1)
	switch {
	case c == 0 && d == 0 && (a == a || b == b):
		re = ieee.Copysign(inf, c) * a
		im = ieee.Copysign(inf, c) * b
	case (infinite(a) || infinite(b)) && finite(c) && finite(d):
		a, b = unit(a), unit(b)
		re = inf * (a*c + b*d)
		im = inf * (b*c - a*d)
	case (infinite(c) || infinite(d)) && finite(a) && finite(b):
		c, d = unit(c), unit(d)
		re = 0 * (a*c + b*d)
		im = 0 * (b*c - a*d)
	}
	return re, im
}

func infinite(x float64) bool { return ieee.Abs(x) == ieee.Inf[float64](1) }

func finite(x float64) bool { return ieee.Abs(x) < ieee.Inf[float64](1) }

// unit is 1 for an infinity and 0 for another number, with its sign.
func unit(x float64) float64 {
	one := 0.0
	if infinite(x) {
		one = 1
	}
	return ieee.Copysign(one, x)
}
