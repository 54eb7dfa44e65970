package comm

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// hold locks the group for a call, until release.
func (g *Group) hold(call string) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return operand.Errorf(gridstride.ErrClosed, "comm: %s: the group is closed", call)
	}
	if err := g.aborted(call); err != nil {
		g.mu.Unlock()
		return err
	}
	return nil
}

func (g *Group) release() { g.mu.Unlock() }

// checkRank checks a rank that a call names.
func (g *Group) checkRank(call, name string, rank int) error {
	if rank < 0 || rank >= len(g.streams) {
		return operand.Errorf(ErrRank, "comm: %s: %s is %d; want 0 to %d", call, name, rank, len(g.streams)-1)
	}
	return nil
}

// checkOp checks the operation of a reduction.
func checkOp(call string, op Op) error {
	if op < Sum || op > Max {
		return operand.Errorf(ErrOp, "comm: %s: operation %d; want Sum, Prod, Min or Max", call, op)
	}
	return nil
}

// checkAll checks that there is a place for the buffer of each rank, and that the buffers of this
// process have n elements and can be used by their streams.
func checkAll[T any](g *Group, call, name string, buffers []gridstride.Buffer[T], n int) error {
	if err := checkCount(g, call, name, len(buffers)); err != nil {
		return err
	}
	for _, rank := range g.here() {
		if err := checkOne(g, call, name, buffers[rank], rank, n); err != nil {
			return err
		}
	}
	return nil
}

// checkCount checks that there is a buffer for each rank.
func checkCount(g *Group, call, name string, count int) error {
	if count != len(g.streams) {
		return operand.Errorf(ErrRank, "comm: %s: %s has %d buffers; want %d, one for each rank", call, name, count, len(g.streams))
	}
	return nil
}

// checkOne checks the buffer of a rank.
func checkOne[T any](g *Group, call, name string, b gridstride.Buffer[T], rank, n int) error {
	if b.Len() != n {
		return operand.Errorf(ErrSize, "comm: %s: %s of rank %d has %d elements; want %d", call, name, rank, b.Len(), n)
	}
	if err := b.Check(g.streams[rank]); err != nil {
		return fmt.Errorf("comm: %s: %s of rank %d: %w", call, name, rank, err)
	}
	return nil
}

// checkApart checks that dst and src of a rank do not overlap, unless dst is the part of src, or src
// the part of dst, that may be in the same place.
func checkApart[T any](call string, rank int, dst, src gridstride.Buffer[T], from, to gridstride.Buffer[T]) error {
	if dst.Overlaps(src) && !same(from, to) {
		return operand.Errorf(ErrOverlap, "comm: %s: dst and src of rank %d overlap, and are not in the same place", call, rank)
	}
	return nil
}

// same reports whether two buffers are the same memory.
func same[T any](a, b gridstride.Buffer[T]) bool {
	return a.Len() == b.Len() && a.DevicePtr() == b.DevicePtr()
}

// part is rank's part of n elements that are shared out among ranks: [from, to).
func part(n, rank, ranks int) (from, to int) {
	share := n / ranks
	more := n % ranks // of the ranks have an element more
	from = rank*share + min(rank, more)
	to = from + share
	if rank < more {
		to++
	}
	return from, to
}
