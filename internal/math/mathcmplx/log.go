package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Log is the logarithm of z, with an imaginary part from -π to π: the logarithm of Abs(z), and
// Phase(z). The cut is along the negative real axis.
func Log(z complex128) complex128 { return complex(logAbs(z), Phase(z)) }

// Log10 is the logarithm to base 10.
func Log10(z complex128) complex128 {
	const log10E = 0.434294481903251827651128918916605082294397005803666566114453783
	return complex(float64(log10E*logAbs(z)), float64(log10E*Phase(z)))
}

// logAbs is the logarithm of Abs(z). Near 1 that is half of log1p(x^2 + y^2 - 1), as W. Kahan has
// it in "Branch Cuts for Complex Elementary Functions", 1987.
func logAbs(z complex128) float64 {
	x, y := ieee.Abs(real(z)), ieee.Abs(imag(z))
	if x < y {
		x, y = y, x
	}
	switch {
	case 0.5 < x && x < 2 && y < 2:
		return math64.Log1p(aboveOne(x, y)) / 2
	case 0x1p1000 < x && x < inf():
		return math64.Log(math64.Hypot(float64(x*0x1p-10), float64(y*0x1p-10))) + 10*ln2
	case 0 < x && x < 0x1p-900:
		return math64.Log(math64.Hypot(float64(x*0x1p200), float64(y*0x1p200))) - 200*ln2
	}
	return math64.Log(math64.Hypot(x, y))
}

const ln2 = 0.693147180559945309417232121458176568075500134360255254120680009

// aboveOne is x^2 + y^2 - 1. The squares are exact in two numbers each, and so are sums that may
// cancel.
func aboveOne(x, y float64) float64 {
	xx, yy := float64(x*x), float64(y*y)
	first := xx - 1
	sum, rest := twoSum(first, yy)
	low, least := twoSum(ieee.FMA(x, x, -xx), ieee.FMA(y, y, -yy))
	sum, more := twoSum(sum, low)
	return sum + (more + (rest + ((xx - (first + 1)) + least)))
}

// twoSum is a + b, and how much more that is exactly (D. Knuth, "The Art of Computer Programming",
// volume 2, 4.2.2).
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	back := sum - a
	return sum, (a - (sum - back)) + (b - back)
}
