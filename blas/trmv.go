package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// Trmv computes x = A*x, where A is the triangle of a, transposed or not.
func Trmv[T Float](uplo Uplo, trans Transpose, diag Diag, a Matrix[T], x []T) {
	checkTriangular("Trmv", a, len(x))
	trmv(newTriangle(uplo, trans, diag, a), x)
}

// TrmvInc is [Trmv] with an increment: x has as many elements as A has rows.
func TrmvInc[T Float](uplo Uplo, trans Transpose, diag Diag, a Matrix[T], x []T, incX int) {
	checkSquare("TrmvInc", a)
	checkInc("TrmvInc", "x", a.Rows, len(x), incX)
	xs := pack(a.Rows, x, incX)
	trmv(newTriangle(uplo, trans, diag, a), xs.data)
	xs.write()
	xs.free()
}

func checkTriangular[T Float](function string, a Matrix[T], x int) {
	checkSquare(function, a)
	if a.Rows != x {
		panic(fmt.Sprintf("blas: %s: a is %d x %d and x has %d elements", function, a.Rows, a.Cols, x))
	}
}

// beyond are the bounds of the elements of row i of the stored triangle, without the diagonal.
func (t triangle[T]) beyond(i int) (from, to int) {
	if t.lower != bool(t.trans) {
		return 0, i
	}
	return i + 1, t.Rows
}

// trmv computes the elements of x from a copy of it.
func trmv[T Float](t triangle[T], x []T) {
	n := t.Rows
	copied := getBuffer[T](n)
	defer putBuffer(copied)
	old := copied.data[:n]
	copy(old, x)
	part, group := trmvRows[T], 1
	if t.trans {
		part, group = trmvColumns[T], columnGroup
	}
	if n*n <= 2*cores.Piece {
		part(t, old, x, 0, n)
		return
	}
	cores.Groups(n, max(group, cores.RowGroup(n)), func(from, to int) { part(t, old, x, from, to) })
}

// trmvRows computes elements of y = A*x, where A is not transposed.
func trmvRows[T Float](t triangle[T], x, y []T, first, last int) {
	for i := first; i < last; i++ {
		from, to := t.beyond(i)
		row, v := t.row(i), x[i]
		if !t.unit {
			v *= row[i]
		}
		y[i] = v + kernel.Dot(row[from:to], x[from:to])
	}
}

// trmvColumns computes elements of y = A*x, where A is transposed, row by row of what is stored.
// The row of an element precedes the rows that add to it.
func trmvColumns[T Float](t triangle[T], x, y []T, first, last int) {
	n := t.Rows
	for step := range n {
		i := step
		if t.lower {
			i = n - 1 - step
		}
		from, to := t.beyond(i)
		row := t.row(i)
		if first <= i && i < last {
			y[i] = x[i]
			if !t.unit {
				y[i] *= row[i]
			}
		}
		if from, to = max(from, first), min(to, last); from < to {
			kernel.Axpy(x[i], row[from:to], y[from:to])
		}
	}
}

// Trsv solves A*y = x, where A is the triangle of a, transposed or not, and writes y to x. It does
// not test whether A is singular.
func Trsv[T Float](uplo Uplo, trans Transpose, diag Diag, a Matrix[T], x []T) {
	checkTriangular("Trsv", a, len(x))
	trsv(newTriangle(uplo, trans, diag, a), x)
}

// TrsvInc is [Trsv] with an increment: x has as many elements as A has rows.
func TrsvInc[T Float](uplo Uplo, trans Transpose, diag Diag, a Matrix[T], x []T, incX int) {
	checkSquare("TrsvInc", a)
	checkInc("TrsvInc", "x", a.Rows, len(x), incX)
	xs := pack(a.Rows, x, incX)
	trsv(newTriangle(uplo, trans, diag, a), xs.data)
	xs.write()
	xs.free()
}

// trsv goes through the rows in the order in which the elements of x that it needs are there. It
// uses one core: in blocks of 128, between which the cores would share the rest of the work, it was
// not reliably faster with two of them for up to 4000 elements.
func trsv[T Float](t triangle[T], x []T) {
	n := t.Rows
	for step := range n {
		i := step
		if !t.lower {
			i = n - 1 - step
		}
		from, to := t.beyond(i)
		row := t.row(i)
		if !t.trans {
			x[i] -= kernel.Dot(row[from:to], x[from:to])
		}
		if !t.unit {
			x[i] /= row[i]
		}
		if t.trans {
			kernel.Axpy(-x[i], row[from:to], x[from:to])
		}
	}
}
