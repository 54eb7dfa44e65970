// Package gpusimilar finds the rows of a matrix that are most like a query, on a device, a GPU or a
// simulated one: dense vectors of float32, and sparse ones, such as the weights of the terms of
// documents.
//
//	h, err := gpusimilar.New(dev.Stream())
//	…
//	defer h.Close()
//	rows := gpublas.MatrixOf(1_000_000, 768, data)
//	v, err := gpusimilar.NewVectors[float32](h, rows, gpusimilar.Cosine)
//	hits, err := v.Search(ctx, gpublas.MatrixOf(1, 768, query), 10)
//
// A search is exact: the hits are those that a plain loop over all rows would find. The scores and
// the selection of the best are one kernel: there is never a matrix of queries by rows in memory,
// and the working memory has a bound that does not depend on the number of rows.
//
// # Streams
//
// As in package gpublas, a [Handle] queues on one stream; a method that takes a context waits for
// its result and returns it, and one with To in its name queues, and leaves the result in buffers.
// Any number of goroutines may use a handle and what was made with it; what they queue runs one
// after the other.
//
// # Results
//
// The best score comes first, and of equal scores the lower row. A score that is NaN is never among
// the hits. Scores have the same bits each time and on every device, and so the hits are the same:
// see [Metric] and [Sparse] for the order of additions.
//
// # Rough scores
//
// On a GPU of 9.0, [Vectors.Search] multiplies copies in bfloat16 on tensor cores, for [Dot] and
// [Cosine]: where rows times queries are 4 million, of more than 8 queries,
// and in float64 from 131,072 rows on, or fewer with more queries. That bounds the score of each
// row from both sides: the loss of each vector in bfloat16 is measured when it is copied, and the
// norm bounds the rest. Only rows that may be among the best then have exact scores computed, so
// that the hits are the same with rough scores and without. If there are too many of them for one
// query, as when all rows are nearly alike, all rows have exact scores computed for it: that takes
// longer.
//
// # Several devices
//
// [Spread] searches rows that are spread over devices, with the hits of one device.
//
// # Errors
//
// They are as in package gpublas, which has their kinds.
package gpusimilar

import (
	"context"
	"errors"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/shortlist"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// MaxK is the largest number of hits for a query.
const MaxK = topk.MaxK

// Hit is a row that a search found.
type Hit[T gpublas.Float] struct {
	Row   int
	Score T
}

// Handle makes and searches collections on one stream. Any number of goroutines may use it.
type Handle struct {
	core *handle.Core

	// Kernels are loaded when they are first used. rough is nil on a device without its units.
	nearest func() (*nearest.Plan, error)
	rough   func() (*shortlist.Plan, error)

	alwaysRough bool // whether searches go by rough scores however few rows there are

	// The rest is under the core's lock.
	memory  shortlist.Memory
	singles space[float32]
	doubles space[float64]
}

// New makes a handle for a stream, with working memory of five megabytes. Kernels are loaded when
// they are first used, which takes a moment the first time on a device, and searches keep the
// working memory that they need: 9 MB, and for more than 48 queries at a time up to 140 MB on a GPU
// of 132 multiprocessors; by rough scores 35 kB a query, of 2048 queries at most, and 10 MB. The
// stream stays the caller's.
//
// Errors: the errors of [gridstride.Make].
func New(s *gridstride.Stream) (*Handle, error) {
	core, err := handle.New("gpusimilar", s)
	if err != nil {
		return nil, err
	}
	dev := s.Device()
	return &Handle{
		core:    core,
		nearest: sync.OnceValues(func() (*nearest.Plan, error) { return nearest.NewPlan(dev) }),
		rough:   sync.OnceValues(func() (*shortlist.Plan, error) { return loadRough(dev) }),
		singles: newSpace[float32](dev),
		doubles: newSpace[float64](dev),
	}, nil
}

// Stream is the stream on which the methods queue.
func (h *Handle) Stream() *gridstride.Stream { return h.core.Stream() }

// Close gives the working memory back. What is queued still runs, and nothing more can be queued.
// Collections that were made with the handle are closed apart. A second Close does nothing.
func (h *Handle) Close() error {
	var err error
	closed := h.core.Queue("Close", func(*gridstride.Stream, onepass.Work) error {
		err = errors.Join(h.memory.Free(), h.singles.free(), h.doubles.free())
		h.memory = shortlist.Memory{}
		return nil
	})
	if closed != nil {
		return nil
	}
	return errors.Join(err, h.core.Close())
}

// checkResult is an error unless k rows can be chosen for each of the queries, and there is room
// for them.
func checkResult[T gpublas.Float](call string, queries, k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[T]) error {
	if k < 1 || k > MaxK {
		return operand.Errorf(gridstride.ErrRange, "%s: k is %d; want 1 to %d", call, k, MaxK)
	}
	if err := operand.CheckRoom(call, rows, queries, k); err != nil {
		return err
	}
	return operand.CheckRoom(call, scores, queries, k)
}

// wait has a search leave the result of its queries in buffers, and reads them.
func wait[T gpublas.Float](ctx context.Context, s *gridstride.Stream, queries, k int,
	search func(rows gridstride.Buffer[int32], scores gridstride.Buffer[T]) error,
) ([][]Hit[T], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := queries * min(max(k, 0), MaxK)
	rows, err1 := gridstride.Make[int32](s.Device(), n)
	scores, err2 := gridstride.Make[T](s.Device(), n)
	defer func() { _ = errors.Join(rows.Free(), scores.Free()) }()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if err := search(rows, scores); err != nil {
		return nil, err
	}
	hostRows, err := rows.Read(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	hostScores, err := scores.Read(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	hits := make([][]Hit[T], queries)
	for q := range hits {
		for i := q * k; i < (q+1)*k && hostRows[i] >= 0; i++ {
			hits[q] = append(hits[q], Hit[T]{int(hostRows[i]), hostScores[i]})
		}
	}
	return hits, nil
}
