package gpusimilar

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/shortlist"
)

// loadRough loads the kernels of searches by rough scores, if the device has their units.
func loadRough(dev *gridstride.Device) (*shortlist.Plan, error) {
	plan, err := shortlist.NewPlan(dev)
	if errors.Is(err, gridstride.ErrTarget) {
		return nil, nil
	}
	return plan, err
}

// The least rows, and rows times queries, of a search by rough scores. In float32 it also needs
// more queries than the other kernels take in one pass. On an H200, its start and end take a
// quarter of a millisecond more than the other kernels. It takes 0.6 ms for a million rows and 256
// queries. The other kernels take 1.1 ms for 8 queries, and 2.6 in float64.
const (
	leastRows   = 1 << 14
	leastWork32 = 1 << 22
	leastWork64 = 1 << 20
)

// goesRough reports whether searches with this number of queries go by rough scores, if the device
// can.
func (v *Vectors) goesRough(queries, leastWork int) bool {
	switch {
	case v.measure == Euclidean || v.rows.Rows > shortlist.MostRows:
		return false
	case v.h.alwaysRough:
		return true
	}
	return v.rows.Rows >= leastRows && v.rows.Rows*queries >= leastWork
}

// roughly is the kernels of a search by rough scores and the copies, which the first such search
// makes: nil, if the device has not the units, or no memory for the copies.
func (v *Vectors) roughly(s *gridstride.Stream) (*shortlist.Plan, *shortlist.Copies, error) {
	plan, err := v.h.rough()
	if plan == nil || err != nil || v.copies != nil || v.noRoom {
		return plan, v.copies, err
	}
	v.copies, err = plan.Copy(s, v.rows, nearest.Measure(v.measure))
	if v.noRoom = errors.Is(err, gridstride.ErrOutOfMemory); v.noRoom {
		err = nil
	}
	return plan, v.copies, err
}

// searchExact queues a search with scores of a type: by rough scores if there are copies, and
// otherwise by exact scores of all rows.
func searchExact[T Float](s *gridstride.Stream, h *Handle, w *space[T], plan *shortlist.Plan, copies *shortlist.Copies, f shortlist.Search[T],
	rows gridstride.Buffer[int32], scores gridstride.Buffer[T],
) error {
	exact, err := w.exact()
	if err != nil {
		return err
	}
	if f.Measure == nearest.Cosine {
		if err := w.inverseOf(s, f.Queries, &w.inverse); err != nil {
			return err
		}
		f.InverseQueries = w.inverse
	}
	if copies == nil {
		return exact.LaunchAll(s, &h.memory, &w.lists, f, rows, scores)
	}
	return shortlist.Launch(s, plan, exact, &h.memory, &w.lists, copies, f, rows, scores)
}

// nothing queues the result of a search of no rows.
func nothing[T Float](s *gridstride.Stream, n int, rows gridstride.Buffer[int32], scores gridstride.Buffer[T]) error {
	return errors.Join(rows.Slice(0, n).Fill(s, -1), scores.Slice(0, n).Zero(s))
}

// checkQueries is an error unless queries can be compared with the rows, and have room for k hits
// each.
func checkQueries[T Float](call string, v *Vectors, q operand.Matrix[float32], k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[T]) error {
	if err := q.Check(call, "queries"); err != nil {
		return err
	}
	if q.Cols != v.rows.Cols {
		return operand.Errorf(operand.ErrShape, "%s: queries is %d x %d and rows is %d x %d", call, q.Rows, q.Cols, v.rows.Rows, v.rows.Cols)
	}
	return checkResult(call, q.Rows, k, rows, scores)
}
