package check

import (
	"os"
	"testing"

	"github.com/gridstride/gridstride/internal/check/racecheck"
	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/sim"
)

// TestShadowMemory holds the shadow memory of racecheck to 8 bytes for a byte that a kernel
// touches, and to next to none elsewhere. Bytes that some threads write and others read, or that
// several read, take more, as doc.go says.
func TestShadowMemory(t *testing.T) {
	t.Parallel()
	const n = 1 << 18
	nvcc := func(name string) *bench {
		text, err := os.ReadFile("../sim/testdata/nvcc/" + name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		return loadModule(t, name+".ptx", string(text))
	}
	dot := dotRig(t, 4*n)
	sameValue := compilePackage(t, "conformance")
	bytes := compilePackage(t, "bytes")
	image := func() []uint8 { return make([]uint8, n) }
	big := make([]int32, 1<<20)
	matrix := func() []float32 { return make([]float32, 128*128) }
	for _, c := range []struct {
		what        string
		b           *bench
		kernel      string
		grid, block [3]int
		args        []any
		touched     int // bytes
		limit       float64
	}{
		{"dot product", dot.bench, dot.name, dot.l.Grid, dot.l.Block, nil, 8*4*n + 4*1024, 2.2},
		{"stencil", nvcc("stencil"), "stencil", x(n / 128), x(128), []any{make([]float32, n), make([]float32, n), n}, 8 * n, 3},
		{"shuffles", nvcc("shuffles"), "shuffles", x(n / 64), x(64), []any{ramp(n), make([]int32, 6*n)}, 28 * n, 3},
		{"matrix product", nvcc("matmul"), "matmul_f32", [3]int{8, 8, 1}, [3]int{16, 16, 1}, []any{matrix(), matrix(), matrix(), 128, 128, 128}, 12 * 128 * 128, 8},
		{"bytes", nvcc("histogram"), "histogram", x(64), x(256), []any{make([]uint8, n), make([]uint32, 256), n}, n + 1024, 5},
		{"bytes copied", bytes, "Copy", x(n / 256), x(256), []any{image(), image()}, 2 * n, 8},
		{"bytes changed in place", bytes, "Invert", x(n / 256), x(256), []any{image()}, n, 8},
		{"bytes written, then read by others", bytes, "Mirror", x(n / 256), x(256), []any{image(), make([]int32, 1)}, n, 9.5},
		{"bytes read by three threads", bytes, "Blur_uint8", x(n / 256), x(256), []any{image(), image()}, 2 * n, 27.5},
		{"words read by three threads", bytes, "Blur_int32", x(n / 256), x(256), []any{make([]int32, n), make([]int32, n)}, 8 * n, 8},
		{"one element of 4 MiB", sameValue, "SameValue", x(1), x(1), []any{big}, len(big) * 4, 0.05},
	} {
		e := c.b.entry(c.kernel)
		l := sim.Launch{Grid: c.grid, Block: c.block, Params: dot.l.Params}
		if c.args != nil {
			l.Params = c.b.params(e, c.args...)
		}
		got := float64(shadowMemory(t, c.b.m, e, l)) / float64(c.touched)
		if t.Logf("%s: %.2f bytes of shadow a byte", c.what, got); got > c.limit {
			t.Errorf("%s: more than %v bytes of shadow a byte", c.what, c.limit)
		}
	}
}

// shadowMemory is how many bytes the shadow of global memory takes at the end of a launch.
func shadowMemory(t *testing.T, m *sim.Machine, e *sim.Entry, l sim.Launch) uint64 {
	t.Helper()
	b := tool.NewBook(&tool.Launch{Launch: &l, Machine: m, Entry: e, Kernel: e.Name})
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
