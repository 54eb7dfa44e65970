package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// Gemv computes y = alpha*A*x + beta*y, where A is a, transposed or not. With a beta of 0, y is not
// read. With an alpha of 0, a and x are not.
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

// columnGroup is the least number of elements of a result that a task computes when it goes down
// columns: it reads several cache lines of each row.
const columnGroup = 512

func gemv[T Float](trans Transpose, alpha T, a Matrix[T], x []T, beta T, y []T) {
	part, group := gemvRows[T], 1
	if trans && alpha != 0 {
		part, group = gemvColumns[T], columnGroup
	}
	if len(x)*len(y) <= cores.Piece {
		part(alpha, a, x, beta, y, 0, len(y))
		return
	}
	cores.Groups(len(y), max(group, cores.RowGroup(len(x))), func(from, to int) { part(alpha, a, x, beta, y, from, to) })
}

// gemvRows computes elements of y = alpha*A*x + beta*y.
func gemvRows[T Float](alpha T, a Matrix[T], x []T, beta T, y []T, from, to int) {
	for i := from; i < to; i++ {
		var sum T
		if alpha != 0 {
			sum = T(alpha * kernel.Dot(a.row(i), x))
		}
		if beta != 0 {
			sum += T(beta * y[i])
		}
		y[i] = sum
	}
}

// gemvColumns computes elements of y = alpha*A'*x + beta*y, where A' is A transposed.
func gemvColumns[T Float](alpha T, a Matrix[T], x []T, beta T, y []T, from, to int) {
	if beta != 1 {
		Scal(beta, y[from:to])
	}
	const block = 2048 // of y, which stays in the first cache
	for j := from; j < to; j += block {
		end := min(j+block, to)
		for i, v := range x {
			kernel.Axpy(alpha*v, a.row(i)[j:end], y[j:end])
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
	part := func(from, to int) {
		for i := from; i < to; i++ {
			kernel.Axpy(alpha*x[i], y, a.row(i))
		}
	}
	if len(x)*len(y) <= cores.Piece {
		part(0, len(x))
		return
	}
	cores.Groups(len(x), cores.RowGroup(len(y)), part)
}
