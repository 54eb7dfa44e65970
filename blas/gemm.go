package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
)

// Gemm computes C = alpha*A*B + beta*C, where A and B are a and b, transposed or not. C must not
// overlap with them. With a beta of 0, C is not read. With an alpha of 0, A and B are not.
//
// Each element of C is a sum over k in blocks of at most 512 (float32) or 256 (float64), which are
// added in order, with one rounding for a multiplication and its addition.
func Gemm[T Float](transA, transB Transpose, alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	m, k := a.shape(transA)
	// The usual case of small products first, as a call takes as long as one.
	if transB == NoTrans && alpha != 0 && k == b.Rows && m == c.Rows && b.Cols == c.Cols &&
		a.hasElements() && b.hasElements() && c.hasElements() && isSmall(m, c.Cols, k) {
		unpacked(transA, k, alpha, &a, &b, beta, &c)
		return
	}
	checkGemm("Gemm", transA, transB, a, b, c)
	gemm(transA, transB, alpha, a, b, beta, c)
}

// GemmStridedBatched computes count products as Gemm does. The matrices of product i begin
// i*strideA, i*strideB and i*strideC elements after a, b and c. A stride of 0 for a or b uses the
// same matrix for all.
func GemmStridedBatched[T Float](transA, transB Transpose, alpha T, a Matrix[T], strideA int,
	b Matrix[T], strideB int, beta T, c Matrix[T], strideC, count int) {
	const name = "GemmStridedBatched"
	if count < 0 || strideA < 0 || strideB < 0 || strideC < 0 {
		panic(fmt.Sprintf("blas: %s: %d products with strides %d, %d and %d",
			name, count, strideA, strideB, strideC))
	}
	if count == 0 {
		return
	}
	checkGemm(name, transA, transB, a, b, c)
	a.checkBatch(name, "a", strideA, count)
	b.checkBatch(name, "b", strideB, count)
	c.checkBatch(name, "c", strideC, count)
	if size := c.size(); count > 1 && strideC < size {
		panic(fmt.Sprintf("blas: %s: c has %d elements and a stride of %d", name, size, strideC))
	}
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	nth := func(m Matrix[T], i, stride int) Matrix[T] {
		if m.Rows > 0 && m.Cols > 0 {
			m.Data = m.Data[i*stride:]
		}
		return m
	}
	rows, k := a.shape(transA)
	workers := cores.Claim(count * rows * k * c.Cols)
	defer cores.Release(workers)
	cores.Parallel(workers, count, func(i int) {
		gemm(transA, transB, alpha, nth(a, i, strideA), nth(b, i, strideB), beta, nth(c, i, strideC))
	})
}

// checkBatch panics where the last of count matrices that begin stride apart is not in the memory of
// the first one, which is checked.
func (m *Matrix[T]) checkBatch(function, name string, stride, count int) {
	size := m.size()
	if size == 0 || stride == 0 {
		return
	}
	if count-1 <= (len(m.Data)-size)/stride {
		return
	}
	panic(fmt.Sprintf("blas: %s: %s has %d elements, too few for %d matrices of %d x %d with strides of %d and %d",
		function, name, len(m.Data), count, m.Rows, m.Cols, m.Stride, stride))
}

func checkGemm[T Float](name string, transA, transB Transpose, a, b, c Matrix[T]) {
	a.check(name, "a")
	b.check(name, "b")
	c.check(name, "c")
	m, k := a.shape(transA)
	k2, n := b.shape(transB)
	if k != k2 || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("blas: %s: c is %d x %d for a product of %d x %d and %d x %d",
			name, c.Rows, c.Cols, m, k, k2, n))
	}
}

// gemm is Gemm with arguments that are known to be right.
func gemm[T Float](transA, transB Transpose, alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	_, k := a.shape(transA)
	switch {
	case c.Rows == 0 || c.Cols == 0:
	case k == 0 || alpha == 0:
		scaleMatrix(beta, c)
	case transB == NoTrans && isSmall(c.Rows, c.Cols, k):
		unpacked(transA, k, alpha, &a, &b, beta, &c)
	default:
		p := product[T]{
			m: c.Rows, n: c.Cols, k: k, alpha: alpha, beta: beta,
			a: a.used(transA), b: b.used(transB), c: c.Data, cRow: c.Stride,
		}
		p.run()
	}
}

// scaleMatrix computes C = beta*C. With a beta of 0 it does not read C.
func scaleMatrix[T Float](beta T, c Matrix[T]) {
	if c.Cols == 0 {
		return
	}
	for i := range c.Rows {
		switch row := c.row(i); beta {
		case 0:
			clear(row)
		case 1:
		default:
			for j := range row {
				row[j] *= beta
			}
		}
	}
}
