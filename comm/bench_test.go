package comm_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// BenchmarkAllReduce sums float32 over all GPUs of the machine, from 1 KB to 1 GB a rank. bus-GB/s is
// the bandwidth as nccl-tests count it, 2(n-1)/n times the bytes of a rank by the time, and us the
// median time. testdata/allreduce.py measures NCCL in the same way.
func BenchmarkAllReduce(b *testing.B) {
	if !onGPU() {
		b.Skip("needs GPUs: GRIDSTRIDE_DEVICE=cuda")
	}
	devs := devices(b, comm.MaxRanks)
	if len(devs) < 2 {
		b.Skip("one GPU")
	}
	for size := 1 << 10; size <= 1<<30; size *= 4 {
		b.Run(fmt.Sprintf("ranks=%d/bytes=%d", len(devs), size), func(b *testing.B) { allReduce(b, devs, size) })
	}
}

func allReduce(b *testing.B, devs []*gridstride.Device, size int) {
	g := group(b, devs)
	var data []gridstride.Buffer[float32]
	for rank, dev := range devs {
		x, err := gridstride.Make[float32](dev, size/4)
		must(b, err)
		defer x.Free()
		must(b, x.Zero(g.Stream(rank)))
		data = append(data, x)
	}
	for range 3 { // the first call loads the kernel and makes the working memory
		must(b, comm.AllReduce(g, comm.Sum, data, data))
	}
	must(b, g.Wait(b.Context()))
	const calls = 10
	var times []time.Duration
	for b.Loop() {
		start := g.Stream(0).Record()
		for range calls {
			must(b, comm.AllReduce(g, comm.Sum, data, data))
		}
		took, err := g.Stream(0).Record().Since(b.Context(), start)
		must(b, err)
		times = append(times, took/calls)
	}
	slices.Sort(times)
	took, ranks := times[len(times)/2], float64(len(devs))
	b.ReportMetric(2*(ranks-1)/ranks*float64(size)/float64(took.Nanoseconds()), "bus-GB/s")
	b.ReportMetric(float64(took.Nanoseconds())/1e3, "us")
}
