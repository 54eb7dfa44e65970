// Package spread has the reductions and sorts of package parallel for vectors that are spread over
// several devices.
//
//	g, err := comm.New(dev0.Stream(), dev1.Stream())
//	...
//	h, err := spread.New(g)
//	...
//	defer h.Close()
//	sum, err := spread.Sum(ctx, h, x) // x[1] is on dev1
//	err = spread.Sort(ctx, h, x)
//
// A vector is a part on each device: x[r] is the part of rank r of the group, and lies on that rank's
// device. The elements of x[r-1] are in front of them. Parts may have different lengths, also 0.
//
// # Types and operators of yours
//
// The functions launch package parallel's kernels, and a program asks for their instances as there:
//
//	//gpu:instance parallel.Reduce[Record,latest]
//	//gpu:instance parallel.SortBy[Record,byKey] parallel.Merge[Record,byKey]
//
// Functions for numbers have their instances for the types that package parallel has them for.
//
// # Streams
//
// Functions with To in their names queue their work on the streams of the group and return. Sums wait
// for the result. Sorts wait until the parts are sorted, and queue what remains. See [comm.Group.Wait]
// for what happens where a rank fails.
//
// # Results
//
// A result has the same bits each time, on every rank and on devices of every kind. A sort has the
// bits of package parallel's sort of the whole vector. The order of a reduction depends on how the
// vector is spread: the parts' results are combined in the order of the ranks.
//
// # Errors
//
// Errors say the rank, and are of the kinds of packages parallel and comm.
package spread

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/parallel"
)

// Handle is a group with working memory and the kernels that its devices have loaded. Any number of
// goroutines may use it. Their calls run one after the other.
type Handle struct {
	group  *comm.Group
	ranks  []*rank
	mu     sync.Mutex // held by a call
	closed bool
}

// rank is one rank's working memory, which grows to what the largest call needs.
type rank struct {
	work *parallel.Workspace
	room gridstride.Buffer[byte]
}

// New returns a handle for a group, which stays the caller's.
//
// Errors: the errors of [gridstride.Make].
func New(g *comm.Group) (*Handle, error) {
	h := &Handle{group: g}
	for r := range g.Ranks() {
		w, err := parallel.New(g.Stream(r))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("spread: New: rank %d: %w", r, err), h.Close())
		}
		h.ranks = append(h.ranks, &rank{work: w})
	}
	return h, nil
}

// Group is the group.
func (h *Handle) Group() *comm.Group { return h.group }

// Close gives the working memory back. Queued work still runs, and nothing more can be queued. A
// second Close does nothing.
func (h *Handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	var errs []error
	for _, k := range h.ranks {
		errs = append(errs, k.work.Close(), k.room.Free())
		k.room = gridstride.Buffer[byte]{}
	}
	return errors.Join(errs...)
}

// begin locks the handle for a call with the parts x, until release.
func begin[T any](h *Handle, call string, x []gridstride.Buffer[T]) (release func(), err error) {
	h.mu.Lock()
	if h.closed {
		err = operand.Errorf(gridstride.ErrClosed, "spread: %s: the handle is closed", call)
	}
	if err == nil {
		err = check(h, call, "x", x)
	}
	if err != nil {
		h.mu.Unlock()
		return nil, err
	}
	return h.mu.Unlock, nil
}

// check refuses parts that are not one of each rank, or that a rank cannot use.
func check[T any](h *Handle, call, name string, x []gridstride.Buffer[T]) error {
	if len(x) != len(h.ranks) {
		return operand.Errorf(comm.ErrRank, "spread: %s: %s has %d parts; want one of each of the %d ranks", call, name, len(x), len(h.ranks))
	}
	for r, b := range x {
		if b.Len() == 0 {
			continue
		}
		if err := b.Check(h.group.Stream(r)); err != nil {
			return fmt.Errorf("spread: %s: %s of rank %d: %w", call, name, r, err)
		}
	}
	return nil
}

// roomFor gives rank r working memory for n elements.
func roomFor[T any](h *Handle, r, n int) (b gridstride.Buffer[T], err error) {
	k, size := h.ranks[r], n*int(unsafe.Sizeof(*new(T)))
	if k.room.Len() < size {
		larger, err := gridstride.Make[byte](h.group.Stream(r).Device(), size)
		if err != nil {
			return b, err
		}
		old := k.room
		k.room = larger
		if err := old.Free(); err != nil {
			return b, err
		}
	}
	return gridstride.Cast[T](k.room.Slice(0, size))
}
