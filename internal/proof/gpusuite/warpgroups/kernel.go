// Package warpgroups holds products of matrices by warpgroups, PTX's wgmma, to the model of
// internal/machine/sim/tensor: of each format, and with factors in registers, transposed and negated.
package warpgroups

import (
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
)

// sums is the fragments of a sum.
type sums[S any] interface {
	gpu.Sums64[S]
	At(thread, i int) (row, col int)
}

// The offsets of tiles that are not swizzled: from 16 bytes of a line to the next 16, and from
// eight lines to the next eight.
const (
	next16 = 128
	next8  = 256
)

// width is how many bytes a line of a tile has, which is as many as a product takes, or as are
// swizzled.
func width(s gpu.Swizzle) int {
	if s == gpu.NoSwizzle {
		return 32
	}
	return 256 >> s
}

// place is the offset of a byte of a line.
func place(s gpu.Swizzle, line, at int) int {
	if s == gpu.NoSwizzle {
		return line%8*16 + line/8*next8 + at/16*next16 + at%16
	}
	return s.Offset(line*width(s) + at)
}

// stage fills a tile with lines of x, which has k elements in each, from an element on.
func stage[T any](tile, x []T, s gpu.Swizzle, lines, k, from int) {
	var e T
	size := int(unsafe.Sizeof(e))
	per := width(s) / size
	for i := gpu.ThreadIdx.X; i < lines*per; i += 128 {
		tile[place(s, i/per, i%per*size)/size] = x[i/per*k+from+i%per]
	}
}

// matrix is the matrix that begins at byte at of each line of a tile.
func matrix[T any](tile []T, s gpu.Swizzle, at int) gpu.Matrix[T] {
	var e T
	behind := tile[at/int(unsafe.Sizeof(e)):]
	if s == gpu.NoSwizzle {
		return gpu.MatrixOf(behind, next16, next8, s)
	}
	return gpu.MatrixOf(behind, 0, 8*width(s), s)
}

// multiply computes c = a*b, of 64 by k and k by n elements: a by rows, b by columns, c by rows.
// The elements of k columns of a are a multiple of 128 bytes.
func multiply[C sums[S], T, U, S any](
	a []T, b []U, c []S, n, k int, s gpu.Swizzle, mma func(sum *C, a gpu.Matrix[T], b gpu.Matrix[U], add bool),
) {
	tileA := gpu.Shared[[64 * 128]T]()
	tileB := gpu.Shared[[128 * 128]U]()
	var e T
	step := width(s) / int(unsafe.Sizeof(e))
	var sum C
	for from := 0; from < k; from += step {
		stage(tileA[:], a, s, 64, k, from)
		stage(tileB[:], b, s, n, k, from)
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
		gpu.WGMMAFence()
		for at := 0; at < width(s); at += 32 {
			mma(&sum, matrix(tileA[:], s, at), matrix(tileB[:], s, at), from+at > 0)
		}
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		gpu.SyncThreads()
	}
	write[C](sum, c, n)
}

// write writes a thread's elements of a sum of n columns.
func write[C sums[S], S any](sum C, c []S, n int) {
	for i := 0; i < len(sum); i++ {
		row, col := sum.At(gpu.ThreadIdx.X, i)
		c[row*n+col] = sum[i]
	}
}

// Single is c = a*b of 64 by 64 elements.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16,gpu.TF32 block=128 target=sm_90a
func Single[T gpu.Float16 | gpu.BFloat16 | gpu.TF32](a, b []T, c []float32, k int) {
	multiply(a, b, c, 64, k, gpu.Swizzle128, func(sum *gpu.C64x64[float32], a, b gpu.Matrix[T], add bool) {
		gpu.WGMMA(sum, a, b, add)
	})
}

// Plain is Single of 8 columns, without a swizzle.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16,gpu.TF32 block=128 target=sm_90a
func Plain[T gpu.Float16 | gpu.BFloat16 | gpu.TF32](a, b []T, c []float32, k int) {
	multiply(a, b, c, 8, k, gpu.NoSwizzle, func(sum *gpu.C64x8[float32], a, b gpu.Matrix[T], add bool) {
		gpu.WGMMA(sum, a, b, add)
	})
}

// Half is c = a*b of 24 columns, added up as Float16.
//
//gpu:kernel block=128 target=sm_90a
func Half(a, b, c []gpu.Float16, k int) {
	multiply(a, b, c, 24, k, gpu.Swizzle64, func(sum *gpu.C64x24[gpu.Float16], a, b gpu.Matrix[gpu.Float16], add bool) {
		gpu.WGMMAF16(sum, a, b, add)
	})
}

// Eight is c = a*b of numbers of 8 bits, of 40 columns.
//
//gpu:kernel T=gpu.E4M3,gpu.E5M2 U=gpu.E4M3,gpu.E5M2 block=128 target=sm_90a
func Eight[T, U gpu.E4M3 | gpu.E5M2](a []T, b []U, c []float32, k int) {
	multiply(a, b, c, 40, k, gpu.Swizzle32, func(sum *gpu.C64x40[float32], a gpu.Matrix[T], b gpu.Matrix[U], add bool) {
		gpu.WGMMAF8(sum, a, b, add)
	})
}

// Integers is c = a*b of 128 columns.
//
//gpu:kernel T=int8,uint8 U=int8,uint8 block=128 target=sm_90a
func Integers[T, U int8 | uint8](a []T, b []U, c []int32, k int) {
	multiply(a, b, c, 128, k, gpu.Swizzle128, func(sum *gpu.C64x128[int32], a gpu.Matrix[T], b gpu.Matrix[U], add bool) {
		gpu.WGMMAS32(sum, a, b, add)
	})
}

// Negated is c = a*-b of 16 columns.
//
//gpu:kernel block=128 target=sm_90a
func Negated(a, b []gpu.BFloat16, c []float32, k int) {
	multiply(a, b, c, 16, k, gpu.Swizzle128, func(sum *gpu.C64x16[float32], a, b gpu.Matrix[gpu.BFloat16], add bool) {
		gpu.WGMMA(sum, a, b, add, gpu.NegateB)
	})
}

// fragment is one of A, of 32 bytes a row.
type fragment[T any] interface {
	gpu.A64x8[T] | gpu.A64x16[T] | gpu.A64x32[T]
	At(thread, i int) (row, col int)
}

// fromRegisters is multiply of 32 columns with A in registers, in fragments of columns
// columns.
func fromRegisters[A fragment[T], T, U, S any](
	a []T, b []U, c []S, k, step int, mma func(sum *gpu.C64x32[S], a A, b gpu.Matrix[U]),
) {
	tile := gpu.Shared[[32 * 32]U]()
	var sum gpu.C64x32[S]
	for from := 0; from < k; from += step {
		stage(tile[:], b, gpu.NoSwizzle, 32, k, from)
		var x A
		for i := 0; i < len(x); i++ {
			row, col := x.At(gpu.ThreadIdx.X, i)
			x[i] = a[row*k+from+col]
		}
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
		gpu.WGMMAFence()
		mma(&sum, x, matrix(tile[:], gpu.NoSwizzle, 0))
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		gpu.SyncThreads()
	}
	write(sum, c, 32)
}

// Registers is c = a*b of 32 columns, with A in registers.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=128 target=sm_90a
func Registers[T gpu.Float16 | gpu.BFloat16](a, b []T, c []float32, k int) {
	fromRegisters(a, b, c, k, 16, func(sum *gpu.C64x32[float32], a gpu.A64x16[T], b gpu.Matrix[T]) { gpu.WGMMA(sum, a, b, true) })
}

// RegistersTF32 is Registers of TF32.
//
//gpu:kernel block=128 target=sm_90a
func RegistersTF32(a, b []gpu.TF32, c []float32, k int) {
	fromRegisters(a, b, c, k, 8, func(sum *gpu.C64x32[float32], a gpu.A64x8[gpu.TF32], b gpu.Matrix[gpu.TF32]) {
		gpu.WGMMA(sum, a, b, true)
	})
}

// RegistersEight is Registers of numbers of 8 bits.
//
//gpu:kernel block=128 target=sm_90a
func RegistersEight(a []gpu.E5M2, b []gpu.E4M3, c []float32, k int) {
	fromRegisters(a, b, c, k, 32, func(sum *gpu.C64x32[float32], a gpu.A64x32[gpu.E5M2], b gpu.Matrix[gpu.E4M3]) {
		gpu.WGMMAF8(sum, a, b, true)
	})
}

// RegistersIntegers is Registers of integers.
//
//gpu:kernel block=128 target=sm_90a
func RegistersIntegers(a []int8, b []uint8, c []int32, k int) {
	fromRegisters(a, b, c, k, 32, func(sum *gpu.C64x32[int32], a gpu.A64x32[int8], b gpu.Matrix[uint8]) {
		gpu.WGMMAS32(sum, a, b, true)
	})
}

// Transposed is c = a*b of 128 columns, with a by columns and b by rows.
//
//gpu:kernel block=128 target=sm_90a
func Transposed(a, b []gpu.Float16, c []float32, k int) {
	tileA := gpu.Shared[[16 * 64]gpu.Float16]()
	tileB := gpu.Shared[[16 * 128]gpu.Float16]()
	var sum gpu.C64x128[float32]
	for from := 0; from < k; from += 16 {
		for i := gpu.ThreadIdx.X; i < 16*64; i += 128 {
			tileA[gpu.Swizzle128.Offset(2*i)/2] = a[from*64+i]
		}
		for i := gpu.ThreadIdx.X; i < 16*128; i += 128 { // 64 columns, and then the others
			col := i % 128
			tileB[gpu.Swizzle128.Offset(2*(col/64*16*64+i/128*64+col%64))/2] = b[from*128+i]
		}
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
		gpu.WGMMAFence()
		gpu.WGMMA(&sum, gpu.MatrixOf(tileA[:], 0, 1024, gpu.Swizzle128), gpu.MatrixOf(tileB[:], 2048, 1024, gpu.Swizzle128), true,
			gpu.TransposeA, gpu.TransposeB)
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		gpu.SyncThreads()
	}
	write(sum, c, 128)
}

// Pipelined is c = a*b of 256 columns, with a group in flight while the next tiles are written.
//
//gpu:kernel block=128 target=sm_90a
func Pipelined(a, b []gpu.BFloat16, c []float32, k int) {
	tilesA := gpu.Shared[[2][64 * 16]gpu.BFloat16]()
	tilesB := gpu.Shared[[2][256 * 16]gpu.BFloat16]()
	var sum gpu.C64x256[float32]
	for step := 0; 16*step < k; step++ {
		tileA, tileB := tilesA[step%2][:], tilesB[step%2][:]
		stage(tileA, a, gpu.Swizzle32, 64, k, 16*step)
		stage(tileB, b, gpu.Swizzle32, 256, k, 16*step)
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
		gpu.WGMMAFence()
		gpu.WGMMA(&sum, matrix(tileA, gpu.Swizzle32, 0), matrix(tileB, gpu.Swizzle32, 0), step > 0)
		gpu.WGMMACommit()
		gpu.WGMMAWait(1)
		gpu.SyncThreads()
	}
	gpu.WGMMAWait(0)
	write(sum, c, 256)
}
