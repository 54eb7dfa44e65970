package gputest

import (
	"testing"

	"github.com/gridstride/gridstride"
)

// Time measures what queue queues on the stream, such as the launches of a kernel, in a benchmark, which
// gridstride tune can run. It calls queue once to warm up and b.N times more, and reports the device's
// time from the first of those to the end of the last, by events, as device-ns/op. On the simulator,
// whose time says nothing about a GPU, queue is called b.N times, which gridstride tune and gridstride
// profile count, and nothing is reported.
//
// It waits for the stream. An error of queue, or of what it queued, fails the benchmark.
func Time(b *testing.B, s *gridstride.Stream, queue func() error) {
	b.Helper()
	simulated := s.Device().Info().Backend == "sim"
	repeat := func(n int) {
		for range n {
			if err := queue(); err != nil {
				b.Fatal(err)
			}
		}
	}
	if !simulated {
		repeat(1)
		if err := s.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	start := s.Record()
	repeat(b.N)
	end := s.Record()
	if err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if simulated {
		return
	}
	took, err := end.Since(b.Context(), start)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "device-ns/op")
}
