package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// Uplo says which triangle of a matrix is used. The other one is not read.
type Uplo bool

// Upper is the triangle above the diagonal, Lower the one below it.
const (
	Upper Uplo = false
	Lower Uplo = true
)

// Diag says what the diagonal of a triangular matrix is.
type Diag bool

// NonUnit takes the diagonal from the matrix, Unit takes ones and does not read it.
const (
	NonUnit Diag = false
	Unit    Diag = true
)

// Side says on which side of the other matrix a matrix is.
type Side bool

// Left is A*B, Right is B*A.
const (
	Left  Side = false
	Right Side = true
)

// triangle is a triangular matrix as it is used, transposed or not.
type triangle[T Float] struct {
	Matrix[T]
	trans Transpose
	lower bool // once transposed
	unit  Diag
}

func newTriangle[T Float](uplo Uplo, trans Transpose, diag Diag, a Matrix[T]) triangle[T] {
	return triangle[T]{a, trans, bool(uplo) != bool(trans), diag}
}

// part is the triangle of the rows and columns from i0 up to i1.
func (t triangle[T]) part(i0, i1 int) triangle[T] {
	t.Matrix = t.Slice(i0, i1, i0, i1)
	return t
}

// beside is the rectangle of t outside its parts [0, i) and [i, n), before it is transposed.
func (t triangle[T]) beside(i int) Matrix[T] {
	if t.lower != bool(t.trans) {
		return t.Slice(i, t.Rows, 0, i)
	}
	return t.Slice(0, i, i, t.Rows)
}

// other is t transposed.
func (t triangle[T]) other() triangle[T] {
	t.trans, t.lower = !t.trans, !t.lower
	return t
}

// cut is the matrix in two parts: the rows before and from i for a triangle on the left, and the
// columns for one on the right.
func (m Matrix[T]) cut(side Side, i int) (first, second Matrix[T]) {
	if side == Left {
		return m.Slice(0, i, 0, m.Cols), m.Slice(i, m.Rows, 0, m.Cols)
	}
	return m.Slice(0, m.Rows, 0, i), m.Slice(0, m.Rows, i, m.Cols)
}

// half is where a matrix is cut in two.
func half(n int) int { return (n/2 + 15) &^ 15 }

const (
	baseSize = 32  // rows and columns of a triangle that is not cut any further
	baseCols = 256 // columns of the other matrix that are changed at once
)

func checkSquare[T Float](function string, a Matrix[T]) {
	a.check(function, "a")
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("blas: %s: a is %d x %d and not square", function, a.Rows, a.Cols))
	}
}

// checkSide panics where a does not fit to its side of b.
func checkSide[T Float](function string, side Side, a, b Matrix[T]) {
	checkSquare(function, a)
	b.check(function, "b")
	if n := b.Cols; side == Left && b.Rows != a.Rows || side == Right && n != a.Rows {
		panic(fmt.Sprintf("blas: %s: a is %d x %d and b is %d x %d",
			function, a.Rows, a.Cols, b.Rows, b.Cols))
	}
}

// Trmm computes B = alpha*A*B, or alpha*B*A with a on the right, where A is the triangle of a,
// transposed or not. With an alpha of 0 it does not read a.
func Trmm[T Float](side Side, uplo Uplo, trans Transpose, diag Diag, alpha T, a, b Matrix[T]) {
	checkSide("Trmm", side, a, b)
	scaleMatrix(alpha, b)
	if alpha == 0 || b.Rows == 0 || b.Cols == 0 {
		return
	}
	sided(side, newTriangle(uplo, trans, diag, a), b, -1, multiplyBase[T])
}

// Trsm solves A*X = alpha*B, or X*A = alpha*B with a on the right, where A is the triangle of a,
// transposed or not, and writes X to b. It does not test whether A is singular. With an alpha of 0
// it does not read a.
func Trsm[T Float](side Side, uplo Uplo, trans Transpose, diag Diag, alpha T, a, b Matrix[T]) {
	checkSide("Trsm", side, a, b)
	scaleMatrix(alpha, b)
	if alpha == 0 || b.Rows == 0 || b.Cols == 0 {
		return
	}
	sided(side, newTriangle(uplo, trans, diag, a), b, 1, solveBase[T])
}

// sided multiplies b by a triangle or by its inverse: base does it for a small one on the left.
// Order is 1 for the inverse, whose rows are computed from the first one on where the triangle is
// a lower one on the left, and -1 for the product, whose rows are computed the other way round.
func sided[T Float](side Side, t triangle[T], b Matrix[T], order int, base func(t triangle[T], b Matrix[T])) {
	n := t.Rows
	if n <= baseSize {
		if side == Left {
			for j := 0; j < b.Cols; j += baseCols {
				base(t, b.Slice(0, b.Rows, j, min(j+baseCols, b.Cols)))
			}
		} else {
			rightBase(t, b, base)
		}
		return
	}
	i := half(n)
	first, second := t.part(0, i), t.part(i, n)
	b1, b2 := b.cut(side, i)
	if t.lower != (side == Right) != (order > 0) { // the second part comes first
		first, second, b1, b2 = second, first, b2, b1
	}
	update := func(of, from Matrix[T], sign T) {
		if side == Left {
			gemm(t.trans, NoTrans, sign, t.beside(i), from, 1, of)
		} else {
			gemm(NoTrans, t.trans, sign, from, t.beside(i), 1, of)
		}
	}
	sided(side, first, b1, order, base)
	if order > 0 {
		update(b2, b1, -1)
	} else {
		update(b1, b2, 1)
	}
	sided(side, second, b2, order, base)
}

// rightBase has base do its work on the transposed matrices.
func rightBase[T Float](t triangle[T], b Matrix[T], base func(t triangle[T], b Matrix[T])) {
	buf := getBuffer[T](baseSize*baseCols + padding)
	defer putBuffer(buf)
	n := t.Rows
	for i := 0; i < b.Rows; i += baseCols {
		part := b.Slice(i, min(i+baseCols, b.Rows), 0, n)
		turned := Matrix[T]{n, part.Rows, part.Rows, buf.data[:n*part.Rows]}
		turn(part, turned)
		base(t.other(), turned)
		turn(turned, part)
	}
}

// turn writes the transposed matrix.
func turn[T Float](from, to Matrix[T]) {
	for i := range from.Rows {
		for j, v := range from.row(i) {
			to.Data[j*to.Stride+i] = v
		}
	}
}

// at is an element of the triangle.
func (t triangle[T]) at(i, j int) T {
	if t.trans {
		i, j = j, i
	}
	return t.Data[i*t.Stride+j]
}

// multiplyBase computes b = t*b.
func multiplyBase[T Float](t triangle[T], b Matrix[T]) {
	n := t.Rows
	for step := range n {
		i, from, to := n-1-step, 0, n-1-step
		if !t.lower {
			i, from, to = step, step+1, n
		}
		row := b.row(i)
		if !t.unit {
			kernel.Scal(t.at(i, i), row)
		}
		for j := from; j < to; j++ {
			kernel.Axpy(t.at(i, j), b.row(j), row)
		}
	}
}

// solveBase computes b = inverse(t)*b.
func solveBase[T Float](t triangle[T], b Matrix[T]) {
	n := t.Rows
	for step := range n {
		i, from, to := step, 0, step
		if !t.lower {
			i, from, to = n-1-step, n-step, n
		}
		row := b.row(i)
		for j := from; j < to; j++ {
			kernel.Axpy(-t.at(i, j), b.row(j), row)
		}
		if !t.unit {
			kernel.Scal(1/t.at(i, i), row)
		}
	}
}
