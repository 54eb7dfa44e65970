package math32_test

import (
	"math"
	"testing"

	"github.com/gridstride/gridstride/internal/math/math32"
)

// TestBranchFree holds the functions without a branch to those with one, bit for bit, except for
// NaN.
func TestBranchFree(t *testing.T) {
	t.Parallel()
	const step = 4099 // a prime: all exponents, and fractions of all kinds
	for _, f := range []struct {
		name             string
		branch, straight func(float32) float32
	}{{"Erf", math32.Erf, math32.ErfBranchFree}, {"Tanh", math32.Tanh, math32.TanhBranchFree}} {
		for bits := uint64(0); bits < 1<<32; bits += step {
			x := math.Float32frombits(uint32(bits))
			got, want := f.straight(x), f.branch(x)
			if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
				t.Fatalf("%s(%g) is %g, without a branch %g", f.name, x, want, got)
			}
		}
	}
}
