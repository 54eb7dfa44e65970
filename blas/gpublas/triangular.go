package gpublas

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/triangle"
)

// Symm computes C = alpha*A*B + beta*C, or alpha*B*A + beta*C with a on the right. A is symmetric and
// stored in the triangle uplo of a. The other triangle is not read. With a beta of 0, C is not read.
// With an alpha of 0, A and B are not. c does not overlap with a and b.
func Symm[T Float](h *Handle, side Side, uplo Uplo, alpha T, a, b Matrix[T], beta T, c Matrix[T]) error {
	call := h.core.Call("Symm")
	if err := errors.Join(checkSide(call, side, a, b), c.operand().Check(call, "c")); err != nil {
		return err
	}
	if c.Rows != b.Rows || c.Cols != b.Cols {
		return operand.Errorf(ErrShape, "%s: c is %d x %d; want %d x %d, as b", call, c.Rows, c.Cols, b.Rows, b.Cols)
	}
	if err := errors.Join(checkMatricesApart(call, "c", c, "a", a), checkMatricesApart(call, "c", c, "b", b)); err != nil {
		return err
	}
	return triangular(h, "Symm", alpha, beta, c, func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Symmetric(s, w, bool(side), triangleOf(uplo, NoTrans, NonUnit, a), alpha, b.operand(), beta, c.operand())
	})
}

// Trmm computes B = alpha*A*B, or alpha*B*A with a on the right, where A is the triangle uplo of a,
// transposed or not. The other triangle is not read. With an alpha of 0, neither A nor B is read. b
// does not overlap with a.
func Trmm[T Float](h *Handle, side Side, uplo Uplo, trans Transpose, diag Diag, alpha T, a, b Matrix[T]) error {
	return changed(h, "Trmm", side, alpha, a, b, func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Multiply(s, w, bool(side), triangleOf(uplo, trans, diag, a), alpha, b.operand())
	})
}

// Trsm solves A*X = alpha*B, or X*A = alpha*B with a on the right, where A is the triangle uplo of a,
// transposed or not, and writes X to b. The other triangle is not read. It does not test whether A is
// singular. With an alpha of 0, neither A nor B is read. b does not overlap with a.
func Trsm[T Float](h *Handle, side Side, uplo Uplo, trans Transpose, diag Diag, alpha T, a, b Matrix[T]) error {
	return changed(h, "Trsm", side, alpha, a, b, func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Solve(s, w, bool(side), triangleOf(uplo, trans, diag, a), alpha, b.operand())
	})
}

// changed checks and queues a call that changes b by a triangle.
func changed[T Float](h *Handle, method string, side Side, alpha T, a, b Matrix[T],
	launch func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error,
) error {
	call := h.core.Call(method)
	if err := checkSide(call, side, a, b); err != nil {
		return err
	}
	if err := checkMatricesApart(call, "b", b, "a", a); err != nil {
		return err
	}
	return triangular(h, method, alpha, 0, b, launch)
}

// triangular queues what launch does, unless the result has no elements or nothing is added to it.
func triangular[T Float](h *Handle, method string, alpha, beta T, result Matrix[T],
	launch func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error,
) error {
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		switch {
		case result.Rows == 0 || result.Cols == 0:
			return nil
		case alpha == 0:
			p, err := level3Of[T](h)
			if err != nil {
				return err
			}
			return p.Launch(s, w, level3.Product[T, T]{Beta: beta, C: result.operand(), Count: 1})
		}
		p, err := trianglesOf[T](h)
		if err != nil {
			return err
		}
		return launch(p, s, w)
	})
}

// Symv computes y = alpha*A*x + beta*y, where A is symmetric and stored in the triangle uplo of a. The
// other triangle is not read. With a beta of 0, y is not read. With an alpha of 0, a and x are not. y
// does not overlap with a and x.
func Symv[T Float](h *Handle, uplo Uplo, alpha T, a Matrix[T], x Vector[T], beta T, y Vector[T]) error {
	call := h.core.Call("Symv")
	if err := errors.Join(checkTriangular(call, a, "x", x), checkTriangular(call, a, "y", y)); err != nil {
		return err
	}
	if err := errors.Join(operand.CheckApart(call, "y", y.operand(), "x", x.operand()),
		operand.CheckMatrixApart(call, "a", a.operand(), "y", y.operand())); err != nil {
		return err
	}
	return h.core.Queue("Symv", func(s *gridstride.Stream, _ onepass.Work) error {
		switch {
		case y.N == 0 || alpha == 0 && beta == 1:
			return nil
		case alpha == 0:
			p, err := level1Of[T](h)
			if err != nil {
				return err
			}
			return p.Scal(s, beta, y.operand())
		}
		p, err := trianglesOf[T](h)
		if err != nil {
			return err
		}
		return p.SymmetricVector(s, triangleOf(uplo, NoTrans, NonUnit, a), alpha, x.operand(), beta, y.operand())
	})
}

// Trmv computes x = A*x, where A is the triangle uplo of a, transposed or not. The other triangle is
// not read. x does not overlap with a.
func Trmv[T Float](h *Handle, uplo Uplo, trans Transpose, diag Diag, a Matrix[T], x Vector[T]) error {
	return changedVector(h, "Trmv", a, x, func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.MultiplyVector(s, w, triangleOf(uplo, trans, diag, a), x.operand())
	})
}

// Trsv solves A*y = x, where A is the triangle uplo of a, transposed or not, and writes y to x. The
// other triangle is not read. It does not test whether A is singular. x does not overlap with a.
func Trsv[T Float](h *Handle, uplo Uplo, trans Transpose, diag Diag, a Matrix[T], x Vector[T]) error {
	return changedVector(h, "Trsv", a, x, func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.SolveVector(s, w, triangleOf(uplo, trans, diag, a), x.operand())
	})
}

// changedVector checks and queues a call that changes x by a triangle.
func changedVector[T Float](h *Handle, method string, a Matrix[T], x Vector[T],
	launch func(p *triangle.Plan[T], s *gridstride.Stream, w onepass.Work) error,
) error {
	call := h.core.Call(method)
	if err := checkTriangular(call, a, "x", x); err != nil {
		return err
	}
	if err := operand.CheckMatrixApart(call, "a", a.operand(), "x", x.operand()); err != nil {
		return err
	}
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		if x.N == 0 {
			return nil
		}
		p, err := trianglesOf[T](h)
		if err != nil {
			return err
		}
		return launch(p, s, w)
	})
}

// triangleOf is a triangle as the kernels' packages know it.
func triangleOf[T Float](uplo Uplo, trans Transpose, diag Diag, a Matrix[T]) triangle.Matrix[T] {
	return triangle.Matrix[T]{Data: a.operand(), Lower: bool(uplo), Trans: bool(trans), Unit: bool(diag)}
}

// checkSquare returns an error unless a is a square matrix.
func checkSquare[T Float](call string, a Matrix[T]) error {
	if err := a.operand().Check(call, "a"); err != nil {
		return err
	}
	if a.Rows != a.Cols {
		return operand.Errorf(ErrShape, "%s: a is %d x %d; want a square matrix", call, a.Rows, a.Cols)
	}
	return nil
}

// checkSide returns an error unless a is a square matrix that fits to its side of b.
func checkSide[T Float](call string, side Side, a, b Matrix[T]) error {
	if err := errors.Join(checkSquare(call, a), b.operand().Check(call, "b")); err != nil {
		return err
	}
	if side == Left && b.Rows != a.Rows || side == Right && b.Cols != a.Rows {
		return operand.Errorf(ErrShape, "%s: b is %d x %d; want it to fit a, which is %d x %d", call, b.Rows, b.Cols, a.Rows, a.Cols)
	}
	return nil
}

// checkTriangular returns an error unless a is a square matrix with as many rows as v has elements.
func checkTriangular[T Float](call string, a Matrix[T], name string, v Vector[T]) error {
	if err := errors.Join(checkSquare(call, a), v.operand().Check(call, name)); err != nil {
		return err
	}
	if v.N != a.Rows {
		return operand.Errorf(ErrShape, "%s: %s has %d elements; want %d, as a has rows", call, name, v.N, a.Rows)
	}
	return nil
}

// checkMatricesApart returns an error if a matrix that is written overlaps with one that is read.
func checkMatricesApart[T Float](call, nameW string, w Matrix[T], nameR string, r Matrix[T]) error {
	if !operand.Overlap(w.operand(), r.operand()) {
		return nil
	}
	return operand.Errorf(ErrOverlap, "%s: %s, %d x %d with a stride of %d, overlaps with %s, %d x %d with a stride of %d",
		call, nameW, w.Rows, w.Cols, w.Stride, nameR, r.Rows, r.Cols, r.Stride)
}
