package host

import (
	"errors"
	"fmt"
	"unsafe"
)

// The kinds of errors, for errors.Is.
var (
	// ErrShort: a slice has too few elements for what is read from it or written to it.
	ErrShort = errors.New("slice is too short")
	// ErrOverlap: what is written overlaps with another operand.
	ErrOverlap = errors.New("operands overlap")
	// ErrRange: an index is out of range, or offsets are none of segments.
	ErrRange = errors.New("index is out of range")
)

// failure is an error of a kind.
type failure struct {
	kind error
	text string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

func errorf(kind error, format string, args ...any) error {
	return &failure{kind, fmt.Sprintf("host: "+format, args...)}
}

// atLeast is the error for a slice of have elements that should have want.
func atLeast(call, what string, have, want int) error {
	if have < want {
		return errorf(ErrShort, "%s: %s has %d elements; want %d", call, what, have, want)
	}
	return nil
}

// apart is the error for slices that overlap.
func apart[T, U any](call, what string, a []T, b []U) error {
	fromA, toA := place(a)
	fromB, toB := place(b)
	if fromA < toB && fromB < toA {
		return errorf(ErrOverlap, "%s: %s overlap", call, what)
	}
	return nil
}

// place is where the elements of a slice are.
func place[T any](x []T) (from, to uintptr) {
	from = uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return from, from + uintptr(len(x))*unsafe.Sizeof(*new(T))
}

// first is the first error, if any.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
