package perf

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/cublas"
)

// BenchmarkCUBLAS is cublasSdot over the vectors of BenchmarkDot, in the same process, on a stream
// like its, and by the same clock.
func BenchmarkCUBLAS(b *testing.B) {
	dev := open(b)
	if dev.Info().Backend != "cuda" {
		b.Skipf("needs a GPU; this is the %s", dev.Info().Name)
	}
	lib, err := cublas.Load()
	if err != nil {
		b.Skip(err)
	}
	b.Logf("cuBLAS from %s", lib.Path())
	s := dev.Stream()
	h, err := lib.NewHandle(s)
	must(b, err)
	host1, host2 := vectors(bigN)
	want, size := reference(host1, host2)
	x, err := gridstride.CopyOf(dev, host1)
	must(b, err)
	y, err := gridstride.CopyOf(dev, host2)
	must(b, err)
	out, err := gridstride.CopyOf(dev, []float32{0})
	must(b, err)
	b.Run("Sdot", func(b *testing.B) {
		must(b, cublas.Dot(h, x, y, out)) // the first call sets things up
		var times []time.Duration
		for b.Loop() {
			start := s.Record()
			must(b, cublas.Dot(h, x, y, out))
			t, err := s.Record().Since(context.Background(), start)
			must(b, err)
			times = append(times, t)
		}
		report(b, times, 2*4*bigN)
		got, err := out.Read(context.Background(), s, nil)
		must(b, err)
		if math.Abs(float64(got[0])-want) > 1e-6*size {
			b.Errorf("%v, want %v", got[0], want)
		}
	})
	for _, buffer := range []gridstride.Buffer[float32]{x, y, out} {
		must(b, buffer.Free())
	}
	must(b, h.Close())
}
