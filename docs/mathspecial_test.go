package docs

import (
	"math"
	"testing"

	"github.com/gridstride/gridstride/gpu"
)

// TestSpecialValues holds the page's special values to package gpu, and what it says of the host's
// package math to that. They are of float64. internal/proof/mathtest has all functions.
func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	_, fraction := gpu.Modf(-inf)
	lgamma, _ := gpu.Lgamma(-inf)
	_, sign := gpu.Lgamma(math.Copysign(0, -1))
	goLgamma, _ := math.Lgamma(-inf)
	_, goSign := math.Lgamma(math.Copysign(0, -1))
	minusZero := math.Copysign(0, -1)
	for _, c := range []struct {
		what                    string
		got, want, host, onHost float64
	}{
		{"Dim", gpu.Dim(inf, inf), nan, math.Dim(inf, inf), nan},
		{"Modf", fraction, nan, second(math.Modf(-inf)), nan},
		{"Min", gpu.Min(1, nan), nan, math.Min(1, nan), nan},
		{"Max", gpu.Max(1, nan), nan, math.Max(1, nan), nan},
		{"Min of an infinity", gpu.Min(nan, -inf), -inf, math.Min(nan, -inf), -inf},
		{"Max of an infinity", gpu.Max(inf, nan), inf, math.Max(inf, nan), inf},
		{"Lgamma", lgamma, inf, goLgamma, -inf},
		{"J1", gpu.J1(minusZero), minusZero, math.J1(minusZero), 0},
		{"the sign by Lgamma", float64(sign), -1, float64(goSign), 1},
		{"Sinh", gpu.Sinh(710.), 0x1.3e21a464507f9p+1023, math.Sinh(710), inf},
		{"Cosh", gpu.Cosh(710.), 0x1.3e21a464507f9p+1023, math.Cosh(710), inf},
		{"Atan2", gpu.Atan2(-5e-324, -2.), -math.Pi, math.Atan2(-5e-324, -2), math.Pi},
	} {
		if !sameBits(c.got, c.want) || !sameBits(c.host, c.onHost) {
			t.Errorf("%s: %v, want %v; on the host %v, want %v", c.what, c.got, c.want, c.host, c.onHost)
		}
	}
}

func second(_, y float64) float64 { return y }

func sameBits(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}
