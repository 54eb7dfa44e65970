package gpusimilar

import (
	"errors"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/shortlist"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// space has the parts of searches with scores of a type: kernels, which are loaded when they are
// first used, and working memory, which is under the lock of the handle's core.
type space[T gpublas.Float] struct {
	exact   func() (*shortlist.Exact[T], error)
	norms   func() (*nearest.Inverse[T], error)
	lists   topk.Memory[T]
	inverse gridstride.Buffer[T] // of the queries
}

func newSpace[T gpublas.Float](dev *gridstride.Device) space[T] {
	return space[T]{
		exact: sync.OnceValues(func() (*shortlist.Exact[T], error) { return shortlist.NewExact[T](dev) }),
		norms: sync.OnceValues(func() (*nearest.Inverse[T], error) { return nearest.NewInverse[T](dev) }),
	}
}

// spaceOf is the handle's space for a type.
func spaceOf[T gpublas.Float](h *Handle) *space[T] {
	if w, ok := any(&h.singles).(*space[T]); ok {
		return w
	}
	return any(&h.doubles).(*space[T])
}

// free gives the memory back. What is queued still runs.
func (w *space[T]) free() error {
	err := errors.Join(w.lists.Free(), w.inverse.Free())
	w.lists, w.inverse = topk.Memory[T]{}, gridstride.Buffer[T]{}
	return err
}

// inverseOf queues 1 over the norms of rows, into a buffer that grows with their number.
func (w *space[T]) inverseOf(s *gridstride.Stream, rows operand.Matrix[float32], out *gridstride.Buffer[T]) error {
	kernel, err := w.norms()
	if err != nil {
		return err
	}
	if err := topk.Reserve(s.Device(), out, rows.Rows); err != nil || rows.Rows == 0 {
		return err
	}
	return kernel.Launch(s, rows, *out)
}
