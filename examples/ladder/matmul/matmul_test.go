package matmul_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
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

// each runs a test for every variant of both types.
func each(t *testing.T, f32 func(*testing.T, *gridstride.Device, matmul.Variant[float32]), f64 func(*testing.T, *gridstride.Device, matmul.Variant[float64])) {
	dev := gputest.Device(t)
	for _, v := range matmul.Variants[float32]() {
		t.Run(v.Name+"/float32", func(t *testing.T) { f32(t, dev, v) })
	}
	for _, v := range matmul.Variants[float64]() {
		t.Run(v.Name+"/float64", func(t *testing.T) { f64(t, dev, v) })
	}
}

// matrix makes one on the device.
func matrix[T matmul.Float](t testing.TB, dev *gridstride.Device, rows, cols int, host []T) matmul.Matrix[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	must(t, err)
	return matmul.Matrix[T]{Rows: rows, Cols: cols, Data: b}
}

// multiply is the product of an m by n matrix and an n by l one. C is NaN before, so that an
// unwritten element shows, and the buffer of C goes on after it, so that a write outside
// shows.
func multiply[T matmul.Float](t testing.TB, dev *gridstride.Device, v matmul.Variant[T], m, n, l int, hostA, hostB []T) []T {
	t.Helper()
	const behind = 300
	before := make([]T, m*l+behind)
	for i := range before {
		before[i] = T(math.NaN())
	}
	plan, err := matmul.NewPlan(dev, v)
	must(t, err)
	a, b, whole := matrix(t, dev, m, n, hostA), matrix(t, dev, n, l, hostB), matrix(t, dev, 1, len(before), before)
	s := dev.Stream()
	if err := plan.Launch(s, a, b, matmul.Matrix[T]{Rows: m, Cols: l, Data: whole.Data.Slice(0, m*l)}); err != nil {
		t.Errorf("%s, %dx%d by %dx%d: %v", v.Name, m, n, n, l, err)
	}
	c, err := whole.Data.Read(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("%s, %dx%d by %dx%d: %v", v.Name, m, n, n, l, err)
	}
	for i, x := range c[m*l:] {
		if x == x {
			t.Errorf("%s, %dx%d by %dx%d: element %d behind C was written", v.Name, m, n, n, l, i)
		}
	}
	must(t, errors.Join(a.Data.Free(), b.Data.Free(), whole.Data.Free()))
	return c[:m*l]
}

// expect holds every element of C to want within off, and names the first wrong one.
func expect[T matmul.Float](t *testing.T, c []T, m, n, l int, want func(row, col int) (value, off float64)) {
	t.Helper()
	for i, got := range c {
		row, col := i/l, i%l
		if value, off := want(row, col); !(math.Abs(float64(got)-value) <= off) {
			t.Errorf("%dx%d by %dx%d: the element at row %d, column %d is %v, want %v within %g", m, n, n, l, row, col, got, value, off)
			return
		}
	}
}

// shapes are sizes around the edges of the tiles, and zeros.
var shapes = [][3]int{
	{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {0, 0, 0}, {1, 1, 1}, {1, 31, 1}, {31, 1, 33}, {33, 1000, 1}, {1, 7, 300},
	{16, 16, 16}, {33, 31, 35}, {31, 8, 9}, {127, 9, 129}, {128, 16, 128}, {130, 33, 5}, {257, 3, 131},
	{12, 36, 260}, {131, 20, 4}, {3, 8, 136}, // rows that begin at multiples of 16 bytes
}

// testExact multiplies small integers, whose products are exact.
func testExact[T matmul.Float](t *testing.T, dev *gridstride.Device, v matmul.Variant[T]) {
	for _, shape := range shapes {
		m, n, l := shape[0], shape[1], shape[2]
		a, b := make([]T, m*n), make([]T, n*l)
		r := rand.New(rand.NewPCG(uint64(m), uint64(l)))
		for i := range a {
			a[i] = T(r.IntN(9) - 4)
		}
		for i := range b {
			b[i] = T(r.IntN(9) - 4)
		}
		c := multiply(t, dev, v, m, n, l, a, b)
		expect(t, c, m, n, l, func(row, col int) (sum, off float64) {
			for k := range n {
				sum += float64(a[row*n+k]) * float64(b[k*l+col])
			}
			return sum, 0
		})
	}
}

func TestExact(t *testing.T) { each(t, testExact[float32], testExact[float64]) }

// testRandom compares random products with a reference, and their bits with the first variant's.
func testRandom[T matmul.Float](t *testing.T, dev *gridstride.Device, v matmul.Variant[T]) {
	testRandomShape(t, dev, v, 45, 67, 39)
	testRandomShape(t, dev, v, 45, 68, 40)
}

func testRandomShape[T matmul.Float](t *testing.T, dev *gridstride.Device, v matmul.Variant[T], m, n, l int) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := make([]T, m*n), make([]T, n*l)
	for i := range a {
		a[i] = T(r.NormFloat64())
	}
	for i := range b {
		b[i] = T(r.NormFloat64())
	}
	c := multiply(t, dev, v, m, n, l, a, b)
	expect(t, c, m, n, l, func(row, col int) (float64, float64) {
		column := make([]T, n)
		for k := range column {
			column[k] = b[k*l+col]
		}
		want, magnitude := accuracy.Dot(a[row*n:][:n], column)
		return want, accuracy.Bound[T](n, n, magnitude)
	})
	first := multiply(t, dev, matmul.Variants[T]()[0], m, n, l, a, b)
	for i := range c {
		if c[i] != first[i] {
			t.Errorf("row %d, column %d: %v, and %v by the first variant", i/l, i%l, c[i], first[i])
			break
		}
	}
}

func TestRandom(t *testing.T) { each(t, testRandom[float32], testRandom[float64]) }

// testRoots multiplies matrices of √2: every element of C is 2N.
func testRoots[T matmul.Float](t *testing.T, dev *gridstride.Device, v matmul.Variant[T]) {
	const m, n, l = 37, 90, 70
	a, b := make([]T, m*n), make([]T, n*l)
	for i := range a {
		a[i] = T(math.Sqrt2)
	}
	for i := range b {
		b[i] = T(math.Sqrt2)
	}
	expect(t, multiply(t, dev, v, m, n, l, a, b), m, n, l, func(row, col int) (float64, float64) { return 2 * n, 2 * n * 1e-5 })
}

func TestRoots(t *testing.T) { each(t, testRoots[float32], testRoots[float64]) }

// TestInfinity has an infinity in the last row of A and the last column of B, next to the zeros
// that fill the tiles: it must stay there.
func TestInfinity(t *testing.T) {
	t.Parallel()
	each(t, testInfinity[float32], testInfinity[float64])
}

func testInfinity[T matmul.Float](t *testing.T, dev *gridstride.Device, v matmul.Variant[T]) {
	const m, n, l = 33, 13, 35
	a, b := make([]T, m*n), make([]T, n*l)
	for i := range a {
		a[i] = 1
	}
	for i := range b {
		b[i] = 1
	}
	a[m*n-1], b[n*l-1] = T(math.Inf(1)), T(math.Inf(1))
	c := multiply(t, dev, v, m, n, l, a, b)
	for i, got := range c {
		want := float64(n)
		if i/l == m-1 || i%l == l-1 {
			want = math.Inf(1)
		}
		if float64(got) != want {
			t.Fatalf("row %d, column %d: %v, want %v", i/l, i%l, got, want)
		}
	}
}

func TestMultiply(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	a, b, c := matrix(t, dev, 2, 3, []float64{1, 2, 3, 4, 5, 6}), matrix(t, dev, 3, 1, []float64{1, 0, -1}), matrix(t, dev, 2, 1, make([]float64, 2))
	must(t, matmul.Multiply(s, a, b, c))
	got, err := c.Data.Read(t.Context(), s, nil)
	if err != nil || got[0] != -2 || got[1] != -2 {
		t.Errorf("%v, %v; want -2, -2", got, err)
	}
	must(t, errors.Join(a.Data.Free(), b.Data.Free(), c.Data.Free()))
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	of := func(rows, cols, size int) matmul.Matrix[float32] {
		m := matrix(t, dev, rows, cols, make([]float32, size))
		t.Cleanup(func() { _ = m.Data.Free() })
		return m
	}
	freed := of(3, 3, 9)
	must(t, freed.Data.Free())
	square := of(3, 3, 9)
	for _, v := range matmul.Variants[float32]() {
		plan, err := matmul.NewPlan(dev, v)
		must(t, err)
		for want, x := range map[string][3]matmul.Matrix[float32]{
			"matmul: A is 3x4 and B 3x3: B must have as many rows as A has columns": {of(3, 4, 12), square, square},
			"matmul: A is 3x3 and B 3x2, so C must be 3x2, not 3x3":                 {square, of(3, 2, 6), square},
			"matmul: B is 3x3, and its buffer has 8 elements":                       {square, of(3, 3, 8), square},
			"matmul: C is -3x3: a matrix has no negative number":                    {square, square, of(-3, 3, 9)},
			"matmul: A is 4294967296x4294967296, and its buffer has 0":              {of(1<<32, 1<<32, 0), square, square},
			"matmul: A is -1x-9: a matrix has no negative":                          {of(-1, -9, 9), square, square},
			"argument 2 (b) cannot be used: ":                                       {square, freed, of(3, 3, 9)},
		} {
			if err := plan.Launch(s, x[0], x[1], x[2]); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", v.Name, err, want)
			}
		}
	}
	must(t, s.Wait(t.Context()))
}

func TestBadVariant(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	for _, test := range []struct {
		variant matmul.Variant[float64]
		want    string
	}{
		{matmul.NaiveBlock[float64](64, 32), "matmul: blocks of 64x32 threads: the device allows 1024x1024, and 1024 in all"},
		{matmul.NaiveBlock[float64](0, 32), "matmul: blocks of 0x32 threads"},
		{matmul.NaiveBlock[float64](math.MaxInt, math.MaxInt), "and 1024 in all"},
		{matmul.Variant[float64]{}, "matmul: the zero Variant is none"},
	} {
		if _, err := matmul.NewPlan(dev, test.variant); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	if _, err := matmul.VariantNamed[float32]("fast"); err == nil || !strings.Contains(err.Error(), `no variant "fast": there are naive-16x16, `) {
		t.Errorf("no such variant: %v", err)
	}
	// A C of more rows than a grid has blocks in its second dimension.
	const rows = 65536 * 4
	a, b, c := matrix(t, dev, rows, 0, []float32{}), matrix(t, dev, 0, 1, []float32{}), matrix(t, dev, rows, 1, make([]float32, rows))
	plan, err := matmul.NewPlan(dev, matmul.NaiveBlock[float32](256, 4))
	must(t, err)
	if err := plan.Launch(dev.Stream(), a, b, c); err == nil || !strings.Contains(err.Error(), "covers with 1x65536 blocks: a grid has at most ") {
		t.Errorf("a grid too high: %v", err)
	}
	must(t, errors.Join(a.Data.Free(), b.Data.Free(), c.Data.Free()))
}

// BenchmarkMultiply is each variant's time on the device.
func BenchmarkMultiply(b *testing.B) {
	dev := open(b)
	n := 128
	if dev.Info().Backend == "cuda" {
		n = 4096
	}
	b.Run("float32", func(b *testing.B) { benchmark[float32](b, dev, n) })
	b.Run("float64", func(b *testing.B) { benchmark[float64](b, dev, n) })
}

func benchmark[T matmul.Float](b *testing.B, dev *gridstride.Device, n int) {
	host := make([]T, n*n)
	for i := range host {
		host[i] = T(i%7) - 3
	}
	x, y, z := matrix(b, dev, n, n, host), matrix(b, dev, n, n, host), matrix(b, dev, n, n, host)
	s := dev.Stream()
	for _, v := range matmul.Variants[T]() {
		b.Run(fmt.Sprintf("%s/%d", v.Name, n), func(b *testing.B) {
			plan, err := matmul.NewPlan(dev, v)
			must(b, err)
			must(b, plan.Launch(s, x, y, z))
			start := s.Record()
			launches := 0
			for b.Loop() {
				must(b, plan.Launch(s, x, y, z))
				launches++
			}
			took, err := s.Record().Since(b.Context(), start)
			must(b, err)
			b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(launches)/float64(took), "GFLOP/s")
		})
	}
	must(b, errors.Join(x.Data.Free(), y.Data.Free(), z.Data.Free()))
}
