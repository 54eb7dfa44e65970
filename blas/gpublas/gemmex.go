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
// of A and B, and S that of C's elements and of the factors alpha and beta.
//
// All are made for the tensor cores of GPUs of 8.0 and newer. Any other device computes the same
// with its plain arithmetic, in float32 as Gemm does, or in int32.
type Compute[T Element, S Sum] uint8

const (
	// BF16 and F16 multiply numbers of 16 bits. The products are exact, and added up as float32.
	BF16 Compute[gpu.BFloat16, float32] = iota
	F16  Compute[gpu.Float16, float32]  = iota

	// TF32 multiplies float32 that it rounds to [gpu.TF32] first, to the nearest and of two to the
	// even one: an element with 11 significant bits is what it is, another is off by up to 2^-11 of
	// itself.
	TF32 Compute[float32, float32] = iota

	// BF16x6 multiplies float32 with float32's accuracy. It takes each number for the sum of three
	// BFloat16, which have all its bits, and adds up the six products of parts that matter. On an
	// H200 it takes less time than Gemm of float32 from some 1,500 rows and columns on, and half as
	// much at 8,192; below that it takes up to four times as long.
	//
	// An element of C before alpha and beta is off by at most (k/16 + 28) * 2^-24 of the sum of the
	// absolute values of its k products, where Gemm may be off by k * 2^-24; and by no more than
	// k * 2^-179 of the product of the largest elements of A's row and B's column, which is what
	// becomes of numbers that are so much smaller than others beside them, and by half the least
	// float32. Where a row of A or a column of B has infinities or NaN, so has C, as IEEE 754 has
	// it.
	BF16x6 Compute[float32, float32] = iota

	// Int8 multiplies int8 exactly, but for sums beyond int32, which wrap.
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
// Tensor cores add up several products at once, and cut off what lies far below the largest of them
// or of the sum so far: 24 bits below on a GPU of 8.0, 25 on one of 9.0. They add along k in steps
// of 32 bytes of A's rows. So the bits of a product of [BF16], [F16], [TF32] and [BF16x6] depend on
// the GPU's generation, and on nothing else but the elements: not on sizes, batches, transposes, or
// where the matrices lie. The simulator has the bits of 8.0 for the target sm_80, and of 9.0 for
// sm_90 and newer. Those of [Int8] are the same everywhere.
//
// A matrix is copied, as the tensor cores want it, where its rows do not begin at multiples of 16
// bytes, or where it is not of 16 bits and its elements do not lie side by side along k, as those
// of A do, and those of a transposed B. Those of [BF16x6] always are, and those of [TF32] too,
// unless C has 1024 rows and columns at least and the GPU is one of 9.0, which takes a B of [TF32]
// as it lies, transposed or not. The memory for that is made by the call: 4 bytes an element for
// [TF32], 6 for [BF16x6], and as many as it has otherwise. On a GPU of 9.0, no copy is made where
// rows begin at multiples of 16 bytes and C has at most 512 rows and columns.
//
// The host's package has no such function: it has neither these types nor these units, and its Gemm
// is as fast in float32.
//
// Errors: those of [gridstride.Make] for that memory, and those that Gemm has; ErrCompute for a
// Compute that is none of the constants.
func GemmEx[F Float, T Element, S Sum](h *Handle[F], by Compute[T, S], transA, transB Transpose, alpha S, a, b Matrix[T],
	beta S, c Matrix[S],
) error {
	return productsEx(h, "GemmEx", by, transA, transB, alpha, a, 0, b, 0, beta, c, 0, 1)
}

// GemmStridedBatchedEx computes count products as [GemmEx] does. The matrices of product i begin
// i*strideA, i*strideB and i*strideC elements behind those of a, b and c, as
// [Handle.GemmStridedBatched] has it.
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
