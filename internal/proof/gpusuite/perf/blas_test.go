package perf

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/proof/cublas"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

var (
	blasFile   = flag.String("blas", "", "measure gpublas and gpumetric beside cuBLAS and write the rows to this `file`")
	blasOf     = flag.String("blas-of", "float32,float64,formats", "measure the functions of these `types`; formats are those of gpublas.Compute")
	blasRounds = flag.Int("blas-rounds", 11, "how many `rounds` medians are of")
	blasOnly   = flag.String("blas-only", "", "measure only the rows of these `names`, with commas between them")
)

// speed is one row: device times of a call, medians of rounds in which ours and cuBLAS's take
// turns.
type speed struct {
	What   string  `json:"what"`
	Type   string  `json:"type"`
	N      int     `json:"n"`
	Ours   float64 `json:"ours_us"`
	CUBLAS float64 `json:"cublas_us,omitempty"`
	Rate   float64 `json:"ours_rate"`
	Unit   string  `json:"unit"`
	Ratio  float64 `json:"ratio,omitempty"` // of speeds: above 1, ours is faster
}

// suite holds the device and operands of the measured rows.
type suite[T float32 | float64] struct {
	testing.TB
	dev    *gridstride.Device
	s      *gridstride.Stream
	h      *gpublas.Handle
	m      *gpumetric.Handle
	c      *cublas.Handle
	size   int                  // of an element
	big    int                  // elements of vectors of 1 GiB
	a, b   gridstride.Buffer[T] // random elements
	out    gridstride.Buffer[T]
	at     gridstride.Buffer[int]
	rows   []speed
	rounds int
}

// TestBLAS measures what libraries are compared by.
func TestBLAS(t *testing.T) {
	if *blasFile == "" {
		t.Skip("-blas is not given")
	}
	var rows []speed
	for _, of := range strings.Split(*blasOf, ",") {
		switch of {
		case "float32":
			rows = append(rows, measure[float32](t)...)
		case "float64":
			rows = append(rows, measure[float64](t)...)
		case "formats":
			rows = append(rows, measureFormats(t)...)
		default:
			t.Errorf("-blas-of %s is none of float32, float64 and formats", of)
		}
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	must(t, err)
	must(t, os.WriteFile(*blasFile, append(text, '\n'), 0o666))
}

// measure is the rows of a type.
func measure[T float32 | float64](t *testing.T) []speed {
	u := newSuite[T](t)
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000, u.big} {
		u.vectors(n)
	}
	u.level2()
	u.level3()
	u.pairs()
	return u.rows
}

func newSuite[T float32 | float64](t *testing.T) *suite[T] {
	u := &suite[T]{TB: t, dev: open(t), rounds: *blasRounds, size: int(unsafe.Sizeof(T(0)))}
	u.s = u.dev.Stream()
	lib, err := cublas.Load()
	must(t, err)
	u.c, err = lib.NewHandle(u.s)
	must(t, err)
	u.h, err = gpublas.New(u.s)
	must(t, err)
	u.m, err = gpumetric.New(u.s)
	must(t, err)
	u.big = 4 * bigN / u.size
	hostA, hostB := vectors(u.big)
	u.a, err = gridstride.CopyOf(u.dev, converted[T](hostA))
	must(t, err)
	u.b, err = gridstride.CopyOf(u.dev, converted[T](hostB))
	must(t, err)
	u.out, err = gridstride.CopyOf(u.dev, make([]T, 8))
	must(t, err)
	u.at, err = gridstride.Make[int](u.dev, 1)
	must(t, err)
	t.Cleanup(func() {
		must(t, u.c.Close())
		must(t, u.h.Close())
		must(t, u.m.Close())
		must(t, u.at.Free())
		for _, b := range []gridstride.Buffer[T]{u.a, u.b, u.out} {
			must(t, b.Free())
		}
	})
	return u
}

// converted is x with elements of another type.
func converted[T float32 | float64](x []float32) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

// alpha is so small that no number of calls changes what is measured.
const alpha = 1e-30

// vectors measures what goes through one or two vectors of n elements once. Calls take copies of
// them in turn, which the cache holds together only where vectors are short.
func (u *suite[T]) vectors(n int) {
	copies := min(64, 1+(256<<20)/(8*n), u.big/n)
	step := n + -n&3
	a, b := make([]gridstride.Buffer[T], copies), make([]gridstride.Buffer[T], copies)
	x, y := make([]gpublas.Vector[T], copies), make([]gpublas.Vector[T], copies)
	for i := range copies {
		a[i], b[i] = u.a.Slice(i*step, i*step+n), u.b.Slice(i*step, i*step+n)
		x[i], y[i] = gpublas.VectorOf(a[i]), gpublas.VectorOf(b[i])
	}
	next := 0
	turn := func() int { next = (next + 1) % copies; return next }
	one := float64(u.size * n)
	two, three := 2*one, 3*one
	type (
		vector = gpublas.Vector[T]
		result = gridstride.Buffer[T]
	)
	of2 := func(f func(h *gpublas.Handle, x, y vector, out result) error) func() error {
		return func() error { i := turn(); return f(u.h, x[i], y[i], u.out) }
	}
	of1 := func(f func(h *gpublas.Handle, x vector, out result) error) func() error {
		return func() error { return f(u.h, x[turn()], u.out) }
	}
	index := func(f func(h *gpublas.Handle, x vector, out gridstride.Buffer[int]) error) func() error {
		return func() error { return f(u.h, x[turn()], u.at) }
	}
	between := func(m gpumetric.Metric) func() error {
		return func() error { i := turn(); return gpumetric.BetweenTo(u.m, m, x[i], y[i], u.out) }
	}
	dot := func() error { i := turn(); return cublas.Dot(u.c, a[i], b[i], u.out) }
	u.row("dot", n, two, "GB/s", of2(gpublas.DotTo[T]), dot)
	u.row("nrm2", n, one, "GB/s", of1(gpublas.Nrm2To[T]), func() error { return cublas.Nrm2(u.c, a[turn()], u.out) })
	u.row("asum", n, one, "GB/s", of1(gpublas.AsumTo[T]), func() error { return cublas.Asum(u.c, a[turn()], u.out) })
	u.row("mse", n, two, "GB/s", between(gpumetric.MSE), dot)
	u.row("cosine", n, two, "GB/s", between(gpumetric.CosineSimilarity), dot)
	u.row("compare", n, two, "GB/s", func() error { i := turn(); return gpumetric.CompareTo(u.m, x[i], y[i], u.out) }, dot)
	u.row("euclidean", n, two, "GB/s", between(gpumetric.Euclidean), dot)
	u.row("chebyshev", n, two, "GB/s", between(gpumetric.Chebyshev), dot)
	u.row("pearson", n, two, "GB/s", between(gpumetric.Pearson), dot)
	u.row("dotexact", n, two, "GB/s", of2(gpublas.DotExactTo[T]), dot)
	u.row("sum", n, one, "GB/s", of1(gpublas.SumTo[T]), nil)
	u.row("sumreproducible", n, one, "GB/s", of1(gpublas.SumReproducibleTo[T]), nil)
	u.row("dotreproducible", n, two, "GB/s", of2(gpublas.DotReproducibleTo[T]), nil)
	u.row("sumsquares", n, one, "GB/s", of1(gpublas.SumSquaresTo[T]), nil)
	u.row("min", n, one, "GB/s", of1(gpublas.MinTo[T]), nil)
	u.row("max", n, one, "GB/s", of1(gpublas.MaxTo[T]), nil)
	u.row("argmin", n, one, "GB/s", index(gpublas.ArgMinTo[T]), nil)
	u.row("iamax", n, one, "GB/s", index(gpublas.IamaxTo[T]), nil)
	must(u, u.out.Write(u.Context(), u.s, []T{alpha, 0, 0, 0, 0, 0, 0, 0}))
	u.row("axpy", n, three, "GB/s", func() error { i := turn(); return gpublas.Axpy(u.h, alpha, x[i], y[i]) },
		func() error { i := turn(); return cublas.Axpy(u.c, u.out, a[i], b[i]) })
}

// square is the first elements of a buffer as a matrix of n by n.
func square[T float32 | float64](b gridstride.Buffer[T], n int) gpublas.Matrix[T] {
	return gpublas.MatrixOf(n, n, b.Slice(0, n*n))
}

// result is a buffer for matrices of up to 8192 by 8192.
func (u *suite[T]) result() (c gridstride.Buffer[T], free func()) {
	c, err := gridstride.CopyOf(u.dev, make([]T, 8192*8192))
	must(u, err)
	return c, func() { must(u, c.Free()) }
}

// level2 measures the products of matrices and vectors.
func (u *suite[T]) level2() {
	c, free := u.result()
	defer free()
	for _, n := range []int{1024, 8192} {
		a, x, y := square(u.a, n), u.b.Slice(0, n), u.b.Slice(n, 2*n)
		vx, vy, size := gpublas.VectorOf(x), gpublas.VectorOf(y), float64(u.size*n*n)
		for _, trans := range []bool{false, true} {
			what := map[bool]string{false: "gemv", true: "gemv-trans"}[trans]
			u.row(what, n, size, "GB/s", func() error { return gpublas.Gemv(u.h, gpublas.Transpose(trans), 1, a, vx, 0, vy) },
				func() error { return cublas.Gemv(u.c, trans, n, n, a.Data, x, y) })
		}
		sum := square(c, n)
		u.row("ger", n, 2*size, "GB/s", func() error { return gpublas.Ger(u.h, 1, vx, vy, sum) },
			func() error { return cublas.Ger(u.c, n, n, x, y, sum.Data) })
	}
}

// level3 measures the products of matrices.
func (u *suite[T]) level3() {
	all, free := u.result()
	defer free()
	for _, n := range []int{256, 512, 1024, 2048, 4096, 8192} {
		a, b, c := square(u.a, n), square(u.b, n), square(all, n)
		ops := 2 * float64(n) * float64(n) * float64(n)
		u.row("gemm", n, ops, "GFLOP/s", func() error { return gpublas.Gemm(u.h, gpublas.NoTrans, gpublas.NoTrans, 1, a, b, 0, c) },
			func() error { return cublas.Gemm(u.c, n, n, n, a.Data, b.Data, c.Data) })
		if n != 4096 {
			continue
		}
		u.row("gemm-nt", n, ops, "GFLOP/s", func() error { return gpublas.Gemm(u.h, gpublas.NoTrans, gpublas.Trans, 1, a, b, 0, c) }, nil)
		u.row("syrk", n, ops/2, "GFLOP/s", func() error { return gpublas.Syrk(u.h, gpublas.Upper, gpublas.NoTrans, 1, a, 0, c) }, nil)
	}
	const n, k, few, count = 256, 65536, 128, 100
	a, b, c := u.a.Slice(0, few*k), u.b.Slice(0, k*few), all.Slice(0, few*few)
	u.row("gemm-long-k", k, 2*few*few*k, "GFLOP/s", func() error {
		return gpublas.Gemm(u.h, gpublas.NoTrans, gpublas.NoTrans, 1, gpublas.MatrixOf(few, k, a), gpublas.MatrixOf(k, few, b), 0, gpublas.MatrixOf(few, few, c))
	}, func() error { return cublas.Gemm(u.c, few, k, few, a, b, c) })
	a, b, c = u.a.Slice(0, count*n*n), u.b.Slice(0, count*n*n), all.Slice(0, count*n*n)
	u.row("gemm-batch", n, 2*count*n*n*n, "GFLOP/s", func() error {
		return gpublas.GemmStridedBatched(u.h, gpublas.NoTrans, gpublas.NoTrans, 1, gpublas.MatrixOf(n, n, a), n*n, gpublas.MatrixOf(n, n, b), n*n,
			0, gpublas.MatrixOf(n, n, c), n*n, count)
	}, func() error { return cublas.GemmStridedBatched(u.c, n, count, a, b, c) })
}

// pairs measures metrics of the rows of matrices, of 768 columns like embeddings of text. It
// compares each row with one vector against cuBLAS's product of the matrix and the vector, and all
// pairs of rows against its product of two such matrices.
func (u *suite[T]) pairs() {
	c, free := u.result()
	defer free()
	const cols, rows, side = 768, 100_000, 4096
	a, x, y := u.a.Slice(0, rows*cols), u.b.Slice(0, cols), c.Slice(0, rows)
	for name, m := range map[string]gpumetric.Metric{"rows-cosine": gpumetric.CosineSimilarity, "rows-mse": gpumetric.MSE} {
		u.row(name, rows, float64(u.size)*rows*cols, "GB/s",
			func() error {
				return gpumetric.Rows(u.m, m, gpublas.MatrixOf(rows, cols, a), gpublas.MatrixOf(1, cols, x), y)
			},
			func() error { return cublas.Gemv(u.c, false, rows, cols, a, x, y) })
	}
	a, b, out := u.a.Slice(0, side*cols), u.b.Slice(0, side*cols), c.Slice(0, side*side)
	ma, mb, mc := gpublas.MatrixOf(side, cols, a), gpublas.MatrixOf(side, cols, b), gpublas.MatrixOf(side, side, out)
	for _, f := range []struct {
		name string
		call func(h *gpumetric.Handle, a, b, out gpublas.Matrix[T]) error
	}{{"pairs-dot", gpumetric.DotPairs[T]}, {"pairs-cosine", gpumetric.CosineSimilarityPairs[T]}, {"pairs-euclidean", gpumetric.EuclideanPairs[T]}} {
		u.row(f.name, side, 2*side*side*cols, "GFLOP/s", func() error { return f.call(u.m, ma, mb, mc) },
			func() error { return cublas.Gemm(u.c, side, cols, side, a, b, out) })
	}
}

// row measures a call of ours and one of cuBLAS. work is bytes, or operations.
func (u *suite[T]) row(what string, n int, work float64, unit string, ours, rival func() error) {
	if *blasOnly != "" && !slices.Contains(strings.Split(*blasOnly, ","), what) {
		return
	}
	calls := []func() error{ours}
	if rival != nil {
		calls = append(calls, rival)
	}
	times := make([][]time.Duration, len(calls))
	repeat := 1
	for round := range u.rounds + 2 {
		for i := range calls {
			i = (i + round) % len(calls)
			took := u.sample(calls[i], repeat)
			switch {
			case round > 1: // the first sets things up
				times[i] = append(times[i], took)
			case round == 1 && i == 0:
				repeat = max(1, min(int(5*time.Millisecond/max(took, time.Microsecond)), 200))
			}
		}
	}
	r := speed{What: what, Type: fmt.Sprintf("%T", T(0)), N: n, Unit: unit}
	median := func(t []time.Duration) float64 { slices.Sort(t); return float64(t[len(t)/2].Nanoseconds()) / 1e3 }
	r.Ours = median(times[0])
	r.Rate = work / r.Ours / 1e3
	if rival != nil {
		r.CUBLAS = median(times[1])
		r.Ratio = r.CUBLAS / r.Ours
	}
	u.rows = append(u.rows, r)
	fmt.Printf("%-16s %s %10d %10.2f us %10.2f us %9.1f %s %6.3f\n", r.What, r.Type, r.N, r.Ours, r.CUBLAS, r.Rate, r.Unit, r.Ratio)
}

// sample is the device's time of one call among repeat calls. It queues short calls while the
// device is occupied, so that the device does not wait for the host.
func (u *suite[T]) sample(call func() error, repeat int) time.Duration {
	u.Helper()
	if repeat > 10 {
		for range 1 + repeat/25 {
			must(u, gpublas.DotTo(u.h, gpublas.VectorOf(u.a), gpublas.VectorOf(u.b), u.out.Slice(7, 8)))
		}
	}
	start := u.s.Record()
	for range repeat {
		must(u, call())
	}
	took, err := u.s.Record().Since(u.Context(), start)
	must(u, err)
	return took / time.Duration(repeat)
}
