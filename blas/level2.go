package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/asm/kernel"
)

// Gemv computes y = alpha*A*x + beta*y, where A is a, transposed or not. With a beta of 0, y is not
// read; with an alpha of 0, a and x are not.
func Gemv[T Float](trans Transpose, alpha T, a Matrix[T], x []T, beta T, y []T) {
	checkGemv("Gemv", trans, a, len(x), len(y))
	gemv(trans, alpha, a, x, beta, y)
}

// GemvInc is [Gemv] with increments: x and y have as many elements as A has columns and rows.
func GemvInc[T Float](trans Transpose, alpha T, a Matrix[T], x []T, incX int, beta T, y []T, incY int) {
	a.check("GemvInc", "a")
	m, n := a.shape(trans)
	checkInc("GemvInc", "x", n, len(x), incX)
	checkInc("GemvInc", "y", m, len(y), incY)
	xs, ys := pack(n, x, incX), pack(m, y, incY)
	gemv(trans, alpha, a, xs.data, beta, ys.data)
	ys.write()
	xs.free()
	ys.free()
}

func checkGemv[T Float](function string, trans Transpose, a Matrix[T], x, y int) {
	a.check(function, "a")
	if m, n := a.shape(trans); n != x || m != y {
		panic(fmt.Sprintf("blas: %s: x has %d elements and y has %d for %d x %d", function, x, y, m, n))
	}
}

func gemv[T Float](trans Transpose, alpha T, a Matrix[T], x []T, beta T, y []T) {
	if alpha == 0 || !trans {
		for i := range y {
			var sum T
			if alpha != 0 {
				sum = alpha * kernel.Dot(a.Row(i), x)
			}
			if beta != 0 {
				sum += T(beta * y[i])
			}
			y[i] = sum
		}
		return
	}
	if beta != 1 {
		Scal(beta, y)
	}
	const block = 2048 // of y, which stays in the first cache
	for j := 0; j < len(y); j += block {
		end := min(j+block, len(y))
		for i, v := range x {
			kernel.Axpy(alpha*v, a.Row(i)[j:end], y[j:end])
		}
	}
}

// Ger computes A += alpha*x*y', where y' is y as a row.
func Ger[T Float](alpha T, x, y []T, a Matrix[T]) {
	checkGer("Ger", a, len(x), len(y))
	ger(alpha, x, y, a)
}

// GerInc is [Ger] with increments: x and y have as many elements as A has rows and columns.
func GerInc[T Float](alpha T, x []T, incX int, y []T, incY int, a Matrix[T]) {
	a.check("GerInc", "a")
	checkInc("GerInc", "x", a.Rows, len(x), incX)
	checkInc("GerInc", "y", a.Cols, len(y), incY)
	xs, ys := pack(a.Rows, x, incX), pack(a.Cols, y, incY)
	ger(alpha, xs.data, ys.data, a)
	xs.free()
	ys.free()
}

func checkGer[T Float](function string, a Matrix[T], x, y int) {
	a.check(function, "a")
	if a.Rows != x || a.Cols != y {
		panic(fmt.Sprintf("blas: %s: x has %d elements and y has %d for %d x %d", function, x, y, a.Rows, a.Cols))
	}
}

func ger[T Float](alpha T, x, y []T, a Matrix[T]) {
	if alpha == 0 || len(y) == 0 {
		return
	}
	for i, v := range x {
		kernel.Axpy(alpha*v, y, a.Row(i))
	}
}

// Symv computes y = alpha*A*x + beta*y, where A is symmetric and stored in the triangle uplo of a.
// With a beta of 0, y is not read; with an alpha of 0, a and x are not.
func Symv[T Float](uplo Uplo, alpha T, a Matrix[T], x []T, beta T, y []T) {
	checkSquare("Symv", a)
	checkGemv("Symv", NoTrans, a, len(x), len(y))
	symv(uplo, alpha, a, x, beta, y)
}

// SymvInc is [Symv] with increments: x and y have as many elements as A has rows.
func SymvInc[T Float](uplo Uplo, alpha T, a Matrix[T], x []T, incX int, beta T, y []T, incY int) {
	checkSquare("SymvInc", a)
	checkInc("SymvInc", "x", a.Rows, len(x), incX)
	checkInc("SymvInc", "y", a.Rows, len(y), incY)
	xs, ys := pack(a.Rows, x, incX), pack(a.Rows, y, incY)
	symv(uplo, alpha, a, xs.data, beta, ys.data)
	ys.write()
	xs.free()
	ys.free()
}

func symv[T Float](uplo Uplo, alpha T, a Matrix[T], x []T, beta T, y []T) {
	if beta != 1 {
		Scal(beta, y)
	}
	if alpha == 0 {
		return
	}
	for i := range y { // a row is once a row and once a column
		from, to := i+1, a.Cols
		if uplo == Lower {
			from, to = 0, i
		}
		row := a.Row(i)
		y[i] += alpha * (kernel.Dot(row[from:to], x[from:to]) + T(row[i]*x[i]))
		kernel.Axpy(alpha*x[i], row[from:to], y[from:to])
	}
}

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

// trmv goes through the rows in the order in which the elements of x that it needs are still there:
// with a matrix that is not transposed it reads x, otherwise it changes x.
func trmv[T Float](t triangle[T], x []T) {
	n := t.Rows
	for step := range n {
		i := step
		if t.lower != bool(t.trans) != bool(t.trans) {
			i = n - 1 - step
		}
		from, to := t.beyond(i)
		row, v := t.Row(i), x[i]
		if !t.unit {
			x[i] = v * row[i]
		}
		if t.trans {
			kernel.Axpy(v, row[from:to], x[from:to])
		} else {
			x[i] += kernel.Dot(row[from:to], x[from:to])
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

// trsv goes through the rows the other way round than trmv.
func trsv[T Float](t triangle[T], x []T) {
	n := t.Rows
	for step := range n {
		i := step
		if t.lower != bool(t.trans) == bool(t.trans) {
			i = n - 1 - step
		}
		from, to := t.beyond(i)
		row := t.Row(i)
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

// packed is a vector whose elements lie together: the vector itself, or a copy of it.
type packed[T Float] struct {
	data, x []T
	inc     int
	buf     *buffer[T] // nil if data is the vector itself
}

func pack[T Float](n int, x []T, inc int) packed[T] {
	if inc == 1 {
		return packed[T]{data: x[:n]}
	}
	buf := getBuffer[T](n)
	p := packed[T]{buf.data[:n], x, inc, buf}
	for i, at := 0, first(n, inc); i < n; i, at = i+1, at+inc {
		p.data[i] = x[at]
	}
	return p
}

// write puts the elements back.
func (p packed[T]) write() {
	if p.buf == nil {
		return
	}
	at := first(len(p.data), p.inc)
	for _, v := range p.data {
		p.x[at] = v
		at += p.inc
	}
}

func (p packed[T]) free() {
	if p.buf != nil {
		putBuffer(p.buf)
	}
}
