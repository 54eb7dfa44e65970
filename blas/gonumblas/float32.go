// Code generated from float64.go by go generate. DO NOT EDIT.

package gonumblas

import (
	gonumblas "gonum.org/v1/gonum/blas"

	"github.com/gridstride/gridstride/blas"
)

// Sdot is the sum of x*y.
func (i Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if together(n, len(x), incX) && together(n, len(y), incY) {
		return blas.Dot(x[:n], y[:n])
	}
	return i.Implementation.Sdot(n, x, incX, y, incY)
}

// Snrm2 is the Euclidean norm of x.
func (i Implementation) Snrm2(n int, x []float32, incX int) float32 {
	if together(n, len(x), incX) {
		return blas.Nrm2(x[:n])
	}
	return i.Implementation.Snrm2(n, x, incX)
}

// Sasum is the sum of |x|.
func (i Implementation) Sasum(n int, x []float32, incX int) float32 {
	if together(n, len(x), incX) {
		return blas.Asum(x[:n])
	}
	return i.Implementation.Sasum(n, x, incX)
}

// Saxpy computes y += alpha*x.
func (i Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if together(n, len(x), incX) && together(n, len(y), incY) && alpha != 0 {
		blas.Axpy(alpha, x[:n], y[:n])
		return
	}
	i.Implementation.Saxpy(n, alpha, x, incX, y, incY)
}

// Sscal computes x *= alpha.
func (i Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if together(n, len(x), incX) {
		blas.Scal(alpha, x[:n])
		return
	}
	i.Implementation.Sscal(n, alpha, x, incX)
}

// Srot computes x, y = c*x + s*y, c*y - s*x.
func (i Implementation) Srot(n int, x []float32, incX int, y []float32, incY int, c, s float32) {
	if together(n, len(x), incX) && together(n, len(y), incY) {
		blas.Rot(x[:n], y[:n], c, s)
		return
	}
	i.Implementation.Srot(n, x, incX, y, incY, c, s)
}

// Sgemv computes y = alpha*A*x + beta*y, where A is a, transposed or not.
func (i Implementation) Sgemv(tA gonumblas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32,
	incX int, beta float32, y []float32, incY int) {
	trans, okTrans := transpose(tA)
	mat, ok := matrix(m, n, a, lda)
	rows, cols := shape(trans, m, n)
	if okTrans && ok && fits(cols, len(x), incX) && fits(rows, len(y), incY) {
		blas.GemvInc(trans, alpha, mat, x, incX, beta, y, incY)
		return
	}
	i.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Sger computes A += alpha*x*y'.
func (i Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32,
	lda int) {
	if mat, ok := matrix(m, n, a, lda); ok && fits(m, len(x), incX) && fits(n, len(y), incY) {
		blas.GerInc(alpha, x, incX, y, incY, mat)
		return
	}
	i.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
}

// Ssymv computes y = alpha*A*x + beta*y with a symmetric A.
func (i Implementation) Ssymv(ul gonumblas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int,
	beta float32, y []float32, incY int) {
	triangle, okUplo := uplo(ul)
	if mat, ok := matrix(n, n, a, lda); ok && okUplo && fits(n, len(x), incX) && fits(n, len(y), incY) {
		blas.SymvInc(triangle, alpha, mat, x, incX, beta, y, incY)
		return
	}
	i.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Strmv computes x = A*x with a triangular A.
func (i Implementation) Strmv(ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, n int, a []float32,
	lda int, x []float32, incX int) {
	if t, ok := newTriangular(ul, tA, d, n, a, lda); ok && fits(n, len(x), incX) {
		blas.TrmvInc(t.uplo, t.trans, t.diag, t.a, x, incX)
		return
	}
	i.Implementation.Strmv(ul, tA, d, n, a, lda, x, incX)
}

// Strsv solves A*y = x with a triangular A and writes y to x.
func (i Implementation) Strsv(ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, n int, a []float32,
	lda int, x []float32, incX int) {
	if t, ok := newTriangular(ul, tA, d, n, a, lda); ok && fits(n, len(x), incX) {
		blas.TrsvInc(t.uplo, t.trans, t.diag, t.a, x, incX)
		return
	}
	i.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
}

// Sgemm computes C = alpha*A*B + beta*C, where A and B are a and b, transposed or not.
func (i Implementation) Sgemm(tA, tB gonumblas.Transpose, m, n, k int, alpha float32, a []float32, lda int,
	b []float32, ldb int, beta float32, c []float32, ldc int) {
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
	i.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymm computes C = alpha*A*B + beta*C or alpha*B*A + beta*C with a symmetric A.
func (i Implementation) Ssymm(s gonumblas.Side, ul gonumblas.Uplo, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int, beta float32, c []float32, ldc int) {
	place, size, okSide := side(s, m, n)
	triangle, okUplo := uplo(ul)
	symmetric, okA := matrix(size, size, a, lda)
	other, okB := matrix(m, n, b, ldb)
	product, okC := matrix(m, n, c, ldc)
	if okSide && okUplo && okA && okB && okC {
		blas.Symm(place, triangle, alpha, symmetric, other, beta, product)
		return
	}
	i.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssyrk computes C = alpha*A*A' + beta*C or alpha*A'*A + beta*C in a triangle.
func (i Implementation) Ssyrk(ul gonumblas.Uplo, tA gonumblas.Transpose, n, k int, alpha float32, a []float32,
	lda int, beta float32, c []float32, ldc int) {
	triangle, okUplo := uplo(ul)
	trans, okTrans := transpose(tA)
	rows, cols := shape(trans, n, k)
	factor, okA := matrix(rows, cols, a, lda)
	product, okC := matrix(n, n, c, ldc)
	if okUplo && okTrans && okA && okC {
		blas.Syrk(triangle, trans, alpha, factor, beta, product)
		return
	}
	i.Implementation.Ssyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Strmm computes B = alpha*A*B or alpha*B*A with a triangular A.
func (i Implementation) Strmm(s gonumblas.Side, ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, m,
	n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	place, size, okSide := side(s, m, n)
	t, okA := newTriangular(ul, tA, d, size, a, lda)
	if product, ok := matrix(m, n, b, ldb); okSide && okA && ok {
		blas.Trmm(place, t.uplo, t.trans, t.diag, alpha, t.a, product)
		return
	}
	i.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strsm solves A*X = alpha*B or X*A = alpha*B with a triangular A and writes X to b.
func (i Implementation) Strsm(s gonumblas.Side, ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, m,
	n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	place, size, okSide := side(s, m, n)
	t, okA := newTriangular(ul, tA, d, size, a, lda)
	if solution, ok := matrix(m, n, b, ldb); okSide && okA && ok {
		blas.Trsm(place, t.uplo, t.trans, t.diag, alpha, t.a, solution)
		return
	}
	i.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
