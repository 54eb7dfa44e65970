package cublas

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// Float is the element types.
type Float interface{ float32 | float64 }

// Stream has the methods of *gridstride.Stream that the handle uses.
type Stream interface {
	Native(f func(stream uintptr) error) error
}

// Handle is a cublasHandle_t that queues its work on one stream of a GPU. One goroutine may use it
// at a time.
type Handle struct {
	lib    *Library
	stream Stream
	handle uintptr
}

// The values of the manual, sections cublasPointerMode_t and cublasMath_t.
const (
	pointerModeHost   = 0
	pointerModeDevice = 1
	defaultMath       = 0 // no TF32, no emulation in narrower types
)

// NewHandle makes a handle. Close gives it back.
func (l *Library) NewHandle(s Stream) (*Handle, error) {
	h := &Handle{lib: l, stream: s}
	err := s.Native(func(stream uintptr) error {
		if err := l.call("cublasCreate_v2", uintptr(unsafe.Pointer(&h.handle))); err != nil {
			return err
		}
		if err := l.call("cublasSetStream_v2", h.handle, stream); err != nil {
			return err
		}
		return l.call("cublasSetMathMode", h.handle, defaultMath)
	})
	if err != nil {
		if h.handle != 0 {
			_ = h.Close()
		}
		return nil, err
	}
	return h, nil
}

// Close waits for the handle's work and destroys it.
func (h *Handle) Close() error {
	return h.stream.Native(func(uintptr) error { return h.lib.call("cublasDestroy_v2", h.handle) })
}

// Version is the library's version, "13.0.2".
func (h *Handle) Version() (string, error) {
	var v int32
	err := h.stream.Native(func(uintptr) error {
		return h.lib.call("cublasGetVersion_v2", h.handle, uintptr(unsafe.Pointer(&v)))
	})
	if v >= 100_000 { // since CUDA 11.2: two digits more for the minor version
		return fmt.Sprintf("%d.%d.%d", v/10_000, v/100%100, v%100), err
	}
	return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100), err
}

// maxInt is the largest size that the calls here take: they have int parameters.
const maxInt = math.MaxInt32

// Dot queues result[0] = Σ x[i]·y[i] (cublasSdot, cublasDdot): the result stays on the device.
//
// Errors: vectors of different lengths or more than 2^31-1 elements, a result without an element,
// and the library's.
func Dot[T Float](h *Handle, x, y, result gridstride.Buffer[T]) error {
	n := x.Len()
	switch {
	case y.Len() != n:
		return fmt.Errorf("cublas: x has %d elements and y %d", n, y.Len())
	case result.Len() == 0:
		return fmt.Errorf("cublas: the result has no element")
	case n > maxInt:
		return fmt.Errorf("cublas: %d elements: its dot product takes %d at most", n, maxInt)
	}
	return h.stream.Native(func(uintptr) error {
		if err := h.lib.call("cublasSetPointerMode_v2", h.handle, pointerModeDevice); err != nil {
			return err
		}
		return h.lib.call(name[T]("dot_v2"), h.handle, uintptr(n), x.DevicePtr(), 1, y.DevicePtr(), 1, result.DevicePtr())
	})
}

// Gemm queues C = A·B (cublasSgemm, cublasDgemm), for an A of m rows and n columns, a B of n rows
// and l columns, each row after row.
//
// Errors: buffers of other lengths than m·n, n·l and m·l, sizes of more than 2^31-1, and the
// library's.
func Gemm[T Float](h *Handle, m, n, l int, a, b, c gridstride.Buffer[T]) error {
	switch {
	case min(m, n, l) < 0 || max(m, n, l) > maxInt:
		return fmt.Errorf("cublas: sizes %d, %d and %d: its matrix product takes 0 to %d", m, n, l, maxInt)
	case a.Len() != m*n || b.Len() != n*l || c.Len() != m*l:
		return fmt.Errorf("cublas: %d, %d and %d elements for matrices of %dx%d, %dx%d and %dx%d", a.Len(), b.Len(), c.Len(), m, n, n, l, m, l)
	}
	// cuBLAS's matrices are stored by columns, so that ours are their transposes to it: it computes Cᵀ
	// = Bᵀ·Aᵀ.
	one, zero := T(1), T(0)
	return h.stream.Native(func(uintptr) error {
		if err := h.lib.call("cublasSetPointerMode_v2", h.handle, pointerModeHost); err != nil {
			return err
		}
		return h.lib.call(name[T]("gemm_v2"), h.handle, asTheyAre, asTheyAre, uintptr(l), uintptr(m), uintptr(n),
			uintptr(unsafe.Pointer(&one)), b.DevicePtr(), uintptr(max(l, 1)), a.DevicePtr(), uintptr(max(n, 1)),
			uintptr(unsafe.Pointer(&zero)), c.DevicePtr(), uintptr(max(l, 1)))
	})
}

// name is the function for the element type: "cublasSdot_v2", "cublasDdot_v2".
func name[T Float](function string) string {
	if _, single := any(T(0)).(float32); single {
		return "cublasS" + function
	}
	return "cublasD" + function
}
