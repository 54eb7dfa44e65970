package extremes

import (
	"math"
	"testing"

	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// TestNegatedOperand compares a device's minima and maxima with the host's: of small numbers, whose
// signs decide all of them, and of the ends of 32 bits.
func TestNegatedOperand(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel, err := LoadExtremes(dev)
	suitetest.Must(t, err)
	numbers := []int32{-7, -3, -2, -1, 0, 1, 2, 3, 5, math.MinInt32, math.MinInt32 + 1, math.MaxInt32}
	var x, y, z []int32
	for _, a := range numbers {
		for _, b := range numbers {
			for _, c := range numbers {
				x, y, z = append(x, a), append(y, b), append(z, c)
			}
		}
	}
	cfg, err := kernel.GridFor(len(x))
	suitetest.Must(t, err)
	out := suitetest.OnDevice(t, dev, make([]int32, forms*len(x)))
	suitetest.Must(t, kernel.Launch(dev.Stream(), cfg, suitetest.OnDevice(t, dev, x), suitetest.OnDevice(t, dev, y),
		suitetest.OnDevice(t, dev, z), out))
	got, wrong := suitetest.Read(t, dev, out), 0
	for i := range x {
		for k, want := range extremes(x[i], y[i], z[i]) {
			if g := got[forms*i+k]; g != want {
				if wrong++; wrong < 10 {
					t.Errorf("form %d of x = %d, y = %d and z = %d: got %d, want %d", k, x[i], y[i], z[i], g, want)
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d results are wrong", wrong)
	}
}
