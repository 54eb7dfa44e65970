package softfloat

import (
	"math"
	"math/bits"
)

// term is a product of two finite doubles.
type term [2]float64

// fixed is a number in fixed point, two's complement, that holds any sum of a few products of
// doubles exactly: the long accumulator of Kulisch and Miranker, "The Arithmetic of the Digital
// Computer: A New Approach" (SIAM Review 1986). Bit 0 is the lowest that a product can have.
type fixed [fixedWords]uint64

const (
	lowestBit  = 2 * -1074 // of the product of two of the smallest doubles
	fixedWords = 68        // up to 2^2048, with room for carries
)

// signOf is the sign of a sum of products: -1, 0 or 1.
func signOf(terms ...term) int {
	var sum fixed
	for _, t := range terms {
		sum.add(t)
	}
	switch {
	case int64(sum[fixedWords-1]) < 0:
		return -1
	case sum == fixed{}:
		return 0
	}
	return 1
}

// add adds a product.
func (f *fixed) add(t term) {
	m, e := parts(t[0])
	n, d := parts(t[1])
	hi, lo := bits.Mul64(m, n)
	at := e + d - lowestBit
	word, shift := at/64, at%64
	product := [3]uint64{lo << shift, hi<<shift | lo>>(64-shift), hi >> (64 - shift)}
	step := bits.Add64
	if math.Signbit(t[0]) != math.Signbit(t[1]) {
		step = bits.Sub64
	}
	var carry uint64
	for i := word; i < fixedWords; i++ {
		var x uint64
		if i-word < len(product) {
			x = product[i-word]
		}
		f[i], carry = step(f[i], x, carry)
	}
}

// parts are the significand and the exponent of a finite double's magnitude, m*2^e.
func parts(x float64) (m uint64, e int) {
	b := math.Float64bits(x)
	m, e = b&(1<<52-1), int(b>>52&0x7ff)
	if e == 0 {
		return m, -1074
	}
	return m | 1<<52, e - 1075
}

// direct64 moves r, a result rounded to nearest, to where a directed mode wants it; beyond gives
// the sign of what r is more than the exact result.
func direct64(r float64, mode Rounding, beyond func() int) float64 {
	if math.IsNaN(r) {
		return r
	}
	cmp := 1
	switch {
	case math.IsInf(r, -1):
		cmp = -1
	case !math.IsInf(r, 1): // an infinity is an overflow here
		cmp = beyond()
	}
	if mode == ToZero {
		mode = Down
		if math.Signbit(r) {
			mode = Up
		}
	}
	switch {
	case mode == Down && cmp > 0:
		return math.Nextafter(r, math.Inf(-1))
	case mode == Up && cmp < 0:
		return math.Nextafter(r, math.Inf(1))
	}
	return r
}

// FMA64 is a*b+c with one rounding.
func FMA64(a, b, c float64, mode Rounding) float64 {
	r := math.FMA(a, b, c)
	if mode == Nearest || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return r
	}
	if r == 0 && signOf(term{a, b}, term{c, 1}) == 0 {
		return SumZero(r, a*b, c, mode)
	}
	return direct64(r, mode, func() int { return -signOf(term{a, b}, term{c, 1}, term{-r, 1}) })
}

// Add64 is a+b.
func Add64(a, b float64, mode Rounding) float64 { return FMA64(a, 1, b, mode) }

// Mul64 is a*b.
func Mul64(a, b float64, mode Rounding) float64 {
	r := a * b
	if mode == Nearest || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return r
	}
	return direct64(r, mode, func() int { return -signOf(term{a, b}, term{-r, 1}) })
}

// Div64 is a/b.
func Div64(a, b float64, mode Rounding) float64 {
	r := a / b
	if mode == Nearest || b == 0 || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return r
	}
	return direct64(r, mode, func() int {
		more := signOf(term{r, b}, term{-a, 1})
		if math.Signbit(b) {
			return -more
		}
		return more
	})
}

// Sqrt64 is the square root.
func Sqrt64(a float64, mode Rounding) float64 {
	r := math.Sqrt(a)
	if mode == Nearest || a <= 0 || math.IsInf(a, 0) {
		return r
	}
	return direct64(r, mode, func() int { return signOf(term{r, r}, term{-a, 1}) })
}
