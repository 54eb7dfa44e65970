package spread_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/metric/gpumetric"
	"github.com/gridstride/gridstride/metric/gpumetric/spread"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open is a handle for simulated devices, or for as many GPUs as the machine has.
func open(t testing.TB, ranks int) *spread.Handle {
	t.Helper()
	var streams []*gridstride.Stream
	for i := range ranks {
		use := "sim"
		if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
			use = fmt.Sprintf("cuda:%d", i)
		}
		dev, err := gridstride.Open(gridstride.Use(use))
		if i > 0 && errors.Is(err, gridstride.ErrNoDevice) {
			break
		}
		must(t, err)
		t.Cleanup(func() { must(t, dev.Close()) })
		streams = append(streams, dev.Stream())
	}
	g, err := comm.New(streams...)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	h, err := spread.New(g)
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return h
}

// split is where the parts of n elements end.
func split(random *rand.Rand, n, ranks int) []int {
	ends := []int{n}
	for range ranks - 1 {
		ends = append(ends, random.IntN(n+1))
	}
	slices.Sort(ends)
	return ends
}

// deal gives each rank the elements of x up to its end, inc apart.
func deal[T gpublas.Float](t testing.TB, h *spread.Handle, x []T, ends []int, inc int) (parts []gpublas.Vector[T]) {
	t.Helper()
	first := 0
	for r, end := range ends {
		part := x[first:end]
		data := make([]T, max(0, (len(part)-1)*max(inc, -inc)+1))
		for i, v := range part {
			at := i * inc
			if inc < 0 {
				at = (i + 1 - len(part)) * inc
			}
			data[at] = v
		}
		b, err := gridstride.CopyOf(h.Group().Stream(r).Device(), data)
		must(t, err)
		t.Cleanup(func() { must(t, b.Free()) })
		parts = append(parts, gpublas.Vector[T]{Data: b, N: len(part), Inc: inc})
		first = end
	}
	return parts
}

// metrics are package metric's functions, and whether squares may be out of range in theirs.
func metrics[T gpublas.Float]() map[gpumetric.Metric]func(x, y []T) T {
	return map[gpumetric.Metric]func(x, y []T) T{
		gpumetric.MSE: metric.MSE[T], gpumetric.RMSE: metric.RMSE[T], gpumetric.MAE: metric.MAE[T],
		gpumetric.SquaredEuclidean: metric.SquaredEuclidean[T], gpumetric.Euclidean: metric.Euclidean[T],
		gpumetric.Manhattan: metric.Manhattan[T], gpumetric.Chebyshev: metric.Chebyshev[T],
		gpumetric.CosineSimilarity: metric.CosineSimilarity[T], gpumetric.CosineDistance: metric.CosineDistance[T],
		gpumetric.Pearson: metric.Pearson[T],
	}
}

// vectors are pairs of vectors of n elements that metrics are hard for.
func vectors[T gpublas.Float](random *rand.Rand, n int) map[string][2][]T {
	most := 100.0
	if _, ok := any(T(0)).(float64); ok {
		most = 900
	}
	make2 := func(f func(i int) (x, y float64)) (v [2][]T) {
		v[0], v[1] = []T{}, []T{}
		for i := range n {
			x, y := f(i)
			v[0], v[1] = append(v[0], T(x)), append(v[1], T(y))
		}
		return v
	}
	normal := random.NormFloat64
	return map[string][2][]T{
		"plain": make2(func(int) (float64, float64) { x := normal(); return x, 0.7*x + normal() }),
		"far":   make2(func(int) (float64, float64) { x := normal(); return 1000 + x, -5000 + x + normal()/4 }),
		"large": make2(func(int) (float64, float64) { return math.Ldexp(normal(), int(most)), math.Ldexp(normal(), int(most)) }),
		"small": make2(func(int) (float64, float64) {
			return math.Ldexp(normal(), -int(most)), math.Ldexp(normal(), -int(most))
		}),
		"apart":    make2(func(int) (float64, float64) { return math.Ldexp(normal(), int(most)), math.Ldexp(normal(), -int(most)) }),
		"zero":     make2(func(int) (float64, float64) { return 0, normal() }),
		"equal":    make2(func(i int) (float64, float64) { return float64(i), float64(i) }),
		"nan":      make2(func(i int) (float64, float64) { return map[bool]float64{true: math.NaN()}[i == n/3], normal() }),
		"infinite": make2(func(i int) (float64, float64) { return map[bool]float64{true: math.Inf(1)}[i == n/2], normal() }),
	}
}

// TestBetween holds every metric to package metric's, within the roundings of another order.
func TestBetween(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			h := open(t, ranks)
			testBetween[float32](t, h, 1e-5)
			testBetween[float64](t, h, 1e-13)
		})
	}
}

func testBetween[T gpublas.Float](t *testing.T, h *spread.Handle, eps float64) {
	random := rand.New(rand.NewPCG(uint64(h.Group().Ranks()), 1))
	for _, n := range []int{0, 1, 2, 9, 1000, 4099} {
		for name, v := range vectors[T](random, n) {
			ends := split(random, n, h.Group().Ranks())
			incs := []int{1, 3, -2}
			x, y := deal(t, h, v[0], ends, incs[random.IntN(3)]), deal(t, h, v[1], ends, incs[random.IntN(3)])
			for m, of := range metrics[T]() {
				if m == gpumetric.Pearson && (name == "large" || name == "apart" || name == "infinite" || n < 3) {
					continue // its squares may be out of range in one and in range in the other
				}
				got, err := spread.Between(t.Context(), h, m, x, y)
				want := float64(of(v[0], v[1]))
				ok := near(float64(got), want, eps) || slices.Contains(angular, m) && math.Abs(float64(got)-want) <= eps
				if err != nil || !ok {
					t.Errorf("%v of %d %T (%s) in parts to %v: %v, %v; want %v", m, n, *new(T), name, ends, got, err, want)
				}
			}
			testCompare(t, h, v, x, y, eps, name)
		}
	}
}

// near compares with a relative error.
func near(a, b, eps float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= eps*max(math.Abs(b), math.Abs(a))
}

// angular metrics are differences of larger numbers, and have an absolute error.
var angular = []gpumetric.Metric{gpumetric.CosineSimilarity, gpumetric.CosineDistance, gpumetric.Pearson}

func testCompare[T gpublas.Float](t *testing.T, h *spread.Handle, v [2][]T, x, y []gpublas.Vector[T], eps float64, name string) {
	c, err := spread.Compare(t.Context(), h, x, y)
	must(t, err)
	want := metric.Compare(v[0], v[1])
	size := math.Sqrt(float64(want.SquaredNormX)) * math.Sqrt(float64(want.SquaredNormY))
	if c.N != want.N || !near(float64(c.Manhattan), float64(want.Manhattan), eps) || !near(float64(c.SquaredEuclidean), float64(want.SquaredEuclidean), eps) ||
		math.Abs(float64(c.Dot-want.Dot)) > eps*size {
		t.Errorf("Compare of %d %T (%s): %+v, want %+v", len(v[0]), *new(T), name, c, want)
	}
	norm, err := spread.SquaredNorm(t.Context(), h, x)
	if err != nil || !near(float64(norm), float64(want.SquaredNormX), eps) {
		t.Errorf("SquaredNorm of %d %T (%s): %v, %v; want %v", len(v[0]), *new(T), name, norm, err, want.SquaredNormX)
	}
}

// TestRefused: errors name the rank and the fault.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := open(t, 2)
	if h.Group().Ranks() < 2 {
		t.Skip("one GPU")
	}
	x, y := deal(t, h, []float32{1, 2, 3}, []int{1, 3}, 1), deal(t, h, []float32{1, 2, 3}, []int{2, 3}, 1)
	refused := func(m gpumetric.Metric, x, y []gpublas.Vector[float32], kind error, text string) {
		t.Helper()
		_, err := spread.Between(t.Context(), h, m, x, y)
		if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%v; want %v with %q", err, kind, text)
		}
	}
	refused(gpumetric.MSE, x[:1], x, comm.ErrRank, "x and y have 1 and 2 parts; want one of each of the 2 ranks")
	refused(gpumetric.MSE, x, y, gpublas.ErrShape, "rank 0")
	refused(gpumetric.MSE, []gpublas.Vector[float32]{x[0], x[0]}, []gpublas.Vector[float32]{x[0], x[0]}, gridstride.ErrWrongDevice, "rank 1")
	refused(gpumetric.Metric(99), x, x, gridstride.ErrRange, "there is no metric 99")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := spread.Compare(ended, h, x, x); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	must(t, errors.Join(h.Close(), h.Close()))
	refused(gpumetric.Pearson, x, x, gridstride.ErrClosed, "the handle is closed")
}
