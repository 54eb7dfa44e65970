package mathtest

import (
	"flag"
	"math"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

var twofoldNumber = flag.Int("twofold-points", 300, "random points for each function of package twofold")

// TestTwofold holds package twofold to MPFR. What it is off by is far below the errors that it is
// the reference for.
func TestTwofold(t *testing.T) {
	t.Parallel()
	const limit = 0x1p-20 // ULP
	l := library(t)
	for _, f := range Functions {
		if f.Twofold == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			exact, err := f.Exact(l)
			if err != nil {
				t.Skip(err)
			}
			known, worst, at := 0, 0.0, [2]float64{}
			try := func(x, y float64) {
				got := f.Double(x, y)
				v := f.Twofold(x, y, got)
				if math.IsNaN(v.High) {
					return
				}
				known++
				e, wrong := v.Error(got)
				if d := math.Abs(e - ulp.Error(got, exact(x, y))); wrong || !(d <= worst) && !overflows(v) {
					worst, at = d, [2]float64{x, y}
				}
			}
			x, y := f.Arguments(false, *twofoldNumber)
			for i := range x {
				try(x[i], y[i])
			}
			t.Logf("%d of %d points: %.3g ULP apart from MPFR, at %x", known, len(x), worst, at)
			if !(worst < limit) {
				t.Errorf("the error by package twofold is %g ULP apart from that by MPFR, at %x", worst, at)
			}
			if known < len(x)/3 {
				t.Errorf("it knows %d values of %d", known, len(x))
			}
		})
	}
}

// overflows reports whether v is not measured, as it may round to an infinity.
func overflows(v twofold.Value) bool { return v.High == 0 || math.Ilogb(v.High)+v.Exponent >= 1022 }
