package accuracy

import (
	"math"
	"testing"
)

func TestDot(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, test := range map[string]struct {
		a, b           []float64
		dot, magnitude float64
	}{
		"empty":                 {nil, nil, 0, 0},
		"plain":                 {[]float64{1, 2, 3}, []float64{4, 5, -6}, -4, 32},
		"1 is lost in a sum":    {[]float64{1e8, 1, -1e8}, []float64{1e8, 1, 1e8}, 1, 2e16},
		"lost in a product":     {[]float64{1 + 0x1p-30, -1, -1}, []float64{1 + 0x1p-30, 1, 0x1p-29}, 0x1p-60, 2 + 0x1p-28},
		"infinite":              {[]float64{1, inf}, []float64{1, -1}, -inf, inf},
		"infinity times zero":   {[]float64{inf}, []float64{0}, nan, nan},
		"infinity less itself":  {[]float64{inf, inf}, []float64{1, -1}, nan, inf},
		"overflow on the way":   {[]float64{1e200, -1e200}, []float64{1e200, 1e200}, nan, inf},
		"the largest number":    {[]float64{math.MaxFloat64}, []float64{1}, math.MaxFloat64, math.MaxFloat64},
		"an underflowing error": {[]float64{0x1p-600}, []float64{0x1p-600}, 0, 0},
	} {
		dot, magnitude := Dot(test.a, test.b)
		if math.Float64bits(dot) != math.Float64bits(test.dot) && !(dot != dot && test.dot != test.dot) {
			t.Errorf("%s: %v, want %v", name, dot, test.dot)
		}
		if math.Abs(magnitude-test.magnitude) > 4 && !(magnitude == test.magnitude || magnitude != magnitude && test.magnitude != test.magnitude) {
			t.Errorf("%s: magnitude %v, want %v", name, magnitude, test.magnitude)
		}
	}
}

// TestBound holds the bound to a plain sum that is as bad as rounding makes it: it must cover it,
// and not by orders of magnitude.
func TestBound(t *testing.T) {
	const n = 100_000
	a, b := make([]float32, n), make([]float32, n)
	sum := float32(0)
	for i := range a {
		a[i], b[i] = 1, 0.1 // 0.1 is rounded in every addition
		sum += a[i] * b[i]
	}
	want, magnitude := Dot(a, b)
	off, bound := math.Abs(float64(sum)-want), Bound[float32](n, n, magnitude)
	if off > bound || off < bound/1e3 {
		t.Errorf("a running sum is off by %g, the bound is %g", off, bound)
	}
	if none := Bound[float32](1<<24, n, magnitude); !math.IsInf(none, 1) {
		t.Errorf("the bound of 2^24 roundings of float32 is %g", none)
	}
	if tree := Bound[float32](20, n, magnitude); off < tree {
		t.Errorf("a running sum is off by %g, within %g, the bound of a tree", off, tree)
	}
}
