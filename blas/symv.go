package blas

import (
	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// Symv computes y = alpha*A*x + beta*y, where A is symmetric and stored in the triangle uplo of a.
// With a beta of 0, y is not read. With an alpha of 0, a and x are not.
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
	n := len(y)
	if alpha == 0 || n == 0 {
		return
	}
	group := symvGroup(n)
	if group == n {
		symvRows(uplo, alpha, a, x, y, 0, n)
		return
	}
	sums := getBuffer[T]((n + group - 1) / group * n)
	defer putBuffer(sums)
	cores.Groups(n, group, func(from, to int) {
		part := sums.data[from/group*n:][:n]
		clear(part)
		symvRows(uplo, alpha, a, x, part, from, to)
	})
	cores.Groups(n, max(columnGroup, cores.RowGroup((n+group-1)/group)), func(from, to int) {
		for i := 0; i < n; i += group {
			kernel.Axpy(1, sums.data[i/group*n:][from:to], y[from:to])
		}
	})
}

// symvGroup is the number of rows that have separate sums, which are added to y in order. It
// depends on the size alone. The sums are small compared with the matrix.
func symvGroup(n int) int {
	if n*n <= 2*cores.Piece {
		return n
	}
	const groups = 64
	return max(cores.RowGroup(n), (n+groups-1)/groups)
}

// symvRows adds alpha*A*x to y, as far as the stored part of rows of A gives it: a row is once a
// row and once a column.
func symvRows[T Float](uplo Uplo, alpha T, a Matrix[T], x, y []T, first, last int) {
	for i := first; i < last; i++ {
		from, to := i+1, a.Cols
		if uplo == Lower {
			from, to = 0, i
		}
		row := a.row(i)
		y[i] += T(alpha * (kernel.Dot(row[from:to], x[from:to]) + T(row[i]*x[i])))
		kernel.Axpy(alpha*x[i], row[from:to], y[from:to])
	}
}
