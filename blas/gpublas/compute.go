package gpublas

import "github.com/gridstride/gridstride/gpu"

// A Compute is how a [Product] multiplies, cuBLAS's cublasComputeType_t: T is the type of the
// elements of A and B, and S is the type of C's elements and of the factors Alpha and Beta.
//
// All but FP32 and FP64 are made for the tensor cores of GPUs of 8.0 and newer. Any other device
// computes the same with its plain arithmetic, in float32 as Gemm does, or in int32.
type Compute[T Element, S Accumulator] uint8

const (
	// FP32 and FP64 multiply as Gemm does, with the same bits.
	FP32 Compute[float32, float32] = iota
	FP64 Compute[float64, float64] = iota

	// BF16 and F16 multiply numbers of 16 bits. The products are exact, and added up as float32.
	BF16 Compute[gpu.BFloat16, float32] = iota
	F16  Compute[gpu.Float16, float32]  = iota

	// TF32 rounds float32 elements to [gpu.TF32], to nearest even, and multiplies them. An element
	// with 11 significant bits does not change. Another changes by up to 2^-11 of itself.
	TF32 Compute[float32, float32] = iota

	// BF16x6 multiplies float32 with float32's accuracy. It takes each number for the sum of three
	// BFloat16, which have all its bits, and adds up the six products of parts that matter. On an
	// H200 it takes less time than Gemm of float32 from some 1,500 rows and columns on, and half as
	// much at 8,192. Below that it takes up to four times as long.
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
