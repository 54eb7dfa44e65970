package check

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// rig is a kernel with its launch.
type rig struct {
	*bench
	name string
	l    sim.Launch
}

// reductionRig reduces 256 elements a block in shared memory, with nvcc's code.
func reductionRig(tb testing.TB, blocks int) rig {
	text, err := os.ReadFile("../sim/testdata/nvcc/reduction.ptx")
	if err != nil {
		tb.Fatal(err)
	}
	b := loadModule(tb, "reduction.ptx", string(text))
	e := b.entry("reduction")
	return rig{b, "reduction", sim.Launch{
		Grid: x(blocks), Block: x(256), Params: b.params(e, make([]float32, 256*blocks), make([]float32, blocks), int32(256*blocks)),
	}}
}

// dotRig is the kernel of examples/dot.
func dotRig(tb testing.TB, n int) rig {
	text, err := os.ReadFile("../../examples/dot/kernels_gen.ptx")
	if err != nil {
		tb.Fatal(err)
	}
	b := loadModule(tb, "kernels_gen.ptx", string(text))
	const name, blocks = "Partial_float32", 1024
	e := b.entry(name)
	v := make([]float32, n)
	return rig{b, name, sim.Launch{Grid: x(blocks), Block: x(256), Params: b.params(e, v, v, make([]float32, blocks), 0)}}
}

// BenchmarkSlowdown compares the checks with the bare simulator on one core, which run by turns:
// "x" is how many times as long they take. One order is what each of them costs; two are what
// gridstride check runs.
func BenchmarkSlowdown(b *testing.B) {
	for _, c := range []struct {
		name string
		rig  func(testing.TB) rig
	}{
		{"reduction", func(tb testing.TB) rig { return reductionRig(tb, 1000) }},
		{"dot1M", func(tb testing.TB) rig { return dotRig(tb, 1_000_000) }},
	} {
		r := c.rig(b)
		for _, o := range []Options{
			{Orders: 2}, {Orders: 1}, {Orders: 1, Tools: []report.Tool{report.Memcheck}}, {Orders: 1, Tools: []report.Tool{report.Racecheck}},
			{Orders: 1, Tools: []report.Tool{report.Initcheck}}, {Orders: 1, Tools: []report.Tool{report.Synccheck}},
		} {
			name := "all"
			if len(o.Tools) > 0 {
				name = string(o.Tools[0])
			}
			b.Run(fmt.Sprintf("%s/%s/%dorders", c.name, name, o.Orders), func(b *testing.B) { slowdown(b, r, o) })
		}
	}
}

func slowdown(b *testing.B, r rig, o Options) {
	var bare, checked time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := r.m.Launch(b.Context(), r.entry(r.name), r.l); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(start)
		start = time.Now()
		rep, err := Run(b.Context(), r.m, r.entry(r.name), r.l, o)
		if err != nil || len(rep.Findings) > 0 {
			b.Fatal(err, rep)
		}
		checked += time.Since(start)
	}
	b.ReportMetric(float64(checked)/float64(bare), "x")
	b.ReportMetric(float64(bare.Nanoseconds())/float64(b.N), "bare-ns/op")
}

// BenchmarkDot is examples/dot at ten million elements, fully checked: both orders.
func BenchmarkDot(b *testing.B) {
	r := dotRig(b, 10_000_000)
	for b.Loop() {
		rep, err := Run(b.Context(), r.m, r.entry(r.name), r.l, Options{})
		if err != nil || rep.Verdict() != report.Clean {
			b.Fatal(err, rep)
		}
	}
}
