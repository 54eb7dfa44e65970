package comm

import (
	"context"
	"slices"
	"sync"
)

// hall is where the members of a group meet.
type hall struct {
	ranks int

	mu    sync.Mutex
	waits []*gathering // of each rank: the one it has entered, until all have
	left  []int        // who has left
	lost  error        // why ranks cannot meet any more
}

// gathering is a collective that its members are entering: all ranks, or the two of a transfer.
type gathering struct {
	what    collective // of the rank that came first
	first   int
	members []int
	entries []any // by rank
	count   int
	done    chan struct{} // closed when all have come or ranks are lost
	err     error
}

// missing are the members that have not come.
func (x *gathering) missing() (ranks []int) {
	for _, rank := range x.members {
		if x.entries[rank] == nil {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// absent is the error for members that will not come.
func (x *gathering) absent(ranks []int, cause error) *AbsentError {
	return &AbsentError{Entered: x.what.String(), Ranks: ranks, Cause: cause}
}

// lose ends the gatherings, and all to come. It needs h.mu.
func (h *hall) lose(err error) {
	h.lost = err
	for _, x := range h.waits {
		if x != nil && x.err == nil {
			x.err = err
			close(x.done)
		}
	}
	h.waits = nil
}

// leave notes that a rank enters no more collectives.
func (h *hall) leave(rank int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.left, rank) {
		h.left = append(h.left, rank)
		slices.Sort(h.left)
	}
	for _, x := range h.waits {
		if x != nil && h.deserted(x) {
			return
		}
	}
}

// deserted reports whether members of a gathering have left without coming. Then ranks are lost.
func (h *hall) deserted(x *gathering) bool {
	never := slices.DeleteFunc(x.missing(), func(rank int) bool { return !slices.Contains(h.left, rank) })
	if len(never) == 0 || h.lost != nil {
		return false
	}
	h.lose(x.absent(never, nil))
	return true
}

// arrive adds a rank to those that have entered, with what it brings. The last one is to run the
// collective, and to close done.
func (h *hall) arrive(rank int, what collective, own any) (x *gathering, last bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost != nil {
		return nil, false, h.lost
	}
	if h.waits == nil {
		h.waits = make([]*gathering, h.ranks)
	}
	if x = h.find(rank, what); x == nil {
		x = &gathering{what: what, first: rank, members: what.members(rank, h.ranks), entries: make([]any, h.ranks), done: make(chan struct{})}
	}
	if !x.what.fits(what) || h.waits[rank] != nil {
		h.mismatch(x.first, x.what, rank, what)
		return nil, false, h.lost
	}
	x.entries[rank] = own
	if x.count++; x.count == len(x.members) {
		for _, member := range x.members {
			h.waits[member] = nil
		}
		return x, true, nil
	}
	h.waits[rank] = x
	if other, found := h.knot(rank); found {
		h.mismatch(other, h.waits[other].what, rank, what)
		return nil, false, h.lost
	}
	if h.deserted(x) {
		return nil, false, h.lost
	}
	return x, false, nil
}

// mismatch loses the ranks because two have entered what does not go together.
func (h *hall) mismatch(first int, entered collective, rank int, what collective) {
	h.lose(&MismatchError{Ranks: [2]int{first, rank}, Entered: [2]string{entered.String(), what.String()}})
}

// find is the gathering that a rank comes to, if another rank is there already.
func (h *hall) find(rank int, what collective) *gathering {
	for _, x := range h.waits {
		if x != nil && x.what.same(x.first, what, rank) {
			return x
		}
	}
	return nil
}

// knot finds a rank whose wait does not end before rank's own does, while rank waits for it, by way
// of others perhaps: each of two ranks sends to the other and neither receives, say.
func (h *hall) knot(rank int) (other int, found bool) {
	seen := make([]bool, h.ranks)
	for next := h.waits[rank].missing(); len(next) > 0; {
		other, next = next[0], next[1:]
		if seen[other] || h.waits[other] == nil {
			continue
		}
		seen[other] = true
		needs := h.waits[other].missing()
		if slices.Contains(needs, rank) {
			return other, true
		}
		next = append(next, needs...)
	}
	return 0, false
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
	if slices.Contains(h.waits, x) {
		h.lose(x.absent(x.missing(), cause))
	}
}

// miss ends a gathering of which a rank is gone that had entered it.
func (h *hall) miss(x *gathering, rank int, cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.waits, x) {
		h.lose(x.absent([]int{rank}, cause))
	}
}
