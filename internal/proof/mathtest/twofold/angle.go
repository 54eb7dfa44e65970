package twofold

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// waves are the sine and the cosine of r, for |r| up to 0.8, by their series.
func waves(r Sum) (sine, cosine Sum) {
	z := negative(times(r, r))
	last := len(inverseFactorials) - 1
	p, q := inverseFactorials[last].High, inverseFactorials[last-1].High // of odd and even terms
	for k := last - 2; k > exact; k -= 2 {
		p = ieee.FMA(p, z.High, inverseFactorials[k].High)
		q = ieee.FMA(q, z.High, inverseFactorials[k-1].High)
	}
	sine, cosine = of(p), of(q)
	for k := exact; k >= 1; k -= 2 {
		sine = add(times(sine, z), inverseFactorials[k])
		cosine = add(times(cosine, z), inverseFactorials[k-1])
	}
	return times(sine, r), cosine
}

// turned are the sine and the cosine of n quarter turns more.
func turned(sine, cosine Sum, n int) (s, c Sum) {
	if n&1 != 0 {
		sine, cosine = cosine, negative(sine)
	}
	if n&2 != 0 {
		return negative(sine), negative(cosine)
	}
	return sine, cosine
}

// circle are the sine and the cosine of a finite x.
func circle(x float64) (sine, cosine Sum) {
	a := ieee.Abs(x)
	if a < 0.5 {
		return waves(of(x))
	}
	n, r := quarters(a)
	s, c := waves(times(r, halfPi))
	sine, cosine = turned(s, c, n)
	return scaled(sine, ieee.Copysign(1, x)), cosine
}

// quarters is x * 2/pi, for x from 1/2 on, as n + r with |r| <= 1/2, and n modulo 4: of the product
// only the bits below the multiples of 4 are computed, 256 of them (M. H. Payne and R. N. Hanek,
// Radian reduction for trigonometric functions, 1983).
func quarters(x float64) (n int, r Sum) {
	pattern := ieee.Float64bits(x)
	m := pattern<<11 | 1<<63                // x is m * 2^(exponent-1086)
	at := int(pattern>>52) - 1086 + 62 + 64 // of 2/pi with two words of zeros before it
	word, shift := at/64, uint(at%64)
	var w [4]uint64
	for i := range w {
		w[i] = twoByPi[word+i]<<shift | twoByPi[word+i+1]>>1>>(63-shift)
	}
	var carry, last uint64
	for i := 3; i >= 0; i-- {
		high, low := bits.Mul64(m, w[i])
		low, over := bits.Add64(low, last, 0)
		w[i] = low
		last = high + over
	}
	n = int(w[0] >> 62)
	for i := range 3 {
		w[i] = w[i]<<2 | w[i+1]>>62
	}
	w[3] <<= 2
	sign := 1.0
	if w[0]>>63 != 0 {
		n++
		sign, carry = -1, ^uint64(0)
	}
	scale := sign
	for i := range w {
		v := w[i] ^ carry
		r = add(r, sum(float64(float64(v>>32)*scale)*0x1p-32, float64(float64(v&(1<<32-1))*scale)*0x1p-64))
		scale *= 0x1p-64
	}
	return n, r
}

// isAngle reports whether x is finite and not tiny.
func isAngle(x float64) bool { return isFinite(x) && ieee.Abs(x) > tiny }

// Sin is the sine.
func Sin(x, _, _ float64) Value {
	if !isAngle(x) {
		return none()
	}
	s, _ := circle(x)
	return plain(s)
}

// Cos is the cosine.
func Cos(x, _, _ float64) Value {
	if !isAngle(x) {
		return none()
	}
	_, c := circle(x)
	return plain(c)
}

// Tan is the tangent.
func Tan(x, _, _ float64) Value {
	if !isAngle(x) {
		return none()
	}
	s, c := circle(x)
	return plain(over(s, c))
}

// halfTurns are the sine and the cosine of pi*x, for |x| below 2^50.
func halfTurns(x float64) (sine, cosine Sum) {
	n := nearest(2 * x)
	s, c := waves(scaled(times(of(x-float64(n*0.5)), halfPi), 2))
	return turned(s, c, int(n))
}

// Sinpi is the sine of pi*x.
func Sinpi(x, _, _ float64) Value {
	if !(isAngle(x) && ieee.Abs(x) < 0x1p50) {
		return none()
	}
	s, _ := halfTurns(x)
	return plain(s)
}

// Cospi is the cosine of pi*x.
func Cospi(x, _, _ float64) Value {
	if !(isAngle(x) && ieee.Abs(x) < 0x1p50) {
		return none()
	}
	_, c := halfTurns(x)
	return plain(c)
}

// isUnit reports whether x is in [-1, 1], and y near the value is a number.
func isUnit(x, y float64) bool { return ieee.Abs(x) <= 1 && ieee.Abs(x) > tiny && isFinite(y) }

// other is sqrt(1 - x²).
func other(x float64) Sum { return root(times(sum(1, x), sum(1, -x))) }

// Asin is the arc sine: what its difference from near has as its sine is added.
func Asin(x, _, near float64) Value {
	if !isUnit(x, near) {
		return none()
	}
	s, c := circle(near)
	return plain(add(of(near), sub(times(of(x), c), times(other(x), s))))
}

// Acos is the arc cosine, computed as Asin is.
func Acos(x, _, near float64) Value {
	if !isUnit(x, near) || x == 1 {
		return none()
	}
	s, c := circle(near)
	return plain(add(of(near), sub(times(other(x), c), times(of(x), s))))
}

// Atan is the arc tangent, computed as Asin is.
func Atan(x, _, near float64) Value {
	if !(isAngle(x) && isFinite(near)) {
		return none()
	}
	return plain(angle(of(x), of(1), near))
}

// Atan2 is the angle of the point (x, y), computed as Asin is.
func Atan2(y, x, near float64) Value {
	if !(isFinite(x) && isFinite(y) && x != 0 && y != 0 && isFinite(near)) {
		return none()
	}
	m, k := ieee.Frexp(y)
	p, l := ieee.Frexp(x)
	if k-l < -900 {
		return none()
	}
	if k-l > 900 {
		l = k - 900
	}
	return plain(angle(of(m), of(ieee.Ldexp(p, l-k)), near))
}

// angle is the angle of the point (x, y).
func angle(y, x Sum, near float64) Sum {
	s, c := circle(near)
	if y.High > 1 || y.High < -1 {
		y, x = of(ieee.Copysign(1, y.High)), over(x, scaled(y, ieee.Copysign(1, y.High)))
	}
	return add(of(near), over(sub(times(y, c), times(x, s)), add(times(x, c), times(y, s))))
}
