package gpu

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Tensor cores multiply small matrices: D = A*B + C. The 32 lanes of a warp share the matrices.
// Each lane has a fragment of a matrix, an array of as many elements as any other lane has, and the
// method At says which they are. All lanes make the call together, with what they have of A, B and
// C, and get what they have of D: PTX's mma.sync.
//
// A's name says its rows and columns, and so do B's and C's: A16x16 times B16x8 plus C16x8 is a
// C16x8. Elements beyond a matrix are given as zeros.

// A8x4 is a lane's fragment of A, of 8 rows and 4 columns.
type A8x4[T any] [1]T

// A16x4 is a lane's fragment of A, of 16 rows and 4 columns.
type A16x4[T any] [2]T

// A16x8 is a lane's fragment of A, of 16 rows and 8 columns.
type A16x8[T any] [4]T

// A16x16 is a lane's fragment of A, of 16 rows and 16 columns.
type A16x16[T any] [8]T

// A16x32 is a lane's fragment of A, of 16 rows and 32 columns.
type A16x32[T any] [16]T

// B4x8 is a lane's fragment of B, of 4 rows and 8 columns.
type B4x8[T any] [1]T

// B8x8 is a lane's fragment of B, of 8 rows and 8 columns.
type B8x8[T any] [2]T

// B16x8 is a lane's fragment of B, of 16 rows and 8 columns.
type B16x8[T any] [4]T

// B32x8 is a lane's fragment of B, of 32 rows and 8 columns.
type B32x8[T any] [8]T

// C8x8 is a lane's fragment of C or D, of 8 rows and 8 columns.
type C8x8[T any] [2]T

// C16x8 is a lane's fragment of C or D, of 16 rows and 8 columns.
type C16x8[T any] [4]T

// At is the row and the column of a lane's element i.
func (A8x4[T]) At(lane, i int) (row, col int) { return inA[T](1, lane, i) }

// At is the row and the column of a lane's element i.
func (A16x4[T]) At(lane, i int) (row, col int) { return inA[T](2, lane, i) }

// At is the row and the column of a lane's element i. Elements of 16 bits come in adjacent pairs.
func (A16x8[T]) At(lane, i int) (row, col int) { return inA[T](2, lane, i) }

// At is the row and the column of a lane's element i. Elements of 16 bits come in adjacent pairs.
func (A16x16[T]) At(lane, i int) (row, col int) { return inA[T](2, lane, i) }

// At is the row and the column of a lane's element i. Each four elements are adjacent.
func (A16x32[T]) At(lane, i int) (row, col int) { return inA[T](2, lane, i) }

// At is the row and the column of a lane's element i.
func (B4x8[T]) At(lane, i int) (row, col int) { return inB[T](lane, i) }

// At is the row and the column of a lane's element i. Numbers of 16 bits come in pairs, one below
// the other.
func (B8x8[T]) At(lane, i int) (row, col int) { return inB[T](lane, i) }

// At is the row and the column of a lane's element i. Numbers of 16 bits come in pairs, one below
// the other.
func (B16x8[T]) At(lane, i int) (row, col int) { return inB[T](lane, i) }

// At is the row and the column of a lane's element i. Four elements lie one below the other.
func (B32x8[T]) At(lane, i int) (row, col int) { return inB[T](lane, i) }

// At is the row and the column of a lane's element i. Each two elements are adjacent.
func (C8x8[T]) At(lane, i int) (row, col int) { return inC(lane, i) }

// At is the row and the column of a lane's element i. Each two elements are adjacent.
func (C16x8[T]) At(lane, i int) (row, col int) { return inC(lane, i) }

// inA is the row and the column of an element of A, which has eights times eight rows. An element
// of 8 or 16 bits shares a register with its neighbours. The formula follows the PTX ISA, "Matrix
// Fragments for mma.m16n8k16" and the like.
func inA[T any](eights, lane, i int) (row, col int) {
	var x T
	n := max(4/int(unsafe.Sizeof(x)), 1)
	register, part := i/n, i%n
	return lane>>2 + 8*(register%eights), n*(4*(register/eights)+lane&3) + part
}

// inB is the row and the column of an element of B.
func inB[T any](lane, i int) (row, col int) {
	var x T
	n := max(4/int(unsafe.Sizeof(x)), 1)
	return n*(4*(i/n)+lane&3) + i%n, lane >> 2
}

// inC is the row and the column of an element of C or D.
func inC(lane, i int) (row, col int) { return lane>>2 + 8*(i/2), 2*(lane&3) + i%2 }

// TF32 is a number as tensor cores take it instead of a float32: with its exponents, and ten bits
// of fraction. Its other bits count for nothing.
type TF32 struct{ bits uint32 }

// TF32Of is the TF32 nearest to x, of two the one away from zero: PTX's cvt.rna.tf32.f32.
func TF32Of(x float32) TF32 {
	if x != x {
		return TF32{0x7fffffff}
	}
	bits := ieee.Float32bits(x)
	if bits&0x7fffffff < 0x7f800000 {
		bits += 1 << 12
	}
	return TF32{bits &^ (1<<13 - 1)}
}

// Float32 is x as a float32, exactly.
func (x TF32) Float32() float32 { return ieee.Float32frombits(x.bits) }

// The sums of products of floating-point numbers differ from one generation of GPUs to the next.
// Products are exact. If several are added at once, the bits far below the largest are cut off, and
// the sum is rounded toward zero to a float32, or to nearest to a Float16. The simulator computes
// like an H200, and for target=sm_80 as published of an A100. A NaN gives NaN.

// MMA16x8x16 is a*b + c of numbers of 16 bits, added up as float32. The GPU must be an 8.0 or
// newer: //gpu:kernel target=sm_80.
func MMA16x8x16[T Float16 | BFloat16](a A16x16[T], b B16x8[T], c C16x8[float32]) C16x8[float32] {
	panic(hostCall("MMA16x8x16"))
}

// MMA16x8x16F16 is a*b + c of Float16, added up as Float16. The GPU must be an 8.0 or newer.
func MMA16x8x16F16(a A16x16[Float16], b B16x8[Float16], c C16x8[Float16]) C16x8[Float16] {
	panic(hostCall("MMA16x8x16F16"))
}

// MMA16x8x8 is a*b + c of numbers of 16 bits or TF32, added up as float32. The GPU must be an 8.0
// or newer, or for Float16 a 7.5.
func MMA16x8x8[T Float16 | BFloat16 | TF32](a A16x8[T], b B8x8[T], c C16x8[float32]) C16x8[float32] {
	panic(hostCall("MMA16x8x8"))
}

// MMA16x8x4 is a*b + c of TF32, added up as float32. The GPU must be an 8.0 or newer.
func MMA16x8x4(a A16x4[TF32], b B4x8[TF32], c C16x8[float32]) C16x8[float32] {
	panic(hostCall("MMA16x8x4"))
}

// MMA16x8x32 is a*b + c of integers. It is exact, except that sums beyond int32 wrap. The GPU must
// be an 8.0 or newer.
func MMA16x8x32[T int8 | uint8](a A16x32[T], b B32x8[T], c C16x8[int32]) C16x8[int32] {
	panic(hostCall("MMA16x8x32"))
}

// MMA16x8x16S32 is a*b + c as [MMA16x8x32] has it. The GPU must be an 8.0 or newer.
func MMA16x8x16S32[T int8 | uint8](a A16x16[T], b B16x8[T], c C16x8[int32]) C16x8[int32] {
	panic(hostCall("MMA16x8x16S32"))
}

// MMA16x8x32F32 is a*b + c of numbers of 8 bits, added up as float32. The GPU must be an 8.9 or
// newer: //gpu:kernel target=sm_89. An H200 makes Float16 of the factors, and the simulator has its
// bits. They are measured for A of [E4M3] and B of either, and for [E5M2] by itself. What an 8.9
// gives is not modelled.
func MMA16x8x32F32[T, U E4M3 | E5M2](a A16x32[T], b B32x8[U], c C16x8[float32]) C16x8[float32] {
	panic(hostCall("MMA16x8x32F32"))
}

// MMA8x8x4F64 is a*b + c of float64: [FMA] of the sum so far, which is c at first, with one product
// after the other. The GPU must be an 8.0 or newer.
func MMA8x8x4F64(a A8x4[float64], b B4x8[float64], c C8x8[float64]) C8x8[float64] {
	panic(hostCall("MMA8x8x4F64"))
}

// MMA16x8x4F64 is a*b + c of float64, as [MMA8x8x4F64] has it. The GPU must be a 9.0 or newer:
// //gpu:kernel target=sm_90.
func MMA16x8x4F64(a A16x4[float64], b B4x8[float64], c C16x8[float64]) C16x8[float64] {
	panic(hostCall("MMA16x8x4F64"))
}

// MMA16x8x8F64 is a*b + c of float64, as [MMA8x8x4F64] has it. The GPU must be a 9.0 or newer.
func MMA16x8x8F64(a A16x8[float64], b B8x8[float64], c C16x8[float64]) C16x8[float64] {
	panic(hostCall("MMA16x8x8F64"))
}

// MMA16x8x16F64 is a*b + c of float64, as [MMA8x8x4F64] has it. The GPU must be a 9.0 or newer.
func MMA16x8x16F64(a A16x16[float64], b B16x8[float64], c C16x8[float64]) C16x8[float64] {
	panic(hostCall("MMA16x8x16F64"))
}
