package comm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// hall is where the members of a group meet.
type hall struct {
	ranks int

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
	Call    string
	Op      Op
	Root    int
	N       int
	Element string
}

// noOp and noRoot are for a collective that has none.
const (
	noOp   = Op(-1)
	noRoot = -1
)

func (c collective) String() string {
	var b strings.Builder
	b.WriteString(c.Call)
	if c.Op != noOp {
		name := fmt.Sprintf("operation %d", c.Op)
		if c.Op >= Sum && c.Op <= Max {
			name = [...]string{Sum: "Sum", Prod: "Prod", Min: "Min", Max: "Max"}[c.Op]
		}
		fmt.Fprintf(&b, "(%s)", name)
	}
	if c.Root != noRoot {
		fmt.Fprintf(&b, " with root %d", c.Root)
	}
	fmt.Fprintf(&b, " of %d %s", c.N, c.Element)
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

// leave notes that a rank enters no more collectives.
func (h *hall) leave(rank int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.left, rank) {
		h.left = append(h.left, rank)
		slices.Sort(h.left)
	}
	if x := h.now; x != nil && h.lost == nil {
		h.lose(&AbsentError{Entered: x.what.String(), Ranks: slices.Clone(h.left)})
	}
}

// arrive adds a rank to those that have entered, with what it brings. The last one is to run the
// collective, and to close done.
func (h *hall) arrive(rank int, what collective, own any) (x *gathering, last bool, err error) {
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
		x = &gathering{what: what, first: rank, entries: make([]any, h.ranks), done: make(chan struct{})}
		h.now = x
	}
	if x.what != what || x.entries[rank] != nil {
		h.lose(&MismatchError{Ranks: [2]int{x.first, rank}, Entered: [2]string{x.what.String(), what.String()}})
		return nil, false, h.lost
	}
	x.entries[rank] = own
	if x.count++; x.count == len(x.entries) {
		h.now = nil
		return x, true, nil
	}
	return x, false, nil
}

// wait waits until all have come and the collective is queued, or ranks are lost. The end of ctx
// loses them.
func (h *hall) wait(ctx context.Context, x *gathering) error {
	select {
	case <-x.done:
	case <-ctx.Done():
		h.giveUp(x, ctx.Err())
		<-x.done
	}
	return x.err
}

// giveUp ends a gathering because a rank's context has ended, unless it is complete by now.
func (h *hall) giveUp(x *gathering, cause error) {
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
