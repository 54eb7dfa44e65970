package check

import (
	"fmt"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// BenchmarkSlowdown compares the checks with the bare simulator on one core. The two run by turns,
// and "x" is the ratio of their processor times. A run of one order shows the cost of an order. Two
// orders are the default of gridstride check.
func BenchmarkSlowdown(b *testing.B) {
	for _, w := range workloads(b, 1<<18) {
		b.Run(w.name+"/all/2orders", func(b *testing.B) { slowdown(b, w, Options{Orders: 2}) })
		for _, tools := range [][]report.Tool{nil, {report.Memcheck}, {report.Racecheck}, {report.Initcheck}, {report.Synccheck}} {
			name := "all"
			if len(tools) > 0 {
				name = string(tools[0])
			}
			b.Run(fmt.Sprintf("%s/%s/1order", w.name, name), func(b *testing.B) {
				slowdown(b, w, Options{Orders: 1, Tools: tools})
			})
		}
	}
}

func slowdown(b *testing.B, w workload, o Options) {
	var bare, checked time.Duration
	for b.Loop() {
		start := cpuTime()
		if _, err := w.m.Launch(b.Context(), w.entry(w.kernel), w.l); err != nil {
			b.Fatal(err)
		}
		bare += cpuTime() - start
		start = cpuTime()
		rep, err := Run(b.Context(), w.m, w.entry(w.kernel), w.l, o)
		if err != nil || len(rep.Findings) > 0 {
			b.Fatal(err, rep)
		}
		checked += cpuTime() - start
	}
	b.ReportMetric(float64(checked)/float64(bare), "x")
	b.ReportMetric(float64(bare.Nanoseconds())/float64(b.N), "bare-ns/op")
}

// BenchmarkDot is examples/dot at ten million elements, fully checked: both orders.
func BenchmarkDot(b *testing.B) {
	w := dotWorkload(b, 10_000_000)
	for b.Loop() {
		rep, err := Run(b.Context(), w.m, w.entry(w.kernel), w.l, Options{})
		if err != nil || rep.Verdict() != report.Clean {
			b.Fatal(err, rep)
		}
	}
}
