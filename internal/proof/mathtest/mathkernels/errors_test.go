package mathkernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// TestErrorOf compares with package ulp.
func TestErrorOf(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, 0x1p-149, -0x1p-150, 0x1p-126, 0x1.8p-127, 0x1p-1074, math.MaxFloat32,
		0x1.fffffe8p127, 0x1.ffffffp127, -0x1.ffffffp127, 0x1p128, -0x1p128, 0x1p200, inf, -inf, nan}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		numbers = append(numbers, math.Ldexp(1+r.Float64(), r.IntN(300)-160))
	}
	for _, exact := range numbers {
		near := float32(exact)
		for _, got := range []float32{near, math.Nextafter32(near, 0), math.Nextafter32(near, float32(inf)), -near, 0, float32(inf), float32(nan)} {
			e, wrong := mathkernels.ErrorOf(got, exact, 0)
			want := ulp.Error(got, ulp.Of(exact))
			wantWrong := math.IsInf(want, 0) || got == 0 && math.Signbit(float64(got)) != math.Signbit(exact)
			if math.IsInf(want, 0) {
				want = 0
			}
			if e != want || wrong != wantWrong {
				t.Errorf("%x beside %x: %v, %v, want %v, %v", got, exact, e, wrong, want, wantWrong)
			}
		}
	}
	if e, _ := mathkernels.ErrorOf(0x1p-20, 0x1.8p-20, 1); e != 8*0.5 {
		t.Errorf("beside a floor of 1 the error is %v ULP, want 4", e)
	}
}
