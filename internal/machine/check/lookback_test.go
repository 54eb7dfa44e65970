package check

import (
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// BenchmarkLookBack scans a million numbers in one pass, on one worker and on two.
func BenchmarkLookBack(b *testing.B) {
	const n = 1 << 20
	for _, workers := range []int{1, 2} {
		b.Run([]string{"", "one", "two"}[workers], func(tb *testing.B) {
			k := compilePackage(tb, "lookback")
			m := sim.New(sim.Config{Workers: workers})
			prog, err := m.Load(k.entry("Scan").Module)
			if err != nil {
				tb.Fatal(err)
			}
			k.m, k.prog = m, prog
			a, out := k.alloc(make([]int32, n)), k.alloc(make([]int32, n))
			best := time.Hour
			for tb.Loop() {
				params := k.params(k.entry("Scan"), a, n, out, n, make([]uint32, n/256), make([]uint32, n/128), make([]uint32, 1))
				start := time.Now()
				if _, err := m.Launch(tb.Context(), k.entry("Scan"), sim.Launch{Grid: x(n / 256), Block: x(256), Params: params}); err != nil {
					tb.Fatal(err)
				}
				best = min(best, time.Since(start))
			}
			tb.ReportMetric(float64(best.Milliseconds()), "best-ms")
		})
	}
}
