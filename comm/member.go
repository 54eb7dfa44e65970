package comm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride"
)

// The kinds of failure of ranks that enter collectives by themselves, for errors.Is.
var (
	// ErrMismatch: two ranks entered different collectives, or one collective in different ways. The
	// error is a *MismatchError.
	ErrMismatch = errors.New("the ranks entered different collectives")
	// ErrAbsent: a rank did not enter a collective. The error is an *AbsentError.
	ErrAbsent = errors.New("a rank did not enter the collective")
)

// MismatchError names two ranks that entered different collectives. It matches ErrMismatch.
type MismatchError struct {
	Ranks   [2]int    // the one that came first is first
	Entered [2]string // their collectives, "AllReduce(Sum) of 4 float32"
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("comm: rank %d entered %s, and rank %d %s", e.Ranks[0], e.Entered[0], e.Ranks[1], e.Entered[1])
}

// Unwrap is ErrMismatch.
func (e *MismatchError) Unwrap() error { return ErrMismatch }

// AbsentError names the ranks that others have waited for in vain. It matches ErrAbsent and Cause.
type AbsentError struct {
	Entered string // the collective of the others
	Ranks   []int  // who did not, in their order
	Cause   error  // why the wait ended: the end of a rank's context, or nil where a rank has left
}

func (e *AbsentError) Error() string {
	names := make([]string, len(e.Ranks))
	for i, rank := range e.Ranks {
		names[i] = fmt.Sprint(rank)
	}
	who := "rank " + names[0] + " has"
	if len(names) > 1 {
		who = "ranks " + strings.Join(names, ", ") + " have"
	}
	if e.Cause == nil {
		return fmt.Sprintf("comm: %s: %s left the group", e.Entered, who)
	}
	return fmt.Sprintf("comm: %s: %s not entered it: %v", e.Entered, who, e.Cause)
}

// Unwrap is ErrAbsent, and Cause if there is one.
func (e *AbsentError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrAbsent}
	}
	return []error{ErrAbsent, e.Cause}
}

// Member is one rank of a group, for programs that have a goroutine for each device. Each goroutine
// calls the Enter functions with its own buffers. A call waits until all ranks have entered the same
// collective, or the other rank its end of a transfer, queues it, and returns to all. It returns at once, to all, when two ranks have entered
// different ones, and when one that is wanted has left; and when the context of one that waits ends.
// Ranks that have lost each other so do not find each other again: all calls return that error from
// then on. The functions that take buffers of all ranks still work.
//
// A rank with its own process is a Member too: see [Join].
//
// One goroutine at a time uses a Member.
type Member struct {
	g    *Group
	rank int
	far  *distant // of a rank that was joined, else nil
}

// Member is the member of a rank. Like an index of a slice, rank must be in range.
func (g *Group) Member(rank int) *Member {
	_ = g.streams[rank]
	return &Member{g: g, rank: rank}
}

// Rank is the rank of the member.
func (m *Member) Rank() int { return m.rank }

// Ranks is the number of ranks of its group.
func (m *Member) Ranks() int { return m.g.Ranks() }

// Stream is the stream of the rank.
func (m *Member) Stream() *gridstride.Stream { return m.g.Stream(m.rank) }

// NCCL is the NCCL that the group uses, or why it uses none: see [Group.NCCL].
func (m *Member) NCCL() string { return m.g.NCCL() }

// Wait waits as [Group.Wait] for the ranks of the group that this process has. Of a rank that was
// joined, see [Join], it waits until the others have entered the same as well. The end of ctx loses
// them then, as in an Enter function.
func (m *Member) Wait(ctx context.Context) error {
	if m.far != nil {
		return m.far.wait(ctx, m.g)
	}
	return m.g.Wait(ctx)
}

// Abort aborts the group as [Group.Abort], in all of its processes.
func (m *Member) Abort() error {
	if m.far != nil {
		m.far.line.poison(errors.New("by Abort"))
	}
	return m.g.Abort()
}

// Leave says that the rank enters no more collectives, so that no other waits for it. A goroutine
// that may end early defers it.
func (m *Member) Leave() {
	if m.far != nil {
		m.far.line.leave()
		return
	}
	m.g.hall.leave(m.rank)
}

// pair is the buffers of a rank.
type pair[T any] struct{ dst, src gridstride.Buffer[T] }

// routine queues a collective of a group, given the buffers of all ranks.
type routine[T any] func(g *Group, dst, src []gridstride.Buffer[T]) error

// enter enters a collective for a rank. The last rank that comes runs it with the buffers of all.
// Ranks of other processes run it each for itself: direct says that NCCL is all that it needs.
func enter[T any](ctx context.Context, m *Member, what collective, own pair[T], direct bool, run routine[T]) error {
	what.Element = fmt.Sprintf("%T", *new(T))
	if m.far != nil {
		return enterFar(ctx, m, what, own, direct, run)
	}
	x, last, err := m.g.hall.arrive(m.rank, what, own)
	if err != nil {
		return err
	}
	if last {
		var dst, src []gridstride.Buffer[T]
		for _, e := range x.entries {
			p := e.(pair[T])
			dst, src = append(dst, p.dst), append(src, p.src)
		}
		x.err = run(m.g, dst, src)
		close(x.done)
		return x.err
	}
	return m.g.hall.wait(ctx, x)
}
