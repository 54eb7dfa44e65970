package blas

import "fmt"

// Syrk computes C = alpha*A*A' + beta*C, or with trans alpha*A'*A + beta*C, where A' is a
// transposed. Of c it reads and writes the triangle uplo. With a beta of 0, C is not read.
func Syrk[T Float](uplo Uplo, trans Transpose, alpha T, a Matrix[T], beta T, c Matrix[T]) {
	a.check("Syrk", "a")
	c.check("Syrk", "c")
	if n, k := a.shape(trans); c.Rows != n || c.Cols != n {
		panic(fmt.Sprintf("blas: Syrk: c is %d x %d for a product of %d x %d and its transpose",
			c.Rows, c.Cols, n, k))
	}
	syrk(uplo, trans, alpha, a, beta, c)
}

// rowsOf is the part of a with the rows from i0 up to i1, once transposed.
func (m Matrix[T]) rowsOf(trans Transpose, i0, i1 int) Matrix[T] {
	if trans {
		return m.Slice(0, m.Rows, i0, i1)
	}
	return m.Slice(i0, i1, 0, m.Cols)
}

func syrk[T Float](uplo Uplo, trans Transpose, alpha T, a Matrix[T], beta T, c Matrix[T]) {
	n := c.Rows
	if n == 0 {
		return
	}
	if n <= 2*baseSize {
		buf := getBuffer[T](4 * baseSize * baseSize)
		defer putBuffer(buf)
		square := Matrix[T]{n, n, n, buf.data[:n*n]}
		gemm(trans, !trans, alpha, a, a, 0, square)
		addTriangle(uplo, square, beta, c)
		return
	}
	i := half(n)
	first, second := a.rowsOf(trans, 0, i), a.rowsOf(trans, i, n)
	syrk(uplo, trans, alpha, first, beta, c.Slice(0, i, 0, i))
	if uplo == Upper {
		gemm(trans, !trans, alpha, first, second, beta, c.Slice(0, i, i, n))
	} else {
		gemm(trans, !trans, alpha, second, first, beta, c.Slice(i, n, 0, i))
	}
	syrk(uplo, trans, alpha, second, beta, c.Slice(i, n, i, n))
}

// addTriangle computes C = S + beta*C in a triangle.
func addTriangle[T Float](uplo Uplo, s Matrix[T], beta T, c Matrix[T]) {
	for i := range c.Rows {
		from, to := i, c.Cols
		if uplo == Lower {
			from, to = 0, i+1
		}
		row, add := c.row(i)[from:to], s.row(i)[from:to]
		if beta == 0 {
			copy(row, add)
			continue
		}
		for j, v := range add {
			row[j] = v + T(beta*row[j])
		}
	}
}

// Symm computes C = alpha*A*B + beta*C, or alpha*B*A + beta*C with a on the right. A is symmetric
// and stored in the triangle uplo of a. With a beta of 0, C is not read.
func Symm[T Float](side Side, uplo Uplo, alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	checkSide("Symm", side, a, b)
	c.check("Symm", "c")
	if c.Rows != b.Rows || c.Cols != b.Cols {
		panic(fmt.Sprintf("blas: Symm: c is %d x %d and b is %d x %d", c.Rows, c.Cols, b.Rows, b.Cols))
	}
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if alpha == 0 {
		scaleMatrix(beta, c)
		return
	}
	symm(side, uplo, alpha, a, b, beta, c)
}

func symm[T Float](side Side, uplo Uplo, alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	n := a.Rows
	if n <= 2*baseSize {
		buf := getBuffer[T](4 * baseSize * baseSize)
		defer putBuffer(buf)
		square := Matrix[T]{n, n, n, buf.data[:n*n]}
		mirror(uplo, a, square)
		if side == Left {
			gemm(NoTrans, NoTrans, alpha, square, b, beta, c)
		} else {
			gemm(NoTrans, NoTrans, alpha, b, square, beta, c)
		}
		return
	}
	i := half(n)
	beside := newTriangle(uplo, NoTrans, NonUnit, a).beside(i)
	// The block next to the diagonal, transposed so, gives the blocks above and below it.
	upper, lower := NoTrans, Trans
	if uplo == Lower {
		upper, lower = Trans, NoTrans
	}
	b1, b2 := b.cut(side, i)
	c1, c2 := c.cut(side, i)
	symm(side, uplo, alpha, a.Slice(0, i, 0, i), b1, beta, c1)
	symm(side, uplo, alpha, a.Slice(i, n, i, n), b2, beta, c2)
	if side == Left {
		gemm(upper, NoTrans, alpha, beside, b2, 1, c1)
		gemm(lower, NoTrans, alpha, beside, b1, 1, c2)
	} else {
		gemm(NoTrans, lower, alpha, b2, beside, 1, c1)
		gemm(NoTrans, upper, alpha, b1, beside, 1, c2)
	}
}

// mirror writes a symmetric matrix whole.
func mirror[T Float](uplo Uplo, a, whole Matrix[T]) {
	for i := range a.Rows {
		for j := range i + 1 {
			v := a.Data[i*a.Stride+j]
			if uplo == Upper {
				v = a.Data[j*a.Stride+i]
			}
			whole.row(i)[j], whole.row(j)[i] = v, v
		}
	}
}
