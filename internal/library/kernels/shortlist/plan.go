package shortlist

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Plan is the kernels that choose by rough scores made ready on a device. Any goroutine may use it.
type Plan struct {
	narrow        *narrowKernel
	narrowQueries *narrowQueriesKernel
	filter        *filterKernel
	tighten       *tightenKernel
	first         int // copies of a first portion: whole tiles, Length at most
}

// NewPlan loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func NewPlan(dev *gridstride.Device) (*Plan, error) {
	p := &Plan{first: Length}
	var errs [4]error
	p.filter, errs[0] = loadFilter(dev)
	p.narrow, errs[1] = loadNarrow(dev)
	p.narrowQueries, errs[2] = loadNarrowQueries(dev)
	p.tighten, errs[3] = loadTighten(dev)
	return p, errors.Join(errs[:]...)
}

// MostRows is the largest number of rows that have copies.
const MostRows = 1 << 30

// Copies are the copies of the rows of a matrix, which searches by rough scores read.
type Copies struct {
	data           gridstride.Buffer[gpu.BFloat16]
	sizes, largest gridstride.Buffer[float32]
	n, cols, step  int
}

// wide is the distance of two copies in elements: they are at multiples of 16 bytes.
func wide(cols int) int { return (cols + 7) / 8 * 8 }

// tilesOf is the number of tiles of n copies.
func tilesOf(n int) int { return (n + tileCols - 1) / tileCols }

// stepOf is the step of rowOf through n rows: prime to n, and near its golden section, which
// spreads the first few rows as evenly as all.
func stepOf(n int) int {
	step := max(1, int(float64(n)*0.6180339887498949))
	for gcd(step, n) != 1 {
		step++
	}
	return step
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Copy makes the copies of rows, which are checked, and are MostRows at most, for a metric that is
// not Euclidean. They take 2 bytes an element, and 4 a row.
//
// Errors: [gridstride.Make]'s and [gridstride.Kernel.Launch]'s.
func (p *Plan) Copy(s *gridstride.Stream, rows operand.Matrix[float32], m nearest.Metric) (*Copies, error) {
	c := &Copies{n: rows.Rows, cols: rows.Cols, step: stepOf(rows.Rows)}
	apart, tiles := wide(c.cols), tilesOf(c.n)
	var errs [3]error
	c.data, errs[0] = gridstride.Make[gpu.BFloat16](s.Device(), c.n*apart)
	c.sizes, errs[1] = gridstride.Make[float32](s.Device(), c.n)
	c.largest, errs[2] = gridstride.Make[float32](s.Device(), tiles)
	err := errors.Join(errs[:]...)
	if err == nil {
		err = p.narrow.Launch(s, gridstride.Grid(tiles), rows.Data, c.n, c.cols, rows.Stride, c.step, m == nearest.Cosine, c.data, apart, c.sizes, c.largest)
	}
	if err != nil {
		return nil, errors.Join(err, c.Free())
	}
	return c, nil
}

// Free gives the memory back. What is queued still runs. The Copies may be nil.
func (c *Copies) Free() error {
	if c == nil {
		return nil
	}
	return errors.Join(c.data.Free(), c.sizes.Free(), c.largest.Free())
}

// Memory is the working memory of searches. It is for one stream: kernels that run one after the
// other may share it.
type Memory struct {
	copies gridstride.Buffer[gpu.BFloat16] // of the queries
	slacks gridstride.Buffer[float32]
	list   listBuffers
	rest   leftBuffers
}

// reserve makes room for a number of queries.
func (m *Memory) reserve(dev *gridstride.Device, queries, cols int) error {
	return errors.Join(
		topk.Reserve(dev, &m.copies, queries*wide(cols)), topk.Reserve(dev, &m.slacks, queries),
		topk.Reserve(dev, &m.list.Scores, queries*Length), topk.Reserve(dev, &m.list.Copies, queries*Length),
		topk.Reserve(dev, &m.list.Counts, queries), topk.Reserve(dev, &m.list.Limits, queries),
	)
}

// Free gives the memory back. What is queued still runs.
func (m *Memory) Free() error {
	return errors.Join(m.copies.Free(), m.slacks.Free(), m.list.Scores.Free(), m.list.Copies.Free(), m.list.Counts.Free(),
		m.list.Limits.Free(), m.rest.Queries.Free(), m.rest.Count.Free())
}

// growth is the ratio of the rows seen after a portion to the rows seen before it, except the
// first: of rows in no order, some growth*k reach the limit of the rows before.
const growth = 8

// loss is the largest share of the norms of q and y that is lost for rows of cols elements: in a
// tensor core's sum, which adds 16 products at a time and cuts each off 24 bits below the largest,
// in an exact score's sum in float32, and in norms.
func loss(cols int) float64 {
	const cut, round = 32 * 0x1p-24, 0x1p-24
	return cut*float64(cols/16+1) + round*float64(cols+cols/32+64)
}

// list queues the choice of the copies whose rows may be among the k best of queries, which are
// checked, and have as many columns.
func (p *Plan) list(s *gridstride.Stream, m *Memory, c *Copies, queries operand.Matrix[float32], k int) error {
	const warps = narrowBlock / gpu.WarpSize
	if err := m.reserve(s.Device(), queries.Rows, c.cols); err != nil {
		return err
	}
	err := p.narrowQueries.Launch(s, gridstride.Grid((queries.Rows-1)/warps+1), queries.Data, queries.Rows, c.cols, queries.Stride,
		loss(c.cols), m.copies, wide(c.cols), m.slacks, m.list.Limits, m.list.Counts)
	if err != nil {
		return err
	}
	for first, end := 0, min(c.n, p.first); first < c.n; first, end = end, min(c.n, growth*end) {
		all := end
		if first > 0 {
			all = 0
		}
		err := errors.Join(
			p.launchFilter(s, m, c, queries.Rows, end-first, portion{First: first, All: first == 0}),
			p.tighten.Launch(s, gridstride.Grid(queries.Rows), all, k, m.slacks, c.sizes, m.list))
		if err != nil {
			return err
		}
	}
	return nil
}

// launchFilter queues filter for a portion.
func (p *Plan) launchFilter(s *gridstride.Stream, m *Memory, c *Copies, queries, n int, part portion) error {
	shape := warpgroups.Shape{M: queries, N: n, K: c.cols, Count: 1}
	apart := wide(c.cols)
	a := warpgroups.Factor[gpu.BFloat16]{Data: m.copies, Row: apart, Deep: true}
	b := warpgroups.Factor[gpu.BFloat16]{Data: c.data.Slice(part.First*apart, (part.First+n)*apart), Row: apart, Deep: true}
	mapA, _, err1 := a.MapA(&shape)
	mapB, _, err2 := b.MapB(&shape)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return p.filter.Launch(s, warpgroups.Grid(s.Device(), &shape, tileCols), mapA, mapB, shape, part, m.slacks, c.sizes, c.largest, m.list)
}
