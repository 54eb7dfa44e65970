package check

import (
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/racecheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// TestShadowMemory holds the shadow memory of racecheck to 8 bytes for a byte that a kernel
// touches, also where several threads read it.
func TestShadowMemory(t *testing.T) {
	t.Parallel()
	const limit = 8
	for _, w := range workloads(t, 1<<18) {
		got := float64(shadowMemory(t, w)) / float64(w.touched)
		if t.Logf("%s: %.2f bytes of shadow a byte", w.name, got); got > limit {
			t.Errorf("%s: more than %v bytes of shadow a byte", w.name, limit)
		}
	}
}

// TestShadowOfUntouched holds the shadow of memory that no thread accesses to next to nothing.
func TestShadowOfUntouched(t *testing.T) {
	t.Parallel()
	const size = 1 << 22
	b := compilePackage(t, "conformance")
	e := b.entry("SameValue")
	got := shadowMemory(t, workload{b, "", e.Name, sim.Launch{Grid: x(1), Block: x(1), Params: b.params(e, make([]int32, size/4))}, 4, nil})
	if t.Log(got); got > size/500 {
		t.Errorf("one element of %d bytes has a shadow of %d", size, got)
	}
}

// shadowMemory is how many bytes the shadow of global memory takes at the end of a launch.
func shadowMemory(t *testing.T, w workload) uint64 {
	t.Helper()
	m, e, l := w.m, w.entry(w.kernel), w.l
	b := tool.NewBook(&tool.Launch{Entry: &e.Kernel, Grid: l.Grid, Block: l.Block, Memory: m.Extents(), Kernel: e.Name})
	b.Begin(0, "ascending")
	run := tool.NewRun(b, 0)
	race := racecheck.New(run, racecheck.Guesses{})
	run.Use(race)
	l.Observer, l.KeepGoing = run, true
	if _, err := m.Launch(t.Context(), e, l); err != nil {
		t.Fatal(err)
	}
	return race.Memory()
}
