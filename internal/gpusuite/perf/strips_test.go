package perf

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/kernels/nearest"
	"github.com/gridstride/gridstride/internal/kernels/topk"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

// stripKernel is one of the kernels of strips.go.
type stripKernel struct {
	name            string
	block, together int // threads of a block, and blocks of a multiprocessor
	launch          func(s *gridstride.Stream, cfg gridstride.Config, rows, query gridstride.Buffer[gpu.Float32x4], shape nearest.Shape,
		scores gridstride.Buffer[float32], chosen, counts gridstride.Buffer[int32]) error
}

func stripKernels(t testing.TB, dev *gridstride.Device) []stripKernel {
	t.Helper()
	a, err := LoadStrip4x16(dev)
	must(t, err)
	b, err := LoadStrip2x16(dev)
	must(t, err)
	c, err := LoadStrip2x32(dev)
	must(t, err)
	d, err := LoadStrip4x8(dev)
	must(t, err)
	return []stripKernel{
		{"4 warps, 256 bytes", 128, 4, a.Launch}, {"2 warps, 256 bytes", 64, 8, b.Launch},
		{"2 warps, 512 bytes", 64, 4, c.Launch}, {"4 warps, 128 bytes", 128, 7, d.Launch},
	}
}

// A stripSearch is the search of one query in rows of so many columns, which lie side by side.
type stripSearch struct {
	rows, query gridstride.Buffer[gpu.Float32x4]
	n, cols, k  int
	lists       topk.Memory[float32]
	merge       *topk.Plan[float32]
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
	x.merge, err = topk.NewPlan[float32](dev)
	must(t, err)
	x.hits, err = gridstride.Make[int32](dev, k)
	must(t, err)
	x.scores, err = gridstride.Make[float32](dev, k)
	must(t, err)
	t.Cleanup(func() { must(t, x.lists.Free()); must(t, x.hits.Free()); must(t, x.scores.Free()) })
	return x
}

// parts is how a kernel leaves its lists.
func (x *stripSearch) parts(s *gridstride.Stream, k stripKernel) topk.Parts {
	blocks := k.together * max(1, s.Device().Info().Multiprocessors)
	return topk.Parts{N: min((x.n-1)/k.block+1, blocks), Queries: 1, Len: topk.MaxK + k.block, K: x.k}
}

// best queues a kernel, and choose the choice among the lists of its blocks.
func (x *stripSearch) best(s *gridstride.Stream, k stripKernel) error {
	p := x.parts(s, k)
	if err := x.lists.Reserve(s.Device(), p.N, p.Len); err != nil {
		return err
	}
	shape := nearest.Shape{N: x.n, Queries: 1, Cols: x.cols, RowsStride: x.cols, QueriesStride: x.cols, K: x.k, Len: p.Len, Measure: nearest.Dot}
	return k.launch(s, gridstride.Grid(p.N), x.rows, x.query, shape, x.lists.Scores, x.lists.Rows, x.lists.Counts)
}

func (x *stripSearch) choose(s *gridstride.Stream, k stripKernel) error {
	return x.merge.Merge(s, &x.lists, x.parts(s, k), 1, x.hits, x.scores)
}

// TestStrips compares the kernels with the library's search.
func TestStrips(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	h, err := gpusimilar.New(dev.Stream())
	must(t, err)
	defer func() { must(t, h.Close()) }()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, cols, k int }{{1, 4, 1}, {31, 8, 3}, {33, 132, 10}, {700, 260, 10}, {1500, 12, 128}} {
		host := make([]float32, (c.n+1)*c.cols)
		for i := range host {
			host[i] = float32(r.IntN(9) - 4)
		}
		data, err := gridstride.CopyOf(dev, host)
		must(t, err)
		rows, query := data.Slice(c.cols, data.Len()), data.Slice(0, c.cols)
		v, err := h.Vectors(gpublas.MatrixOf(c.n, c.cols, rows), gpusimilar.Dot)
		must(t, err)
		hits, err := v.Search(t.Context(), gpublas.MatrixOf(1, c.cols, query), c.k)
		must(t, err)
		x := newStripSearch(t, dev, rows, query, c.cols, c.k)
		for _, k := range stripKernels(t, dev) {
			must(t, x.best(dev.Stream(), k))
			must(t, x.choose(dev.Stream(), k))
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

// measureStrips is the time of each kernel, and of the choice behind it, beside that of the library.
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
		add(kernel.name+", and the choice", func() error {
			if err := x.best(h.Stream(), kernel); err != nil {
				return err
			}
			return x.choose(h.Stream(), kernel)
		})
	}
	add("the choice", func() error { return x.choose(h.Stream(), stripKernels(t, dev)[0]) })
	half := data.Len() / 8 * 4
	for _, d := range dots(t, dev) {
		sums, err := gridstride.Make[float32](dev, 16*dev.Info().Multiprocessors)
		must(t, err)
		add("dot product of the two halves, "+d.name, func() error {
			return d.launch(h.Stream(), sums.Len(), data.Slice(0, half), data.Slice(half, 2*half), sums)
		})
		must(t, sums.Free())
	}
	v, err := h.Vectors(gpublas.MatrixOf(n, cols, rows), gpusimilar.Dot)
	must(t, err)
	defer func() { must(t, v.Close()) }()
	add("gpusimilar", func() error { return v.SearchTo(gpublas.MatrixOf(1, cols, query), k, x.hits, x.scores) })
	wantHits, err := x.hits.Read(t.Context(), h.Stream(), nil)
	must(t, err)
	for _, kernel := range stripKernels(t, dev) {
		must(t, x.best(h.Stream(), kernel))
		must(t, x.choose(h.Stream(), kernel))
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
