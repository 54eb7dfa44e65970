// Package ulp measures errors of floating-point results in units in the last place.
package ulp

import "math"

// Float is the types of results.
type Float interface{ float32 | float64 }

// Real is a real number: (High + Low) * 2^Exponent, with |High| from 1 to 2 and Low of the same
// sign and at most 2^-52, or just High where that is 0, infinite or NaN. It has the exponents that
// float64 lacks.
type Real struct {
	High, Low float64
	Exponent  int
}

// Of is the number x.
func Of(x float64) Real {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return Real{High: x}
	}
	fraction, exponent := math.Frexp(x)
	return Real{High: 2 * fraction, Exponent: exponent - 1}
}

// Error is the distance of got from exact, in units in the last place of the exact value in T:
// ulp(x) is 2^(e-p+1) for 2^e <= |x| < 2^(e+1) and a type of p bits, with e no less than the least
// normal number's (J.-M. Muller, "On the definition of ulp(x)", INRIA RR-5504, 2005), and no more
// than the greatest number's. An infinite result counts as the power of two above the greatest
// number, and has no error if the exact value rounds to it. The error is infinite if one is NaN and
// the other is not, or if a number that is exactly infinite is not.
func Error[T Float](got T, exact Real) float64 {
	x := float64(got)
	if math.IsNaN(x) && math.IsNaN(exact.High) || math.IsInf(x, 0) && x == exact.High {
		return 0
	}
	f := formatOf[T]()
	e := f.least
	if exact.High != 0 {
		e = min(max(exact.Exponent, f.least), f.greatest)
	}
	e -= f.bits - 1 // of the last place
	x = math.Ldexp(x, -e)
	if math.IsInf(float64(got), 0) {
		if exact.overflows(f) && (x > 0) == (exact.High > 0) {
			return 0
		}
		x = math.Copysign(math.Ldexp(1, f.greatest+1-e), x)
	}
	d := math.Abs((x - math.Ldexp(exact.High, exact.Exponent-e)) - math.Ldexp(exact.Low, exact.Exponent-e))
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}

// overflows reports whether a number is rounded to infinity: it is not below the middle of the
// greatest number and the power of two above that.
func (r Real) overflows(f format) bool {
	if r.Exponent != f.greatest {
		return r.Exponent > f.greatest
	}
	return (2-math.Abs(r.High))-math.Abs(r.Low) <= math.Ldexp(1, -f.bits)
}

// format is a type of floating point: the bits of its significand, and the exponents of its least
// and its greatest normal number.
type format struct{ bits, least, greatest int }

func formatOf[T Float]() format {
	if _, single := any(T(0)).(float32); single {
		return format{24, -126, 127}
	}
	return format{53, -1022, 1023}
}

// ErrorSingle is Error for a float32 and an exact value that float64 has, or has well enough. It is
// for loops over all of float32.
func ErrorSingle(got float32, exact float64) float64 {
	const bias = 1023
	e := int(math.Float64bits(exact) >> 52 & 0x7ff)
	if e >= bias+127 || math.Float32bits(got)<<1 >= 0xff<<24 {
		return Error(got, Of(exact))
	}
	unit := uint64(bias + 23 - max(e-bias, -126))
	return math.Abs((float64(got) - exact) * math.Float64frombits(unit<<52))
}
