package twofold

import "github.com/gridstride/gridstride/internal/math/ieee"

// Error is how far got is from v, in units in the last place that v has in float64 (package ulp
// says what that is). It is 0 if there is no value, where got is no number, and where v is beyond
// the greatest number. wrong reports a got that is no number but should be one.
func (v Value) Error(got float64) (e float64, wrong bool) {
	const bits, least, greatest = 53, -1022, 1023
	if v.High != v.High || v.High == 0 {
		return 0, false
	}
	exponent := ieee.Ilogb(v.High)
	if ieee.Abs(v.High) == power(exponent) && v.Low != 0 && (v.Low > 0) != (v.High > 0) {
		exponent--
	}
	if exponent+v.Exponent >= greatest {
		return 0, false
	}
	if !isFinite(got) {
		return 0, true
	}
	exponent = max(exponent, least-v.Exponent)
	d := ieee.Abs((ieee.Ldexp(got, -v.Exponent) - v.High) - v.Low)
	return ieee.Ldexp(d, bits-1-exponent), false
}
