package shortlist

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// Exact is the kernels that choose by exact scores of a type, made ready on a device. Any goroutine
// may use it.
type Exact[T operand.Float] struct {
	rank   *rankKernel[T]
	scan   *scanKernel[T]
	settle *settleKernel[T]
	blocks int // of scan
}

// NewExact loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewExact[T operand.Float](dev *gridstride.Device) (*Exact[T], error) {
	const together = 2
	p := &Exact[T]{blocks: together * max(1, dev.Info().Multiprocessors)}
	var errs [3]error
	p.rank, errs[0] = loadRank[T](dev)
	p.scan, errs[1] = loadScan[T](dev)
	p.settle, errs[2] = loadSettle[T](dev)
	return p, errors.Join(errs[:]...)
}

// Search is a checked search: for each of Queries the K best of Rows, which have as many columns.
// Each has at least one row. For a cosine, the inverses are 1 over the norms.
type Search[T operand.Float] struct {
	Metric                      nearest.Metric
	Rows, Queries               operand.Matrix[float32]
	InverseRows, InverseQueries gridstride.Buffer[T]
	K                           int
}

// MemoryQueries is the largest number of queries whose lists are in memory at the same time.
const MemoryQueries = 2048

// parts gives do the search for MemoryQueries queries at a time, with the part of the result that
// is theirs.
func (f Search[T]) parts(b bestBuffers[T], do func(f Search[T], b bestBuffers[T]) error) error {
	for first := 0; first < f.Queries.Rows; first += MemoryQueries {
		end := min(first+MemoryQueries, f.Queries.Rows)
		part := f
		part.Queries = f.Queries.RowsFrom(first, end)
		if f.Metric == nearest.Cosine {
			part.InverseQueries = f.InverseQueries.Slice(first, end)
		}
		err := do(part, bestBuffers[T]{Rows: b.Rows.Slice(first*f.K, end*f.K), Scores: b.Scores.Slice(first*f.K, end*f.K), K: f.K})
		if err != nil {
			return err
		}
	}
	return nil
}

// vectors is the search as kernels take it.
func (f *Search[T]) vectors() vectorsBuffers[T] {
	return vectorsBuffers[T]{
		Rows: f.Rows.Data, Queries: f.Queries.Data, Cols: f.Rows.Cols, RowsStride: f.Rows.Stride, QueriesStride: f.Queries.Stride,
		InverseRows: f.InverseRows, InverseQueries: f.InverseQueries, Metric: f.Metric,
	}
}

// Launch queues a search among the copies of the rows. The rows of query i go to outRows[i*K:],
// the best first, and the scores to outScores there. If fewer than K exist, the others are row
// -1.
//
// Errors: [gridstride.Make]'s and [gridstride.Kernel.Launch]'s.
func Launch[T operand.Float](s *gridstride.Stream, p *Plan, e *Exact[T], m *Memory, lists *topk.Memory[T], c *Copies, f Search[T],
	outRows gridstride.Buffer[int32], outScores gridstride.Buffer[T],
) error {
	return f.parts(bestBuffers[T]{Rows: outRows, Scores: outScores, K: f.K}, func(f Search[T], b bestBuffers[T]) error {
		if err := errors.Join(p.list(s, m, c, f.Queries, f.K), m.reserveLeft(s.Device(), f.Queries.Rows)); err != nil {
			return err
		}
		return errors.Join(
			m.rest.Count.Zero(s),
			e.rank.Launch(s, gridstride.Grid(f.Queries.Rows), f.vectors(), m.list, c.n, c.step, b, m.rest),
			e.scanLeft(s, m.rest, lists, f, b),
		)
	})
}

// LaunchAll queues a search that computes the exact scores of all rows, on any device.
//
// Errors: [gridstride.Make]'s and [gridstride.Kernel.Launch]'s.
func (e *Exact[T]) LaunchAll(s *gridstride.Stream, m *Memory, lists *topk.Memory[T], f Search[T],
	outRows gridstride.Buffer[int32], outScores gridstride.Buffer[T],
) error {
	return f.parts(bestBuffers[T]{Rows: outRows, Scores: outScores, K: f.K}, func(f Search[T], b bestBuffers[T]) error {
		if err := m.reserveLeft(s.Device(), f.Queries.Rows); err != nil {
			return err
		}
		return errors.Join(m.rest.Count.Fill(s, int32(f.Queries.Rows)), e.scanLeft(s, leftBuffers{Count: m.rest.Count}, lists, f, b))
	})
}

// reserveLeft makes room for queries remaining queries.
func (m *Memory) reserveLeft(dev *gridstride.Device, queries int) error {
	return errors.Join(topk.Reserve(dev, &m.rest.Queries, queries), topk.Reserve(dev, &m.rest.Count, 1))
}

// scanLeft queues scan and settle.
func (e *Exact[T]) scanLeft(s *gridstride.Stream, rest leftBuffers, lists *topk.Memory[T], f Search[T], b bestBuffers[T]) error {
	groups := (f.Queries.Rows + few - 1) / few
	if err := lists.Reserve(s.Device(), max(e.blocks, groups)*few, scanLen); err != nil {
		return err
	}
	return errors.Join(
		e.scan.Launch(s, gridstride.Grid(e.blocks), f.vectors(), f.Rows.Rows, f.K, rest, lists.Scores, lists.Rows, lists.Counts),
		e.settle.Launch(s, gridstride.Grid(f.Queries.Rows), e.blocks, rest, lists.Scores, lists.Rows, lists.Counts, b),
	)
}
