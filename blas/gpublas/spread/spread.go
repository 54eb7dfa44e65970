// Package spread has dot products, sums, norms and matrix products of vectors and matrices that are
// spread over several devices, with the names of package gpublas.
//
//	g, err := comm.New(dev0.Stream(), dev1.Stream())
//	...
//	h, err := spread.New(g)
//	...
//	defer h.Close()
//	product, err := spread.Dot(ctx, h, x, y) // x[1] and y[1] are on dev1
//
// A vector is a part on each device: x[r] is the part of rank r of the group, and lies on that rank's
// device. Parts may have different lengths, also 0. Two vectors of a call have parts of the same
// lengths. Each device reads its own part, and what travels between devices is a number or a few, so
// that n devices take an nth of the time for long vectors.
//
// # Streams
//
// Functions with To in their names queue their work on the streams of the group and return: the result
// is in out[r] of each rank for what is queued next on its stream. The others wait for the result, and
// return it. See [comm.Group.Wait] for what happens where a rank fails.
//
// # Results
//
// A result has the same bits each time, on every rank, and on devices of every kind. But elements are
// added in an order that depends on how they are spread: the parts' results are combined in the order
// of the ranks. The functions with Reproducible in their names do not depend on it. They have the bits
// of gpublas's and blas's functions of these names for the whole vector, for any number of devices.
//
// # Errors
//
// A call that returns an error has a result on no rank. Errors say the rank, and are of the kinds of
// packages gpublas and comm.
package spread

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Float are the types of elements.
type Float = gpublas.Float

// Handle is a group with working memory and the kernels that its devices have loaded. Any number of
// goroutines may use it. Their calls are queued one after the other.
type Handle struct {
	group *comm.Group
	ranks []*rank
	mu    sync.Mutex // held while a call is queued
}

// rank is one rank's working memory.
type rank struct {
	core   *handle.Core
	blas   *gpublas.Handle    // multiplies on the rank's stream
	copies *gridstride.Stream // copies what other ranks have, while the rank's stream multiplies
	// numbers has a number of each rank, then the largest magnitude, and a result that nobody reads.
	numbers gridstride.Buffer[byte]
	sums    gridstride.Buffer[binned.Sum] // one of each rank
}

const numberBytes = 8 // of the largest type of elements

// New returns a handle for a group. It allocates ten megabytes of working memory on each device. The
// group stays the caller's.
//
// Errors: the errors of [gridstride.Make].
func New(g *comm.Group) (*Handle, error) {
	h := &Handle{group: g}
	for r := range g.Ranks() {
		k, err := newRank(g.Stream(r), g.Ranks())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("spread: New: rank %d: %w", r, err), h.Close())
		}
		h.ranks = append(h.ranks, k)
	}
	return h, nil
}

func newRank(s *gridstride.Stream, ranks int) (k *rank, err error) {
	k = &rank{copies: s.Device().NewStream()}
	if k.core, err = handle.New("spread", s); err != nil {
		k.copies.Close()
		return nil, err
	}
	if k.blas, err = gpublas.New(s); err != nil {
		k.copies.Close()
		return nil, errors.Join(err, k.core.Close())
	}
	if k.numbers, err = gridstride.Make[byte](s.Device(), (ranks+2)*numberBytes); err != nil {
		return nil, errors.Join(err, k.close())
	}
	if k.sums, err = gridstride.Make[binned.Sum](s.Device(), ranks); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

// Group is the group.
func (h *Handle) Group() *comm.Group { return h.group }

// Close gives the working memory back. What is queued still runs, and nothing more can be queued. A
// second Close does nothing.
func (h *Handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, k := range h.ranks {
		errs = append(errs, k.close())
	}
	return errors.Join(errs...)
}

func (k *rank) close() error {
	k.copies.Close()
	err := errors.Join(k.core.Close(), k.blas.Close(), k.numbers.Free(), k.sums.Free())
	k.numbers, k.sums = gridstride.Buffer[byte]{}, gridstride.Buffer[binned.Sum]{}
	return err
}

// numbersOf are the numbers of each rank's working memory from first up to end.
func numbersOf[T Float](h *Handle, first, end int) (list []gridstride.Buffer[T], err error) {
	for _, k := range h.ranks {
		if k.numbers.Len() == 0 {
			return nil, operand.Errorf(gridstride.ErrClosed, "spread: the handle is closed")
		}
		all, err := gridstride.Cast[T](k.numbers)
		if err != nil {
			return nil, err
		}
		each := numberBytes / int(unsafe.Sizeof(T(0)))
		list = append(list, all.Slice(first*each, first*each+end-first))
	}
	return list, nil
}

// gathered are the numbers of all ranks, in the working memory of each, and own is the place of the
// rank's own number there.
func gathered[T Float](h *Handle) (all, own []gridstride.Buffer[T], err error) {
	if all, err = numbersOf[T](h, 0, len(h.ranks)); err != nil {
		return nil, nil, err
	}
	for r := range all {
		own = append(own, all[r].Slice(r, r+1))
	}
	return all, own, nil
}

// each queues a part of a call on each rank.
func (h *Handle) each(call string, launch func(r int, k *rank, s *gridstride.Stream, w onepass.Work) error) error {
	for r, k := range h.ranks {
		err := k.core.Queue(call, func(s *gridstride.Stream, w onepass.Work) error { return launch(r, k, s, w) })
		if err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return nil
}

// value waits for the number that queue has a call leave in out[0] of each rank.
func value[T Float](ctx context.Context, h *Handle, queue func(out []gridstride.Buffer[T]) error) (T, error) {
	return handle.Value(ctx, h.ranks[0].core, func(first gridstride.Buffer[T]) error {
		out, err := numbersOf[T](h, len(h.ranks)+1, len(h.ranks)+2)
		if err != nil {
			return err
		}
		out[0] = first
		if err := queue(out); err != nil {
			return err
		}
		return h.group.Wait(ctx)
	})
}

// check refuses vectors and results that are not one of each rank, or that a rank cannot use. A vector
// is nil where the call has none.
func check[T Float](h *Handle, call string, x, y []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	call = "spread: " + call
	lengths := []struct {
		name string
		n    int
	}{{"x", len(x)}, {"y", len(y)}, {"out", len(out)}}
	if y == nil {
		lengths[1].n = len(x)
	}
	for _, l := range lengths {
		if l.n != len(h.ranks) {
			return operand.Errorf(comm.ErrRank, "%s: %s has %d parts; want one of each of the %d ranks", call, l.name, l.n, len(h.ranks))
		}
	}
	for r, k := range h.ranks {
		err := operand.Vector[T](x[r]).Check(call, "x")
		if y != nil {
			err = operand.CheckPair(call, operand.Vector[T](x[r]), operand.Vector[T](y[r]))
		}
		if err == nil {
			err = operand.CheckRoom(call, out[r], 1, 1)
		}
		for _, b := range []gridstride.Buffer[T]{x[r].Data, vectorOf(y, r).Data, out[r]} {
			if err == nil && b.Len() > 0 {
				err = b.Check(k.core.Stream())
			}
		}
		if err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return nil
}

// vectorOf is a part of a vector, empty if the call has no such vector.
func vectorOf[T Float](x []gpublas.Vector[T], r int) (v gpublas.Vector[T]) {
	if x == nil {
		return v
	}
	return x[r]
}

// firsts are the first elements of buffers.
func firsts[T Float](out []gridstride.Buffer[T]) (list []gridstride.Buffer[T]) {
	for _, b := range out {
		list = append(list, b.Slice(0, 1))
	}
	return list
}
