// Package operand is the vectors and matrices on a device that the libraries are given, and what is
// checked of them before a kernel is launched.
package operand

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/extent"
)

// Float is the element types of most functions.
type Float interface{ float32 | float64 }

// Element is the element types of all, and Sum the types of a product's sums.
type (
	Element interface {
		Float | int8 | int32 | gpu.Float16 | gpu.BFloat16
	}
	Sum interface{ Float | int32 }
)

// The kinds of errors, for errors.Is.
var (
	ErrShape     = errors.New("sizes do not fit each other")
	ErrShort     = errors.New("buffer is too short")
	ErrIncrement = errors.New("increment is 0")
	ErrOverlap   = errors.New("operands overlap")
	ErrEmpty     = errors.New("vector has no elements")
)

// failure is an error of a kind.
type failure struct {
	kind error
	text string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

// Errorf is an error of a kind that reads as the format says.
func Errorf(kind error, format string, args ...any) error {
	return &failure{kind, fmt.Sprintf(format, args...)}
}

// Vector is N elements of Data, Inc apart. With a negative Inc the vector begins at the far end.
type Vector[T Element] struct {
	Data gridstride.Buffer[T]
	N    int
	Inc  int
}

// First is the index of the first element in Data.
func (v Vector[T]) First() int {
	if v.Inc < 0 {
		return (1 - v.N) * v.Inc
	}
	return 0
}

// Check is an error if the vector cannot be one. name is its name in call.
func (v Vector[T]) Check(call, name string) error {
	switch {
	case v.N < 0:
		return Errorf(ErrShape, "%s: %s has %d elements", call, name, v.N)
	case v.Inc == 0:
		return Errorf(ErrIncrement, "%s: the increment of %s is 0", call, name)
	}
	if needs, ok := extent.Vector(v.N, v.Inc); !ok || needs > v.Data.Len() {
		return Errorf(ErrShort, "%s: the buffer of %s has %d elements, too few for %d with an increment of %d",
			call, name, v.Data.Len(), v.N, v.Inc)
	}
	return nil
}

// CheckPair is an error unless both are vectors, and equally long.
func CheckPair[T Element](call string, x, y Vector[T]) error {
	if err := x.Check(call, "x"); err != nil {
		return err
	}
	if err := y.Check(call, "y"); err != nil {
		return err
	}
	if x.N != y.N {
		return Errorf(ErrShape, "%s: x has %d elements and y has %d", call, x.N, y.N)
	}
	return nil
}

// Overlaps reports whether vectors that are checked have an element in common. If the increments
// differ, it says so of all vectors that are inside each other.
func (v Vector[T]) Overlaps(w Vector[T]) bool {
	if v.N == 0 || w.N == 0 || !v.span().Overlaps(w.span()) {
		return false
	}
	apart := (int64(v.Data.DevicePtr()) - int64(w.Data.DevicePtr())) / int64(unsafe.Sizeof(*new(T)))
	return apart%int64(gcd(v.Inc, w.Inc)) == 0
}

// span is the part of the buffer between the first element and the last.
func (v Vector[T]) span() gridstride.Buffer[T] {
	return v.Data.Slice(0, (v.N-1)*max(v.Inc, -v.Inc)+1)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// CheckApart is an error where a vector that is written overlaps with another.
func CheckApart[T Element](call, nameV string, v Vector[T], nameW string, w Vector[T]) error {
	if v.Overlaps(w) {
		return Errorf(ErrOverlap, "%s: %s, %d elements with an increment of %d, overlaps with %s, %d elements with an increment of %d",
			call, nameV, v.N, v.Inc, nameW, w.N, w.Inc)
	}
	return nil
}

// CheckRoom is an error unless a buffer for a result has rows times each elements.
func CheckRoom[T any](call string, out gridstride.Buffer[T], rows, each int) error {
	n, ok := extent.Product(rows, each)
	switch {
	case !ok:
		return Errorf(ErrShort, "%s: the buffer for the result has %d elements, too few for %d times %d", call, out.Len(), rows, each)
	case out.Len() < n:
		return Errorf(ErrShort, "%s: the buffer for the result has %d elements, too few for %d", call, out.Len(), n)
	}
	return nil
}
