package spread_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/blas/gpublas/spread"
	"github.com/gridstride/gridstride/comm"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func onGPU() bool { return strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") }

// open makes a handle over n simulated devices, or as many GPUs as there are, n at most.
func open(t testing.TB, n int) *spread.Handle {
	t.Helper()
	var streams []*gridstride.Stream
	for i := range n {
		use := "sim"
		if onGPU() {
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

// deal gives each rank consecutive elements of x, up to its end in ends. The parts have an increment.
func deal[T spread.Float](t testing.TB, h *spread.Handle, x []T, ends []int, inc int) (parts []gpublas.Vector[T]) {
	t.Helper()
	first := 0
	for r, end := range ends {
		n := end - first
		data := make([]T, max(0, (n-1)*inc+1))
		for i := range n {
			data[i*inc] = x[first+i]
		}
		first = end
		b, err := gridstride.CopyOf(h.Group().Stream(r).Device(), data)
		must(t, err)
		t.Cleanup(func() { must(t, b.Free()) })
		parts = append(parts, gpublas.Vector[T]{Data: b, N: n, Inc: inc})
	}
	return parts
}

// split is where the parts of n elements end.
func split(random *rand.Rand, n, ranks int) (ends []int) {
	for range ranks - 1 {
		ends = append(ends, random.IntN(n+1))
	}
	ends = append(ends, n)
	for i := range ends {
		for j := i + 1; j < len(ends); j++ {
			if ends[j] < ends[i] {
				ends[i], ends[j] = ends[j], ends[i]
			}
		}
	}
	return ends
}

// vectors are vectors of n elements that are hard for sums.
func vectors[T spread.Float](random *rand.Rand, n int) map[string][]T {
	most := 120
	if _, ok := any(T(0)).(float64); ok {
		most = 1000
	}
	all := map[string][]T{}
	for range n {
		all["plain"] = append(all["plain"], T(random.NormFloat64()))
		all["wide"] = append(all["wide"], T(math.Ldexp(random.NormFloat64(), random.IntN(2*most)-most)))
		all["small"] = append(all["small"], T(math.Ldexp(random.Float64(), -most-20)))
	}
	special := func(name string, values ...T) {
		x := append([]T(nil), all["plain"]...)
		for _, v := range values {
			if n > 0 {
				x[random.IntN(n)] = v
			}
		}
		all[name] = x
	}
	special("infinite", T(math.Inf(1)))
	special("both", T(math.Inf(1)), T(math.Inf(-1)))
	special("nan", T(math.NaN()), T(math.Inf(-1)))
	all["zeros"] = make([]T, n)
	return all
}

func same[T spread.Float](a, b T) bool {
	return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) || a != a && b != b
}

// TestReproducible holds the reproducible functions to package blas's bits, for several numbers of
// ranks and random parts.
func TestReproducible(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			h := open(t, ranks)
			testReproducible[float32](t, h)
			testReproducible[float64](t, h)
		})
	}
}

func testReproducible[T spread.Float](t *testing.T, h *spread.Handle) {
	random := rand.New(rand.NewPCG(uint64(h.Group().Ranks()), 1))
	for _, n := range []int{0, 1, 7, 1000, 4099} {
		for name, x := range vectors[T](random, n) {
			y := vectors[T](random, n)["plain"]
			ends, inc := split(random, n, h.Group().Ranks()), 1+random.IntN(2)
			px, py := deal(t, h, x, ends, inc), deal(t, h, y, ends, 1)
			expect := func(call string, got T, err error, want T) {
				t.Helper()
				if err != nil || !same(got, want) {
					t.Errorf("%s of %d elements (%s) in parts to %v: %v, %v; want %v", call, n, name, ends, got, err, want)
				}
			}
			got, err := spread.DotReproducible(t.Context(), h, px, py)
			expect("DotReproducible", got, err, blas.DotReproducible(x, y))
			got, err = spread.SumReproducible(t.Context(), h, px)
			expect("SumReproducible", got, err, blas.SumReproducible(x))
			got, err = spread.AsumReproducible(t.Context(), h, px)
			expect("AsumReproducible", got, err, blas.AsumReproducible(x))
			got, err = spread.Nrm2Reproducible(t.Context(), h, px)
			expect("Nrm2Reproducible", got, err, blas.Nrm2Reproducible(x))
		}
	}
}

// TestSums holds the other functions to sums in float64 within the roundings of their order, and their
// results to the same bits on every rank.
func TestSums(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			testSums[float32](t, open(t, ranks), 0x1p-23)
			testSums[float64](t, open(t, ranks), 0x1p-52)
		})
	}
}

func testSums[T spread.Float](t *testing.T, h *spread.Handle, eps float64) {
	ranks := h.Group().Ranks()
	random := rand.New(rand.NewPCG(uint64(ranks), 2))
	for _, n := range []int{0, 1, 5, 999, 5003} {
		x, y := vectors[T](random, n)["plain"], vectors[T](random, n)["plain"]
		ends := split(random, n, ranks)
		px, py := deal(t, h, x, ends, 1), deal(t, h, y, ends, 3)
		var dot, sum, squares, asum, products float64
		for i := range x {
			a, b := float64(x[i]), float64(y[i])
			dot, sum, squares, asum, products = dot+a*b, sum+a, squares+a*a, asum+math.Abs(a), products+math.Abs(a*b)
		}
		calls := []struct {
			name        string
			wait        func() (T, error)
			to          func(out []gridstride.Buffer[T]) error
			want, bound float64
		}{
			{"Dot", func() (T, error) { return spread.Dot(t.Context(), h, px, py) },
				func(out []gridstride.Buffer[T]) error { return spread.DotTo(h, px, py, out) }, dot, products},
			{"Sum", func() (T, error) { return spread.Sum(t.Context(), h, px) },
				func(out []gridstride.Buffer[T]) error { return spread.SumTo(h, px, out) }, sum, asum},
			{"SumSquares", func() (T, error) { return spread.SumSquares(t.Context(), h, px) },
				func(out []gridstride.Buffer[T]) error { return spread.SumSquaresTo(h, px, out) }, squares, squares},
			{"Asum", func() (T, error) { return spread.Asum(t.Context(), h, px) },
				func(out []gridstride.Buffer[T]) error { return spread.AsumTo(h, px, out) }, asum, asum},
			{"Nrm2", func() (T, error) { return spread.Nrm2(t.Context(), h, px) },
				func(out []gridstride.Buffer[T]) error { return spread.Nrm2To(h, px, out) }, math.Sqrt(squares), math.Sqrt(squares)},
		}
		for _, c := range calls {
			got, err := c.wait()
			if err != nil || math.Abs(float64(got)-c.want) > 120*eps*c.bound {
				t.Errorf("%s of %d elements in parts to %v: %v, %v; want %v", c.name, n, ends, got, err, c.want)
			}
			out := deal(t, h, make([]T, 2*ranks), ends2(ranks), 1)
			var to []gridstride.Buffer[T]
			for _, o := range out {
				to = append(to, o.Data)
			}
			must(t, c.to(to))
			for r, b := range to {
				all, err := b.Read(t.Context(), h.Group().Stream(r), nil)
				if err != nil || !same(all[0], got) || all[1] != 0 {
					t.Errorf("%s of %d elements: rank %d has %v, %v; want %v and 0", c.name, n, r, all, err, got)
				}
			}
		}
	}
}

// ends2 are parts of two elements.
func ends2(ranks int) (ends []int) {
	for r := range ranks {
		ends = append(ends, 2*r+2)
	}
	return ends
}

// TestRange: norms whose squares are too large or too small for their type.
func TestRange(t *testing.T) {
	t.Parallel()
	h := open(t, 3)
	for _, x := range [][]float64{{1e300, 1e300, 1e300}, {3e-300, 0, 4e-300}, {0, 0, 5e-324}} {
		parts := deal(t, h, x, []int{1, 2, 3}[3-h.Group().Ranks():], 1)
		want := blas.Nrm2(x)
		got, err := spread.Nrm2(t.Context(), h, parts)
		exact, err2 := spread.Nrm2Reproducible(t.Context(), h, parts)
		if err := errors.Join(err, err2); err != nil || math.Abs(got-want) > 1e-15*want || math.Abs(exact-want) > 1e-15*want {
			t.Errorf("norms of %v are %v and %v, %v; want %v", x, got, exact, err, want)
		}
	}
}

// TestRefused: errors name the rank and the fault.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := open(t, 2)
	if h.Group().Ranks() < 2 {
		t.Skip("one GPU alone")
	}
	x := deal(t, h, []float32{1, 2, 3}, []int{1, 3}, 1)
	crossed := []gpublas.Vector[float32]{x[1], x[0]}
	short := []gridstride.Buffer[float32]{x[0].Data, x[1].Data.Slice(0, 0)}
	for _, c := range []struct {
		name string
		err  error
		want error
		text string
	}{
		{"a part is missing", spread.SumTo(h, x[:1], nil), comm.ErrRank, "x has 1 parts; want one of each of the 2 ranks"},
		{"no y", spread.DotTo(h, x, nil, []gridstride.Buffer[float32]{x[0].Data, x[1].Data}), comm.ErrRank, "y has 0 parts"},
		{"no out", spread.SumReproducibleTo(h, x, nil), comm.ErrRank, "out has 0 parts"},
		{"parts of other lengths", spread.DotTo(h, x, crossed, []gridstride.Buffer[float32]{x[0].Data, x[1].Data}), gpublas.ErrShape, "rank 0"},
		{"other devices", spread.SumTo(h, crossed, []gridstride.Buffer[float32]{x[0].Data, x[1].Data}), gridstride.ErrWrongDevice, "rank 0"},
		{"no room", spread.Nrm2To(h, x, short), gpublas.ErrShort, "rank 1"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(fmt.Sprint(c.err), c.text) {
			t.Errorf("%s: %v; want %v with %q", c.name, c.err, c.want, c.text)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := spread.Sum(ended, h, x); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	must(t, h.Close())
	must(t, h.Close())
	if _, err := spread.Nrm2Reproducible(t.Context(), h, x); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestTogether: goroutines that use a handle at once get their own results.
func TestTogether(t *testing.T) {
	t.Parallel()
	h := open(t, 3)
	ranks := h.Group().Ranks()
	var all sync.WaitGroup
	for i := range 8 {
		random := rand.New(rand.NewPCG(uint64(i), 3))
		x := vectors[float64](random, 300+i)["plain"]
		parts := deal(t, h, x, split(random, len(x), ranks), 1)
		all.Go(func() {
			for range 5 {
				got, err := spread.SumReproducible(t.Context(), h, parts)
				if want := blas.SumReproducible(x); err != nil || got != want {
					t.Errorf("goroutine %d: %v, %v; want %v", i, got, err, want)
				}
			}
		})
	}
	all.Wait()
}

// contains reports whether an error says a text.
func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }
