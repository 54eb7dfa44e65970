package spread

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel"
)

// Sort sorts x in place, as [parallel.Sort] sorts a vector. The parts keep their lengths: x[0] has the
// smallest keys then. It needs working memory for the keys on each device.
//
// Each device sorts its part. Samples of the sorted parts tell the exact places of the cuts. The
// devices exchange the pieces, and merge what they have received. After an error the order of the keys
// is undefined.
func Sort[K parallel.Number](ctx context.Context, h *Handle, x []gridstride.Buffer[K]) error {
	return sortWith(ctx, h, "Sort", x, sorting[K]{
		part:  parallel.Sort[K],
		less:  totalLess[K],
		merge: mergeKeys[K],
	})
}

// SortBy sorts x in place by an order, as [parallel.SortBy], and as [Sort] does it. Equal elements
// stay in their order. Less runs on the host, too. It needs instances of parallel.SortBy and
// parallel.Merge.
func SortBy[T any, O parallel.Order[T]](ctx context.Context, h *Handle, x []gridstride.Buffer[T], by O) error {
	return sortWith(ctx, h, "SortBy", x, sorting[T]{
		part: func(w *parallel.Workspace, x gridstride.Buffer[T]) error { return parallel.SortBy(w, x, by) },
		less: by.Less,
		merge: func(w *parallel.Workspace, dst, a, b gridstride.Buffer[T]) error {
			return parallel.Merge(w, dst, a, b, by)
		},
	})
}

// sorting is how parts are sorted, compared and merged.
type sorting[T any] struct {
	part  func(w *parallel.Workspace, x gridstride.Buffer[T]) error
	less  func(a, b T) bool
	merge func(w *parallel.Workspace, dst, a, b gridstride.Buffer[T]) error
}

func sortWith[T any](ctx context.Context, h *Handle, call string, x []gridstride.Buffer[T], of sorting[T]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	release, err := begin(h, call, x)
	if err != nil {
		return err
	}
	defer release()
	for r, k := range h.ranks {
		if err := of.part(k.work, x[r]); err != nil {
			return fmt.Errorf("spread: %s: rank %d: %w", call, r, err)
		}
	}
	if len(h.ranks) == 1 {
		return nil
	}
	e := &exchange[T]{h: h, x: x, of: of}
	if err := e.run(ctx); err != nil {
		return fmt.Errorf("spread: %s: %w", call, err)
	}
	return nil
}

// exchange hands the pieces of sorted parts to the ranks that they belong to.
type exchange[T any] struct {
	h    *Handle
	x    []gridstride.Buffer[T]
	of   sorting[T]
	cuts [][]int // cuts[d][r] is where the piece of rank r's part begins that goes to rank d
	got  []gridstride.Buffer[T]
}

func (e *exchange[T]) run(ctx context.Context) error {
	if err := e.split(ctx); err != nil {
		return err
	}
	for r, part := range e.x {
		room, err := roomFor[T](e.h, r, part.Len())
		if err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
		e.got = append(e.got, room)
	}
	if err := e.move(); err != nil {
		return err
	}
	for r := range e.x {
		if err := e.merge(r); err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return nil
}

// split finds where the parts are to be cut.
func (e *exchange[T]) split(ctx context.Context) error {
	s := splitterOf(e.h, e.x, e.of.less)
	e.cuts = append(e.cuts, make([]int, len(e.x)))
	k := 0
	for _, part := range e.x {
		k += part.Len()
		cut, err := s.cut(ctx, k)
		if err != nil {
			return err
		}
		e.cuts = append(e.cuts, cut)
	}
	return nil
}

// move has each rank copy its pieces of all parts, one after the other. The parts may be written when
// all have.
func (e *exchange[T]) move() error {
	if err := e.meet(); err != nil {
		return err
	}
	for d := range e.x {
		at := 0
		for step := range e.x { // the ranks begin with different others
			r := (d + step) % len(e.x)
			from, to := e.cuts[d][r], e.cuts[d+1][r]
			at = e.start(d, r)
			if from == to {
				continue
			}
			if err := gridstride.Copy(e.h.group.Stream(d), e.got[d].Slice(at, at+to-from), e.x[r].Slice(from, to)); err != nil {
				return fmt.Errorf("rank %d: %w", d, err)
			}
		}
	}
	return e.meet()
}

// start is where rank r's piece begins in what rank d receives.
func (e *exchange[T]) start(d, r int) (at int) {
	for other := range r {
		at += e.cuts[d+1][other] - e.cuts[d][other]
	}
	return at
}

// meet makes what is queued on each stream from now on wait for what is queued on all.
func (e *exchange[T]) meet() error {
	g := e.h.group
	events := make([]*gridstride.Event, g.Ranks())
	for r := range events {
		events[r] = g.Stream(r).Record()
	}
	for r := range events {
		for other, event := range events {
			if other == r {
				continue
			}
			if err := g.Stream(r).After(event); err != nil {
				return fmt.Errorf("rank %d: %w", r, err)
			}
		}
	}
	return nil
}

// merge merges the pieces that rank d has received into its part, two and two, from one buffer to the
// other.
func (e *exchange[T]) merge(d int) error {
	from, to := e.got[d], e.x[d]
	ends := []int{0}
	for r := range e.x {
		if n := e.cuts[d+1][r] - e.cuts[d][r]; n > 0 {
			ends = append(ends, ends[len(ends)-1]+n)
		}
	}
	s, k := e.h.group.Stream(d), e.h.ranks[d]
	for len(ends) > 2 {
		next := []int{0}
		for i := 0; i+1 < len(ends); i += 2 {
			first, end := ends[i], ends[min(i+2, len(ends)-1)]
			var err error
			if i+2 < len(ends) {
				err = e.of.merge(k.work, to.Slice(first, end), from.Slice(first, ends[i+1]), from.Slice(ends[i+1], end))
			} else {
				err = gridstride.Copy(s, to.Slice(first, end), from.Slice(first, end))
			}
			if err != nil {
				return err
			}
			next = append(next, end)
		}
		from, to, ends = to, from, next
	}
	if from.Len() == 0 || from.Overlaps(e.x[d]) {
		return nil
	}
	return gridstride.Copy(s, e.x[d], from)
}
