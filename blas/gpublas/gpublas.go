// Package gpublas is package blas on the buffers of a device, a GPU or a simulated one, with the
// same names.
//
//	h, err := gpublas.New(dev.Stream())
//	…
//	defer h.Close()
//	product, err := gpublas.Dot(ctx, h, gpublas.VectorOf(x), gpublas.VectorOf(y))
//
// # Streams
//
// A [Handle] is a stream with working memory. Every function takes one and queues its work on that
// stream. A function that takes a context waits for its result and returns it. All others return
// before the work has run: functions that change a vector or a matrix, and functions with To in
// their names, which write their result into a buffer for the work queued next. A program that
// waits once, at its end, keeps the device busy:
//
//	err = errors.Join(
//		gpublas.Gemv(h, gpublas.NoTrans, 1, a, x, 0, y), // y = A*x
//		gpublas.DotTo(h, x, y, result),                  // x'*A*x, on the device
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
// of the sum of the absolute values, for adjacent numbers. [SumReproducible] and
// [DotReproducible] do not depend on the order, and have the same bits as package blas. Only
// the bits of a [Product] on tensor cores depend on the GPU's generation, since its
// tensor cores add.
//
// # Errors
//
// A call that returns an error queues nothing. [ErrShape], [ErrShort], [ErrIncrement], [ErrOverlap]
// and [ErrEmpty] say what is wrong with the operands, with the numbers. Buffers and streams return
// [gridstride.ErrWrongDevice], [gridstride.ErrFreed], [gridstride.ErrRange] and
// [gridstride.ErrClosed]. A function that waits also returns the error of its context, or the error
// of a kernel that failed earlier on the stream.
package gpublas

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Float are the types of elements.
type Float = blas.Float

// Element are the types of elements that a [Product] takes. They include the types of the other
// functions.
type Element interface{ operand.Element }

// Accumulator are the types of sums, which the elements of the C of a [Product] have.
type Accumulator interface{ operand.Sum }

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

// Handle is a stream, with working memory and the kernels that its device has loaded. It serves
// every element type. Any number of goroutines may use it.
type Handle struct {
	core  *handle.Core
	strip int // elements of a strip of TopKTo
}

// New returns a handle for a stream. It allocates five megabytes of working memory. Calls allocate
// more memory only if their documentation says so, as [Product.To]'s does. The first call that
// needs a kernel loads it, which takes a moment the first time on a device, and returns the errors
// of [gridstride.Device.Load]. The caller closes the stream.
//
// Errors: the errors of [gridstride.Make].
func New(s *gridstride.Stream) (*Handle, error) {
	core, err := handle.New("gpublas", s)
	if err != nil {
		return nil, err
	}
	return &Handle{core: core, strip: stripElements}, nil
}

// Stream is the stream on which the functions queue.
func (h *Handle) Stream() *gridstride.Stream { return h.core.Stream() }

// Close gives the working memory back. What is queued still runs, and nothing more can be queued. A
// second Close does nothing.
func (h *Handle) Close() error { return h.core.Close() }
