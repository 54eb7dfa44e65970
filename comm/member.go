package comm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
// collective, queues it, and returns to all. It returns at once, to all, when two ranks have entered
// different ones, and when one that is wanted has left; and when the context of one that waits ends.
// Ranks that have lost each other so do not find each other again: all calls return that error from
// then on. The functions that take buffers of all ranks still work.
//
// One goroutine at a time uses a Member.
type Member struct {
	g    *Group
	rank int
}

// Member is the member of a rank. Like an index of a slice, rank must be in range.
func (g *Group) Member(rank int) *Member {
	_ = g.streams[rank]
	return &Member{g, rank}
}

// Rank is the rank of the member.
func (m *Member) Rank() int { return m.rank }

// Leave says that the rank enters no more collectives, so that no other waits for it. A goroutine
// that may end early defers it.
func (m *Member) Leave() {
	h := &m.g.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.left, m.rank) {
		h.left = append(h.left, m.rank)
		slices.Sort(h.left)
	}
	if x := h.now; x != nil && h.lost == nil {
		h.lose(&AbsentError{Entered: x.what.String(), Ranks: slices.Clone(h.left)})
	}
}

// hall is where the members of a group meet.
type hall struct {
	mu   sync.Mutex
	now  *gathering // the collective that ranks have entered, and not all
	left []int      // who has left
	lost error      // why ranks cannot meet any more
}

// gathering is a collective that ranks are entering.
type gathering struct {
	what    collective
	first   int // the rank that came first
	entries []any
	count   int
	done    chan struct{} // closed when all have come or ranks are lost
	err     error
}

// collective is a call with all that the ranks agree on.
type collective struct {
	call    string
	op      Op
	root    int
	n       int
	element string
}

// noOp and noRoot are for a collective that has none.
const (
	noOp   = Op(-1)
	noRoot = -1
)

func (c collective) String() string {
	var b strings.Builder
	b.WriteString(c.call)
	if c.op != noOp {
		name := fmt.Sprintf("operation %d", c.op)
		if c.op >= Sum && c.op <= Max {
			name = [...]string{Sum: "Sum", Prod: "Prod", Min: "Min", Max: "Max"}[c.op]
		}
		fmt.Fprintf(&b, "(%s)", name)
	}
	if c.root != noRoot {
		fmt.Fprintf(&b, " with root %d", c.root)
	}
	fmt.Fprintf(&b, " of %d %s", c.n, c.element)
	return b.String()
}

// lose ends the gathering, and all to come. It needs h.mu.
func (h *hall) lose(err error) {
	h.lost = err
	if x := h.now; x != nil {
		x.err = err
		h.now = nil
		close(x.done)
	}
}

// pair is the buffers of a rank.
type pair[T any] struct{ dst, src gridstride.Buffer[T] }

// enter enters a collective for a rank. The last rank that comes runs it with the buffers of all.
func enter[T any](ctx context.Context, m *Member, what collective, own pair[T], run func(dst, src []gridstride.Buffer[T]) error) error {
	what.element = fmt.Sprintf("%T", *new(T))
	x, last, err := m.arrive(what, own)
	if err != nil {
		return err
	}
	if last {
		var dst, src []gridstride.Buffer[T]
		for _, e := range x.entries {
			p := e.(pair[T])
			dst, src = append(dst, p.dst), append(src, p.src)
		}
		x.err = run(dst, src)
		close(x.done)
		return x.err
	}
	select {
	case <-x.done:
	case <-ctx.Done():
		m.giveUp(x, ctx.Err())
		<-x.done
	}
	return x.err
}

// arrive adds a rank to those that have entered. The last one is to run the collective.
func (m *Member) arrive(what collective, own any) (x *gathering, last bool, err error) {
	h := &m.g.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.lost != nil:
		return nil, false, h.lost
	case len(h.left) > 0:
		h.lose(&AbsentError{Entered: what.String(), Ranks: slices.Clone(h.left)})
		return nil, false, h.lost
	}
	if x = h.now; x == nil {
		x = &gathering{what: what, first: m.rank, entries: make([]any, m.g.Ranks()), done: make(chan struct{})}
		h.now = x
	}
	if x.what != what || x.entries[m.rank] != nil {
		h.lose(&MismatchError{Ranks: [2]int{x.first, m.rank}, Entered: [2]string{x.what.String(), what.String()}})
		return nil, false, h.lost
	}
	x.entries[m.rank] = own
	if x.count++; x.count == len(x.entries) {
		h.now = nil
		return x, true, nil
	}
	return x, false, nil
}

// giveUp ends a gathering because a rank's context has ended, unless it is complete by now.
func (m *Member) giveUp(x *gathering, cause error) {
	h := &m.g.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now != x {
		return
	}
	var absent []int
	for rank, e := range x.entries {
		if e == nil {
			absent = append(absent, rank)
		}
	}
	h.lose(&AbsentError{Entered: x.what.String(), Ranks: absent, Cause: cause})
}
