package dot_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
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

func copyOf[T any](t testing.TB, dev *gridstride.Device, host []T) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	must(t, err)
	return b
}

// compute is the product of two host vectors by a new plan.
func compute[T dot.Float](t testing.TB, dev *gridstride.Device, v dot.Variant[T], opts dot.Options, a, b []T) float64 {
	t.Helper()
	plan, err := dot.NewPlan(dev, v, len(a), opts)
	must(t, err)
	deviceA, deviceB := copyOf(t, dev, a), copyOf(t, dev, b)
	s := dev.Stream()
	got, err := plan.Dot(t.Context(), s, deviceA, deviceB)
	if err != nil {
		t.Errorf("%s, n %d, %+v: %v", v.Name, len(a), opts, err)
	}
	must(t, errors.Join(deviceA.Free(), deviceB.Free(), plan.Free()))
	return got
}

// each runs a test for every variant of both types.
func each(t *testing.T, f32 func(*testing.T, *gridstride.Device, dot.Variant[float32]), f64 func(*testing.T, *gridstride.Device, dot.Variant[float64])) {
	dev := gputest.Device(t)
	for _, v := range dot.Variants[float32]() {
		t.Run(v.Name+"/float32", func(t *testing.T) { f32(t, dev, v) })
	}
	for _, v := range dot.Variants[float64]() {
		t.Run(v.Name+"/float64", func(t *testing.T) { f64(t, dev, v) })
	}
}

// testExact adds small integers, whose sums are exact in any order: a lost or a doubled element
// shows.
func testExact[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	run := func(n int, opts dot.Options) {
		a, b := make([]T, n), make([]T, n)
		want := 0
		for i := range n {
			a[i], b[i] = T(i%7-3), T(i%5+1)
			want += (i%7 - 3) * (i%5 + 1)
		}
		if got := compute(t, dev, v, opts, a, b); got != float64(want) {
			t.Errorf("n %d, %+v: %v, want %d", n, opts, got, want)
		}
	}
	for _, n := range []int{0, 1, 2, 31, 33, 255, 1000, 4099, 20_001} {
		for _, grid := range []int{0, 1, 3} {
			run(n, dot.Options{Grid: grid})
		}
	}
	for _, block := range []int{1, 2, 31, 32, 33, 64, 100, 128, 512, 1000, 1024} {
		if v.CheckBlock(block) == nil {
			run(33, dot.Options{Block: block})
			run(5003, dot.Options{Block: block, Grid: 2})
		}
	}
}

func TestExact(t *testing.T) { each(t, testExact[float32], testExact[float64]) }

// bound is how far from the exact result a variant may be: the terms of a thread are added one to
// the other, then the threads' sums in a tree, and the blocks' one after the other where this is
// done on the device.
func bound[T dot.Float](v dot.Variant[T], n, threads, blocks int, magnitude float64) float64 {
	k := 1 + n/threads + 64
	if v.OnDevice {
		k += blocks
	}
	return accuracy.Bound[T](k, n, magnitude)
}

// testRandom holds the result for random elements to a reference.
func testRandom[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	for _, n := range []int{33, 1000, 30_011} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		a, b := make([]T, n), make([]T, n)
		for i := range n {
			a[i], b[i] = T(r.NormFloat64()), T(r.NormFloat64())
		}
		want, magnitude := accuracy.Dot(a, b)
		got := compute(t, dev, v, dot.Options{Grid: 5, Block: min(256, v.MaxBlock)}, a, b)
		threads := 5 * 256
		if v.MaxBlock == 1 {
			threads = 1
		}
		if most := bound(v, n, threads, 5, magnitude); !(math.Abs(got-want) <= most) {
			t.Errorf("n %d: %v, want %v: off by %g, and rounding explains %g", n, got, want, math.Abs(got-want), most)
		}
	}
}

func TestRandom(t *testing.T) { each(t, testRandom[float32], testRandom[float64]) }

// testClosed checks products that can be written down: 0, 1, … n-1 with twos is n(n-1), and √2 with
// itself is 2n.
func testClosed[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	const n = 10_007
	ramp, twos, roots := make([]T, n), make([]T, n), make([]T, n)
	for i := range n {
		ramp[i], twos[i], roots[i] = T(i), 2, T(math.Sqrt2)
	}
	want := float64(n * (n - 1))
	most := bound(v, n, v.MaxBlock, 40, want) // a single thread rounds n times, the others less often
	if accuracy.Unit[T]() == 0x1p-53 {
		most = 0 // integers
	}
	if got := compute(t, dev, v, dot.Options{}, ramp, twos); !(math.Abs(got-want) <= most) {
		t.Errorf("0 to n-1 with twos: %v, want %v within %g", got, want, most)
	}
	if got := compute(t, dev, v, dot.Options{}, roots, roots); math.Abs(got-2*n)/(2*n) > 1e-5 {
		t.Errorf("√2 with √2: %v, want %v", got, 2*n)
	}
}

func TestClosedForms(t *testing.T) { each(t, testClosed[float32], testClosed[float64]) }

// testRepeat computes with one plan again and again, with vectors of several lengths and views that
// start in the middle of a 16-byte vector: no state passes from one product to the next, no memory
// is allocated, and the bits are the same each time.
func testRepeat[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	const n = 9001
	r := rand.New(rand.NewPCG(5, 6))
	hostA, hostB := make([]T, n), make([]T, n)
	for i := range n {
		hostA[i], hostB[i] = T(r.IntN(2000)-1000), T(r.IntN(2000)-1000)
	}
	a, b := copyOf(t, dev, hostA), copyOf(t, dev, hostB)
	plan, err := dot.NewPlan(dev, v, n, dot.Options{})
	must(t, err)
	s := dev.Stream()
	used := dev.Usage()
	type cut struct{ fromA, fromB, n int }
	first := map[cut]float64{}
	for range 2 {
		for _, c := range []cut{{0, 0, n}, {0, 0, 100}, {1, 1, n - 1}, {4, 0, 5000}, {3, 2, 7000}, {n, n, 0}, {n - 1, 0, 1}} {
			got, err := plan.Dot(t.Context(), s, a.Slice(c.fromA, c.fromA+c.n), b.Slice(c.fromB, c.fromB+c.n))
			must(t, err)
			want, magnitude := accuracy.Dot(hostA[c.fromA:c.fromA+c.n], hostB[c.fromB:c.fromB+c.n])
			if most := accuracy.Bound[T](n, 0, magnitude); !(math.Abs(got-want) <= most) {
				t.Errorf("%+v: %v, want %v", c, got, want)
			}
			if before, again := first[c]; again && math.Float64bits(got) != math.Float64bits(before) && v.Name != "atomic" {
				t.Errorf("%+v: %v, and %v the second time", c, before, got)
			}
			first[c] = got
		}
	}
	if now := dev.Usage(); now != used {
		t.Errorf("the device's buffers went from %+v to %+v", used, now)
	}
	must(t, plan.Launch(s, a, b))
	if left := plan.Left().Len(); (v.OnDevice || v.MaxBlock == 1) != (left == 1) {
		t.Errorf("OnDevice is %v, and %d numbers are left", v.OnDevice, left)
	}
	must(t, s.Wait(t.Context()))
	must(t, errors.Join(a.Free(), b.Free(), plan.Free()))
}

func TestRepeat(t *testing.T) { each(t, testRepeat[float32], testRepeat[float64]) }

// testSpecial gives what Go's own sum gives for infinities and NaN.
func testSpecial[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	inf := math.Inf(1)
	for _, test := range []struct {
		x    float64
		want float64
	}{{inf, inf}, {-inf, -inf}, {math.NaN(), math.NaN()}} {
		a, b := make([]T, 1000), make([]T, 1000)
		for i := range a {
			a[i], b[i] = 1, 1
		}
		a[500] = T(test.x)
		if got := compute(t, dev, v, dot.Options{}, a, b); got != test.want && !(got != got && test.want != test.want) {
			t.Errorf("with one %v: %v", test.x, got)
		}
	}
}

func TestSpecial(t *testing.T) { each(t, testSpecial[float32], testSpecial[float64]) }

func TestDot(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	a, b := copyOf(t, dev, []float64{1, 2, 3}), copyOf(t, dev, []float64{4, -5, 6})
	if got, err := dot.Dot(t.Context(), dev.Stream(), a, b); err != nil || got != 12 {
		t.Errorf("%v, %v; want 12", got, err)
	}
	must(t, errors.Join(a.Free(), b.Free()))
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	a, b := copyOf(t, dev, make([]float32, 5)), copyOf(t, dev, make([]float32, 7))
	freed := copyOf(t, dev, make([]float32, 5))
	must(t, freed.Free())
	for _, v := range dot.Variants[float32]() {
		plan, err := dot.NewPlan(dev, v, 6, dot.Options{})
		must(t, err)
		for want, pair := range map[string][2]gridstride.Buffer[float32]{
			"dot: a has 5 elements and b 7":          {a, b},
			"dot: 7 elements, and the plan is for 6": {b, b},
			"was freed at":                           {a, freed},
			"argument 1 (a":                          {freed, a},
		} {
			if _, err := plan.Dot(t.Context(), s, pair[0], pair[1]); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", v.Name, err, want)
			}
		}
		if got, err := plan.Dot(t.Context(), s, a, a); err != nil || got != 0 {
			t.Errorf("%s after bad input: %v, %v", v.Name, got, err)
		}
		must(t, plan.Free())
		if _, err := plan.Dot(t.Context(), s, a, a); !errors.Is(err, gridstride.ErrFreed) {
			t.Errorf("%s, plan freed: %v", v.Name, err)
		}
	}
	must(t, errors.Join(a.Free(), b.Free()))
}

func TestBadPlan(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	used := dev.Usage()
	for _, test := range []struct {
		variant string
		n       int
		opts    dot.Options
		want    string
	}{
		{"vector", -1, dot.Options{}, "dot: -1 elements: a vector has no negative length"},
		{"products", 1 << 62, dot.Options{}, "elements"},
		{"vector", 1, dot.Options{Block: 128}, "dot: blocks of 128 threads: the variant vector has blocks of 256"},
		{"divergent", 1, dot.Options{Block: 96}, "takes a power of two, 1 to 1024"},
		{"lastwarp", 1, dot.Options{Block: 32}, "takes a power of two, 64 to 1024"},
		{"shuffle", 1, dot.Options{Block: 1025}, "takes 1 to 1024"},
		{"shuffle", 1, dot.Options{Block: -1}, "takes 1 to 1024"},
		{"shuffle", 1, dot.Options{Grid: -1}, "dot: a grid of -1 blocks: want 1 to "},
		{"fast", 1, dot.Options{}, `dot: no variant "fast": there are products, single, `},
	} {
		v, err := dot.VariantNamed[float64](test.variant)
		if err == nil {
			_, err = dot.NewPlan(dev, v, test.n, test.opts)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, n %d, %+v: error %v, want %q", test.variant, test.n, test.opts, err, test.want)
		}
	}
	if _, err := dot.NewPlan(dev, dot.Variant[float32]{}, 1, dot.Options{}); err == nil {
		t.Error("the zero Variant makes a plan")
	}
	if now := dev.Usage(); now != used {
		t.Errorf("plans that fail leave %+v", now)
	}
}

// BenchmarkDot is each variant's time on the device, from launch to result on the device or the
// blocks' sums.
func BenchmarkDot(b *testing.B) {
	dev := open(b)
	n := 1 << 18
	if dev.Info().Backend == "cuda" {
		n = 1 << 28
	}
	host := make([]float32, n)
	for i := range host {
		host[i] = float32(i%7 - 3)
	}
	x, y := copyOf(b, dev, host), copyOf(b, dev, host)
	s := dev.Stream()
	for _, v := range dot.Variants[float32]() {
		n := n
		if v.MaxBlock == 1 {
			n = min(n, 1<<20) // one thread would take minutes for all
		}
		x, y := x.Slice(0, n), y.Slice(0, n)
		b.Run(fmt.Sprintf("%s/%d", v.Name, n), func(b *testing.B) {
			plan, err := dot.NewPlan(dev, v, n, dot.Options{})
			must(b, err)
			for range 3 {
				must(b, plan.Launch(s, x, y))
			}
			start := s.Record()
			launches := 0
			for b.Loop() {
				must(b, plan.Launch(s, x, y))
				launches++
			}
			took, err := s.Record().Since(b.Context(), start)
			must(b, err)
			b.ReportMetric(8*float64(n)*float64(launches)/float64(took), "GB/s")
			must(b, plan.Free())
		})
	}
	must(b, errors.Join(x.Free(), y.Free()))
}
