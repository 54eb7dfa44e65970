package nearest

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// Plan is the kernels made ready on a device. Any goroutine may use it.
type Plan struct {
	one      *oneWideKernel
	few1     *fewWide1Kernel
	few      *fewWideKernel
	any      *fewAnyKernel
	products *manyProductsKernel
	squares  *manySquaresKernel

	anyProducts *anyProductsKernel
	anySquares  *anySquaresKernel
	merge       *topk.Plan[float32]
}

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan(dev *gridstride.Device) (*Plan, error) {
	p := &Plan{}
	var errs [9]error
	p.one, errs[7] = loadOneWide(dev)
	p.few1, errs[0] = loadFewWide1(dev)
	p.few, errs[1] = loadFewWide(dev)
	p.any, errs[2] = loadFewAny(dev)
	p.products, errs[3] = loadManyProducts(dev)
	p.squares, errs[4] = loadManySquares(dev)
	p.anyProducts, errs[5] = loadAnyProducts(dev)
	p.anySquares, errs[6] = loadAnySquares(dev)
	p.merge, errs[8] = topk.NewPlan[float32](dev)
	return p, errors.Join(errs[:]...)
}

// blocks is the number that run on the device at a time, together on each multiprocessor.
func blocks(s *gridstride.Stream, together int) int {
	return together * max(1, s.Device().Info().Multiprocessors)
}

// Search is a checked search: for each of Queries the K best of Rows, which have as many columns.
// Each has at least one row. For a cosine, the inverses are 1 over the norms.
type Search struct {
	Metric                      Metric
	Rows, Queries               operand.Matrix[float32]
	InverseRows, InverseQueries gridstride.Buffer[float32]
	K                           int
}

// MemoryQueries is the largest number of queries whose lists are in memory at the same time.
const MemoryQueries = 4096

// manyFrom is the number of queries from which one pass of the kernels for many takes less time
// than passes of those for few: on an H200, one pass of these takes as long as six of those.
const manyFrom = 6*Few + 1

// Launch queues a search. The rows of query i go to outRows[i*K:], the best first, and the scores
// to outScores there. If fewer than K exist, the others are row -1.
//
// Errors: [gridstride.Make]'s and [gridstride.Kernel.Launch]'s.
func (p *Plan) Launch(s *gridstride.Stream, m *topk.Memory[float32], w onepass.Work, f Search, outRows gridstride.Buffer[int32],
	outScores gridstride.Buffer[float32],
) error {
	if f.Queries.Rows == 1 && f.K <= MaxOne && f.isWide() {
		return p.launchOne(s, m, w, f, outRows, outScores)
	}
	together, search := Few, p.launchFew
	if f.Queries.Rows >= manyFrom {
		together, search = MemoryQueries, p.launchMany
	}
	for first := 0; first < f.Queries.Rows; first += together {
		end := min(first+together, f.Queries.Rows)
		part := f
		part.Queries = f.Queries.RowsFrom(first, end)
		if f.Metric == Cosine {
			part.InverseQueries = f.InverseQueries.Slice(first, end)
		}
		parts, err := search(s, m, part)
		if err != nil {
			return err
		}
		if err := p.merge.Merge(s, m, parts, end-first, outRows.Slice(first*f.K, end*f.K), outScores.Slice(first*f.K, end*f.K)); err != nil {
			return err
		}
	}
	return nil
}

// shape is the kernels' Shape, for lists of some length.
func (f *Search) shape(queries, length int) Shape {
	return Shape{
		N: f.Rows.Rows, Queries: queries, Cols: f.Rows.Cols, RowsStride: f.Rows.Stride, QueriesStride: f.Queries.Stride,
		K: f.K, Len: length, Metric: f.Metric,
	}
}

// isWide reports whether rows and queries can be read 16 bytes at a time.
func (f *Search) isWide() bool { return isWide(f.Rows) && isWide(f.Queries) }

func isWide(m operand.Matrix[float32]) bool {
	return m.Data.Aligned(16) && m.Stride%lanes32 == 0 && m.Cols%lanes32 == 0
}

// wide is the elements of a matrix as vectors of 16 bytes.
func wide(m operand.Matrix[float32]) (gridstride.Buffer[gpu.Float32x4], error) {
	return gridstride.Cast[gpu.Float32x4](m.Span())
}

// launchOne queues a search for one query and MaxOne rows at most.
func (p *Plan) launchOne(s *gridstride.Stream, m *topk.Memory[float32], w onepass.Work, f Search, outRows gridstride.Buffer[int32],
	outScores gridstride.Buffer[float32],
) error {
	const together = 3 // with 4, the memory serves the blocks 2 % slower: on an H200
	blocks := min((f.Rows.Rows-1)/FewBlock+1, blocks(s, together), mostBlocks)
	if err := m.Reserve(s.Device(), blocks, MaxOne); err != nil {
		return err
	}
	rows, err1 := wide(f.Rows)
	queries, err2 := wide(f.Queries)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return p.one.Launch(s, gridstride.Grid(blocks), rows, queries, f.InverseRows, f.InverseQueries, f.shape(1, MaxOne),
		m.Scores, m.Rows, w.Ticket, outRows, outScores)
}

// launchFew queues a search for Few queries at most.
func (p *Plan) launchFew(s *gridstride.Stream, m *topk.Memory[float32], f Search) (topk.Parts, error) {
	const together = 4
	shape := f.shape(f.Queries.Rows, topk.MaxK+FewBlock)
	parts := topk.Parts{N: min((f.Rows.Rows-1)/FewBlock+1, blocks(s, together)), Queries: f.Queries.Rows, Len: shape.Len, K: f.K}
	if err := m.Reserve(s.Device(), parts.N*parts.Queries, parts.Len); err != nil {
		return parts, err
	}
	grid := gridstride.Grid(parts.N)
	if !f.isWide() {
		return parts, p.any.Launch(s, grid, f.Rows.Data, f.Queries.Data, f.InverseRows, f.InverseQueries, shape, m.Scores, m.Rows, m.Counts)
	}
	rows, err1 := wide(f.Rows)
	queries, err2 := wide(f.Queries)
	if err := errors.Join(err1, err2); err != nil {
		return parts, err
	}
	if f.Queries.Rows == 1 {
		return parts, p.few1.Launch(s, grid, rows, queries, f.InverseRows, f.InverseQueries, shape, m.Scores, m.Rows, m.Counts)
	}
	return parts, p.few.Launch(s, grid, rows, queries, f.InverseRows, f.InverseQueries, shape, m.Scores, m.Rows, m.Counts)
}

// launchMany queues a search for MemoryQueries queries at most. For a small K, a list has room
// for K rows and the rows of two tiles. For a large K it has more, so that it is full less
// often.
func (p *Plan) launchMany(s *gridstride.Stream, m *topk.Memory[float32], f Search) (topk.Parts, error) {
	const together = 2
	length := topk.Longest
	if f.K <= topk.MaxK/2 {
		length = topk.Longest / 2
	}
	across := (f.Queries.Rows-1)/Many + 1
	down := max(1, min(blocks(s, together)/across, (f.Rows.Rows-1)/Many+1))
	parts := topk.Parts{N: down, Queries: across * Many, Len: length, K: f.K}
	if err := m.Reserve(s.Device(), parts.N*parts.Queries, parts.Len); err != nil {
		return parts, err
	}
	shape, exist, grid := f.shape(parts.Queries, length), f.Queries.Rows, gridstride.Grid(across, down)
	if !f.isWide() {
		if f.Metric == Euclidean {
			return parts, p.anySquares.Launch(s, grid, f.Rows.Data, f.Queries.Data, shape, exist, m.Scores, m.Rows, m.Counts)
		}
		return parts, p.anyProducts.Launch(s, grid, f.Rows.Data, f.Queries.Data, f.InverseRows, f.InverseQueries, shape, exist, m.Scores, m.Rows, m.Counts)
	}
	rows, err1 := wide(f.Rows)
	queries, err2 := wide(f.Queries)
	if err := errors.Join(err1, err2); err != nil {
		return parts, err
	}
	if f.Metric == Euclidean {
		return parts, p.squares.Launch(s, grid, rows, queries, shape, exist, m.Scores, m.Rows, m.Counts)
	}
	return parts, p.products.Launch(s, grid, rows, queries, f.InverseRows, f.InverseQueries, shape, exist, m.Scores, m.Rows, m.Counts)
}
