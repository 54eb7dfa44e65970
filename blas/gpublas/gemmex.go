package gpublas

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
)

// A Compute is how [GemmEx] multiplies, cuBLAS's cublasComputeType_t: T is the type of the elements
// of A and B, and S is the type of C's elements and of the factors alpha and beta.
//
// All are made for the tensor cores of GPUs of 8.0 and newer. Any other device computes the same
// with its plain arithmetic, in float32 as Gemm does, or in int32.
type Compute[T Element, S Sum] uint8

const (
	// BF16 and F16 multiply numbers of 16 bits. The products are exact, and added up as float32.
	BF16 Compute[gpu.BFloat16, float32] = iota
	F16  Compute[gpu.Float16, float32]  = iota

	// TF32 rounds float32 elements to [gpu.TF32], to nearest even, and multiplies them. An element
	// with 11 significant bits does not change. Another changes by up to 2^-11 of itself.
	TF32 Compute[float32, float32] = iota

	// BF16x6 multiplies float32 with float32's accuracy. It takes each number for the sum of three
	// BFloat16, which have all its bits, and adds up the six products of parts that matter. On an
	// H200 it takes less time than Gemm of float32 from some 1,500 rows and columns on, and half as
	// much at 8,192; below that it takes up to four times as long.
	//
	// An element of C before alpha and beta is off by at most (k/16 + 28) * 2^-24 of the sum of the
	// absolute values of its k products, where Gemm may be off by k * 2^-24. Two errors are added
	// to that: at most k * 2^-179 of the product of the largest elements of A's row and B's column,
	// since much smaller numbers in the same row or column are lost, and half the least float32.
	// Infinities and NaN in a row of A or a column of B give infinities and NaN in C as in IEEE
	// 754.
	BF16x6 Compute[float32, float32] = iota

	// Int8 multiplies int8 exactly. Sums beyond int32 wrap.
	Int8 Compute[int8, int32] = iota
)

// check refuses a Compute that is none of the constants.
func (by Compute[T, S]) check(call string) error {
	known := false
	switch by := any(by).(type) {
	case Compute[gpu.BFloat16, float32]:
		known = by == BF16
	case Compute[gpu.Float16, float32]:
		known = by == F16
	case Compute[float32, float32]:
		known = by == TF32 || by == BF16x6
	case Compute[int8, int32]:
		known = by == Int8
	}
	if !known {
		return fmt.Errorf("%s: %w: there is no Compute %d from %T to %T", call, ErrCompute, by, *new(T), *new(S))
	}
	return nil
}

// GemmEx computes C = alpha*A*B + beta*C as [Handle.Gemm] does, of elements of other types or in
// another way: by says how. It queues on the stream of h, which may be for either type.
//
//	err = gpublas.GemmEx(h, gpublas.BF16, gpublas.NoTrans, gpublas.Trans, 1, a, b, 0, c)
//
// Tensor cores add up several products at once, and drop bits far below the largest product or the
// sum so far: 24 bits below on a GPU of 8.0, 25 on a GPU of 9.0. They add along k in steps of 32
// bytes of A's rows. So the bits of a product of [BF16], [F16], [TF32] and [BF16x6] depend on the
// elements and the GPU's generation only, not on sizes, batches, transposes, or the matrices'
// addresses. The simulator has the bits of 8.0 for the target sm_80, and of 9.0 for sm_90 and
// newer. The bits of [Int8] are the same everywhere.
//
// A call copies a matrix into the form that tensor cores need in two cases: if its rows do not
// begin at multiples of 16 bytes, or if its elements are not of 16 bits and not adjacent along k.
// A's elements are adjacent along k, and so are a transposed B's. [BF16x6] always copies. [TF32]
// copies too, unless C has at least 1024 rows and columns and the GPU is one of 9.0, which takes a
// [TF32] B directly, transposed or not. The call allocates the memory for the copy: 4 bytes an
// element for [TF32], 6 for [BF16x6], and the matrix's own size otherwise. A GPU of 9.0 copies
// nothing if rows begin at multiples of 16 bytes and C has at most 512 rows and columns.
//
// The host's package has no such function: it has neither these types nor these units, and its Gemm
// is as fast in float32.
//
// Errors: the errors of [gridstride.Make] for that memory, Gemm's errors, and ErrCompute for a
// Compute that is none of the constants.
func GemmEx[F Float, T Element, S Sum](h *Handle[F], by Compute[T, S], transA, transB Transpose, alpha S, a, b Matrix[T],
	beta S, c Matrix[S],
) error {
	return productsEx(h, "GemmEx", by, transA, transB, alpha, a, 0, b, 0, beta, c, 0, 1)
}

// GemmStridedBatchedEx computes count products as [GemmEx] does. The matrices of product i begin
// i*strideA, i*strideB and i*strideC elements after a, b and c, as in [Handle.GemmStridedBatched].
func GemmStridedBatchedEx[F Float, T Element, S Sum](h *Handle[F], by Compute[T, S], transA, transB Transpose, alpha S,
	a Matrix[T], strideA int, b Matrix[T], strideB int, beta S, c Matrix[S], strideC, count int,
) error {
	return productsEx(h, "GemmStridedBatchedEx", by, transA, transB, alpha, a, strideA, b, strideB, beta, c, strideC, count)
}

func productsEx[F Float, T Element, S Sum](h *Handle[F], method string, by Compute[T, S], transA, transB Transpose, alpha S,
	a Matrix[T], strideA int, b Matrix[T], strideB int, beta S, c Matrix[S], strideC, count int,
) error {
	call := h.core.Call(method)
	if err := by.check(call); err != nil {
		return err
	}
	p, err := product(call, transA, transB, alpha, a, strideA, b, strideB, beta, c, strideC, count)
	if err != nil {
		return err
	}
	return queueProducts(h, method, p, false, func(s *gridstride.Stream, w onepass.Work, p level3.Product[T, S]) error {
		return launchEx(h.mixed, s, w, by, p)
	})
}

// launchEx finds the plan by which products are computed.
func launchEx[T Element, S Sum](plans *formats.Plans, s *gridstride.Stream, w onepass.Work, by Compute[T, S], p level3.Product[T, S]) error {
	switch p := any(p).(type) {
	case level3.Product[gpu.BFloat16, float32]:
		return plans.BF16.Launch(s, w, p)
	case level3.Product[gpu.Float16, float32]:
		return plans.F16.Launch(s, w, p)
	case level3.Product[int8, int32]:
		return plans.Int8.Launch(s, w, p)
	case level3.Product[float32, float32]:
		switch uint8(by) {
		case uint8(TF32):
			return plans.TF32.Launch(s, w, p)
		case uint8(BF16x6):
			return plans.BF16x6.Launch(s, w, p)
		}
	}
	panic(fmt.Sprintf("BUG: Compute %d from %T to %T", by, *new(T), *new(S)))
}
