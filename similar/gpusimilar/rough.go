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
func (v *Vectors[S]) goesRough(queries int) bool {
	_, single := any(v).(*Vectors[float32])
	switch {
	case v.metric == Euclidean || v.rows.Rows > shortlist.MostRows || single && queries <= nearest.Few:
		return false
	case v.h.alwaysRough:
		return true
	case v.rows.Rows < leastRows:
		return false
	case single:
		return v.rows.Rows*queries >= leastWork32
	}
	return v.rows.Rows*max(queries, nearest.Few) >= leastWork64
}

// roughly is the kernels of a search by rough scores. The first such search makes the copies. It is
// nil for a search by exact scores of all rows: of few rows or queries, or on a device without the
// units, or without memory for the copies.
func (v *Vectors[S]) roughly(s *gridstride.Stream, queries int) (*shortlist.Plan, error) {
	if !v.goesRough(queries) || v.noRoom {
		return nil, nil
	}
	plan, err := v.h.rough()
	if plan == nil || err != nil || v.copies != nil {
		return plan, err
	}
	if s.Capturing() { // the copy would be made when the graph is launched, and later searches use it
		return nil, nil
	}
	v.copies, err = plan.Copy(s, v.rows, nearest.Metric(v.metric))
	if v.noRoom = errors.Is(err, gridstride.ErrOutOfMemory); v.noRoom {
		return nil, nil
	}
	return plan, err
}

// checkQueries is an error unless queries can be compared with the rows, and have room for k hits
// each.
func (v *Vectors[S]) checkQueries(call string, q operand.Matrix[float32], k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[S]) error {
	if err := q.Check(call, "queries"); err != nil {
		return err
	}
	if q.Cols != v.rows.Cols {
		return operand.Errorf(operand.ErrShape, "%s: queries is %d x %d and rows is %d x %d", call, q.Rows, q.Cols, v.rows.Rows, v.rows.Cols)
	}
	return checkResult(call, q.Rows, k, rows, scores)
}
