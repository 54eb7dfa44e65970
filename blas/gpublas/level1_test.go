package gpublas_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bench is a device with a handle and a buffer for results.
type bench[T gpublas.Float] struct {
	testing.TB
	dev *gridstride.Device
	h   *gpublas.Handle
}

func newBench[T gpublas.Float](t testing.TB, dev *gridstride.Device) *bench[T] {
	t.Helper()
	h, err := gpublas.New(dev.Stream())
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return &bench[T]{t, dev, h}
}

// buffer is a copy of host on the device, as long as the test runs.
func (b *bench[T]) buffer(host []T) gridstride.Buffer[T] {
	b.Helper()
	x, err := gridstride.CopyOf(b.dev, host)
	must(b, err)
	b.Cleanup(func() { must(b, x.Free()) })
	return x
}

func (b *bench[T]) read(x gridstride.Buffer[T]) []T {
	b.Helper()
	host, err := x.Read(b.Context(), b.h.Stream(), nil)
	must(b, err)
	return host
}

// guard is the value before, between and after the elements of a vector.
const guard = 77

// layout is the layout of a vector in its buffer.
type layout struct{ n, offset, inc int }

func (l layout) String() string { return fmt.Sprintf("%d from %d by %d", l.n, l.offset, l.inc) }

// span is the number of elements from the first to the last.
func (l layout) span() int { return max(l.n-1, 0)*max(l.inc, -l.inc) + min(l.n, 1) }

// place writes the elements of x where the layout has them.
func place[T gpublas.Float](l layout, x []T) []T {
	data := make([]T, l.offset+l.span()+3)
	for i := range data {
		data[i] = guard
	}
	at := l.offset
	if l.inc < 0 {
		at += (1 - l.n) * l.inc
	}
	for i := range l.n {
		data[at+i*l.inc] = x[i]
	}
	return data
}

func vectorAt[T gpublas.Float](l layout, x gridstride.Buffer[T]) gpublas.Vector[T] {
	return gpublas.Vector[T]{Data: x.Slice(l.offset, l.offset+l.span()), N: l.n, Inc: l.inc}
}

// layouts are pairs of vectors: short and of several blocks, at the begin of 16 bytes and not, and
// with increments.
var layouts = [][2]layout{
	{{0, 0, 1}, {0, 1, -2}}, {{1, 0, 1}, {1, 3, -1}}, {{31, 0, 1}, {31, 0, 1}}, {{33, 1, 1}, {33, 1, 1}},
	{{33, 3, 1}, {33, 2, 1}}, {{5, 2, 1}, {5, 2, 1}}, {{31, 1, -1}, {31, 0, 1}}, {{300, 0, 2}, {300, 1, -3}},
	{{12290, 3, 1}, {12290, 3, 1}}, {{5000, 1, 1}, {5000, 0, 1}},
	{{3100, 2, 2}, {3100, 0, -1}},
}

// integers are random, and so small that no sum of them is rounded.
func integers[T gpublas.Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.IntN(15) - 7)
	}
	return x
}

func TestSums(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testSums[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testSums[float64](t, dev) })
}

// testSums compares with the host's functions.
func testSums[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(1, 1))
	for _, l := range append(layouts, [2]layout{{16390, 0, 1}, {0, 0, 1}}, [2]layout{{16384 + 9, 1, 1}, {0, 0, 1}}) {
		hostX, hostY := integers[T](r, l[0].n), integers[T](r, l[1].n)
		x, y := vectorAt(l[0], b.buffer(place(l[0], hostX))), vectorAt(l[1], b.buffer(place(l[1], hostY)))
		same := func(what string, got T, err error, want T) {
			t.Helper()
			if must(t, err); got != want {
				t.Errorf("%s of %v and %v is %v, want %v", what, l[0], l[1], got, want)
			}
		}
		if l[0].n == l[1].n {
			got, err := gpublas.Dot(t.Context(), b.h, x, y)
			same("Dot", got, err, blas.Dot(hostX, hostY))
			got, err = gpublas.DotExact(t.Context(), b.h, x, y)
			same("DotExact", got, err, blas.DotExact(hostX, hostY))
		}
		got, err := gpublas.Sum(t.Context(), b.h, x)
		same("Sum", got, err, blas.Sum(hostX))
		got, err = gpublas.SumSquares(t.Context(), b.h, x)
		same("SumSquares", got, err, blas.SumSquares(hostX))
		got, err = gpublas.Asum(t.Context(), b.h, x)
		same("Asum", got, err, blas.Asum(hostX))
		got, err = gpublas.Nrm2(t.Context(), b.h, x)
		same("Nrm2", got, err, blas.Nrm2(hostX))
	}
}

func TestExtrema(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testExtrema[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testExtrema[float64](t, dev) })
}

// testExtrema compares with the host's functions: vectors with several elements as large, with
// zeros of both signs, and with NaN.
func testExtrema[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(2, 2))
	nan, negative := T(math.NaN()), T(math.Copysign(0, -1))
	type one struct {
		l layout
		x []T
	}
	all := []one{
		{layout{3, 1, 1}, []T{0, negative, 0}}, {layout{3, 0, -1}, []T{negative, 0, negative}},
		{layout{4, 0, 1}, []T{1, nan, -2, nan}}, {layout{2, 0, 1}, []T{nan, 5}}, {layout{9, 3, 1}, []T{4, 4, 4, 4, 4, 4, 4, 4, 4}},
		{layout{5, 2, 3}, []T{T(math.Inf(1)), 1, T(math.Inf(-1)), 0, T(math.Inf(1))}},
	}
	for _, n := range []int{1, 33, 1000, 16384 + 11} {
		l := layout{n, n % 4, 1}
		if n == 1000 {
			l.inc = -2
		}
		all = append(all, one{l, integers[T](r, n)})
		withNaN := integers[T](r, n)
		withNaN[r.IntN(n)], withNaN[r.IntN(n)] = nan, nan
		all = append(all, one{l, withNaN})
	}
	for _, c := range all {
		x := vectorAt(c.l, b.buffer(place(c.l, c.x)))
		for name, f := range map[string][2]func() (int, error){
			"ArgMin": {func() (int, error) { return gpublas.ArgMin(t.Context(), b.h, x) }, func() (int, error) { return blas.ArgMin(c.x), nil }},
			"ArgMax": {func() (int, error) { return gpublas.ArgMax(t.Context(), b.h, x) }, func() (int, error) { return blas.ArgMax(c.x), nil }},
			"Iamax":  {func() (int, error) { return gpublas.Iamax(t.Context(), b.h, x) }, func() (int, error) { return blas.Iamax(c.x), nil }},
		} {
			got, err := f[0]()
			must(t, err)
			if want, _ := f[1](); got != want {
				t.Errorf("%s of %v is %d, want %d", name, c.l, got, want)
			}
		}
		least, err1 := gpublas.Min(t.Context(), b.h, x)
		most, err2 := gpublas.Max(t.Context(), b.h, x)
		must(t, errors.Join(err1, err2))
		if !same(least, slices.Min(c.x)) || !same(most, slices.Max(c.x)) { // by the built-in min and max
			t.Errorf("Min and Max of %v are %v and %v, want %v and %v", c.l, least, most, slices.Min(c.x), slices.Max(c.x))
		}
	}
	empty := gpublas.Vector[T]{Inc: 1}
	for _, f := range []func() (int, error){
		func() (int, error) { return gpublas.ArgMin(t.Context(), b.h, empty) },
		func() (int, error) { return gpublas.ArgMax(t.Context(), b.h, empty) },
		func() (int, error) { return gpublas.Iamax(t.Context(), b.h, empty) },
	} {
		if at, err := f(); at != -1 || err != nil {
			t.Errorf("the place in an empty vector is %d, %v", at, err)
		}
	}
}

// same reports that two numbers have the same bits, or are both NaN.
func same[T gpublas.Float](a, b T) bool {
	return a == b && math.Signbit(float64(a)) == math.Signbit(float64(b)) || a != a && b != b
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testUpdates[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testUpdates[float64](t, dev) })
}

// testUpdates compares with the host's functions, including the elements around the vectors.
func testUpdates[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(3, 3))
	rotation := b.buffer([]T{0.5, -2})
	for _, l := range layouts {
		n, nan := l[0].n, T(math.NaN())
		for _, c := range []struct {
			name   string
			device func(x, y gpublas.Vector[T]) error
			host   func(x, y []T)
		}{
			{"Axpy", func(x, y gpublas.Vector[T]) error { return gpublas.Axpy(b.h, 3, x, y) }, func(x, y []T) { blas.AxpyInc(n, 3, x, l[0].inc, y, l[1].inc) }},
			{"Scal", func(x, _ gpublas.Vector[T]) error { return gpublas.Scal(b.h, -2, x) }, func(x, _ []T) { blas.ScalInc(n, -2, x, l[0].inc) }},
			{"Copy", func(x, y gpublas.Vector[T]) error { return gpublas.Copy(b.h, x, y) }, func(x, y []T) { blas.CopyInc(n, x, l[0].inc, y, l[1].inc) }},
			{"Swap", func(x, y gpublas.Vector[T]) error { return gpublas.Swap(b.h, x, y) }, func(x, y []T) { blas.SwapInc(n, x, l[0].inc, y, l[1].inc) }},
			{"Rot", func(x, y gpublas.Vector[T]) error { return gpublas.Rot(b.h, x, y, 0.5, -2) }, func(x, y []T) { blas.RotInc(n, x, l[0].inc, y, l[1].inc, 0.5, -2) }},
			{"RotBy", func(x, y gpublas.Vector[T]) error { return gpublas.RotBy(b.h, x, y, rotation) }, func(x, y []T) { blas.RotInc(n, x, l[0].inc, y, l[1].inc, 0.5, -2) }},
			{"Scal by 0", func(x, _ gpublas.Vector[T]) error { return gpublas.Scal(b.h, 0, x) }, func(x, _ []T) { blas.ScalInc(n, 0, x, l[0].inc) }},
		} {
			values := integers[T](r, n)
			if n > 3 && c.name == "Scal by 0" {
				values[2] = nan
			}
			hostX, hostY := place(l[0], values), place(l[1], integers[T](r, n))
			x, y := b.buffer(hostX), b.buffer(hostY)
			must(t, c.device(vectorAt(l[0], x), vectorAt(l[1], y)))
			c.host(hostX[l[0].offset:], hostY[l[1].offset:])
			if !slices.Equal(b.read(x), hostX) || !slices.Equal(b.read(y), hostY) {
				t.Errorf("%s of %v and %v differs from the host's", c.name, l[0], l[1])
			}
		}
	}
}

// TestNrm2 has squares that are too large or too small for their type.
func TestNrm2(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	b32, b64 := newBench[float32](t, dev), newBench[float64](t, dev)
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range [][]float64{
		{3e30, 4e30}, {3e-30, 4e-30}, {3e30, 4e-30, 1}, {1e-30, 1}, {3e300, -4e300}, {3e-310, 4e-310}, {1e-160, 1e-160, 1},
		{0, 0}, {inf, 1}, {-inf, 1e-310}, {nan, 1}, {1e300, nan}, {1e-300, nan}, {5e-324}, {1e19, 1e19}, {-1e-19, 1e-19},
	} {
		got, err := gpublas.Nrm2(t.Context(), b64.h, gpublas.VectorOf(b64.buffer(x)))
		must(t, err)
		if want := blas.Nrm2(x); math.Abs(got-want) > 1e-15*want && !same(got, want) {
			t.Errorf("Nrm2 of %v is %v, want %v", x, got, want)
		}
		y := make([]float32, len(x))
		for i, v := range x {
			y[i] = float32(v)
		}
		got32, err := gpublas.Nrm2(t.Context(), b32.h, gpublas.VectorOf(b32.buffer(y)))
		must(t, err)
		if want := blas.Nrm2(y); math.Abs(float64(got32-want)) > 3e-7*float64(want) && !same(got32, want) {
			t.Errorf("Nrm2 of %v is %v, want %v", y, got32, want)
		}
	}
}

func TestDotExact(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testDotExact[float32](t, dev, 0x1p-23) })
	t.Run("float64", func(t *testing.T) { testDotExact[float64](t, dev, 0x1p-52) })
	b := newBench[float64](t, dev)
	huge := gpublas.VectorOf(b.buffer([]float64{1e300, 1}))
	if got, err := gpublas.DotExact(t.Context(), b.h, huge, huge); err != nil || !math.IsInf(got, 1) {
		t.Errorf("DotExact is %v, %v, want +Inf", got, err)
	}
}

// testDotExact holds the error to its bound, for sums that cancel to almost nothing: the host's
// function has the same bound.
func testDotExact[T gpublas.Float](t *testing.T, dev *gridstride.Device, eps float64) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(4, 4))
	worse := 0
	for _, n := range []int{3, 33, 1001, 12291} {
		x, y := cancelling[T](r, n, eps)
		want, size := float64(blas.DotExact(x, y)), 0.0
		for i := range x {
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		bound := 2 * (eps*math.Abs(want) + float64(n)*float64(n)*eps*eps*size)
		vx, vy := gpublas.VectorOf(b.buffer(x)), gpublas.VectorOf(b.buffer(y))
		got, err1 := gpublas.DotExact(t.Context(), b.h, vx, vy)
		plain, err2 := gpublas.Dot(t.Context(), b.h, vx, vy)
		must(t, errors.Join(err1, err2))
		if err := math.Abs(float64(got) - want); err > bound {
			t.Errorf("%d elements: DotExact is %v, want %v, %g is allowed", n, got, want, bound)
		}
		if math.Abs(float64(plain)-want) > bound {
			worse++
		}
	}
	if worse == 0 {
		t.Error("Dot is as good: the sums do not cancel")
	}
}

// cancelling are vectors whose second half cancels the first, except for a little.
func cancelling[T gpublas.Float](r *rand.Rand, n int, eps float64) (x, y []T) {
	x, y = make([]T, n), make([]T, n)
	for i := range x {
		x[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))
		y[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))
		if i >= (n+1)/2 {
			j := i - (n+1)/2
			x[i], y[i] = -x[j], y[j]*T(1+4*eps)
		}
	}
	return x, y
}

func TestRotg(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testRotg[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testRotg[float64](t, dev) })
}

func testRotg[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b := newBench[T](t, dev)
	out := b.buffer(make([]T, 5))
	for _, p := range [][2]T{{3, 4}, {-4, 3}, {0, 2}, {2, 0}, {1e30, -1e30}, {1e-40, 1e-40}, {0, 0}, {5, -7}} {
		must(t, gpublas.Rotg(b.h, b.buffer(p[:1]), b.buffer(p[1:]), out))
		c, s, r, z := blas.Rotg(p[0], p[1])
		if got, want := b.read(out), []T{c, s, r, z, 0}; !slices.Equal(got, want) {
			t.Errorf("Rotg%v is %v, want %v", p, got, want)
		}
	}
}
