package parallel

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// Operator combines two elements. Combine is associative, up to rounding, and an element combined
// with Identity is itself. It runs on the device.
type Operator[T any] = kernels.Operator[T]

// Mapping makes an element of another, on the device.
type Mapping[T, U any] = kernels.Mapping[T, U]

// Order is a strict weak order, as slices.SortFunc needs one: Less reports whether a is before b. It
// runs on the device.
type Order[T any] = kernels.Order[T]

// Predicate chooses elements, on the device.
type Predicate[T any] = kernels.Predicate[T]

// Action changes an element x, which has index i, on the device.
type Action[T any] = kernels.Action[T]

// Equality is an equivalence of elements, on the device.
type Equality[T any] = kernels.Equality[T]

// Number is the types of elements of functions that need no operator. The functions are compiled for
// int, int32, int64, uint32, uint64, float32 and float64, and other packages may have them for more.
type Number = gpu.Number

// Plus is the operator +.
type Plus[T Number] struct{}

// Identity is 0.
func (Plus[T]) Identity() (zero T) { return }

// Combine is a + b.
func (Plus[T]) Combine(a, b T) T { return a + b }

// Smaller is the operator min, of Go.
type Smaller[T Number] struct{}

// Identity is the largest number of the type, +Inf if it has one.
func (Smaller[T]) Identity() T { return kernels.Largest[T]() }

// Combine is min(a, b).
func (Smaller[T]) Combine(a, b T) T { return min(a, b) }

// Larger is the operator max, of Go.
type Larger[T Number] struct{}

// Identity is the smallest number of the type, -Inf if it has one.
func (Larger[T]) Identity() T { return kernels.Lowest[T]() }

// Combine is max(a, b).
func (Larger[T]) Combine(a, b T) T { return max(a, b) }

// Ascending is the order <.
type Ascending[T Number] struct{}

// Less is a < b.
func (Ascending[T]) Less(a, b T) bool { return a < b }

// Descending is the order >.
type Descending[T Number] struct{}

// Less is a > b.
func (Descending[T]) Less(a, b T) bool { return a > b }

// Equals is the equality ==.
type Equals[T comparable] struct{}

// Equal is a == b.
func (Equals[T]) Equal(a, b T) bool { return a == b }
