package kernels

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/order"
)

// Operator combines two elements. Combine is associative, up to rounding, and an element combined
// with Identity is itself.
type Operator[T any] interface {
	Identity() T
	Combine(a, b T) T
}

// Mapping makes an element of another.
type Mapping[T, U any] interface{ Apply(x T) U }

// Order is a strict weak order: Less reports whether a is before b.
type Order[T any] interface{ Less(a, b T) bool }

// Predicate chooses elements.
type Predicate[T any] interface{ Holds(x T) bool }

// Equality is an equivalence of elements.
type Equality[T any] interface{ Equal(a, b T) bool }

// Action changes an element, which has index i.
type Action[T any] interface{ Do(x *T, i int) }

// With passes an operator to a kernel. The byte gives an operator without fields a size.
type With[O any] struct {
	Op O
	_  uint8
}

// Of is the operator as kernels take it.
func Of[O any](op O) With[O] { return With[O]{Op: op} }

// Same is the mapping of an element to itself.
type Same[T any] struct{}

// Apply returns x.
func (Same[T]) Apply(x T) T { return x }

// Chooser chooses an element x of a slice, which has index i.
type Chooser[T any] interface {
	Chooses(src []T, i int, x T) bool
}

// Each chooses the elements for which a predicate holds.
type Each[T any, P Predicate[T]] struct{ Of P }

// Chooses reports whether the predicate holds for an element.
func (e Each[T, P]) Chooses(_ []T, _ int, x T) bool { return e.Of.Holds(x) }

// Heads chooses the elements that begin runs of equal elements.
type Heads[T any, E Equality[T]] struct{ Of E }

// Chooses reports whether a run begins with an element.
func (h Heads[T, E]) Chooses(src []T, i int, x T) bool {
	differs := !h.Of.Equal(src[max(i-1, 0)], x)
	return i == 0 || differs
}

// Block is the number of threads of a block.
const Block = order.Block

// ceil is the number of parts of a size that n elements have.
func ceil(n, size int) int { return (n + size - 1) / size }

// tileOf draws the next tile of the grid, in order: every earlier tile is drawn by a block that
// runs. ticket[0] is 0 before the launch, and after. All threads of a block call it.
func tileOf(ticket []uint32) int {
	tile := gpu.Shared[uint32]()
	if gpu.ThreadIdx.X == 0 {
		*tile = gpu.AtomicInc(&ticket[0], uint32(gpu.GridDim.X-1))
	}
	gpu.SyncThreads()
	return int(*tile)
}

// Lowest is the smallest number of a type, -Inf if it has one.
func Lowest[T gpu.Number]() T {
	switch {
	case T(1)/3 != 0:
		return T(math.Inf(-1))
	case T(0)-1 > 0:
		return 0
	}
	return T(int64(-1) << (8*unsafe.Sizeof(T(0)) - 1))
}

// Largest is the largest number of a type, +Inf if it has one.
func Largest[T gpu.Number]() T {
	if T(1)/3 != 0 {
		return T(math.Inf(1))
	}
	return T(0) - 1 - Lowest[T]()
}
