// Package gpublas is package blas on the buffers of a device, a GPU or a simulated one, with the
// same names.
//
//	h, err := gpublas.New[float32](dev.Stream())
//	…
//	defer h.Close()
//	product, err := h.Dot(ctx, gpublas.VectorOf(x), gpublas.VectorOf(y))
//
// # Streams
//
// A [Handle] queues its work on one stream, and has its own working memory. A method that takes a
// context waits for its result and returns it. All others queue work and return before it has run:
// methods that change a vector or a matrix, and methods with To in their names, which write their
// result into a buffer for the work queued next. A program that waits once, at its end, keeps the
// device busy:
//
//	err = errors.Join(
//		h.Gemv(gpublas.NoTrans, 1, a, x, 0, y), // y = A*x
//		h.DotTo(x, y, result),                  // x'*A*x, on the device
//	)
//
// Any number of goroutines may use a handle. Their work runs in the order it was queued. Work that
// is to run concurrently needs another stream, with its own handle.
//
// # Vectors and matrices
//
// A [Vector] is elements of a buffer with an increment, a [Matrix] is stored by rows and has a
// leading dimension. Both are views: [gridstride.Buffer.Slice] gives views that begin further on.
// The operands that a method writes must not overlap with operands that it reads.
//
// # Results
//
// A result has the same bits each time and on every device. Elements are added in an order that
// depends on the sizes, the increments, and where in 16 bytes vectors begin, so that the bits
// differ from package blas's. The error of a sum of n numbers is at most 100 + n/800,000 roundings
// of the sum of the absolute values, for adjacent numbers. [Handle.SumReproducible] and
// [Handle.DotReproducible] do not depend on the order, and have the same bits as package blas. Only
// the bits of [GemmEx] and the functions derived from it depend on the GPU's generation, since its
// tensor cores add.
//
// # Errors
//
// A call that returns an error queues nothing. [ErrShape], [ErrShort], [ErrIncrement], [ErrOverlap]
// and [ErrEmpty] say what is wrong with the operands, with the numbers. Buffers and streams return
// [gridstride.ErrWrongDevice], [gridstride.ErrFreed], [gridstride.ErrRange] and
// [gridstride.ErrClosed]. A method that waits also returns the error of its context, or the error
// of a kernel that failed earlier on the stream.
package gpublas

import (
	"errors"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/largest"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/level2"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/triangle"
)

// Float are the types of elements.
type Float interface{ operand.Float }

// Element are the types of elements that [GemmEx] takes. They include the types of the other
// functions.
type Element interface{ operand.Element }

// Sum are the types of what the products of [GemmEx] add up to.
type Sum interface{ operand.Sum }

// The kinds of errors, for errors.Is.
var (
	// ErrShape: the sizes of vectors or matrices do not fit each other, or are negative.
	ErrShape = operand.ErrShape
	// ErrShort: a buffer has too few elements for the vector or the matrix, or for the result.
	ErrShort = operand.ErrShort
	// ErrIncrement: the increment of a vector is 0.
	ErrIncrement = operand.ErrIncrement
	// ErrOverlap: what is written overlaps with another operand.
	ErrOverlap = operand.ErrOverlap
	// ErrEmpty: the smallest or largest element of a vector without elements was asked for.
	ErrEmpty = operand.ErrEmpty
	// ErrCompute: a [Compute] is none of the constants.
	ErrCompute = errors.New("unknown way to compute")
)

// Handle is the functions for one element type on one stream. Any number of goroutines may use it.
type Handle[T Float] struct {
	core   *handle.Core[T]
	level1 func() (*level1.Plan[T], error) // loads the kernels when it is first called
	level2 func() (*level2.Plan[T], error)
	level3 func() (*level3.Plan[T], error)
	// triangle loads the kernels of the levels, too.
	triangle func() (*triangle.Plan[T], error)
	binned   func() (*binned.Plan[T], error)
	mixed    *formats.Plans // loads them, too
	pick     func() (*largest.Plan, error)
	strip    int // elements of a strip of GemmTopK
}

// Stream is the stream on which the methods queue.
func (h *Handle[T]) Stream() *gridstride.Stream { return h.core.Stream() }

// Close gives the working memory back. What is queued still runs, and nothing more can be queued. A
// second Close does nothing.
func (h *Handle[T]) Close() error { return h.core.Close() }

// New returns a handle for a stream. It allocates five megabytes of working memory. Calls allocate
// more memory only if their documentation says so, as [GemmEx]'s does. The first call that needs a
// kernel loads all kernels of its level of BLAS, which takes a moment the first time on a device,
// and returns the errors of [gridstride.Device.Load]. The caller closes the stream.
//
// Errors: the errors of [gridstride.Make].
func New[T Float](s *gridstride.Stream) (*Handle[T], error) {
	core, err := handle.New[T]("gpublas", s)
	if err != nil {
		return nil, err
	}
	dev := s.Device()
	one := sync.OnceValues(func() (*level1.Plan[T], error) { return level1.NewPlan[T](dev) })
	two := sync.OnceValues(func() (*level2.Plan[T], error) { return level2.NewPlan[T](dev) })
	three := sync.OnceValues(func() (*level3.Plan[T], error) { return level3.NewPlan[T](dev) })
	return &Handle[T]{
		core:   core,
		level1: one,
		level2: two,
		level3: three,
		triangle: sync.OnceValues(func() (*triangle.Plan[T], error) {
			p1, err1 := one()
			p2, err2 := two()
			p3, err3 := three()
			if err := errors.Join(err1, err2, err3); err != nil {
				return nil, err
			}
			return triangle.NewPlan(dev, p1, p2, p3)
		}),
		binned: sync.OnceValues(func() (*binned.Plan[T], error) { return binned.NewPlan[T](dev) }),
		mixed:  formats.NewPlans(dev),
		pick:   sync.OnceValues(func() (*largest.Plan, error) { return largest.NewPlan(dev) }),
		strip:  stripElements,
	}, nil
}

// of is a function of a plan, whose kernels it loads.
func of[P, F any](plan func() (*P, error), function func(p *P) F) func() (F, error) {
	return func() (f F, err error) {
		p, err := plan()
		if err != nil {
			return f, err
		}
		return function(p), nil
	}
}
