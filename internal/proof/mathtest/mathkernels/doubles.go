package mathkernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
)

// Doubles measures a function of float64 by one of package twofold at the count arguments of Spread
// from first on. Thread i leaves the greatest error in ULP in worst[i] and the number of its
// argument in at[2*i]. It leaves in counts[3*i] at how many arguments there is a value to measure
// by, in counts[3*i+1] how many results are correctly rounded, and in counts[3*i+2] how many are
// infinite or NaN and should not be, one of them the result of argument at[2*i+1].
func Doubles(worst []float64, at []uint64, counts []int, first uint64, count int, r, s Range[float64],
	double func(x, y float64) float64, exact func(x, y, near float64) twofold.Value) {
	var most float64
	var mostAt, wrongAt uint64
	var known, correct, wrong int
	for i := range gpu.GridStride(count) {
		n := first + uint64(i)
		x, y := Spread(n, r), Spread(^n, s)
		got := double(x, y)
		v := exact(x, y, got)
		if v.High != v.High {
			continue
		}
		known++
		e, bad := v.Error(got)
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
	counts[3*i], counts[3*i+1], counts[3*i+2] = known, correct, wrong
}

// Spread is the n-th argument: of four in a row of random numbers one has random bits, two are
// uniform in the range, and one is towards 0 from such a number, by an exponent up to 40, but not
// below the range.
func Spread(n uint64, r Range[float64]) float64 {
	random := scramble(n)
	if random&3 == 0 {
		return ieee.Float64frombits(scramble(random))
	}
	x := r.Low + float64(r.Width*(float64(random>>11)*0x1p-53))
	if random&3 == 1 {
		x = max(float64(x*ieee.Ldexp(1.0, -int(random>>2%40))), r.Low)
	}
	return x
}
