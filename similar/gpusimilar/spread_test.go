package gpusimilar_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

// TestSpread spreads rows over one to eight devices: the hits are one device's, bit for bit,
// also where rows of different devices have the same score.
func TestSpread(t *testing.T) {
	t.Parallel()
	t.Run("float32", testSpread[float32])
	t.Run("float64", testSpread[float64])
}

func testSpread[S gpublas.Float](t *testing.T) {
	t.Parallel()
	var benches []*bench
	for range 8 {
		dev, err := gridstride.Open(gridstride.Use("sim"))
		must(t, err)
		t.Cleanup(func() { must(t, dev.Close()) })
		benches = append(benches, benchOn(t, dev))
	}
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 36))
		metric := gpusimilar.Metric(r.IntN(3))
		cols, n, k := 1+r.IntN(9), r.IntN(90), 1+r.IntN(12)
		rows := random(n, cols, cols+r.IntN(3), r.IntN(3), func() float32 { return float32(r.IntN(3) - 1) })
		if n > 0 {
			rows.row(r.IntN(n))[0] = float32(math.NaN())
		}
		queries := random(1+r.IntN(4), cols, cols+r.IntN(3), r.IntN(3), func() float32 { return float32(r.IntN(3) - 1) })
		one := parts[S](benches[:1], metric, rows, []int{n})
		want, err := one[0].Search(t.Context(), queries.on(benches[0]), k)
		must(t, err)

		devices := 1 + r.IntN(len(benches))
		x, err := gpusimilar.NewSpread(parts[S](benches[:devices], metric, rows, shares(r, n, devices))...)
		must(t, err)
		got, err := x.Search(t.Context(), queries.on(benches[r.IntN(devices)]), k)
		must(t, err)
		if fmt.Sprintf("%x", got) != fmt.Sprintf("%x", want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("program %d: %d rows on %d devices: %v, want %v", seed, n, devices, got, want)
		}
	}
}

// shares divides n into parts at random.
func shares(r *rand.Rand, n, count int) []int {
	all := make([]int, count)
	for range n {
		all[r.IntN(count)]++
	}
	return all
}

// parts are the rows of a table on devices, as many on each as shares says.
func parts[S gpublas.Float](benches []*bench, m gpusimilar.Metric, rows *table, shares []int) (all []*gpusimilar.Vectors[S]) {
	from := 0
	for i, b := range benches {
		b.Helper()
		whole := rows.on(b)
		part := gpublas.Matrix[float32]{Data: whole.Data.Slice(min(from*whole.Stride, whole.Data.Len()), whole.Data.Len()), Rows: shares[i], Cols: whole.Cols, Stride: whole.Stride}
		v, err := gpusimilar.NewVectors[S](b.h, part, m)
		must(b, err)
		b.Cleanup(func() { must(b, v.Close()) })
		all = append(all, v)
		from += shares[i]
	}
	return all
}

// TestSpreadChecked searches on two devices that check what is queued.
func TestSpreadChecked(t *testing.T) {
	t.Parallel()
	benches := []*bench{newBench(t), newBench(t)}
	rows := random(20, 4, 4, 0, func() float32 { return 1 })
	queries := random(2, 4, 4, 0, func() float32 { return 0 }).on(benches[1])
	must(t, queries.Data.Fill(benches[1].dev.Stream(), 2)) // a search waits for it
	x, err := gpusimilar.NewSpread(parts[float32](benches, gpusimilar.Dot, rows, []int{7, 13})...)
	must(t, err)
	hits, err := x.Search(t.Context(), queries, 9)
	must(t, err)
	for _, found := range hits {
		for i, h := range found {
			if h.Row != i || h.Score != 8 {
				t.Errorf("hit %d is row %d with %v", i, h.Row, h.Score)
			}
		}
	}
}

// TestSpreadRefused makes collections of parts that do not fit, and searches with what does not.
func TestSpreadRefused(t *testing.T) {
	t.Parallel()
	a, b := newBench(t), newBench(t)
	rows, wide := random(3, 4, 4, 0, func() float32 { return 1 }), random(3, 5, 5, 0, func() float32 { return 1 })
	p := parts[float32]([]*bench{a}, gpusimilar.Dot, rows, []int{3})[0]
	refused := func(err, kind error, text string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want %q, of the kind %v", err, text, kind)
		}
	}
	_, err := gpusimilar.NewSpread[float32]()
	refused(err, gpublas.ErrShape, "gpusimilar: NewSpread: no parts")
	_, err = gpusimilar.NewSpread(p, parts[float32]([]*bench{b}, gpusimilar.Euclidean, rows, []int{3})[0])
	refused(err, gpublas.ErrShape, "part 1 has metric")
	_, err = gpusimilar.NewSpread(p, parts[float32]([]*bench{b}, gpusimilar.Dot, wide, []int{3})[0])
	refused(err, gpublas.ErrShape, "part 1 has 5 columns, and part 0 4")
	x, err := gpusimilar.NewSpread(p)
	must(t, err)
	_, err = x.Search(t.Context(), rows.on(b), 2)
	refused(err, gridstride.ErrWrongDevice, "gpusimilar: Search: the queries are on no part's device: ")
	_, err = x.Search(t.Context(), rows.on(a), 0)
	refused(err, gridstride.ErrRange, "part 0: gpusimilar: Search: k is 0")
	_, err = x.Search(t.Context(), gpublas.Matrix[float32]{Rows: -1, Cols: 4, Stride: 4}, 2)
	refused(err, gpublas.ErrShape, "queries has -1 rows")
}
