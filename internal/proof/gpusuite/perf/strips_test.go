package perf

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

// stripKernel is one of the kernels of strips.go, with blocks of 128 threads.
type stripKernel struct {
	name     string
	together int // blocks of a multiprocessor
	launch   func(s *gridstride.Stream, cfg gridstride.Config, rows, query gridstride.Buffer[gpu.Float32x4], shape nearest.Shape,
		lists gridstride.Buffer[float32], listed gridstride.Buffer[int32], work gridstride.Buffer[uint32],
		hits gridstride.Buffer[int32], scores gridstride.Buffer[float32]) error
}

func stripKernels(t testing.TB, dev *gridstride.Device) []stripKernel {
	t.Helper()
	a, err := LoadClaimsBy2(dev)
	must(t, err)
	b, err := LoadClaimsBy3(dev)
	must(t, err)
	c, err := LoadClaimsBy4(dev)
	must(t, err)
	d, err := LoadSharesBy3(dev)
	must(t, err)
	return []stripKernel{{"claims, 2 blocks", 2, a.Launch}, {"claims, 3 blocks", 3, b.Launch}, {"claims, 4 blocks", 4, c.Launch}, {"shares, 3 blocks", 3, d.Launch}}
}

// A stripSearch is the search of one query in adjacent rows.
type stripSearch struct {
	rows, query gridstride.Buffer[gpu.Float32x4]
	n, cols, k  int
	blocks      int // as many as run at the same time where 0
	lists       topk.Memory[float32]
	work        onepass.Work
	hits        gridstride.Buffer[int32]
	scores      gridstride.Buffer[float32]
}

func newStripSearch(t testing.TB, dev *gridstride.Device, rows, query gridstride.Buffer[float32], cols, k int) *stripSearch {
	t.Helper()
	x := &stripSearch{n: rows.Len() / cols, cols: cols, k: k}
	var err error
	x.rows, err = gridstride.Cast[gpu.Float32x4](rows)
	must(t, err)
	x.query, err = gridstride.Cast[gpu.Float32x4](query)
	must(t, err)
	x.work, err = onepass.NewWork(dev)
	must(t, err)
	x.hits, err = gridstride.Make[int32](dev, k)
	must(t, err)
	x.scores, err = gridstride.Make[float32](dev, k)
	must(t, err)
	t.Cleanup(func() {
		must(t, x.lists.Free())
		must(t, x.work.Free())
		must(t, x.hits.Free())
		must(t, x.scores.Free())
	})
	return x
}

// best queues a kernel.
func (x *stripSearch) best(s *gridstride.Stream, k stripKernel) error {
	blocks := cmp.Or(x.blocks, min((x.n-1)/nearest.FewBlock+1, k.together*max(1, s.Device().Info().Multiprocessors)))
	if err := x.lists.Reserve(s.Device(), blocks, nearest.MaxOne); err != nil {
		return err
	}
	shape := nearest.Shape{N: x.n, Queries: 1, Cols: x.cols, RowsStride: x.cols, QueriesStride: x.cols, K: x.k, Len: nearest.MaxOne, Metric: nearest.Dot}
	return k.launch(s, gridstride.Grid(blocks), x.rows, x.query, shape, x.lists.Scores, x.lists.Rows, x.work.Ticket, x.hits, x.scores)
}

// TestStrips compares the kernels with the library's search.
func TestStrips(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	h, err := gpusimilar.New(dev.Stream())
	must(t, err)
	defer func() { must(t, h.Close()) }()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, cols, k, blocks int
		rising             bool // the best rows are the last ones, which one block has
	}{
		{1, 4, 1, 0, false}, {31, 8, 3, 0, false}, {33, 132, 10, 0, false}, {400, 260, 10, 2, false}, {600, 12, 16, 1, true},
		{600, 12, 16, 4, true}, {300, 4, 10, 140, false},
	} {
		host := make([]float32, (c.n+1)*c.cols)
		for i := range host {
			host[i] = float32(r.IntN(9) - 4)
			if c.rising {
				host[i] = float32(i / c.cols)
			}
		}
		if c.rising {
			host[0] = 1 // the query
		}
		data, err := gridstride.CopyOf(dev, host)
		must(t, err)
		rows, query := data.Slice(c.cols, data.Len()), data.Slice(0, c.cols)
		v, err := gpusimilar.NewVectors[float32](h, gpublas.MatrixOf(c.n, c.cols, rows), gpusimilar.Dot)
		must(t, err)
		hits, err := v.Search(t.Context(), gpublas.MatrixOf(1, c.cols, query), c.k)
		must(t, err)
		x := newStripSearch(t, dev, rows, query, c.cols, c.k)
		x.blocks = c.blocks
		for _, k := range stripKernels(t, dev) {
			must(t, x.best(dev.Stream(), k))
			got, err := x.hits.Read(t.Context(), dev.Stream(), nil)
			must(t, err)
			for i, hit := range hits[0] {
				if int(got[i]) != hit.Row {
					t.Fatalf("%s, %+v: row %d is %d, want %d", k.name, c, i, got[i], hit.Row)
				}
			}
		}
		must(t, v.Close())
		must(t, data.Free())
	}
}

// measureStrips is the time of each kernel, of the library and of a dot product.
func measureStrips(t *testing.T, dev *gridstride.Device, h *gpusimilar.Handle) (list []answer) {
	n := 1_000_000 / *similarScale
	const cols, k, rounds, repeat = 768, 10, 21, 5
	host := make([]float32, (n+1)*cols)
	share(n+1, func(i int) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		for j := range cols {
			host[i*cols+j] = float32(r.Float64() - 0.5)
		}
	})
	data, err := gridstride.CopyOf(dev, host)
	must(t, err)
	defer func() { must(t, data.Free()) }()
	rows, query := data.Slice(0, n*cols), data.Slice(n*cols, data.Len())
	add := func(what string, call func() error) {
		list = append(list, answer{What: "one/" + what, N: n, Queries: 1, K: k, Device: deviceTime(t, h.Stream(), rounds, repeat, call)})
	}
	x := newStripSearch(t, dev, rows, query, cols, k)
	for _, kernel := range stripKernels(t, dev) {
		add(kernel.name, func() error { return x.best(h.Stream(), kernel) })
	}
	half := data.Len() / 8 * 4
	for _, d := range dots(t, dev) {
		sums, err := gridstride.Make[float32](dev, 16*dev.Info().Multiprocessors)
		must(t, err)
		add("dot product of the two halves, "+d.name, func() error {
			return d.launch(h.Stream(), sums.Len(), data.Slice(0, half), data.Slice(half, 2*half), sums)
		})
		must(t, sums.Free())
	}
	v, err := gpusimilar.NewVectors[float32](h, gpublas.MatrixOf(n, cols, rows), gpusimilar.Dot)
	must(t, err)
	defer func() { must(t, v.Close()) }()
	add("gpusimilar", func() error { return v.SearchTo(gpublas.MatrixOf(1, cols, query), k, x.hits, x.scores) })
	wantHits, err := x.hits.Read(t.Context(), h.Stream(), nil)
	must(t, err)
	for _, kernel := range stripKernels(t, dev) {
		must(t, x.best(h.Stream(), kernel))
		got, err := x.hits.Read(t.Context(), h.Stream(), nil)
		must(t, err)
		if !slices.Equal(got, wantHits) {
			t.Errorf("%s has the hits %v, want %v", kernel.name, got, wantHits)
		}
	}
	for i := range list {
		list[i].Note = fmt.Sprintf("%.2f TB/s of the rows", float64(n)*cols*4/list[i].Device/1e6)
	}
	return list
}
