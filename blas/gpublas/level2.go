package gpublas

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Gemv computes y = alpha*A*x + beta*y, where A is a, transposed or not. With a beta of 0, y is not
// read. With an alpha of 0, a and x are not. y does not overlap with a and x.
func Gemv[T Float](h *Handle, trans Transpose, alpha T, a Matrix[T], x Vector[T], beta T, y Vector[T]) error {
	call := h.core.Call("Gemv")
	if err := checkProduct(call, a, x, y); err != nil {
		return err
	}
	if m, n := a.shape(trans); n != x.N || m != y.N {
		return operand.Errorf(ErrShape, "%s: x has %d elements and y has %d for %d x %d", call, x.N, y.N, m, n)
	}
	if err := operand.CheckApart(call, "y", y.operand(), "x", x.operand()); err != nil {
		return err
	}
	if err := operand.CheckMatrixApart(call, "a", a.operand(), "y", y.operand()); err != nil {
		return err
	}
	return h.core.Queue("Gemv", func(s *gridstride.Stream, w onepass.Work) error {
		nothing := alpha == 0 || x.N == 0
		if y.N == 0 || nothing && beta == 1 {
			return nil
		}
		if nothing {
			p, err := level1Of[T](h)
			if err != nil {
				return err
			}
			return p.Scal(s, beta, y.operand())
		}
		p, err := level2Of[T](h)
		if err != nil {
			return err
		}
		return p.Gemv(s, w, bool(trans), alpha, a.operand(), x.operand(), beta, y.operand())
	})
}

// Ger computes A += alpha*x*y', where y' is y as a row. With an alpha of 0, x and y are not read. a
// does not overlap with x and y.
func Ger[T Float](h *Handle, alpha T, x, y Vector[T], a Matrix[T]) error {
	call := h.core.Call("Ger")
	if err := checkProduct(call, a, x, y); err != nil {
		return err
	}
	if a.Rows != x.N || a.Cols != y.N {
		return operand.Errorf(ErrShape, "%s: x has %d elements and y has %d for %d x %d", call, x.N, y.N, a.Rows, a.Cols)
	}
	if err := operand.CheckMatrixApart(call, "a", a.operand(), "x", x.operand()); err != nil {
		return err
	}
	if err := operand.CheckMatrixApart(call, "a", a.operand(), "y", y.operand()); err != nil {
		return err
	}
	return h.core.Queue("Ger", func(s *gridstride.Stream, _ onepass.Work) error {
		if a.Rows == 0 || a.Cols == 0 || alpha == 0 {
			return nil
		}
		p, err := level2Of[T](h)
		if err != nil {
			return err
		}
		return p.Ger(s, alpha, x.operand(), y.operand(), a.operand())
	})
}

// checkProduct is an error unless there are a matrix and two vectors.
func checkProduct[T Float](call string, a Matrix[T], x, y Vector[T]) error {
	if err := a.operand().Check(call, "a"); err != nil {
		return err
	}
	if err := x.operand().Check(call, "x"); err != nil {
		return err
	}
	return y.operand().Check(call, "y")
}
