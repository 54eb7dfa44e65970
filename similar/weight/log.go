package weight

import "math"

// ln 2 in two parts: the product of the first with an exponent is exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
	log10E  = 0.43429448190325182765
)

// ln returns the natural logarithm of a positive finite x, to a few units in the last place. It is
// not math.Log, which has other bits on some processors. With x = m·2^k and s = (m-1)/(m+1) it is
// k·ln 2 + 2·(s + s³/3 + s⁵/5 + …).
func ln(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = m*2, k-1
	}
	s := (m - 1) / (m + 1)
	s2 := s * s
	sum := 0.0
	for n := 23.0; n >= 3; n -= 2 {
		sum = float64(s2 * (1/n + sum))
	}
	series := float64(2*s) + float64(2*s*sum)
	return float64(float64(k)*ln2High) + (series + float64(float64(k)*ln2Low))
}

func log10(x float64) float64 { return float64(ln(x) * log10E) }
