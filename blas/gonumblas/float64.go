package gonumblas

import (
	gonumblas "gonum.org/v1/gonum/blas"

	"github.com/gridstride/gridstride/blas"
)

// Ddot is the sum of x*y.
func (i Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if together(n, len(x), incX) && together(n, len(y), incY) {
		return blas.Dot(x[:n], y[:n])
	}
	return i.Implementation.Ddot(n, x, incX, y, incY)
}

// Dnrm2 is the Euclidean norm of x.
func (i Implementation) Dnrm2(n int, x []float64, incX int) float64 {
	if together(n, len(x), incX) {
		return blas.Nrm2(x[:n])
	}
	return i.Implementation.Dnrm2(n, x, incX)
}

// Dasum is the sum of |x|.
func (i Implementation) Dasum(n int, x []float64, incX int) float64 {
	if together(n, len(x), incX) {
		return blas.Asum(x[:n])
	}
	return i.Implementation.Dasum(n, x, incX)
}

// Daxpy computes y += alpha*x.
func (i Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if together(n, len(x), incX) && together(n, len(y), incY) && alpha != 0 {
		blas.Axpy(alpha, x[:n], y[:n])
		return
	}
	i.Implementation.Daxpy(n, alpha, x, incX, y, incY)
}

// Dscal computes x *= alpha.
func (i Implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	if together(n, len(x), incX) {
		blas.Scal(alpha, x[:n])
		return
	}
	i.Implementation.Dscal(n, alpha, x, incX)
}

// Drot computes x, y = c*x + s*y, c*y - s*x.
func (i Implementation) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	if together(n, len(x), incX) && together(n, len(y), incY) {
		blas.Rot(x[:n], y[:n], c, s)
		return
	}
	i.Implementation.Drot(n, x, incX, y, incY, c, s)
}

// Dgemv computes y = alpha*A*x + beta*y, where A is a, transposed or not.
func (i Implementation) Dgemv(tA gonumblas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64,
	incX int, beta float64, y []float64, incY int) {
	trans, okTrans := transpose(tA)
	mat, ok := matrix(m, n, a, lda)
	rows, cols := shape(trans, m, n)
	if okTrans && ok && fits(cols, len(x), incX) && fits(rows, len(y), incY) {
		blas.GemvInc(trans, alpha, mat, x, incX, beta, y, incY)
		return
	}
	i.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dger computes A += alpha*x*y'.
func (i Implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64,
	lda int) {
	if mat, ok := matrix(m, n, a, lda); ok && fits(m, len(x), incX) && fits(n, len(y), incY) {
		blas.GerInc(alpha, x, incX, y, incY, mat)
		return
	}
	i.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

// Dsymv computes y = alpha*A*x + beta*y with a symmetric A.
func (i Implementation) Dsymv(ul gonumblas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int,
	beta float64, y []float64, incY int) {
	triangle, okUplo := uplo(ul)
	if mat, ok := matrix(n, n, a, lda); ok && okUplo && fits(n, len(x), incX) && fits(n, len(y), incY) {
		blas.SymvInc(triangle, alpha, mat, x, incX, beta, y, incY)
		return
	}
	i.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dtrmv computes x = A*x with a triangular A.
func (i Implementation) Dtrmv(ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, n int, a []float64,
	lda int, x []float64, incX int) {
	if t, ok := newTriangular(ul, tA, d, n, a, lda); ok && fits(n, len(x), incX) {
		blas.TrmvInc(t.uplo, t.trans, t.diag, t.a, x, incX)
		return
	}
	i.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

// Dtrsv solves A*y = x with a triangular A and writes y to x.
func (i Implementation) Dtrsv(ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, n int, a []float64,
	lda int, x []float64, incX int) {
	if t, ok := newTriangular(ul, tA, d, n, a, lda); ok && fits(n, len(x), incX) {
		blas.TrsvInc(t.uplo, t.trans, t.diag, t.a, x, incX)
		return
	}
	i.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

// Dgemm computes C = alpha*A*B + beta*C, where A and B are a and b, transposed or not.
func (i Implementation) Dgemm(tA, tB gonumblas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	transA, okA := transpose(tA)
	transB, okB := transpose(tB)
	rows, cols := shape(transA, m, k)
	left, okLeft := matrix(rows, cols, a, lda)
	rows, cols = shape(transB, k, n)
	right, okRight := matrix(rows, cols, b, ldb)
	product, okProduct := matrix(m, n, c, ldc)
	if okA && okB && okLeft && okRight && okProduct {
		blas.Gemm(transA, transB, alpha, left, right, beta, product)
		return
	}
	i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsymm computes C = alpha*A*B + beta*C or alpha*B*A + beta*C with a symmetric A.
func (i Implementation) Dsymm(s gonumblas.Side, ul gonumblas.Uplo, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	place, size, okSide := side(s, m, n)
	triangle, okUplo := uplo(ul)
	symmetric, okA := matrix(size, size, a, lda)
	other, okB := matrix(m, n, b, ldb)
	product, okC := matrix(m, n, c, ldc)
	if okSide && okUplo && okA && okB && okC {
		blas.Symm(place, triangle, alpha, symmetric, other, beta, product)
		return
	}
	i.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyrk computes C = alpha*A*A' + beta*C or alpha*A'*A + beta*C in a triangle.
func (i Implementation) Dsyrk(ul gonumblas.Uplo, tA gonumblas.Transpose, n, k int, alpha float64, a []float64,
	lda int, beta float64, c []float64, ldc int) {
	triangle, okUplo := uplo(ul)
	trans, okTrans := transpose(tA)
	rows, cols := shape(trans, n, k)
	factor, okA := matrix(rows, cols, a, lda)
	product, okC := matrix(n, n, c, ldc)
	if okUplo && okTrans && okA && okC {
		blas.Syrk(triangle, trans, alpha, factor, beta, product)
		return
	}
	i.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Dtrmm computes B = alpha*A*B or alpha*B*A with a triangular A.
func (i Implementation) Dtrmm(s gonumblas.Side, ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, m,
	n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	place, size, okSide := side(s, m, n)
	t, okA := newTriangular(ul, tA, d, size, a, lda)
	if product, ok := matrix(m, n, b, ldb); okSide && okA && ok {
		blas.Trmm(place, t.uplo, t.trans, t.diag, alpha, t.a, product)
		return
	}
	i.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm solves A*X = alpha*B or X*A = alpha*B with a triangular A and writes X to b.
func (i Implementation) Dtrsm(s gonumblas.Side, ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, m,
	n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	place, size, okSide := side(s, m, n)
	t, okA := newTriangular(ul, tA, d, size, a, lda)
	if solution, ok := matrix(m, n, b, ldb); okSide && okA && ok {
		blas.Trsm(place, t.uplo, t.trans, t.diag, alpha, t.a, solution)
		return
	}
	i.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
