package shortlist

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// collection is rows and queries on the host.
type collection struct {
	rows, queries, cols int
	x, q                []float32
}

// random is a collection of numbers from next.
func random(rows, queries, cols int, next func() float32) *collection {
	c := &collection{rows, queries, cols, make([]float32, rows*cols), make([]float32, queries*cols)}
	for i := range c.x {
		c.x[i] = next()
	}
	for i := range c.q {
		c.q[i] = next()
	}
	return c
}

func (c *collection) row(i int) []float32   { return c.x[i*c.cols:][:c.cols] }
func (c *collection) query(i int) []float32 { return c.q[i*c.cols:][:c.cols] }

// bench is a collection on a device, with the kernels.
type bench[T operand.Float] struct {
	testing.TB
	dev    *gridstride.Device
	exact  *Exact[T]
	memory Memory
	lists  topk.Memory[T]
}

func newBench[T operand.Float](t testing.TB, dev *gridstride.Device) *bench[T] {
	t.Helper()
	b := &bench[T]{TB: t, dev: dev}
	var err error
	b.exact, err = NewExact[T](b.dev)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, b.memory.Free()); kerneltest.Must(t, b.lists.Free()) })
	return b
}

func onDevice[E any](b testing.TB, dev *gridstride.Device, host []E) gridstride.Buffer[E] {
	b.Helper()
	x, err := gridstride.CopyOf(dev, host)
	kerneltest.Must(b, err)
	b.Cleanup(func() { kerneltest.Must(b, x.Free()) })
	return x
}

type hit[T operand.Float] struct {
	row   int32
	score T
}

// inverse is 1 over the norm.
func inverse[T operand.Float](x []float32) T {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	if sum == 0 {
		return 0
	}
	return T(1 / math.Sqrt(sum))
}

// search is a search on the device, by rough scores or of all rows.
func (b *bench[T]) search(c *collection, m nearest.Metric, k int, rough bool) [][]hit[T] {
	b.Helper()
	s := b.dev.Stream()
	f := Search[T]{Metric: m, K: k,
		Rows:    operand.Matrix[float32]{Data: onDevice(b, b.dev, c.x), Rows: c.rows, Cols: c.cols, Stride: c.cols},
		Queries: operand.Matrix[float32]{Data: onDevice(b, b.dev, c.q), Rows: c.queries, Cols: c.cols, Stride: c.cols},
	}
	if m == nearest.Cosine {
		inverses := func(n int, row func(i int) []float32) gridstride.Buffer[T] {
			all := make([]T, n)
			for i := range all {
				all[i] = inverse[T](row(i))
			}
			return onDevice(b, b.dev, all)
		}
		f.InverseRows, f.InverseQueries = inverses(c.rows, c.row), inverses(c.queries, c.query)
	}
	rows, scores := onDevice(b, b.dev, make([]int32, c.queries*k)), onDevice(b, b.dev, make([]T, c.queries*k))
	if rough {
		plan, err := NewPlan(b.dev)
		kerneltest.Must(b, err)
		plan.first = tileCols
		copies, err := plan.Copy(s, f.Rows, m)
		kerneltest.Must(b, err)
		kerneltest.Must(b, Launch(s, plan, b.exact, &b.memory, &b.lists, copies, f, rows, scores))
		kerneltest.Must(b, copies.Free())
	} else {
		kerneltest.Must(b, b.exact.LaunchAll(s, &b.memory, &b.lists, f, rows, scores))
	}
	r, err := rows.Read(b.Context(), s, nil)
	kerneltest.Must(b, err)
	x, err := scores.Read(b.Context(), s, nil)
	kerneltest.Must(b, err)
	hits := make([][]hit[T], c.queries)
	for q := range hits {
		for i := q * k; i < (q+1)*k && r[i] >= 0; i++ {
			hits[q] = append(hits[q], hit[T]{r[i], x[i]})
		}
	}
	return hits
}

// plain is the hits of a plain loop.
func plain[T operand.Float](c *collection, m nearest.Metric, k, query int) (hits []hit[T]) {
	q := c.query(query)
	for i := range c.rows {
		var sum T
		for j, x := range c.row(i) {
			y := T(q[j])
			if m == nearest.Euclidean {
				y -= T(x)
				sum = gpu.FMA(y, y, sum)
				continue
			}
			sum = gpu.FMA(T(x), y, sum)
		}
		switch m {
		case nearest.Cosine:
			sum *= inverse[T](c.row(i))
			sum *= inverse[T](q)
		case nearest.Euclidean:
			sum = -gpu.Sqrt(sum)
		}
		if sum == sum {
			hits = append(hits, hit[T]{int32(i), sum})
		}
	}
	slices.SortFunc(hits, func(a, b hit[T]) int { return cmp.Or(cmp.Compare(b.score+0, a.score+0), cmp.Compare(a.row, b.row)) })
	return hits[:min(k, len(hits))]
}

// compare holds a search to the plain loop.
func compare[T operand.Float](t testing.TB, c *collection, m nearest.Metric, k int, got [][]hit[T]) {
	t.Helper()
	for q := range got {
		if want := plain[T](c, m, k, q); !slices.Equal(got[q], want) {
			t.Fatalf("query %d of %d, %d rows of %d, the best %d: %v, want %v", q, c.queries, c.rows, c.cols, k, got[q], want)
		}
	}
}

func normal(seed uint64) func() float32 {
	r := rand.New(rand.NewPCG(seed, seed))
	return func() float32 { return float32(r.NormFloat64()) }
}

// TestSearch has rows of several portions, and more queries than a tile, or fewer than its half.
func TestSearch(t *testing.T) {
	t.Parallel()
	t.Run("checked", func(t *testing.T) {
		t.Parallel()
		c := random(300, 9, 40, normal(1))
		compare(t, c, nearest.Cosine, 10, newBench[float64](t, gputest.Device(t)).search(c, nearest.Cosine, 10, true))
	})
	for _, size := range []struct{ rows, queries, cols, k int }{{1, 1, 1, 1}, {33, 31, 5, 40}, {700, 9, 130, 128}, {513, 300, 33, 3}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			c := random(size.rows, size.queries, size.cols, normal(2))
			b := newBench[float32](t, kerneltest.Unchecked(t, "sm_90a"))
			compare(t, c, nearest.Dot, size.k, b.search(c, nearest.Dot, size.k, true))
		})
	}
}

// TestScan has all rows scored exactly, of a few queries and of many.
func TestScan(t *testing.T) {
	t.Parallel()
	c := random(270, 9, 33, normal(3))
	compare(t, c, nearest.Euclidean, 10, newBench[float32](t, gputest.Device(t)).search(c, nearest.Euclidean, 10, false))
	b := newBench[float64](t, kerneltest.Unchecked(t, "sm_70"))
	compare(t, c, nearest.Cosine, 128, b.search(c, nearest.Cosine, 128, false))
	b.exact.blocks = 6 // whose best are more than there is room for
	c = random(1400, 1, 2, normal(4))
	compare(t, c, nearest.Dot, 128, b.search(c, nearest.Dot, 128, false))
	c = random(300, 530, 2, normal(4))
	compare(t, c, nearest.Dot, 5, b.search(c, nearest.Dot, 5, false))
}

// TestHard has collections that rough scores cannot tell apart, or have none for.
func TestHard(t *testing.T) {
	t.Parallel()
	special := []float32{0, 1e-45, 1e-38, -1e-30, 1e-16, 1, -3, 1e16, 1e30, 3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for name, c := range map[string]*collection{
		// rows that are further off than usual: numbers near the middle between two of BFloat16, in
		// a half of the rows all below it. These are the best, by an element that BFloat16 has, and
		// their rough scores are lower, by nearly what the bound allows.
		"alike": func() *collection {
			r := rand.New(rand.NewPCG(5, 5))
			c := random(600, 9, 16, func() float32 { return 1 })
			for i := range c.rows {
				side := r.IntN(2)*2 - 1
				for j := range c.row(i)[1:] {
					c.row(i)[1+j] = 1 + 0x1p-8 + float32(side*(1+r.IntN(1000)))*0x1p-23
				}
				c.row(i)[0] -= float32(side) * 0x1p-7
			}
			return c
		}(),
		// few scores, so that rows are chosen by their numbers, and rows and queries of zeros
		"ties": func() *collection {
			r := rand.New(rand.NewPCG(6, 6))
			return random(600, 20, 3, func() float32 { return float32(r.IntN(3) - 1) })
		}(),
		// norms of all sizes, in rows and queries
		"wild": func() *collection {
			r := rand.New(rand.NewPCG(7, 7))
			c := random(600, 30, 4, normal(7))
			for i := range c.rows {
				scale := special[r.IntN(len(special))]
				for j := range c.row(i) {
					c.row(i)[j] *= scale
				}
			}
			for i := range c.queries {
				c.query(i)[r.IntN(4)] = special[i%len(special)]
			}
			return c
		}(),
		// better and better, and more of them equal than there is room for
		"rising": func() *collection {
			i := float32(0)
			return random(700, 9, 2, func() float32 { i++; return i })
		}(),
		"equal": random(Length+300, 1, 3, func() float32 { return 0.3 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev := kerneltest.Unchecked(t, "sm_90a")
			if name != "equal" { // which has many rows
				compare(t, c, nearest.Dot, 10, newBench[float64](t, dev).search(c, nearest.Dot, 10, true))
			}
			compare(t, c, nearest.Cosine, 10, newBench[float32](t, dev).search(c, nearest.Cosine, 10, true))
		})
	}
}

// TestLimits: each limit is the k-th largest of what the scores on the list are at least, and none
// on it is below.
func TestLimits(t *testing.T) {
	t.Parallel()
	const k = 7
	c, dev := random(600, 5, 20, normal(8)), kerneltest.Unchecked(t, "sm_90a")
	plan, err := NewPlan(dev)
	kerneltest.Must(t, err)
	plan.first = tileCols
	s := dev.Stream()
	rows := operand.Matrix[float32]{Data: onDevice(t, dev, c.x), Rows: c.rows, Cols: c.cols, Stride: c.cols}
	copies, err := plan.Copy(s, rows, nearest.Dot)
	kerneltest.Must(t, err)
	var m Memory
	queries := operand.Matrix[float32]{Data: onDevice(t, dev, c.q), Rows: c.queries, Cols: c.cols, Stride: c.cols}
	kerneltest.Must(t, plan.list(s, &m, copies, queries, k))
	sizes, slacks, limits := read(t, s, copies.sizes), read(t, s, m.slacks), read(t, s, m.list.Limits)
	counts, scores, at := read(t, s, m.list.Counts), read(t, s, m.list.Scores), read(t, s, m.list.Copies)
	kerneltest.Must(t, copies.Free())
	kerneltest.Must(t, m.Free())
	for q := range c.queries {
		var least []float32
		for i := q * Length; i < q*Length+int(counts[q]); i++ {
			least = append(least, gpu.FMA(-slacks[q], sizes[at[i]], scores[i]))
			if most := gpu.FMA(slacks[q], sizes[at[i]], scores[i]); most < limits[q] {
				t.Errorf("query %d has copy %d on its list, with a score of %v at most below %v", q, at[i], most, limits[q])
			}
		}
		slices.Sort(least)
		if len(least) < k || least[len(least)-k] != limits[q] {
			t.Errorf("query %d has the limit %v, with at least %v", q, limits[q], least)
		}
	}
}

func read[E any](t *testing.T, s *gridstride.Stream, b gridstride.Buffer[E]) []E {
	t.Helper()
	host, err := b.Read(t.Context(), s, nil)
	kerneltest.Must(t, err)
	return host
}

// TestNumbers: the keys have the order of the numbers, which come back.
func TestNumbers(t *testing.T) {
	t.Parallel()
	numbers := []float32{float32(math.Inf(-1)), -3e38, -1, -1e-45, float32(math.Copysign(0, -1)), 0, 1e-45, 1, 3e38, float32(math.Inf(1))}
	for i, x := range numbers {
		if y := numberOf(keyOf(x)); math.Float32bits(y) != math.Float32bits(x) {
			t.Errorf("%v comes back as %v", x, y)
		}
		if i > 0 && keyOf(x) <= keyOf(numbers[i-1]) {
			t.Errorf("the key of %v is not above that of %v", x, numbers[i-1])
		}
	}
}

// TestStep: the order of the copies has each row once, and begins with rows from all parts.
func TestStep(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 4, 6, 300, 1000, 4096} {
		step, seen := stepOf(n), make([]bool, n)
		parts := map[int]bool{}
		for i := range n {
			row := rowOf(i, step, n)
			if seen[row] {
				t.Fatalf("row %d of %d has two copies", row, n)
			}
			if seen[row] = true; i < n/4 {
				parts[row*8/n] = true
			}
		}
		if n >= 300 && len(parts) < 8 {
			t.Errorf("the first copies of %d rows are of %d of 8 parts", n, len(parts))
		}
	}
}
