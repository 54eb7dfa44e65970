package gpumetric_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bench is a device with a handle.
type bench[T gpublas.Float] struct {
	testing.TB
	dev *gridstride.Device
	h   *gpumetric.Handle
}

func newBench[T gpublas.Float](t testing.TB, dev *gridstride.Device) *bench[T] {
	t.Helper()
	h, err := gpumetric.New(dev.Stream())
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

// form is a metric on the device and on the host.
type form[T gpublas.Float] struct {
	metric gpumetric.Metric
	host   func(x, y []T) T
}

func forms[T gpublas.Float]() []form[T] {
	return []form[T]{
		{gpumetric.MSE, metric.MSE[T]},
		{gpumetric.RMSE, metric.RMSE[T]},
		{gpumetric.MAE, metric.MAE[T]},
		{gpumetric.SquaredEuclidean, metric.SquaredEuclidean[T]},
		{gpumetric.Euclidean, metric.Euclidean[T]},
		{gpumetric.Manhattan, metric.Manhattan[T]},
		{gpumetric.Chebyshev, metric.Chebyshev[T]},
		{gpumetric.CosineSimilarity, metric.CosineSimilarity[T]},
		{gpumetric.CosineDistance, metric.CosineDistance[T]},
		{gpumetric.Pearson, metric.Pearson[T]},
	}
}

// near reports that both are equal up to rounding.
func near[T gpublas.Float](got, want T) bool {
	return got == want || got != got && want != want || math.Abs(float64(got-want)) <= rounding[T]()*math.Abs(float64(want))
}

func rounding[T gpublas.Float]() float64 {
	if T(1)+1e-8 != 1 {
		return 1e-10
	}
	return 2e-5
}

// near reports that both are equal up to rounding, which for numbers in [-1, 1] is relative to 1,
// or that the host's is not defined: the correlation of one element, and of squares out of range.
func (f form[T]) near(got, want T, x []T) bool {
	switch f.metric {
	case gpumetric.Pearson:
		if len(x) == 1 || len(x) > 1 && T(1)+1e-8 != 1 && x[0] != 0 && x[0]*x[0] == 0 {
			return true
		}
		fallthrough
	case gpumetric.CosineSimilarity, gpumetric.CosineDistance:
		return math.Abs(float64(got-want)) < rounding[T]() || near(got, want)
	}
	return near(got, want)
}

// special are pairs of vectors that the definitions speak of.
func special[T gpublas.Float]() [][2][]T {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	all := [][2][]T{
		{{1, 2, 3, 4}, {1, 0, 3, 8}}, {{3, 4}, {4, 3}}, {{1, 2}, {-2, -4}}, {{1, 2, 3, 4}, {1, 3, 2, 4}}, {{5}, {7}},
		{nil, nil}, {{0, 0}, {1, 2}}, {{0, 0}, {0, 0}}, {{1, 1}, {1, 2}}, {{2, 2, 2}, {3, 3, 3}}, {{1, 2, 4}, {1, 2, 4}},
		{{1, nan}, {1, 1}}, {{nan, 1, 5}, {1, 1, 1}}, {{nan, 0}, {0, 0}}, {{1, inf}, {1, 1}}, {{inf, 1}, {inf, 1}}, {{inf, 1}, {0, 0}},
		{{inf, 1}, {-inf, 1}}, {{nan, 1}, {inf, 1}},
		{{3e30, 4e30}, {4e30, 3e30}}, {{3e-30, 4e-30}, {4e30, 3e30}}, {{3e30, 0}, {0, 4e30}}, {{3e-30, 0}, {0, 4e-30}},
		{{3e30, 3e-30}, {3e30, -1e-30}}, {{1e-30, -1e-30, 0}, {2e-30, -2e-30, 0}}, {{0, 0}, {3e30, nan}}, {{2e38, 0}, {-1e38, 1e38}}, {{3e38, 3e38}, {0, 0}},
	}
	if T(1)+1e-8 != 1 {
		large, small := T(1), T(1)
		for range 1000 {
			large, small = large*2, small/2
		}
		all = append(all[:9], [2][]T{{3 * large, 4 * large}, {4 * large, 3 * large}}, [2][]T{{3 * small, 4 * small}, {4, 3}},
			[2][]T{{large * 1e7, 0}, {-large * 1e7, 0}}, [2][]T{{3 * small, 0}, {0, 4 * small}})
	}
	return all
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testMetrics[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testMetrics[float64](t, dev) })
}

// testMetrics compares with the host's functions on the same vectors.
func testMetrics[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(1, 1))
	all := special[T]()
	for _, n := range []int{33, 9001} {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(r.NormFloat64() + 100)
			y[i] = x[i]/2 + T(r.NormFloat64())
		}
		all = append(all, [2][]T{x, y})
	}
	for _, pair := range all {
		x, y := gpublas.VectorOf(b.buffer(pair[0])), gpublas.VectorOf(b.buffer(pair[1]))
		shown := pair[0][:min(len(pair[0]), 4)]
		for _, f := range forms[T]() {
			got, err := gpumetric.Between(t.Context(), b.h, f.metric, x, y)
			must(t, err)
			if want := f.host(pair[0], pair[1]); !f.near(got, want, pair[0]) {
				t.Errorf("%v of %d elements %v is %v, want %v", f.metric, x.N, shown, got, want)
			}
		}
		got, err := gpumetric.Compare(t.Context(), b.h, x, y)
		must(t, err)
		want := metric.Compare(pair[0], pair[1])
		if got.N != want.N || !near(got.Dot, want.Dot) || !near(got.SquaredNormX, want.SquaredNormX) || !near(got.MSE(), want.MSE()) ||
			!near(got.SquaredNormY, want.SquaredNormY) || !near(got.MAE(), want.MAE()) {
			t.Errorf("Compare of %d elements %v is %v, want %v", x.N, shown, got, want)
		}
		norm, err := gpumetric.SquaredNorm(t.Context(), b.h, x)
		if must(t, err); !near(norm, metric.SquaredNorm(pair[0])) {
			t.Errorf("SquaredNorm of %v is %v", shown, norm)
		}
	}
}

// TestPearsonShift has a first element that is far from the others, whose mean is large.
func TestPearsonShift(t *testing.T) {
	t.Parallel()
	b, r := newBench[float32](t, gputest.Device(t)), rand.New(rand.NewPCG(3, 3))
	x, y := make([]float32, 5000), make([]float32, 5000)
	for i := range x {
		x[i] = 10000 + float32(r.IntN(3))
		y[i] = 20000 - x[i]
	}
	x[0], y[0] = 0, 20000
	got, err := gpumetric.Between(t.Context(), b.h, gpumetric.Pearson, gpublas.VectorOf(b.buffer(x)), gpublas.VectorOf(b.buffer(y)))
	if must(t, err); got > -0.999999 {
		t.Errorf("the correlation is %v, want -1", got)
	}
}

// TestStrided takes a column of one matrix and a row of another.
func TestStrided(t *testing.T) {
	t.Parallel()
	b := newBench[float64](t, gputest.Device(t))
	x, y := []float64{1, 9, 2, 9, 3, 9}, []float64{9, 3, 9, 2, 9, 1}
	got, err := gpumetric.Between(t.Context(), b.h, gpumetric.CosineSimilarity, gpublas.MatrixOf(3, 2, b.buffer(x)).Col(0),
		gpublas.Vector[float64]{Data: b.buffer(y).Slice(1, 6), N: 3, Inc: -2})
	if must(t, err); math.Abs(got-1) > 1e-15 {
		t.Errorf("the cosine is %v, want 1", got)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testRows[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testRows[float64](t, dev) })
}

// testRows compares with the host's functions: short and long rows, one row with all, the unchanged
// elements after the results, and rows with NaN and squares out of range.
func testRows[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(2, 2))
	for _, size := range [][3]int{{0, 3, 3}, {1, 0, 1}, {9, 1, 1}, {33, 31, 32}, {5, 130, 131}, {3, 2100, 2100}} {
		rows, cols, stride := size[0], size[1], size[2]
		hostX, hostY := make([]T, rows*stride), make([]T, rows*stride)
		for i := range hostX {
			hostX[i], hostY[i] = T(r.NormFloat64()), T(r.NormFloat64())
		}
		if rows > 3 {
			hostX[stride], hostX[2*stride] = T(math.NaN()), 3e30
			for j := range cols {
				hostY[3*stride+j] *= 1e-25
			}
		}
		x := blas.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: hostX}
		y := blas.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: hostY}
		devX := gpublas.Matrix[T]{Data: b.buffer(hostX), Rows: rows, Cols: cols, Stride: stride}
		devY := gpublas.Matrix[T]{Data: b.buffer(hostY), Rows: rows, Cols: cols, Stride: stride}
		for _, f := range forms[T]() {
			for _, one := range []bool{false, true} {
				y, devY := y, devY
				if one && rows > 0 {
					y, devY = y.Slice(0, 1, 0, cols), devY.Slice(0, 1, 0, cols)
				}
				out, want := b.buffer(slices.Repeat([]T{-7}, rows+2)), slices.Repeat([]T{-7}, rows+2)
				must(t, gpumetric.Rows(b.h, f.metric, devX, devY, out))
				metric.Rows(f.host, x, y, want[:rows])
				got, err := out.Read(t.Context(), b.h.Stream(), nil)
				must(t, err)
				for i := range got {
					if i >= rows && got[i] != want[i] || i < rows && !f.near(got[i], want[i], x.Row(i)) {
						t.Errorf("%v of row %d of %v is %v, want %v", f.metric, i, size, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestPairs compares all pairs with the host's: near and far rows, equal ones, rows of zeros, and
// rows whose squares are out of range.
func TestPairs(t *testing.T) {
	t.Parallel()
	b, r := newBench[float32](t, gputest.Device(t)), rand.New(rand.NewPCG(4, 4))
	const m, n, k = 6, 70, 33
	x, y := blas.MatrixOf[float32](m, k, nil), blas.MatrixOf[float32](n, k, nil)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	for i := range y.Data {
		y.Data[i] = float32(r.NormFloat64())
	}
	copy(y.Row(3), x.Row(5)) // equal rows
	copy(y.Row(64), x.Row(5))
	y.Row(64)[7] += 0.001 // close rows
	clear(x.Row(2))
	clear(y.Row(9))
	for i := range k {
		y.Row(11)[i] *= 1e30
		y.Row(12)[i] *= 1e-30
	}
	devX, devY := gpublas.MatrixOf(m, k, b.buffer(x.Data)), gpublas.MatrixOf(n, k, b.buffer(y.Data))
	for _, c := range []struct {
		name   string
		device func(h *gpumetric.Handle, x, y, out gpublas.Matrix[float32]) error
		host   func(x, y []float32) float32
	}{
		{"Dot", gpumetric.DotPairs[float32], blas.Dot[float32]},
		{"CosineSimilarity", gpumetric.CosineSimilarityPairs[float32], metric.CosineSimilarity[float32]},
		{"CosineDistance", gpumetric.CosineDistancePairs[float32], metric.CosineDistance[float32]},
		{"SquaredEuclidean", gpumetric.SquaredEuclideanPairs[float32], metric.SquaredEuclidean[float32]},
		{"Euclidean", gpumetric.EuclideanPairs[float32], metric.Euclidean[float32]},
	} {
		out := gpublas.Matrix[float32]{Data: b.buffer(slices.Repeat([]float32{-7}, m*(n+1))), Rows: m, Cols: n, Stride: n + 1}
		must(t, c.device(b.h, devX, devY, out))
		got, err := out.Data.Read(t.Context(), b.h.Stream(), nil)
		must(t, err)
		for i := range m {
			for j := range n {
				got, want := float64(got[i*(n+1)+j]), float64(c.host(x.Row(i), y.Row(j)))
				size := 1e-5 // of rounding, for a sum of k products of numbers of the size of 1
				switch {
				case j == 11 && c.name == "Dot":
					size *= 1e30
				case c.name == "SquaredEuclidean" || c.name == "Euclidean":
					size *= want
				}
				if math.Abs(got-want) > 3*size && got != want {
					t.Errorf("%s of rows %d and %d is %v, want %v", c.name, i, j, got, want)
				}
			}
			if got[i*(n+1)+n] != -7 {
				t.Errorf("%s writes behind row %d", c.name, i)
			}
		}
	}
	if err := gpumetric.EuclideanPairs(b.h, devX, devY, gpublas.MatrixOf(n, m, devY.Data)); !errors.Is(err, gpublas.ErrShape) {
		t.Errorf("error %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	data := b.buffer(make([]float32, 12))
	v := func(n, inc int) gpublas.Vector[float32] { return gpublas.Vector[float32]{Data: data, N: n, Inc: inc} }
	m := func(rows, cols int) gpublas.Matrix[float32] { return gpublas.MatrixOf(rows, cols, data.Slice(0, 6)) }
	_, err := gpumetric.Between(t.Context(), b.h, gpumetric.MSE, v(3, 1), v(4, 1))
	for _, c := range []struct {
		err, kind error
		text      string
	}{
		{err, gpublas.ErrShape, "gpumetric: MSE: x has 3 elements and y has 4"},
		{gpumetric.BetweenTo(b.h, gpumetric.Pearson, v(3, 0), v(3, 1), data), gpublas.ErrIncrement, "gpumetric: Pearson: the increment of x is 0"},
		{gpumetric.CompareTo(b.h, v(3, 1), v(3, 1), data.Slice(0, 4)), gpublas.ErrShort, "gpumetric: Compare: the buffer for the result has 4 elements, too few for 5"},
		{gpumetric.Rows(b.h, gpumetric.MAE, m(2, 3), m(3, 2), data), gpublas.ErrShape, "gpumetric: Rows: a is 2 x 3 and b is 3 x 2"},
		{gpumetric.Rows(b.h, gpumetric.MAE, m(3, 3), m(3, 3), data), gpublas.ErrShort, "the buffer of a has 6 elements, too few for 3 x 3 with a stride of 3"},
		{gpumetric.Rows(b.h, gpumetric.MAE, m(2, 3), m(1, 3), data.Slice(5, 7)), gpublas.ErrOverlap, "overlaps with a or b"},
		{gpumetric.Rows(b.h, gpumetric.MAE, m(2, 3), m(1, 3), data.Slice(6, 7)), gpublas.ErrShort, "too few for 2"},
		{gpumetric.Rows(b.h, 99, m(2, 3), m(1, 3), data), gridstride.ErrRange, "gpumetric: Rows: there is no metric 99"},
		{gpumetric.BetweenTo(b.h, 99, v(3, 1), v(3, 1), data), gridstride.ErrRange, "gpumetric: Between: there is no metric 99"},
	} {
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("error %v, want %q, of the kind %v", c.err, c.text, c.kind)
		}
	}
	closed, err := gpumetric.New(b.dev.Stream())
	must(t, errors.Join(err, closed.Close(), closed.Close()))
	if err := gpumetric.BetweenTo(closed, gpumetric.MSE, v(3, 1), v(3, 1), data); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
