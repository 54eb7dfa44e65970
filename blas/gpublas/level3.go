package gpublas

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Gemm computes C = alpha*A*B + beta*C, where A and B are a and b, transposed or not. With a beta
// of 0, C is not read. With an alpha of 0, A and B are not. c does not overlap with a and b.
//
// Each element of C is a sum along the columns of A, with one rounding for a multiplication and its
// addition. If C is large, the products are added in order. If it is small, several runs of them
// are summed, and then the sums of the runs. The choice depends on the sizes, and on whether rows
// begin at multiples of 16 bytes.
func Gemm[T Float](h *Handle, transA, transB Transpose, alpha T, a, b Matrix[T], beta T, c Matrix[T]) error {
	p := Product[T, T]{TransA: transA, TransB: transB, Alpha: alpha, Beta: beta, A: a, B: b, Count: 1}
	return p.queue(h, "Gemm", multiplier[T]{h}, c, nil)
}

// GemmStridedBatched computes count products as Gemm does. The matrices of product i begin
// i*strideA, i*strideB and i*strideC elements after a, b and c. A stride of 0 for a or b uses the
// same matrix for all. No matrix of c is between matrices of a or of b.
func GemmStridedBatched[T Float](h *Handle, transA, transB Transpose, alpha T, a Matrix[T], strideA int,
	b Matrix[T], strideB int, beta T, c Matrix[T], strideC, count int,
) error {
	p := Product[T, T]{TransA: transA, TransB: transB, Alpha: alpha, Beta: beta, A: a, B: b,
		Count: count, StrideA: strideA, StrideB: strideB, StrideC: strideC}
	return p.queue(h, "GemmStridedBatched", multiplier[T]{h}, c, nil)
}

// Syrk computes C = alpha*A*A' + beta*C, or with trans alpha*A'*A + beta*C, where A' is a
// transposed. Of c it reads and writes the triangle uplo. With a beta of 0, C is not read. c does
// not overlap with a.
func Syrk[T Float](h *Handle, uplo Uplo, trans Transpose, alpha T, a Matrix[T], beta T, c Matrix[T]) error {
	p := Product[T, T]{TransA: trans, TransB: !trans, Alpha: alpha, Beta: beta, A: a, B: a, Count: 1, triangle: level3.Upper}
	if uplo == Lower {
		p.triangle = level3.Lower
	}
	return p.queue(h, "Syrk", multiplier[T]{h}, c, nil)
}

// checkApart is an error where C overlaps with m. The buffer between the matrices of a batch counts
// as theirs.
func checkApart[T Element, S Accumulator](call, name string, p level3.Product[T, S], m operand.Matrix[T], stride int) error {
	if p.Count == 1 && !operand.Overlap(p.C, m) || !operand.OverlapBytes(batch(p.C, p.StrideC, p.Count), batch(m, stride, p.Count)) {
		return nil
	}
	return operand.Errorf(ErrOverlap, "%s: c, %d x %d with a stride of %d, overlaps with %s, %d x %d with a stride of %d",
		call, p.C.Rows, p.C.Cols, p.C.Stride, name, m.Rows, m.Cols, m.Stride)
}

// batch is the part of a buffer from the first matrix of a batch to the last.
func batch[T Element](m operand.Matrix[T], stride, count int) gridstride.Buffer[T] {
	if count == 0 || m.Rows == 0 || m.Cols == 0 {
		return gridstride.Buffer[T]{}
	}
	return m.Data.Slice(0, (count-1)*stride+m.Span().Len())
}

// checkMatrix returns an error unless m, and each matrix of a batch, is valid.
func checkMatrix[T Element](call, name string, m Matrix[T], stride, count int) error {
	if err := m.operand().Check(call, name); err != nil || count < 2 || stride == 0 || m.Rows == 0 || m.Cols == 0 {
		return err
	}
	if room := m.Data.Len() - m.operand().Span().Len(); count-1 > room/stride {
		return operand.Errorf(ErrShort, "%s: the buffer of %s has %d elements, too few for %d matrices of %d x %d with strides of %d and %d",
			call, name, m.Data.Len(), count, m.Rows, m.Cols, m.Stride, stride)
	}
	return nil
}
