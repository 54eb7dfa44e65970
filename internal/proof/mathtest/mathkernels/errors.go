package mathkernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Errors measures a function of float32 by the one of float64, whose own error does not show, at
// the count arguments from first on. Thread i leaves the greatest error in ULP of float32 in
// worst[i] and the number of its argument in at[2*i], how many results are correctly rounded in
// counts[2*i], and how many are wrong, as ErrorOf says, in counts[2*i+1], one of them the result of
// argument at[2*i+1].
//
// floor is a size for each argument: the error of a smaller value counts in the ULP of that size.
func Errors(worst []float64, at []uint64, counts []int, first uint64, count int, r, s Range[float32],
	single func(x, y float32) float32, double func(x, y float64) float64, floor func(x, y float64) float64) {
	var most float64
	var mostAt, wrongAt uint64
	var correct, wrong int
	for i := range gpu.GridStride(count) {
		n := first + uint64(i)
		x, y := Argument(n, r), Argument(^n, s)
		a, b := float64(x), float64(y)
		e, bad := ErrorOf(single(x, y), double(a, b), floor(a, b))
		if e > most {
			most, mostAt = e, n
		}
		if e <= 0.5 {
			correct++
		}
		if bad {
			wrong++
			wrongAt = n
		}
	}
	i := thread()
	worst[i] = most
	at[2*i], at[2*i+1] = mostAt, wrongAt
	counts[2*i], counts[2*i+1] = correct, wrong
}

// ErrorOf is the error of a float32 against a float64 value that is exact enough: package ulp's,
// for kernels, in the ULP of floor if that is greater. wrong reports a NaN that should not be one
// or should, an infinity likewise, and a zero of the wrong sign. The error is 0 for the first two.
func ErrorOf(got float32, exact, floor float64) (e float64, wrong bool) {
	const (
		above = 0x1p128        // the power of two above the greatest float32
		limit = 0x1.ffffffp127 // values rounded to infinity are not below this
	)
	x, size := float64(got), ieee.Abs(exact)
	switch {
	case x != x || exact != exact:
		return 0, (x == x) || (exact == exact)
	case ieee.IsInf(exact, 0):
		return 0, x != exact
	case ieee.IsInf(x, 0):
		if size >= limit && (x > 0) == (exact > 0) {
			return 0, false
		}
		x = ieee.Copysign(above, x)
	case x == 0:
		wrong = ieee.Signbit(x) != ieee.Signbit(exact)
	}
	return ieee.Abs(x-exact) * perUnit(max(size, floor)), wrong
}

// perUnit is 1 / ulp(x) of float32, for an x that is not negative.
func perUnit(x float64) float64 {
	const bias = 1023
	exponent := int(ieee.Float64bits(x)>>52) - bias
	return ieee.Float64frombits(uint64(bias+23-min(max(exponent, -126), 127)) << 52)
}
