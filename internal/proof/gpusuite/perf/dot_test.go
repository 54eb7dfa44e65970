package perf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// dot is one of the kernels, as a launch on buffers of float32.
type dot struct {
	name   string
	lanes  int // elements a thread loads at a time
	launch func(s *gridstride.Stream, blocks int, a, b, c gridstride.Buffer[float32]) error
}

// dots loads the kernels.
func dots(t testing.TB, dev *gridstride.Device) []dot {
	t.Helper()
	plain, err := LoadDotPlain(dev)
	must(t, err)
	four, err := LoadDotFour(dev)
	must(t, err)
	vector, err := LoadDotVector(dev)
	must(t, err)
	return []dot{
		{"plain", 1, func(s *gridstride.Stream, blocks int, a, b, c gridstride.Buffer[float32]) error {
			return plain.Launch(s, gridstride.Grid(blocks), a, b, c)
		}},
		{"four", 1, func(s *gridstride.Stream, blocks int, a, b, c gridstride.Buffer[float32]) error {
			return four.Launch(s, gridstride.Grid(blocks), a, b, c)
		}},
		{"vector", 4, func(s *gridstride.Stream, blocks int, a, b, c gridstride.Buffer[float32]) error {
			va, err := gridstride.Cast[gpu.Float32x4](a)
			if err != nil {
				return err
			}
			vb, err := gridstride.Cast[gpu.Float32x4](b)
			if err != nil {
				return err
			}
			return vector.Launch(s, gridstride.Grid(blocks), va, vb, c)
		}},
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB) *gridstride.Device {
	t.Helper()
	dev, err := gridstride.Open()
	must(t, err)
	t.Cleanup(func() { must(t, dev.Close()) })
	return dev
}

// vectors are n random elements of [-1, 1) each.
func vectors(n int) (a, b []float32) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	a, b = make([]float32, n), make([]float32, n)
	for i := range n {
		x := r.Uint64()
		a[i] = float32(int32(x)) / (1 << 31)
		b[i] = float32(int32(x>>32)) / (1 << 31)
	}
	return a, b
}

// reference is the dot product in float64, and the sum of its terms' sizes, which the error of a
// float32 sum is measured by.
func reference(a, b []float32) (sum, size float64) {
	for i := range a {
		x := float64(a[i]) * float64(b[i])
		sum += x
		size += math.Abs(x)
	}
	return sum, size
}

func TestDot(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, n := range []int{0, 1, 31, 33, 1000, 4096, 100_003} {
		for _, d := range dots(t, dev) {
			n := n / d.lanes * d.lanes
			for _, blocks := range []int{1, 7} {
				host1, host2 := vectors(n)
				got := sum(t, s, dev, d, blocks, host1, host2)
				want, size := reference(host1, host2)
				if math.Abs(got-want) > 1e-6*size {
					t.Errorf("%s of %d elements with %d blocks: %v, want %v", d.name, n, blocks, got, want)
				}
			}
		}
	}
}

// sum runs a kernel and adds the blocks' sums.
func sum(t *testing.T, s *gridstride.Stream, dev *gridstride.Device, d dot, blocks int, host1, host2 []float32) float64 {
	t.Helper()
	a, err := gridstride.CopyOf(dev, host1)
	must(t, err)
	b, err := gridstride.CopyOf(dev, host2)
	must(t, err)
	c, err := gridstride.Make[float32](dev, blocks)
	must(t, err)
	must(t, d.launch(s, blocks, a, b, c))
	sums, err := c.Read(t.Context(), s, nil)
	must(t, err)
	for _, x := range []gridstride.Buffer[float32]{a, b, c} {
		must(t, x.Free())
	}
	total := 0.0
	for _, x := range sums {
		total += float64(x)
	}
	return total
}

// bigN is the length the benchmarks use: two vectors of 1 GiB, twenty times the GPU's cache.
const bigN = 1 << 28

// BenchmarkDot is each kernel with several grids, in GB/s of the two vectors by the device's own
// clock: the median and the best of the launches.
func BenchmarkDot(b *testing.B) {
	dev := open(b)
	if dev.Info().Backend != "cuda" {
		b.Skipf("needs a GPU; this is the %s", dev.Info().Name)
	}
	s := dev.Stream()
	host1, host2 := vectors(bigN)
	want, size := reference(host1, host2)
	x, err := gridstride.CopyOf(dev, host1)
	must(b, err)
	defer x.Free()
	y, err := gridstride.CopyOf(dev, host2)
	must(b, err)
	defer y.Free()
	for _, d := range dots(b, dev) {
		for _, perSM := range []int{4, 8, 16, 32, 64, 128} {
			blocks := perSM * dev.Info().Multiprocessors
			b.Run(fmt.Sprintf("%s/blocks=%d", d.name, blocks), func(b *testing.B) {
				c, err := gridstride.Make[float32](dev, blocks)
				must(b, err)
				defer c.Free()
				var times []time.Duration
				for b.Loop() {
					start := s.Record()
					must(b, d.launch(s, blocks, x, y, c))
					t, err := s.Record().Since(context.Background(), start)
					must(b, err)
					times = append(times, t)
				}
				report(b, times, 2*4*bigN)
				sums, err := c.Read(context.Background(), s, nil)
				must(b, err)
				got := 0.0
				for _, v := range sums {
					got += float64(v)
				}
				if math.Abs(got-want) > 1e-6*size {
					b.Errorf("%v, want %v", got, want)
				}
			})
		}
	}
}

// report gives the speed of a benchmark that moved bytes in each of the times.
func report(b *testing.B, times []time.Duration, bytes float64) {
	slices.Sort(times)
	b.ReportMetric(bytes/times[len(times)/2].Seconds()/1e9, "GB/s")
	b.ReportMetric(bytes/times[0].Seconds()/1e9, "GB/s-best")
}
