package cublas

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// The calls here take the arguments of the comparisons with cuBLAS, and check no more than that
// sizes fit into an int: buffers are as long as the sizes say. Matrices are stored by rows, so
// cuBLAS sees their transposes.

const (
	asTheyAre  = 0 // CUBLAS_OP_N
	transposed = 1 // CUBLAS_OP_T
	lower      = 0 // CUBLAS_FILL_MODE_LOWER, which is the upper triangle of a transpose
)

// onDevice calls a function whose result goes to the device.
func (h *Handle) onDevice(name string, n int, args ...uintptr) error {
	return h.with(pointerModeDevice, name, n, args...)
}

// with calls a function of n elements, or rows, with the results or factors on the device or the
// host, as mode says.
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

// GemmStridedBatched queues count products C = A*B of adjacent n by n matrices.
func GemmStridedBatched[T Float](h *Handle, n, count int, a, b, c gridstride.Buffer[T]) error {
	one, zero := T(1), T(0)
	size, all := uintptr(n), uintptr(n*n)
	return h.with(pointerModeHost, name[T]("gemmStridedBatched"), n, asTheyAre, asTheyAre, size, size, size,
		uintptr(unsafe.Pointer(&one)), b.DevicePtr(), size, all, a.DevicePtr(), size, all,
		uintptr(unsafe.Pointer(&zero)), c.DevicePtr(), size, all, uintptr(count))
}

// GemmEx queues C = A·B, or A·Bᵀ, of the formats of cublasGemmEx: numbers of 16 bits and TF32 added
// up as float32, int8 as int32. A has m rows and n columns, B n rows and l columns, or l rows and n
// columns if transposed.
func GemmEx[T, S any](h *Handle, transB bool, m, n, l int, a, b gridstride.Buffer[T], c gridstride.Buffer[S]) error {
	factor, sum, compute, ok := formats[T, S]()
	if !ok {
		return fmt.Errorf("cublas: GemmEx takes no %T to %T", *new(T), *new(S))
	}
	one := math.Float32bits(1) // as float32, or as int32
	if compute == compute32I {
		one = 1
	}
	return gemmEx(h, transB, m, n, l, a, b, c, factor, sum, compute, one)
}

// gemmEx is GemmEx with cuBLAS's numbers for the formats, and the bits of a factor of 1.
func gemmEx[T, S any](h *Handle, transB bool, m, n, l int, a, b gridstride.Buffer[T], c gridstride.Buffer[S],
	factor, sum, compute uintptr, one uint32,
) error {
	zero := uint32(0)
	op, rowB := uintptr(asTheyAre), l
	if transB {
		op, rowB = transposed, n
	}
	return h.with(pointerModeHost, "cublasGemmEx", max(m, n, l), op, asTheyAre, uintptr(l), uintptr(m), uintptr(n),
		uintptr(unsafe.Pointer(&one)), b.DevicePtr(), factor, uintptr(rowB), a.DevicePtr(), factor, uintptr(n),
		uintptr(unsafe.Pointer(&zero)), c.DevicePtr(), sum, uintptr(l), compute, defaultAlgorithm)
}

// GemmEmulated is [GemmEx] for float32 by nine products of bfloat16
// (CUBLAS_COMPUTE_32F_EMULATED_16BFX9 of CUDA 12.9 and newer). Where a device's arithmetic does not
// pay for that, the library may compute in float32 all the same.
func GemmEmulated(h *Handle, transB bool, m, n, l int, a, b, c gridstride.Buffer[float32]) error {
	return gemmEx(h, transB, m, n, l, a, b, c, data32F, data32F, compute32FEmulated, math.Float32bits(1))
}

// GemmStridedBatchedEx queues count products C = A·B, or A·Bᵀ, of adjacent n by n matrices, in the
// formats of [GemmEx].
func GemmStridedBatchedEx[T, S any](h *Handle, transB bool, n, count int, a, b gridstride.Buffer[T], c gridstride.Buffer[S]) error {
	factor, sum, compute, ok := formats[T, S]()
	if !ok {
		return fmt.Errorf("cublas: GemmStridedBatchedEx takes no %T to %T", *new(T), *new(S))
	}
	var one, zero uint32 // as float32, or as int32
	if one = math.Float32bits(1); compute == compute32I {
		one = 1
	}
	op, size, all := uintptr(asTheyAre), uintptr(n), uintptr(n*n)
	if transB {
		op = transposed
	}
	return h.with(pointerModeHost, "cublasGemmStridedBatchedEx", n, op, asTheyAre, size, size, size,
		uintptr(unsafe.Pointer(&one)), b.DevicePtr(), factor, size, all, a.DevicePtr(), factor, size, all,
		uintptr(unsafe.Pointer(&zero)), c.DevicePtr(), sum, size, all, uintptr(count), compute, defaultAlgorithm)
}

// The numbers of cudaDataType_t, cublasComputeType_t and cublasGemmAlgo_t.
const (
	data32F, data16F, data8I, data32I, data16BF = 0, 2, 3, 10, 14

	compute32F, compute32I, compute32FastTF32, compute32FEmulated = 68, 72, 77, 78

	defaultAlgorithm = ^uintptr(0)
)

// formats are cuBLAS's numbers for the elements of factors and of their product, and for how it is
// computed.
func formats[T, S any]() (factor, sum, compute uintptr, ok bool) {
	switch any((func(T, S))(nil)).(type) {
	case func(gpu.Float16, float32):
		return data16F, data32F, compute32F, true
	case func(gpu.BFloat16, float32):
		return data16BF, data32F, compute32F, true
	case func(gpu.Float16, gpu.Float16):
		return data16F, data16F, compute32F, true
	case func(gpu.BFloat16, gpu.BFloat16):
		return data16BF, data16BF, compute32F, true
	case func(gpu.TF32, float32):
		return data32F, data32F, compute32FastTF32, true
	case func(int8, int32):
		return data8I, data32I, compute32I, true
	}
	return 0, 0, 0, false
}
