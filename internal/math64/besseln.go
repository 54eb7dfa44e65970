package math64

import "github.com/gridstride/gridstride/internal/ieee"

// Jn is the Bessel function of the first kind and order n of x. Its time grows with n, but not
// beyond |x| by much.
//
// Up to the order |x| it is the recurrence from J0 and J1. Beyond, where that loses everything, it
// goes on by the ratios of neighbours, which a continued fraction gives from above (Gautschi,
// Computational aspects of three-term recurrence relations, 1967).
func Jn(n int, x float64) float64 {
	order := positiveOrder(n)
	odd := order&1 != 0 && (n < 0) != ieee.Signbit(x) // J(-n, x) and J(n, -x) are -J(n, x)
	a := ieee.Abs(x)
	if a == ieee.Inf[float64](1) {
		return 0
	}
	at := a // a zero, for an order that is none
	switch {
	case order == 0:
		at = J0(a)
	case a != 0:
		at = jnPositive(order, a)
	}
	if odd {
		return -at
	}
	return at
}

// jnPositive is Jn for an order of 1 and more and a positive x.
func jnPositive(n int, x float64) float64 {
	product, productLow := float64(1), float64(0)
	last := n // the order that the recurrence goes up to
	if float64(n) > x {
		last = int(x)
		product, productLow = besselRatios(n, last, x)
		if product == 0 {
			return 0
		}
	}
	before := J0(x)
	at := before
	if last > 0 {
		at = j1Positive(x)
	}
	at, low := besselUp(last, before, at, x)
	at, low = mulSum(at, low, product, productLow)
	return at + low
}

// besselUp is a Bessel function of order n, and of order 1 for a lesser n, from those of orders 0
// and 1, or -Inf where that is as good. It keeps what its steps round off, as there are many of
// them, and room above the greatest number for the product that the last step begins with.
func besselUp(n int, before, first, x float64) (at, low float64) {
	h := 2 / x
	hLow := float64(0)
	if x < 0x1p900 {
		hLow = ieee.FMA(-h, x, 2) / x
	}
	before = float64(before * 0x1p-10)
	at, beforeLow := float64(first*0x1p-10), float64(0)
	for k := 1; k < n && at > ieee.Inf[float64](-1); k++ {
		c := float64(float64(k) * h)
		p := float64(c * at)
		if p-before == ieee.Inf[float64](-1) {
			return p - before, 0
		}
		rest := ieee.FMA(float64(k), hLow, ieee.FMA(float64(k), h, -c))
		next, nextLow := twoSum(p, -before)
		nextLow += ieee.FMA(c, at, -p) + (ieee.FMA(rest, at, float64(c*low)) - beforeLow)
		before, beforeLow = at, low
		at, low = twoSum(next, nextLow)
	}
	return float64(at * 0x1p10), float64(low * 0x1p10)
}

// besselRatios is J(n, x)/J(m, x) for orders n > m >= x-1.
func besselRatios(n, m int, x float64) (product, productLow float64) {
	// As far above n as the denominators of the continued fraction show to be needed.
	const enough = 0x1p30
	h := 2 / x
	k := n
	for p, q := float64(0), float64(1); q < enough; {
		k++
		p, q = q, ieee.FMA(float64(float64(k)*h), q, -p)
	}
	ratio, ratioLow := float64(0), float64(0)
	product = 1
	for ; k > m && product != 0; k-- {
		p, pLow := mulSum(x, 0, ratio, ratioLow)
		d, rest := fastSum(float64(2*float64(k)), -p)
		ratio = x / d
		ratioLow = ieee.FMA(-ratio, rest-pLow, ieee.FMA(-ratio, d, x)) / d
		if k <= n {
			product, productLow = mulSum(product, productLow, ratio, ratioLow)
		}
	}
	return product, productLow
}

// Yn is the Bessel function of the second kind and order n of x, NaN for a negative x. Its time
// grows with n. It is the recurrence from Y0 and Y1, which is stable.
func Yn(n int, x float64) float64 {
	order := positiveOrder(n)
	odd := order&1 != 0 && n < 0
	if x == ieee.Inf[float64](1) {
		return 0
	}
	at := Y0(x)
	if order > 0 {
		high, low := besselUp(order, at, Y1(x), x)
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
