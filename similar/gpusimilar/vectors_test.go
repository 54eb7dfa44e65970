package gpusimilar_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bench is a device with a handle.
type bench struct {
	testing.TB
	dev *gridstride.Device
	h   *gpusimilar.Handle
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return benchOn(t, gputest.Device(t))
}

func benchOn(t testing.TB, dev *gridstride.Device) *bench {
	t.Helper()
	h, err := gpusimilar.New(dev.Stream())
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return &bench{t, dev, h}
}

// buffer is a copy of host on the device, as long as the test runs.
func buffer[E any](b *bench, host []E) gridstride.Buffer[E] {
	b.Helper()
	x, err := gridstride.CopyOf(b.dev, host)
	must(b, err)
	b.Cleanup(func() { must(b, x.Free()) })
	return x
}

// table is a matrix on the host, and its offset in its buffer.
type table struct {
	data                       []float32
	rows, cols, stride, offset int
}

func (m *table) row(i int) []float32 { return m.data[m.offset+i*m.stride:][:m.cols] }

func (m *table) on(b *bench) gpublas.Matrix[float32] {
	data := buffer(b, m.data)
	return gpublas.Matrix[float32]{Data: data.Slice(m.offset, data.Len()), Rows: m.rows, Cols: m.cols, Stride: m.stride}
}

// random is a matrix of numbers from next, with NaN between the rows.
func random(rows, cols, stride, offset int, next func() float32) *table {
	m := &table{slices.Repeat([]float32{float32(math.NaN())}, offset+max(rows, 1)*stride), rows, cols, stride, offset}
	for i := range rows {
		for j := range cols {
			m.row(i)[j] = next()
		}
	}
	return m
}

// inverse is 1 over the norm of x, as Metric defines it.
func inverse[T gpublas.Float](x []float32) T {
	var lanes [32]T
	for i, v := range x {
		lanes[i%32] = gpu.FMA(T(v), T(v), lanes[i%32])
	}
	for d := 16; d > 0; d /= 2 {
		for i := range d {
			lanes[i] += lanes[i+d]
		}
	}
	if lanes[0] == 0 {
		return 0
	}
	return 1 / gpu.Sqrt(lanes[0])
}

// score is the score of two vectors, as Metric defines it.
func score[T gpublas.Float](m gpusimilar.Metric, x, y []float32) T {
	var sum T
	for i := range x {
		if m == gpusimilar.Euclidean {
			d := T(x[i]) - T(y[i])
			sum = gpu.FMA(d, d, sum)
		} else {
			sum = gpu.FMA(T(x[i]), T(y[i]), sum)
		}
	}
	switch m {
	case gpusimilar.Cosine:
		sum *= inverse[T](x)
		return sum * inverse[T](y)
	case gpusimilar.Euclidean:
		return -gpu.Sqrt(sum)
	}
	return sum
}

// best is the hits of a plain loop.
func best[T gpublas.Float](m gpusimilar.Metric, rows *table, query []float32, k int) (hits []gpusimilar.Hit[T]) {
	for i := range rows.rows {
		if s := score[T](m, rows.row(i), query); s == s {
			hits = append(hits, gpusimilar.Hit[T]{Row: i, Score: s})
		}
	}
	slices.SortFunc(hits, func(a, b gpusimilar.Hit[T]) int {
		return cmp.Or(cmp.Compare(b.Score+0, a.Score+0), cmp.Compare(a.Row, b.Row))
	})
	return hits[:min(k, len(hits))]
}

// search compares the device's hits, with scores of a type, with the plain loop's.
func search[S gpublas.Float](b *bench, m gpusimilar.Metric, rows, queries *table, k int) {
	b.Helper()
	v, err := gpusimilar.NewVectors[S](b.h, rows.on(b), m)
	must(b, err)
	defer func() { must(b, v.Close()) }()
	for range 2 { // the second search finds what the first has made
		hits, err := v.Search(b.Context(), queries.on(b), k)
		must(b, err)
		compare(b, m, rows, queries, k, hits)
		if _, single := any(v).(*gpusimilar.Vectors[float32]); single {
			break
		}
	}
}

func compare[T gpublas.Float](b *bench, m gpusimilar.Metric, rows, queries *table, k int, hits [][]gpusimilar.Hit[T]) {
	b.Helper()
	if len(hits) != queries.rows {
		b.Fatalf("%d lists for %d queries", len(hits), queries.rows)
	}
	for q := range hits {
		if want := best[T](m, rows, queries.row(q), k); !slices.Equal(hits[q], want) {
			b.Fatalf("metric %d, %d rows of %d, query %d of %d, the best %d: %v, want %v",
				m, rows.rows, rows.cols, q, queries.rows, k, hits[q], want)
		}
	}
}

var metrics = []gpusimilar.Metric{gpusimilar.Dot, gpusimilar.Cosine, gpusimilar.Euclidean}

func TestVectors(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		rows, queries, cols, pad, offset, k int
	}{
		{0, 3, 5, 0, 0, 3}, {1, 1, 1, 0, 0, 1}, {31, 1, 4, 0, 0, 5}, {33, 1, 68, 0, 0, 10}, {300, 1, 8, 4, 4, 128}, {140, 2, 33, 0, 1, 7},
		{129, 9, 12, 0, 0, 10}, {200, 8, 65, 0, 0, 33}, {400, 3, 64, 0, 0, 10},
		{260, 50, 8, 0, 0, 10}, {33, 129, 9, 1, 3, 40}, {131, 60, 4, 4, 0, 128}, {31, 130, 12, 0, 0, 1},
	} {
		for _, m := range metrics {
			if testing.Short() && (c.queries > 8 || m == gpusimilar.Euclidean) {
				continue // the other cases have the same races
			}
			if c.queries > 8 && m == metrics[i%2] {
				continue // many queries have one kernel for Dot and Cosine, which takes long to simulate
			}
			t.Run(fmt.Sprintf("%v/%d", c, m), func(t *testing.T) {
				t.Parallel()
				b, r := newBench(t), rand.New(rand.NewPCG(uint64(c.rows), uint64(c.cols)))
				next := func() float32 { return float32(r.NormFloat64()) }
				search[float32](b, m, random(c.rows, c.cols, c.cols+c.pad, c.offset, next), random(c.queries, c.cols, c.cols+c.pad, 0, next), c.k)
			})
		}
	}
}

// TestRough has searches that go by rough scores on this device, and searches in float64 that do
// not. Package shortlist has the kernels checked.
func TestRough(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	next := func() float32 { return float32(r.NormFloat64()) }
	rows, queries := random(300, 20, 23, 3, next), random(9, 20, 20, 1, next)
	for i, m := range metrics {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			t.Parallel()
			b := benchOn(t, kerneltest.Unchecked(t, "sm_90a"))
			b.h.SearchRoughly()
			search[float32](b, m, rows, queries, 10)
			search[float64](b, m, rows, queries, 1+40*i)
		})
	}
	b := benchOn(t, kerneltest.Unchecked(t, "sm_90a"))
	search[float64](b, gpusimilar.Cosine, rows, queries, 10)
	search[float64](b, gpusimilar.Dot, random(0, 3, 3, 0, next), random(2, 3, 3, 0, next), 10)
}

// TestTies has few different scores, so that rows are chosen by their numbers, rows that become
// better and better, so that every one is a candidate, and numbers that are none.
func TestTies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its kernels are those of TestVectors")
	}
	for name, next := range map[string]func() func() float32{
		"ties": func() func() float32 {
			r := rand.New(rand.NewPCG(3, 3))
			return func() float32 { return float32(r.IntN(3) - 1) }
		},
		"zeros":  func() func() float32 { return func() float32 { return 0 } },
		"rising": func() func() float32 { i := float32(0); return func() float32 { i++; return i } },
		"wild": func() func() float32 {
			r, values := rand.New(rand.NewPCG(4, 4)), []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
			return func() float32 {
				if r.IntN(3) > 0 {
					return 1
				}
				return values[r.IntN(len(values))]
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			rows := random(500, 4, 4, 0, next())
			for i, m := range metrics {
				search[float32](b, m, rows, random(1+2*i, 4, 4, 0, next()), 20)
			}
			rows.rows = 300
			search[float32](b, metrics[len(name)%len(metrics)], rows, random(49, 4, 4, 0, next()), 20)
		})
	}
}

// TestRefused: what is wrong with the operands is said, and nothing is queued.
func TestRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	data := buffer(b, make([]float32, 40))
	matrix := func(rows, cols int) gpublas.Matrix[float32] { return gpublas.MatrixOf(rows, cols, data) }
	v, err := gpusimilar.NewVectors[float32](b.h, matrix(5, 8), gpusimilar.Dot)
	must(t, err)
	out := buffer(b, make([]int32, 4))
	for _, c := range []struct {
		err  error
		kind error
		text string
	}{
		{second(gpusimilar.NewVectors[float32](b.h, matrix(6, 8), gpusimilar.Dot)), gpublas.ErrShort, "gpusimilar: NewVectors: the buffer of rows has 40 elements, too few for 6 x 8 with a stride of 8"},
		{second(gpusimilar.NewVectors[float32](b.h, matrix(5, 0), gpusimilar.Dot)), gpublas.ErrShape, "gpusimilar: NewVectors: rows is 5 x 0; want at least one column, and 2147483519 rows at most"},
		{second(gpusimilar.NewVectors[float32](b.h, matrix(5, 8), 3)), gridstride.ErrRange, "gpusimilar: NewVectors: there is no metric 3"},
		{second(v.Search(t.Context(), matrix(1, 7), 1)), gpublas.ErrShape, "gpusimilar: Search: queries is 1 x 7 and rows is 5 x 8"},
		{second(v.Search(t.Context(), matrix(1, 8), 129)), gridstride.ErrRange, "gpusimilar: Search: k is 129; want 1 to 128"},
		{second(v.Search(t.Context(), matrix(1, 8), 0)), gridstride.ErrRange, "gpusimilar: Search: k is 0; want 1 to 128"},
		{v.SearchTo(matrix(1, 8), 5, out, data), gpublas.ErrShort, "gpusimilar: Search: the buffer for the result has 4 elements, too few for 5"},
	} {
		if !errors.Is(c.err, c.kind) || c.err.Error() != c.text {
			t.Errorf("the error is %v, want %s", c.err, c.text)
		}
	}
	must(t, b.h.Close())
	if _, err := v.Search(t.Context(), matrix(1, 8), 1); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("a search with a closed handle gives %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestClosed searches what is closed, also by the first search that would make copies, and closes
// it again.
func TestClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one := gpublas.MatrixOf(1, 8, buffer(b, make([]float32, 8)))
	closed := func(err error, text string) {
		t.Helper()
		if !errors.Is(err, gridstride.ErrClosed) || err.Error() != text {
			t.Errorf("the error is %v, want %s", err, text)
		}
	}
	for _, m := range []gpusimilar.Metric{gpusimilar.Dot, gpusimilar.Cosine, gpusimilar.Euclidean} {
		v, err := gpusimilar.NewVectors[float32](b.h, one, m)
		must(t, err)
		must(t, v.Close())
		closed(second(v.Search(t.Context(), one, 1)), "gpusimilar: Search: the vectors are closed")
		must(t, v.Close())
	}
	queries := gpusimilar.CSR[float64]{Starts: []int{0, 1}, Terms: []int32{1}, Weights: []float64{1}}
	x, err := gpusimilar.NewSparse(b.h, 2, queries)
	must(t, err)
	must(t, x.Close())
	closed(second(x.Search(t.Context(), queries, 1, 0)), "gpusimilar: Search: the documents are closed")
	must(t, x.Close())
}
