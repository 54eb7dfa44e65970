package gpublas

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Gemm computes C = alpha*A*B + beta*C, where A and B are a and b, transposed or not. With a beta
// of 0, C is not read; with an alpha of 0, A and B are not. c does not overlap with a and b.
//
// Each element of C is a sum along the columns of A, with one rounding for a multiplication and its
// addition. If C is large, the products are added in order. If it is small, several runs of them
// are summed, and then the sums of the runs. The choice depends on the sizes, and on whether rows
// begin at multiples of 16 bytes.
func (h *Handle[T]) Gemm(transA, transB Transpose, alpha T, a, b Matrix[T], beta T, c Matrix[T]) error {
	return h.products("Gemm", transA, transB, alpha, a, 0, b, 0, beta, c, 0, 1)
}

// GemmStridedBatched computes count products as Gemm does. The matrices of product i begin
// i*strideA, i*strideB and i*strideC elements after a, b and c. A stride of 0 for a or b uses the
// same matrix for all. No matrix of c is between matrices of a or of b.
func (h *Handle[T]) GemmStridedBatched(transA, transB Transpose, alpha T, a Matrix[T], strideA int,
	b Matrix[T], strideB int, beta T, c Matrix[T], strideC, count int,
) error {
	return h.products("GemmStridedBatched", transA, transB, alpha, a, strideA, b, strideB, beta, c, strideC, count)
}

// Syrk computes C = alpha*A*A' + beta*C, or with trans alpha*A'*A + beta*C, where A' is a
// transposed. Of c it reads and writes the triangle uplo. With a beta of 0, C is not read. c does
// not overlap with a.
func (h *Handle[T]) Syrk(uplo Uplo, trans Transpose, alpha T, a Matrix[T], beta T, c Matrix[T]) error {
	call := h.core.Call("Syrk")
	if err := errors.Join(checkMatrix(call, "a", a, 0, 1), checkMatrix(call, "c", c, 0, 1)); err != nil {
		return err
	}
	if n, k := a.shape(trans); c.Rows != n || c.Cols != n {
		return operand.Errorf(ErrShape, "%s: c is %d x %d for a product of %d x %d and its transpose", call, c.Rows, c.Cols, n, k)
	}
	triangle := level3.Upper
	if uplo == Lower {
		triangle = level3.Lower
	}
	return h.queueProducts("Syrk", level3.Product[T, T]{
		TransA: bool(trans), TransB: !bool(trans), Alpha: alpha, Beta: beta, A: a.operand(), B: a.operand(), C: c.operand(),
		Count: 1, Triangle: triangle,
	})
}

func (h *Handle[T]) products(method string, transA, transB Transpose, alpha T, a Matrix[T], strideA int,
	b Matrix[T], strideB int, beta T, c Matrix[T], strideC, count int,
) error {
	p, err := product(h.core.Call(method), transA, transB, alpha, a, strideA, b, strideB, beta, c, strideC, count)
	if err != nil {
		return err
	}
	return h.queueProducts(method, p)
}

// product computes products of matrices. The caller has checked everything except whether they
// overlap.
func product[T Element, S Sum](call string, transA, transB Transpose, alpha S, a Matrix[T], strideA int,
	b Matrix[T], strideB int, beta S, c Matrix[S], strideC, count int,
) (p level3.Product[T, S], err error) {
	if count < 0 || strideA < 0 || strideB < 0 || strideC < 0 {
		return p, operand.Errorf(ErrShape, "%s: %d products with strides %d, %d and %d", call, count, strideA, strideB, strideC)
	}
	m, k := a.shape(transA)
	if k2, n := b.shape(transB); k != k2 || c.Rows != m || c.Cols != n {
		return p, operand.Errorf(ErrShape, "%s: c is %d x %d for a product of %d x %d and %d x %d", call, c.Rows, c.Cols, m, k, k2, n)
	}
	if err := errors.Join(checkMatrix(call, "a", a, strideA, count), checkMatrix(call, "b", b, strideB, count),
		checkMatrix(call, "c", c, strideC, count)); err != nil {
		return p, err
	}
	if size := (c.Rows-1)*c.Stride + c.Cols; count > 1 && c.Rows*c.Cols > 0 && strideC < size {
		return p, operand.Errorf(ErrOverlap, "%s: c has %d elements and a stride of %d", call, size, strideC)
	}
	return level3.Product[T, S]{
		TransA: bool(transA), TransB: bool(transB), Alpha: alpha, Beta: beta, A: a.operand(), B: b.operand(), C: c.operand(),
		Count: count, StrideA: strideA, StrideB: strideB, StrideC: strideC,
	}, nil
}

// queueProducts queues products of matrices. The caller has checked everything except whether they
// overlap.
func (h *Handle[T]) queueProducts(method string, p level3.Product[T, T]) error {
	return queueProducts(h, method, p, false, func(s *gridstride.Stream, w onepass.Work, p level3.Product[T, T]) error {
		plan, err := h.level3()
		if err != nil {
			return err
		}
		return plan.Launch(s, w, p)
	})
}

// queueProducts queues what launch does for products that leave something to do, or always where C
// has elements. Where nothing is added to C, it gets them without A and B.
func queueProducts[F Float, T Element, S Sum](h *Handle[F], method string, p level3.Product[T, S], always bool,
	launch func(s *gridstride.Stream, w onepass.Work, p level3.Product[T, S]) error,
) error {
	call := h.core.Call(method)
	if err := errors.Join(checkApart(call, "a", p, p.A, p.StrideA), checkApart(call, "b", p, p.B, p.StrideB)); err != nil {
		return err
	}
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		nothing := p.Alpha == 0 || p.A.Rows == 0 || p.A.Cols == 0
		switch {
		case p.Count == 0 || p.C.Rows == 0 || p.C.Cols == 0 || nothing && p.Beta == 1 && !always:
			return nil
		case nothing:
			p.Alpha, p.A, p.B, p.StrideA, p.StrideB = 0, operand.Matrix[T]{}, operand.Matrix[T]{}, 0, 0
		}
		return launch(s, w, p)
	})
}

// checkApart is an error where C overlaps with m. The buffer between the matrices of a batch counts
// as theirs.
func checkApart[T Element, S Sum](call, name string, p level3.Product[T, S], m operand.Matrix[T], stride int) error {
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
