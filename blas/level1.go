package blas

import (
	"math"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/f32"
	"github.com/gridstride/gridstride/internal/library/asm/f64"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
	"github.com/gridstride/gridstride/internal/math/rotation"
)

// Dot is the sum of the products of the elements of x and y, which are equally long. For empty
// vectors it is 0. Its error is at most (n/32+8)*eps times the sum of the |x*y|, where eps is the
// distance from 1 to the next number of the type; see [DotExact] for less.
func Dot[T Float](x, y []T) T {
	return dot(x, y) // which the compiler leaves as the only call
}

// dot is Dot. It chooses the kernel itself, as every call shows in a short product.
func dot[T Float](x, y []T) T {
	if len(x) != len(y) || len(x) > cores.Piece {
		return longDot(x, y)
	}
	if kernel.Single[T]() {
		return T(f32.Dot(kernel.As32(x), kernel.As32(y)))
	}
	return T(f64.Dot(kernel.As64(x), kernel.As64(y)))
}

func longDot[T Float](x, y []T) T {
	checkLengths("Dot", len(x), len(y))
	return cores.SumPieces(len(x), func(from, to int) T { return kernel.Dot(x[from:to], y[from:to]) })
}

// DotInc is [Dot] of n elements of x and y with increments.
func DotInc[T Float](n int, x []T, incX int, y []T, incY int) T {
	checkInc("DotInc", "x", n, len(x), incX)
	checkInc("DotInc", "y", n, len(y), incY)
	if incX == 1 && incY == 1 {
		return dot(x[:n], y[:n])
	}
	var sum T
	xs, ys := newStrided(n, x, incX), newStrided(n, y, incY)
	for xs.read() && ys.read() {
		sum += kernel.Dot(xs.buf[:xs.n], ys.buf[:ys.n])
	}
	return sum
}

// Sum is the sum of the elements of x, 0 if there are none.
func Sum[T Float](x []T) T {
	if len(x) > cores.Piece {
		return cores.SumPieces(len(x), func(from, to int) T { return kernel.Sum(x[from:to]) })
	}
	return kernel.Sum(x)
}

// SumSquares is the sum of the squares of the elements of x, 0 if there are none.
func SumSquares[T Float](x []T) T { return dot(x, x) }

// Asum is the sum of the absolute values of the elements of x, 0 if there are none.
func Asum[T Float](x []T) T {
	if len(x) > cores.Piece {
		return cores.SumPieces(len(x), func(from, to int) T { return kernel.Asum(x[from:to]) })
	}
	return kernel.Asum(x)
}

// AsumInc is [Asum] of n elements of x with an increment.
func AsumInc[T Float](n int, x []T, incX int) T {
	checkInc("AsumInc", "x", n, len(x), incX)
	if incX == 1 {
		return Asum(x[:n])
	}
	var sum T
	for xs := newStrided(n, x, incX); xs.read(); {
		sum += kernel.Asum(xs.buf[:xs.n])
	}
	return sum
}

// Nrm2 is the Euclidean norm of x, 0 if it is empty. It neither overflows nor underflows where the
// norm itself is a number of the type.
func Nrm2[T Float](x []T) T {
	if kernel.Single[T]() { // in float64 no square of a float32 is too large or too small
		x := kernel.As32(x)
		return T(math.Sqrt(dotExact32(x, x)))
	}
	return T(nrm2(kernel.As64(x)))
}

// nrm2 adds squares, and only if the sum has become too large or too small does it so again with
// the elements scaled by a power of 2.
func nrm2(x []float64) float64 {
	sum := dot(x, x)
	if sum >= 0x1p-900 && sum <= math.MaxFloat64 || sum != sum {
		return math.Sqrt(sum)
	}
	largest := math.Abs(x1(x, Iamax(x)))
	if largest == 0 || math.IsInf(largest, 0) {
		return largest
	}
	_, exp := math.Frexp(largest)
	sum = 0
	for xs := newStrided(len(x), x, 1); xs.read(); {
		part := xs.buf[:xs.n]
		for i := range part {
			part[i] = math.Ldexp(part[i], -exp)
		}
		sum += kernel.Dot(part, part)
	}
	return math.Ldexp(math.Sqrt(sum), exp)
}

// x1 is element i, or 0 if there is none.
func x1[T Float](x []T, i int) T {
	if i < 0 {
		return 0
	}
	return x[i]
}

// Nrm2Inc is [Nrm2] of n elements of x with an increment.
func Nrm2Inc[T Float](n int, x []T, incX int) T {
	checkInc("Nrm2Inc", "x", n, len(x), incX)
	if incX == 1 || n == 0 {
		return Nrm2(x[:n])
	}
	norms := make([]T, 0, (n+chunk-1)/chunk)
	for xs := newStrided(n, x, incX); xs.read(); {
		norms = append(norms, Nrm2(xs.buf[:xs.n]))
	}
	return Nrm2(norms)
}

// Axpy computes y += alpha*x, with one rounding for each element. x may be y.
func Axpy[T Float](alpha T, x, y []T) {
	if len(x) != len(y) {
		checkLengths("Axpy", len(x), len(y))
	}
	axpy(alpha, x, y)
}

// axpy is Axpy of vectors that are equally long.
func axpy[T Float](alpha T, x, y []T) {
	if len(x) > cores.Piece {
		cores.Pieces(len(x), func(_, from, to int) { kernel.Axpy(alpha, x[from:to], y[from:to]) })
		return
	}
	kernel.Axpy(alpha, x, y)
}

// AxpyInc is [Axpy] on n elements of x and y with increments.
func AxpyInc[T Float](n int, alpha T, x []T, incX int, y []T, incY int) {
	checkInc("AxpyInc", "x", n, len(x), incX)
	checkInc("AxpyInc", "y", n, len(y), incY)
	if incX == 1 && incY == 1 {
		axpy(alpha, x[:n], y[:n])
		return
	}
	xs, ys := newStrided(n, x, incX), newStrided(n, y, incY)
	for xs.read() && ys.read() {
		kernel.Axpy(alpha, xs.buf[:xs.n], ys.buf[:ys.n])
		ys.write()
	}
}

// Scal computes x *= alpha. An alpha of 0 writes zeros, even over NaN and infinities.
func Scal[T Float](alpha T, x []T) {
	if alpha == 0 {
		clear(x)
		return
	}
	if len(x) > cores.Piece {
		cores.Pieces(len(x), func(_, from, to int) { kernel.Scal(alpha, x[from:to]) })
		return
	}
	kernel.Scal(alpha, x)
}

// ScalInc is [Scal] on n elements of x with an increment.
func ScalInc[T Float](n int, alpha T, x []T, incX int) {
	checkInc("ScalInc", "x", n, len(x), incX)
	if incX == 1 {
		Scal(alpha, x[:n])
		return
	}
	for i, at := 0, first(n, incX); i < n; i, at = i+1, at+incX {
		if x[at] *= alpha; alpha == 0 {
			x[at] = 0
		}
	}
}

// Copy copies x to y. They are equally long.
func Copy[T Float](x, y []T) {
	checkLengths("Copy", len(x), len(y))
	if len(x) > cores.Piece {
		cores.Pieces(len(x), func(_, from, to int) { copy(y[from:to], x[from:to]) })
		return
	}
	copy(y, x)
}

// CopyInc is [Copy] of n elements of x and y with increments.
func CopyInc[T Float](n int, x []T, incX int, y []T, incY int) {
	checkInc("CopyInc", "x", n, len(x), incX)
	checkInc("CopyInc", "y", n, len(y), incY)
	ix, iy := first(n, incX), first(n, incY)
	for i := range n {
		y[iy+i*incY] = x[ix+i*incX]
	}
}

// Swap exchanges the elements of x and y, which are equally long.
func Swap[T Float](x, y []T) {
	checkLengths("Swap", len(x), len(y))
	if len(x) > cores.Piece {
		cores.Pieces(len(x), func(_, from, to int) { swap(x[from:to], y[from:to]) })
		return
	}
	swap(x, y)
}

// swap exchanges chunks by way of a third place, as copies run with the machine's vectors.
func swap[T Float](x, y []T) {
	var buf [chunk]T
	for from := 0; from < len(x); from += chunk {
		to := min(from+chunk, len(x))
		copy(buf[:], x[from:to])
		copy(x[from:to], y[from:to])
		copy(y[from:to], buf[:])
	}
}

// SwapInc is [Swap] on n elements of x and y with increments.
func SwapInc[T Float](n int, x []T, incX int, y []T, incY int) {
	checkInc("SwapInc", "x", n, len(x), incX)
	checkInc("SwapInc", "y", n, len(y), incY)
	ix, iy := first(n, incX), first(n, incY)
	for i := range n {
		x[ix+i*incX], y[iy+i*incY] = y[iy+i*incY], x[ix+i*incX]
	}
}

// Rot rotates the points (x[i], y[i]): x, y = c*x + s*y, c*y - s*x. They are equally long.
func Rot[T Float](x, y []T, c, s T) {
	checkLengths("Rot", len(x), len(y))
	rot(x, y, c, s)
}

// rot is Rot of vectors that are equally long.
func rot[T Float](x, y []T, c, s T) {
	if len(x) > cores.Piece {
		cores.Pieces(len(x), func(_, from, to int) { kernel.Rot(x[from:to], y[from:to], c, s) })
		return
	}
	kernel.Rot(x, y, c, s)
}

// RotInc is [Rot] on n elements of x and y with increments.
func RotInc[T Float](n int, x []T, incX int, y []T, incY int, c, s T) {
	checkInc("RotInc", "x", n, len(x), incX)
	checkInc("RotInc", "y", n, len(y), incY)
	if incX == 1 && incY == 1 {
		rot(x[:n], y[:n], c, s)
		return
	}
	xs, ys := newStrided(n, x, incX), newStrided(n, y, incY)
	for xs.read() && ys.read() {
		kernel.Rot(xs.buf[:xs.n], ys.buf[:ys.n], c, s)
		xs.write()
		ys.write()
	}
}

// Rotg is the rotation that turns (a, b) into (r, 0): c*a + s*b = r and c*b - s*a = 0. From z alone
// c and s can be computed again: it is s if |a| > |b|, and otherwise 1/c, or 1 if c is 0. Neither
// squares nor their sum overflow or underflow.
func Rotg[T Float](a, b T) (c, s, r, z T) {
	smallest := T(0x1p-126)
	if !kernel.Single[T]() {
		smallest = T(math.Float64frombits(1 << 52)) // 2^-1022, which is not a float32
	}
	return rotation.Of(a, b, smallest)
}
