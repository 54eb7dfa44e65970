package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestSums compares the sums of each size with float64's, under all checks.
func TestSums(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel, err := LoadSums(dev)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 31, 33, 1000} {
		x, y := make([]float32, n), make([]float32, n)
		var want [sums]float64
		for i := range x {
			x[i], y[i] = float32(i%7)-3, float32(i%5)/4
			a, b := float64(x[i]), float64(y[i])
			for k, v := range [sums]float64{a * b, a * a, b * b, (a - b) * (a - b)} {
				want[k] += v
			}
		}
		const blocks = 3
		a, b, out := buffer(t, dev, x), buffer(t, dev, y), buffer(t, dev, make([]float32, sums*blocks))
		if err := kernel.Launch(dev.Stream(), gridstride.Grid(blocks), a, b, out); err != nil {
			t.Fatal(err)
		}
		got, err := out.Read(t.Context(), dev.Stream(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			sum := float64(got[k]) + float64(got[k+sums]) + float64(got[k+2*sums])
			if math.Abs(sum-want[k]) > 1e-5*(1+math.Abs(want[k])) {
				t.Errorf("n=%d: sum %d is %v, want %v", n, k, sum, want[k])
			}
		}
	}
}

func buffer(t *testing.T, dev *gridstride.Device, v []float32) gridstride.Buffer[float32] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, v)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Free() })
	return b
}

// TestRun compares the two columns of the program's output.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), 1000, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"MSE", "cosine", "squared norm"} {
		for line := range strings.Lines(out.String()) {
			rest, ok := strings.CutPrefix(line, name)
			if !ok {
				continue
			}
			var kernel, library float64
			if _, err := fmt.Sscanf(rest, "%g package metric: %g", &kernel, &library); err != nil ||
				math.Abs(kernel-library) > 1e-4*library {
				t.Errorf("%s%v", line, err)
			}
		}
	}
	if !strings.Contains(out.String(), "blas.DotExact                 1000000   1000000\n") {
		t.Error(out.String())
	}
}
