package metric

import (
	"math"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// inRange reports whether a sum of squares is a number, and large enough that squares which were
// rounded to 0 do not matter.
func inRange[T blas.Float](sum T) bool {
	if kernel.Single[T]() {
		return sum >= 0x1p-90 && float64(sum) <= math.MaxFloat32
	}
	return float64(sum) >= 0x1p-900 && float64(sum) <= math.MaxFloat64
}

// exponent is the exponent of the largest |x|. If that is zero, infinite or NaN, ok is false and
// largest is its value.
func exponent[T blas.Float](x []T) (exp int, largest float64, ok bool) {
	i := blas.Iamax(x)
	if i < 0 {
		return 0, 0, false
	}
	largest = math.Abs(float64(x[i]))
	_, exp = math.Frexp(largest)
	return exp, largest, largest > 0 && largest <= math.MaxFloat64
}

// scaledCosine is the cosine similarity of vectors whose squares are out of range, or which have no
// angle.
func scaledCosine[T blas.Float](x, y []T) T {
	expX, largestX, okX := exponent(x)
	expY, largestY, okY := exponent(y)
	if !okX || !okY {
		if largestX <= math.MaxFloat64 && largestY <= math.MaxFloat64 { // one is a zero vector
			return 0
		}
		return T(math.NaN())
	}
	var xy, xx, yy float64
	for i, v := range x {
		a, b := math.Ldexp(float64(v), -expX), math.Ldexp(float64(y[i]), -expY)
		xy, xx, yy = math.FMA(a, b, xy), math.FMA(a, a, xx), math.FMA(b, b, yy)
	}
	return clamp(T(xy / (math.Sqrt(xx) * math.Sqrt(yy))))
}

// scaledEuclidean is the distance of vectors the square of whose distance is out of range.
func scaledEuclidean[T blas.Float](x, y []T) T {
	scale := 1.0
	largest := largestDifference(x, y, scale)
	if math.IsInf(largest, 0) { // the difference of two large numbers may be too large
		scale = 0.5
		largest = largestDifference(x, y, scale)
	}
	if largest == 0 || !(largest <= math.MaxFloat64) {
		return T(largest)
	}
	_, exp := math.Frexp(largest)
	var sum float64
	for i, v := range x {
		d := math.Ldexp(float64(v)*scale-float64(y[i])*scale, -exp)
		sum = math.FMA(d, d, sum)
	}
	return T(math.Ldexp(math.Sqrt(sum), exp) / scale)
}

// largestDifference is the largest of |x-y|*scale, NaN if one is NaN.
func largestDifference[T blas.Float](x, y []T, scale float64) float64 {
	var largest float64
	for i, v := range x {
		largest = max(largest, math.Abs(float64(v)*scale-float64(y[i])*scale))
	}
	return largest
}
