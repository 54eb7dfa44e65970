package cublas

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// The calls here take what the measurements beside cuBLAS ask for, and check no more than that
// sizes fit into an int: buffers are as long as the sizes say. Matrices lie row after row, so that
// they are their transposes to cuBLAS.

const (
	asTheyAre  = 0 // CUBLAS_OP_N
	transposed = 1 // CUBLAS_OP_T
	lower      = 0 // CUBLAS_FILL_MODE_LOWER, which is the upper triangle of a transpose
)

// onDevice calls a function whose result goes to the device.
func (h *Handle) onDevice(name string, n int, args ...uintptr) error {
	return h.with(pointerModeDevice, name, n, args...)
}

// with calls a function on up to so many elements, or rows, with the results or factors on the
// device or the host.
//
//go:uintptrescapes
func (h *Handle) with(mode uintptr, name string, n int, args ...uintptr) error {
	if n > maxInt {
		return fmt.Errorf("cublas: %s takes sizes of up to %d, not %d", name, maxInt, n)
	}
	return h.stream.Native(func(uintptr) error {
		if err := h.lib.call("cublasSetPointerMode_v2", h.handle, mode); err != nil {
			return err
		}
		return h.lib.call(name, append([]uintptr{h.handle}, args...)...)
	})
}

// Nrm2 queues result[0] = the Euclidean norm of x.
func Nrm2[T Float](h *Handle, x, result gridstride.Buffer[T]) error {
	return h.onDevice(name[T]("nrm2_v2"), x.Len(), uintptr(x.Len()), x.DevicePtr(), 1, result.DevicePtr())
}

// Asum queues result[0] = Σ |x[i]|.
func Asum[T Float](h *Handle, x, result gridstride.Buffer[T]) error {
	return h.onDevice(name[T]("asum_v2"), x.Len(), uintptr(x.Len()), x.DevicePtr(), 1, result.DevicePtr())
}

// Axpy queues y += alpha[0]*x, with alpha on the device.
func Axpy[T Float](h *Handle, alpha, x, y gridstride.Buffer[T]) error {
	return h.onDevice(name[T]("axpy_v2"), x.Len(), uintptr(x.Len()), alpha.DevicePtr(), x.DevicePtr(), 1, y.DevicePtr(), 1)
}

// Gemv queues y = A*x, or A'*x, for an A of m rows and n columns.
func Gemv[T Float](h *Handle, trans bool, m, n int, a, x, y gridstride.Buffer[T]) error {
	one, zero := T(1), T(0)
	op := uintptr(transposed)
	if trans {
		op = asTheyAre
	}
	return h.with(pointerModeHost, name[T]("gemv_v2"), max(m, n), op, uintptr(n), uintptr(m), uintptr(unsafe.Pointer(&one)),
		a.DevicePtr(), uintptr(n), x.DevicePtr(), 1, uintptr(unsafe.Pointer(&zero)), y.DevicePtr(), 1)
}

// Ger queues A += x*y', for an A of m rows and n columns.
func Ger[T Float](h *Handle, m, n int, x, y, a gridstride.Buffer[T]) error {
	one := T(1)
	return h.with(pointerModeHost, name[T]("ger_v2"), max(m, n), uintptr(n), uintptr(m), uintptr(unsafe.Pointer(&one)),
		y.DevicePtr(), 1, x.DevicePtr(), 1, a.DevicePtr(), uintptr(n))
}

// Syrk queues the upper triangle of C = A*A' for an A of n rows and k columns.
func Syrk[T Float](h *Handle, n, k int, a, c gridstride.Buffer[T]) error {
	one, zero := T(1), T(0)
	return h.with(pointerModeHost, name[T]("syrk_v2"), max(n, k), lower, transposed, uintptr(n), uintptr(k),
		uintptr(unsafe.Pointer(&one)), a.DevicePtr(), uintptr(k), uintptr(unsafe.Pointer(&zero)), c.DevicePtr(), uintptr(n))
}

// GemmStridedBatched queues count products C = A*B of n by n matrices that lie one behind the
// other.
func GemmStridedBatched[T Float](h *Handle, n, count int, a, b, c gridstride.Buffer[T]) error {
	one, zero := T(1), T(0)
	size, all := uintptr(n), uintptr(n*n)
	return h.with(pointerModeHost, name[T]("gemmStridedBatched"), n, asTheyAre, asTheyAre, size, size, size,
		uintptr(unsafe.Pointer(&one)), b.DevicePtr(), size, all, a.DevicePtr(), size, all,
		uintptr(unsafe.Pointer(&zero)), c.DevicePtr(), size, all, uintptr(count))
}
