package gpu

import (
	"math"
	"unsafe"
)

// Products of matrices whose fragments the lanes of a warp have. Random programs multiply numbers
// whose sums are all exact, except for float64.

// The fragments of A, B and C.
type (
	A8x4[T any]   [1]T
	A16x4[T any]  [2]T
	A16x8[T any]  [4]T
	A16x16[T any] [8]T
	A16x32[T any] [16]T
	B4x8[T any]   [1]T
	B8x8[T any]   [2]T
	B16x8[T any]  [4]T
	B32x8[T any]  [8]T
	C8x8[T any]   [2]T
	C16x8[T any]  [4]T
)

// TF32 is a float32 with ten significant bits of fraction.
type TF32 struct{ bits uint32 }

// TF32Of is x: random programs ask for numbers that need no rounding.
func TF32Of(x float32) TF32 { return TF32{math.Float32bits(x)} }

// Float32 is x as a float32.
func (x TF32) Float32() float32 { return math.Float32frombits(x.bits) }

// fragments are one lane's operands of a product.
type fragments[T, U, C any] struct {
	a []T
	b []U
	c []C
}

// multiply is the lane's fragment of A*B + C, where A has the given number of rows and inner
// columns, and B and C have eight columns. step adds a product to the sum so far, from the first
// column of A to the last.
func multiply[T, U, C any](rows, inner int, mine fragments[T, U, C], step func(sum C, x T, y U) C) []C {
	a, b := make([]T, rows*inner), make([]U, inner*8)
	for lane, x := range wait(ofWarp, FullMask, mine) {
		f := x.(fragments[T, U, C])
		for i, v := range f.a {
			row, col := partOfA[T](rows, lane, i)
			a[row*inner+col] = v
		}
		for i, v := range f.b {
			row, col := partOfB[U](lane, i)
			b[row*8+col] = v
		}
	}
	d := make([]C, len(mine.c))
	for i, sum := range mine.c {
		row, col := partOfC(LaneID(), i)
		for k := range inner {
			sum = step(sum, a[row*inner+k], b[k*8+col])
		}
		d[i] = sum
	}
	return d
}

// together is the number of elements in one register of 32 bits, adjacent in a row of A or a column
// of B.
func together[T any]() int {
	var x T
	return max(1, 4/int(unsafe.Sizeof(x)))
}

// partOfA is where in A a lane's element i is: four lanes share a row, the registers of a lane go
// first down the groups of eight rows and then along.
func partOfA[T any](rows, lane, i int) (row, col int) {
	n, groups := together[T](), rows/8
	register := i / n
	return lane/4 + register%groups*8, (register/groups*4+lane%4)*n + i%n
}

// partOfB is where in B a lane's element i is: four lanes share a column.
func partOfB[T any](lane, i int) (row, col int) {
	n := together[T]()
	return (i/n*4+lane%4)*n + i%n, lane / 4
}

// partOfC is where in C a lane's element i is: four lanes share a row.
func partOfC(lane, i int) (row, col int) { return lane/4 + i/2*8, lane%4*2 + i%2 }

// addExact adds a product of numbers that have a float32.
func addExact[T, U any](sum float32, x T, y U) float32 {
	type short interface{ Float32() float32 }
	return sum + any(x).(short).Float32()*any(y).(short).Float32()
}

// addInt adds a product of integers.
func addInt[T int8 | uint8](sum int32, x, y T) int32 { return sum + int32(x)*int32(y) }

// addFused adds a product with one rounding.
func addFused(sum, x, y float64) float64 { return FMA(x, y, sum) }

// MMA16x8x16 is a*b + c.
func MMA16x8x16[T Float16 | BFloat16](a A16x16[T], b B16x8[T], c C16x8[float32]) C16x8[float32] {
	return C16x8[float32](multiply(16, 16, fragments[T, T, float32]{a[:], b[:], c[:]}, addExact[T, T]))
}

// MMA16x8x16F16 is a*b + c.
func MMA16x8x16F16(a A16x16[Float16], b B16x8[Float16], c C16x8[Float16]) C16x8[Float16] {
	return C16x8[Float16](multiply(16, 16, fragments[Float16, Float16, Float16]{a[:], b[:], c[:]}, func(sum, x, y Float16) Float16 {
		return Float16Of(addExact(sum.Float32(), x, y))
	}))
}

// MMA16x8x8 is a*b + c.
func MMA16x8x8[T Float16 | BFloat16 | TF32](a A16x8[T], b B8x8[T], c C16x8[float32]) C16x8[float32] {
	return C16x8[float32](multiply(16, 8, fragments[T, T, float32]{a[:], b[:], c[:]}, addExact[T, T]))
}

// MMA16x8x4 is a*b + c.
func MMA16x8x4(a A16x4[TF32], b B4x8[TF32], c C16x8[float32]) C16x8[float32] {
	return C16x8[float32](multiply(16, 4, fragments[TF32, TF32, float32]{a[:], b[:], c[:]}, addExact[TF32, TF32]))
}

// MMA16x8x32 is a*b + c.
func MMA16x8x32[T int8 | uint8](a A16x32[T], b B32x8[T], c C16x8[int32]) C16x8[int32] {
	return C16x8[int32](multiply(16, 32, fragments[T, T, int32]{a[:], b[:], c[:]}, addInt[T]))
}

// MMA16x8x16S32 is a*b + c.
func MMA16x8x16S32[T int8 | uint8](a A16x16[T], b B16x8[T], c C16x8[int32]) C16x8[int32] {
	return C16x8[int32](multiply(16, 16, fragments[T, T, int32]{a[:], b[:], c[:]}, addInt[T]))
}

// MMA16x8x32F32 is a*b + c.
func MMA16x8x32F32[T, U E4M3 | E5M2](a A16x32[T], b B32x8[U], c C16x8[float32]) C16x8[float32] {
	return C16x8[float32](multiply(16, 32, fragments[T, U, float32]{a[:], b[:], c[:]}, addExact[T, U]))
}

// MMA8x8x4F64 is a*b + c.
func MMA8x8x4F64(a A8x4[float64], b B4x8[float64], c C8x8[float64]) C8x8[float64] {
	return C8x8[float64](multiply(8, 4, fragments[float64, float64, float64]{a[:], b[:], c[:]}, addFused))
}

// MMA16x8x4F64 is a*b + c.
func MMA16x8x4F64(a A16x4[float64], b B4x8[float64], c C16x8[float64]) C16x8[float64] {
	return C16x8[float64](multiply(16, 4, fragments[float64, float64, float64]{a[:], b[:], c[:]}, addFused))
}

// MMA16x8x8F64 is a*b + c.
func MMA16x8x8F64(a A16x8[float64], b B8x8[float64], c C16x8[float64]) C16x8[float64] {
	return C16x8[float64](multiply(16, 8, fragments[float64, float64, float64]{a[:], b[:], c[:]}, addFused))
}

// MMA16x8x16F64 is a*b + c.
func MMA16x8x16F64(a A16x16[float64], b B16x8[float64], c C16x8[float64]) C16x8[float64] {
	return C16x8[float64](multiply(16, 16, fragments[float64, float64, float64]{a[:], b[:], c[:]}, addFused))
}
