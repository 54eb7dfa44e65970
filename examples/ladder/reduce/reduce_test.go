package reduce_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/reduce"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open is a device for benchmarks. Tests have gputest's, which checks what kernels do.
func open(b *testing.B) *gridstride.Device {
	b.Helper()
	dev, err := gridstride.Open()
	must(b, err)
	b.Cleanup(func() { must(b, dev.Close()) })
	return dev
}

// sizes are lengths around the edges of a warp, a block and a tile, and some of several blocks.
var sizes = []int{0, 1, 31, 32, 33, 255, 1000, 4095, 4096, 4097, 8192, 50_001}

// results is everything computed from one vector.
type results[T reduce.Number] struct {
	sum, sumSquares, min, max T
	argMin, argMax            int
}

// host computes on the host, in a plain loop.
func host[T reduce.Number](x []T) (r results[T]) {
	if len(x) > 0 {
		r.min, r.max = x[0], x[0]
	}
	for i, v := range x {
		r.sum += v
		r.sumSquares += v * v
		r.min, r.max = min(r.min, v), max(r.max, v)
		if w := x[r.argMin]; v < w || v != v && w == w {
			r.argMin = i
		}
		if w := x[r.argMax]; v > w || v != v && w == w {
			r.argMax = i
		}
	}
	return r
}

// device computes on the device.
func device[T reduce.Number](t testing.TB, s *gridstride.Stream, p *reduce.Plan[T], x gridstride.Buffer[T]) (r results[T]) {
	t.Helper()
	value := func(f func(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error)) T {
		v, err := f(t.Context(), s, x)
		must(t, err)
		return v
	}
	index := func(f func(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (int, error)) int {
		i, err := f(t.Context(), s, x)
		must(t, err)
		return i
	}
	r.sum, r.sumSquares = value(p.Sum), value(p.SumSquares)
	if x.Len() > 0 {
		r.min, r.max, r.argMin, r.argMax = value(p.Min), value(p.Max), index(p.ArgMin), index(p.ArgMax)
	}
	return r
}

// testExact compares vectors of small integers, whose sums are exact in any order and which have
// many equal elements.
func testExact[T reduce.Number](t *testing.T) {
	dev := gputest.Device(t)
	s := dev.Stream()
	p, err := reduce.NewPlan[T](dev)
	must(t, err)
	for _, n := range sizes {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		x := make([]T, n)
		for i := range x {
			x[i] = T(r.IntN(19) - 9)
		}
		b, err := gridstride.CopyOf(dev, x)
		must(t, err)
		used := dev.Usage()
		for range 2 {
			if got, want := device(t, s, p, b), host(x); got != want {
				t.Errorf("n %d: %+v, want %+v", n, got, want)
			}
		}
		if now := dev.Usage(); now != used {
			t.Errorf("n %d: the device's buffers went from %+v to %+v", n, used, now)
		}
		if n > 0 { // a view, and the extreme elements at its ends
			if got, want := device(t, s, p, b.Slice(n/3, n)), host(x[n/3:]); got != want {
				t.Errorf("the last %d of %d: %+v, want %+v", n-n/3, n, got, want)
			}
			x[0], x[n-1] = 20, -20
			must(t, b.Write(t.Context(), s, x))
			if got, want := device(t, s, p, b), host(x); got != want {
				t.Errorf("n %d, extremes at the ends: %+v, want %+v", n, got, want)
			}
		}
		must(t, b.Free())
	}
	must(t, p.Free())
}

func TestExact(t *testing.T) {
	t.Parallel()
	t.Run("float32", testExact[float32])
	t.Run("float64", testExact[float64])
	t.Run("int32", testExact[int32])
	t.Run("int64", testExact[int64])
}

// testAccuracy holds sums of random numbers to a reference, and the bits of a second run to those
// of the first.
func testAccuracy[T float32 | float64](t *testing.T) {
	dev := gputest.Device(t)
	s := dev.Stream()
	p, err := reduce.NewPlan[T](dev)
	must(t, err)
	const n = 100_003
	r := rand.New(rand.NewPCG(1, 2))
	x, ones := make([]T, n), make([]T, n)
	for i := range x {
		x[i], ones[i] = T(r.NormFloat64()), 1
	}
	b, err := gridstride.CopyOf(dev, x)
	must(t, err)
	got := device(t, s, p, b)
	for what, test := range map[string]struct {
		got  T
		a, b []T
	}{"sum": {got.sum, x, ones}, "sum of squares": {got.sumSquares, x, x}} {
		want, magnitude := accuracy.Dot(test.a, test.b)
		// A tile's 16 elements, the rest of the last tile, a tree, and one block's sum after the
		// other.
		most := accuracy.Bound[T](16+16+40+(n+4095)/4096, n, magnitude)
		if off := math.Abs(float64(test.got) - want); !(off <= most) {
			t.Errorf("%s: %v, want %v: off by %g, and rounding explains %g", what, test.got, want, off, most)
		}
	}
	if again := device(t, s, p, b); again != got {
		t.Errorf("%+v, and %+v the second time", got, again)
	}
	must(t, errors.Join(b.Free(), p.Free()))
}

func TestAccuracy(t *testing.T) {
	t.Parallel()
	t.Run("float32", testAccuracy[float32])
	t.Run("float64", testAccuracy[float64])
}

// TestBits pins the order of a sum: it must not change from device to device or from version to
// version unawares.
func TestBits(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	x := make([]float32, 20_000)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range x {
		x[i] = r.Float32() - 0.5
	}
	b, err := gridstride.CopyOf(dev, x)
	must(t, err)
	got, err := reduce.Sum(t.Context(), dev.Stream(), b)
	must(t, err)
	if want := inOrder(x); math.Float32bits(got) != math.Float32bits(want) {
		t.Errorf("%v, want %v", got, want)
	}
	must(t, b.Free())
}

// inOrder adds as the package's comment says.
func inOrder(x []float32) float32 {
	const block, perThread, tile = 256, 16, 4096
	tree := func(v []float32) (sum float32) { // of a block's threads
		for w := 0; w < block; w += 32 {
			for d := 16; d > 0; d /= 2 {
				for i := range d {
					v[w+i] += v[w+i+d]
				}
			}
			if w == 0 {
				sum = v[0]
			} else {
				sum += v[w]
			}
		}
		return sum
	}
	var partial []float32
	for from := 0; from < len(x); from += tile {
		threads := make([]float32, block)
		for tid := range block {
			var acc [perThread]float32
			for k := range perThread {
				if i := from + k*block + tid; i < len(x) {
					if from+tile <= len(x) {
						acc[k] += x[i]
					} else {
						acc[0] += x[i]
					}
				}
			}
			threads[tid] = acc[0]
			for _, a := range acc[1:] {
				threads[tid] += a
			}
		}
		partial = append(partial, tree(threads))
	}
	last := make([]float32, block)
	copy(last, partial)
	return tree(last)
}

func TestSpecial(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	with := func(places ...any) []float64 {
		x := make([]float64, 5000)
		for i := range x {
			x[i] = float64(i%10) + 1
		}
		for i := 0; i < len(places); i += 2 {
			x[places[i].(int)] = places[i+1].(float64)
		}
		return x
	}
	p, err := reduce.NewPlan[float64](dev)
	must(t, err)
	for name, x := range map[string][]float64{
		"infinities":      with(100, inf, 4900, -inf),
		"NaN":             with(300, inf, 4200, nan, 4300, nan),
		"NaN first":       with(0, nan, 4998, -inf),
		"NaN last":        with(4999, nan),
		"zeros":           with(17, zero, 4097, 0.0),
		"zeros, turned":   with(17, 0.0, 4097, zero),
		"all infinite":    {inf, inf, inf},
		"least infinity":  {-inf},
		"largest numbers": {math.MaxFloat64, -math.MaxFloat64},
		"too large a sum": {math.MaxFloat64, math.MaxFloat64, 1},
		"too large once":  with(4500, 1e200),
	} {
		b, err := gridstride.CopyOf(dev, x)
		must(t, err)
		got, want := device(t, s, p, b), host(x)
		same := func(x, y float64) bool { return x != x && y != y || math.Float64bits(x) == math.Float64bits(y) }
		finite := func(x float64) bool { return x-x == 0 } // sums that are have rounding errors
		if !same(got.min, want.min) || !same(got.max, want.max) || got.argMin != want.argMin || got.argMax != want.argMax ||
			!same(got.sum, want.sum) && !(finite(got.sum) && finite(want.sum)) ||
			!same(got.sumSquares, want.sumSquares) && !(finite(got.sumSquares) && finite(want.sumSquares)) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		must(t, b.Free())
	}
	must(t, p.Free())
}

// TestWrap has sums that integers of the type do not hold: they wrap as Go's do.
func TestWrap(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	p, err := reduce.NewPlan[int32](dev)
	must(t, err)
	x := make([]int32, 5000)
	for i := range x {
		x[i] = math.MaxInt32 - int32(i)
	}
	x[77], x[4321] = math.MinInt32, math.MinInt32
	b, err := gridstride.CopyOf(dev, x)
	must(t, err)
	if got, want := device(t, dev.Stream(), p, b), host(x); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	must(t, errors.Join(b.Free(), p.Free()))
}

// TestPlansBesideEachOther has several goroutines compute with separate plans and streams, on one
// device and with one vector.
func TestPlansBesideEachOther(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	x := make([]int64, 9001)
	for i := range x {
		x[i] = int64(i*i%1013) - 500
	}
	b, err := gridstride.CopyOf(dev, x)
	must(t, err)
	var workers sync.WaitGroup
	for g := range 4 {
		workers.Go(func() {
			part := b.Slice(1000*g, b.Len())
			s := dev.NewStream()
			defer s.Close()
			p, err := reduce.NewPlan[int64](dev)
			if err != nil {
				t.Error(err)
				return
			}
			for range 2 {
				sum, err1 := p.Sum(t.Context(), s, part)
				at, err2 := p.ArgMax(t.Context(), s, part)
				if want := host(x[1000*g:]); err1 != nil || err2 != nil || sum != want.sum || at != want.argMax {
					t.Errorf("from %d on: sum %d (%v), index of the largest %d (%v); want %d and %d", 1000*g, sum, err1, at, err2, want.sum, want.argMax)
				}
			}
			if err := p.Free(); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	must(t, b.Free())
}

// TestNoRoom makes a plan on a device that has room for a part of it: the error gives the needed
// and the free memory, and nothing remains allocated.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim"), gridstride.SimMemory(100_000))
	must(t, err)
	_, err = reduce.NewPlan[float64](dev)
	if !errors.Is(err, gridstride.ErrOutOfMemory) || !strings.Contains(err.Error(), "67584 bytes on device ") ||
		!strings.Contains(err.Error(), "67584 of 100000 bytes are in use") {
		t.Errorf("no room: %v", err)
	}
	if used := dev.Usage(); used != (gridstride.Usage{}) {
		t.Errorf("the plan that failed leaves %+v", used)
	}
	must(t, dev.Close())
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s, ctx := dev.Stream(), t.Context()
	b, err := gridstride.CopyOf(dev, []int32{3, -4, 5, -4})
	must(t, err)
	for _, test := range []struct {
		f    func(context.Context, *gridstride.Stream, gridstride.Buffer[int32]) (int32, error)
		want int32
	}{{reduce.Sum[int32], 0}, {reduce.SumSquares[int32], 66}, {reduce.Min[int32], -4}, {reduce.Max[int32], 5}} {
		if got, err := test.f(ctx, s, b); err != nil || got != test.want {
			t.Errorf("%v, %v; want %v", got, err, test.want)
		}
	}
	ints, err := gridstride.CopyOf(dev, []int{1 << 40, -5})
	must(t, err)
	cast, err := gridstride.Cast[int64](ints)
	must(t, err)
	if got, err := reduce.Sum(ctx, s, cast); err != nil || got != 1<<40-5 {
		t.Errorf("a sum of int: %v, %v", got, err)
	}
	must(t, ints.Free())
	if got, err := reduce.ArgMin(ctx, s, b); err != nil || got != 1 {
		t.Errorf("ArgMin: %v, %v; want 1", got, err)
	}
	if got, err := reduce.ArgMax(ctx, s, b); err != nil || got != 2 {
		t.Errorf("ArgMax: %v, %v; want 2", got, err)
	}
	must(t, b.Free())
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	p, err := reduce.NewPlan[int64](dev)
	must(t, err)
	empty, err := gridstride.Make[int64](dev, 0)
	must(t, err)
	freed, err := gridstride.Make[int64](dev, 3)
	must(t, err)
	must(t, freed.Free())
	for _, op := range reduce.Ops {
		if err := p.Launch(s, op, freed); !errors.Is(err, gridstride.ErrFreed) {
			t.Errorf("%v of a freed buffer: %v", op, err)
		}
		err := p.Launch(s, op, empty)
		if wantError := op >= reduce.OpMin; wantError != errors.Is(err, reduce.ErrEmpty) || !wantError && err != nil {
			t.Errorf("%v of no elements: %v", op, err)
		}
		if err != nil && err.Error() != "reduce: "+op.String()+": the vector has no elements" {
			t.Errorf("%v of no elements: %v", op, err)
		}
	}
	if err := p.Launch(s, 17, empty); err == nil || !strings.Contains(err.Error(), "Op(17) is no reduction: there are [sum sumsquares min") {
		t.Errorf("an op that does not exist: %v", err)
	}
	must(t, s.Wait(t.Context()))
	must(t, errors.Join(p.Free(), empty.Free()))
	if err := p.Free(); !errors.Is(err, gridstride.ErrFreed) {
		t.Errorf("plan freed twice: %v", err)
	}
	if err := p.Launch(s, reduce.OpSum, empty); !errors.Is(err, gridstride.ErrFreed) {
		t.Errorf("plan freed: %v", err)
	}
	if _, err := reduce.Min(t.Context(), s, gridstride.Buffer[int64]{}); !errors.Is(err, reduce.ErrEmpty) {
		t.Errorf("the zero Buffer: %v", err)
	}
}

// BenchmarkReduce is each reduction's time on the device.
func BenchmarkReduce(b *testing.B) {
	dev := open(b)
	n := 1 << 18
	if dev.Info().Backend == "cuda" {
		n = 1 << 28
	}
	host := make([]float32, n) // random: zeros take less power, and a search in them finds nothing
	r := rand.New(rand.NewPCG(3, 4))
	for i := range host {
		host[i] = 2*r.Float32() - 1
	}
	x, err := gridstride.CopyOf(dev, host)
	must(b, err)
	s := dev.Stream()
	p, err := reduce.NewPlan[float32](dev)
	must(b, err)
	for _, op := range reduce.Ops {
		b.Run(op.String(), func(b *testing.B) {
			must(b, p.Launch(s, op, x))
			start := s.Record()
			launches := 0
			for b.Loop() {
				must(b, p.Launch(s, op, x))
				launches++
			}
			took, err := s.Record().Since(b.Context(), start)
			must(b, err)
			b.ReportMetric(4*float64(n)*float64(launches)/float64(took), "GB/s")
		})
	}
	must(b, errors.Join(x.Free(), p.Free()))
}
