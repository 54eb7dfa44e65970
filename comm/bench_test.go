package comm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// BenchmarkAllReduce sums float32 over all GPUs of the machine, from 1 KB to 1 GB a rank: by NCCL, by
// our copies and kernels, and reproducibly, in turns. bus-GB/s is the bandwidth as nccl-tests count
// it, 2(n-1)/n times the bytes of a rank by the time, and us the median time.
// testdata/allreduce.py measures NCCL in PyTorch in the same way.
func BenchmarkAllReduce(b *testing.B) {
	if !onGPU() {
		b.Skip("needs GPUs: GRIDSTRIDE_DEVICE=cuda")
	}
	devs := devices(b, comm.MaxRanks)
	if len(devs) < 2 {
		b.Skip("one GPU")
	}
	sum := func(g *comm.Group, x []gridstride.Buffer[float32]) error { return comm.AllReduce(g, comm.Sum, x, x) }
	ways := []struct {
		name string
		use  comm.Use
		do   func(g *comm.Group, x []gridstride.Buffer[float32]) error
	}{
		{"nccl", comm.Always, sum},
		{"copies", comm.Never, sum},
		{"reproducible", comm.Never, func(g *comm.Group, x []gridstride.Buffer[float32]) error {
			return comm.AllReduceReproducible(g, x, x)
		}},
	}
	for size := 1 << 10; size <= 1<<30; size *= 4 {
		for _, w := range ways {
			b.Run(fmt.Sprintf("ranks=%d/bytes=%d/by=%s", len(devs), size, w.name), func(b *testing.B) {
				g := groupToTime(b, devs, w.use)
				allReduce(b, g, size, func(x []gridstride.Buffer[float32]) error { return w.do(g, x) })
			})
		}
	}
}

// groupToTime is a group that uses NCCL or does not. It skips if the group cannot use NCCL as asked.
func groupToTime(b *testing.B, devs []*gridstride.Device, use comm.Use) *comm.Group {
	b.Helper()
	var streams []*gridstride.Stream
	for _, dev := range devs {
		streams = append(streams, dev.NewStream())
	}
	g, err := comm.NewWith(streams, comm.Options{NCCL: use, AnyOrder: true})
	if errors.Is(err, comm.ErrNCCL) {
		b.Skip(err)
	}
	must(b, err)
	b.Cleanup(func() {
		must(b, g.Close())
		for _, s := range streams {
			s.Close()
		}
	})
	return g
}

// allReduce times calls of do on size bytes a rank.
func allReduce(b *testing.B, g *comm.Group, size int, do func(x []gridstride.Buffer[float32]) error) {
	var data []gridstride.Buffer[float32]
	for rank := range g.Ranks() {
		x, err := gridstride.Make[float32](g.Stream(rank).Device(), size/4)
		must(b, err)
		defer x.Free()
		must(b, x.Zero(g.Stream(rank)))
		data = append(data, x)
	}
	for range 3 { // the first call loads the kernel and makes the working memory
		must(b, do(data))
	}
	must(b, g.Wait(b.Context()))
	const calls = 10
	var times []time.Duration
	for b.Loop() {
		start := g.Stream(0).Record()
		for range calls {
			must(b, do(data))
		}
		took, err := g.Stream(0).Record().Since(b.Context(), start)
		must(b, err)
		times = append(times, took/calls)
	}
	slices.Sort(times)
	took, ranks := times[len(times)/2], float64(g.Ranks())
	b.ReportMetric(2*(ranks-1)/ranks*float64(size)/float64(took.Nanoseconds()), "bus-GB/s")
	b.ReportMetric(float64(took.Nanoseconds())/1e3, "us")
}
