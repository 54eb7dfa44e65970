package gputest

import (
	"math"
	"testing"
)

// Tolerance says how far a number may be from the one that a test wants: by Absolute, or by Relative
// times the size of the wanted number, whichever is more. The zero Tolerance asks for equal numbers.
//
// A test names one where a kernel and its twin on the host may differ: for a kernel that is
// //gpu:kernel fast, or one that adds up in another order. docs/language.md has the errors of the
// operations of fast kernels.
type Tolerance struct{ Relative, Absolute float64 }

// Compare fails the test unless each number of got is as close to the one of want as the tolerance
// allows. NaN is close to NaN alone, and an infinity to itself alone. The message calls got by
// name, and tells of the number that is furthest beyond its tolerance.
func Compare[T ~float32 | ~float64](t testing.TB, name string, got, want []T, within Tolerance) {
	t.Helper()
	for _, bound := range []float64{within.Relative, within.Absolute} {
		if !(bound >= 0) || math.IsInf(bound, 1) {
			t.Fatalf("gputest.Compare: the tolerance of %s is %v; want numbers of 0 or more", name, within)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s has %d numbers; want %d", name, len(got), len(want))
		return
	}
	worst, at, far := 0.0, 0, 0
	for i := range want {
		over := within.excess(float64(got[i]), float64(want[i]))
		if over > 0 {
			far++
		}
		if over > worst {
			worst, at = over, i
		}
	}
	if far > 0 {
		t.Errorf("%s[%d] is %v; want %v, with a relative error of %g or an absolute one of %g at most (%d of %d numbers are too far away)",
			name, at, got[at], want[at], within.Relative, within.Absolute, far, len(want))
	}
}

// excess is by how much a number is further from the wanted one than allowed, 0 if it is not.
func (w Tolerance) excess(got, want float64) float64 {
	off := math.Abs(got - want)
	switch {
	case got == want, got != got && want != want:
		return 0
	case off != off || math.IsInf(off, 0) && (math.IsInf(got, 0) || math.IsInf(want, 0)): // NaN, an infinity
		return math.Inf(1)
	}
	return max(0, off-max(w.Absolute, w.Relative*math.Abs(want)))
}
