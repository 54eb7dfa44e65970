package mathcommon

import "github.com/gridstride/gridstride/internal/math/ieee"

// Jn is the Bessel function of the first kind and order n of x. Its time grows with n, but not
// beyond |x| by much.
//
// Up to the order |x| it is the recurrence from J0 and J1. Beyond, where that loses everything, it
// goes on by the ratios of neighbours, which a continued fraction gives from above (Gautschi,
// Computational aspects of three-term recurrence relations, 1967).
func Jn[T ieee.Float](n int, x T, j0, j1 func(T) T) T {
	order := positiveOrder(n)
	odd := order&1 != 0 && (n < 0) != ieee.Signbit(x) // J(-n, x) and J(n, -x) are -J(n, x)
	a := ieee.Abs(x)
	if a == ieee.Inf[T](1) {
		return 0
	}
	at := a // a zero, for an order that is none
	switch {
	case order == 0:
		at = j0(a)
	case a != 0:
		at = jnPositive(order, a, j0, j1)
	}
	if odd {
		return -at
	}
	return at
}

// jnPositive is Jn for an order of 1 and more and a positive x.
func jnPositive[T ieee.Float](n int, x T, j0, j1 func(T) T) T {
	product, productLow := T(1), T(0)
	last := n // the order that the recurrence goes up to
	if T(n) > x {
		last = int(x)
		product, productLow = besselRatios(n, last, x)
		if product == 0 {
			return 0
		}
	}
	before := j0(x)
	at := before
	if last > 0 {
		at = j1(x)
	}
	at, low := besselUp(last, before, at, x)
	at, low = MulSum(at, low, product, productLow)
	return at + low
}

// besselUp is a Bessel function of order n, and of order 1 for a lesser n, from the functions of
// orders 0 and 1, or -Inf where that is as good. It keeps what its steps round off, as there are
// many of them, and room above the greatest number for the product that the last step begins with.
func besselUp[T ieee.Float](n int, before, first, x T) (at, low T) {
	h := 2 / x
	hLow := T(0)
	limit := 0x1p900 // beyond, the error of h may be smaller than any number
	if ieee.Single[T]() {
		limit = 0x1p100
	}
	if x < T(limit) {
		hLow = ieee.FMA(-h, x, 2) / x
	}
	before = T(before * 0x1p-10)
	at, beforeLow := T(first*0x1p-10), T(0)
	for k := 1; k < n && at > ieee.Inf[T](-1); k++ {
		c := T(T(k) * h)
		p := T(c * at)
		if p-before == ieee.Inf[T](-1) {
			return p - before, 0
		}
		rest := ieee.FMA(T(k), hLow, ieee.FMA(T(k), h, -c))
		next, nextLow := TwoSum(p, -before)
		nextLow += ieee.FMA(c, at, -p) + (ieee.FMA(rest, at, T(c*low)) - beforeLow)
		before, beforeLow = at, low
		at, low = TwoSum(next, nextLow)
	}
	return T(at * 0x1p10), T(low * 0x1p10)
}

// besselRatios is J(n, x)/J(m, x) for orders n > m >= x-1.
func besselRatios[T ieee.Float](n, m int, x T) (product, productLow T) {
	// As far above n as the denominators of the continued fraction show to be needed.
	enough := T(0x1p30)
	if ieee.Single[T]() {
		enough = 0x1p14
	}
	h := 2 / x
	k := n
	for p, q := T(0), T(1); q < enough; {
		k++
		p, q = q, ieee.FMA(T(T(k)*h), q, -p)
	}
	ratio, ratioLow := T(0), T(0)
	product = 1
	for ; k > m && product != 0; k-- {
		p, pLow := MulSum(x, 0, ratio, ratioLow)
		d, rest := FastSum(T(2*T(k)), -p)
		ratio = x / d
		ratioLow = ieee.FMA(-ratio, rest-pLow, ieee.FMA(-ratio, d, x)) / d
		if k <= n {
			product, productLow = MulSum(product, productLow, ratio, ratioLow)
		}
	}
	return product, productLow
}

// Yn is the Bessel function of the second kind and order n of x, NaN for a negative x. Its time
// grows with n. It is the recurrence from Y0 and Y1, which is stable.
func Yn[T ieee.Float](n int, x T, y0, y1 func(T) T) T {
	order := positiveOrder(n)
	odd := order&1 != 0 && n < 0
	if x == ieee.Inf[T](1) {
		return 0
	}
	at := y0(x)
	if order > 0 {
		high, low := besselUp(order, at, y1(x), x)
		at = high + low
	}
	if odd {
		return -at
	}
	return at
}

// positiveOrder is |n|, or an even number as large as there is.
func positiveOrder(n int) int {
	if n < 0 {
		n = -n
	}
	if n < 0 {
		return 1<<62 - 2
	}
	return n
}
