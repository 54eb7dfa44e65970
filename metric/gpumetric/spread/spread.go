// Package spread has the metrics of package gpumetric for vectors that are spread over several
// devices.
//
//	g, err := comm.New(dev0.Stream(), dev1.Stream())
//	...
//	h, err := spread.New(g)
//	...
//	defer h.Close()
//	loss, err := spread.Between(ctx, h, gpumetric.MSE, prediction, target)
//
// A vector is a part on each device: x[r] is the part of rank r of the group, and lies on that rank's
// device. Parts may have different lengths, also 0. Two vectors of a call have parts of the same
// lengths. Each device reads its own part, and a few numbers of each come to the host, which makes the
// result of them.
//
// The definitions are package metric's. A result has the same bits each time and on devices of every
// kind, and depends on how the vectors are spread: the parts' sums are combined in the order of the
// ranks. Where the squares of a whole vector are out of range, its cosine takes memory for a copy of
// both vectors, for as long as the call.
//
// For dot products, norms and reproducible sums see package blas/gpublas/spread. Errors say the rank,
// and are of the kinds of packages gpublas and comm.
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
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
)

// Handle is a group with working memory and the kernels that its devices have loaded. Any number of
// goroutines may use it.
type Handle struct {
	group *comm.Group
	ranks []*rank
}

// rank is one rank's working memory.
type rank struct {
	core *handle.Core
	blas *gpublas.Handle
}

// New returns a handle for a group, which stays the caller's. It allocates ten megabytes of working
// memory on each device.
//
// Errors: the errors of [gridstride.Make].
func New(g *comm.Group) (*Handle, error) {
	h := &Handle{group: g}
	for r := range g.Ranks() {
		core, err := handle.New("spread", g.Stream(r))
		if err == nil {
			h.ranks = append(h.ranks, &rank{core: core})
			h.ranks[r].blas, err = gpublas.New(g.Stream(r))
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("spread: New: rank %d: %w", r, err), h.Close())
		}
	}
	return h, nil
}

// Group is the group.
func (h *Handle) Group() *comm.Group { return h.group }

// Close gives the working memory back. A second Close does nothing.
func (h *Handle) Close() error {
	var errs []error
	for _, k := range h.ranks {
		errs = append(errs, k.core.Close())
		if k.blas != nil {
			errs = append(errs, k.blas.Close())
		}
	}
	return errors.Join(errs...)
}

// check refuses vectors that are not a part of each rank, of the same lengths, or that a rank cannot
// use.
func check[T gpublas.Float](h *Handle, call string, x, y []gpublas.Vector[T]) error {
	call = "spread: " + call
	if len(x) != len(h.ranks) || len(y) != len(h.ranks) {
		return operand.Errorf(comm.ErrRank, "%s: x and y have %d and %d parts; want one of each of the %d ranks", call, len(x), len(y), len(h.ranks))
	}
	for r := range x {
		err := operand.CheckPair(call, operand.Vector[T](x[r]), operand.Vector[T](y[r]))
		for _, b := range []gridstride.Buffer[T]{x[r].Data, y[r].Data} {
			if err == nil && b.Len() > 0 {
				err = b.Check(h.group.Stream(r))
			}
		}
		if err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return nil
}

// length is the number of elements of a vector.
func length[T gpublas.Float](x []gpublas.Vector[T]) (n int) {
	for _, part := range x {
		n += part.N
	}
	return n
}

// partly queues what leaves a part's numbers in out.
type partly[T gpublas.Float, U handle.Result] func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[U]) error

// numbers are the count numbers of each part, by rank. The devices work at the same time.
func numbers[T gpublas.Float, U handle.Result](ctx context.Context, h *Handle, call string, count int, x, y []gpublas.Vector[T], of partly[T, U]) ([][]U, error) {
	all := make([][]U, len(h.ranks))
	err := h.each(func(r int, k *rank) (err error) {
		all[r], err = handle.Values(ctx, k.core, count, func(out gridstride.Buffer[U]) error {
			return k.core.Queue(call, func(s *gridstride.Stream, w onepass.Work) error {
				p, err := handle.PlanOf(k.core, pairs.NewPlan[T])
				if err != nil {
					return err
				}
				return of(p, s, w, operand.Vector[T](x[r]), operand.Vector[T](y[r]), out)
			})
		})
		return err
	})
	return all, err
}

// each calls do for every rank at once.
func (h *Handle) each(do func(r int, k *rank) error) error {
	errs := make([]error, len(h.ranks))
	var wg sync.WaitGroup
	for r, k := range h.ranks {
		wg.Go(func() {
			if err := do(r, k); err != nil {
				errs[r] = fmt.Errorf("rank %d: %w", r, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// single reports that T is float32.
func single[T gpublas.Float]() bool { return unsafe.Sizeof(T(0)) == 4 }
