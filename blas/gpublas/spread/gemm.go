package spread

import (
	"errors"
	"fmt"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Gemm computes C = alpha*A*B + beta*C by by, where A and B are a and b, transposed or not, as
// [gpublas.Product.To]. The rows of A and of C are spread, and the columns of B: a[r] has the rows
// of A that rank r's c[r] has of C, and b[r] has some columns of B. All columns of C are in each
// c[r]: those of b[0] first, then those of b[1]. Parts may have different sizes, also none.
//
//	C[0]     A[0]
//	C[1]  =  A[1]  *  (B[0] B[1] B[2])
//	C[2]     A[2]
//
// Each rank multiplies by its own part of B first. Meanwhile it copies the part of the next rank,
// and so on round the ranks, as in a ring: a copy is hidden where it takes less time than a
// product. A rank allocates memory for two parts of B, and gives it back when the work has run.
//
// The products have the bits of gpublas's products of the parts. With a beta of 0, C is not read. With
// an alpha of 0, A and B are not. c[r] does not overlap with a[r] and b[r].
//
// Errors: comm.ErrRank, the errors of gpublas.Product.To and gridstride.Make, with the rank.
func Gemm[T gpublas.Element, S gpublas.Accumulator](h *Handle, by gpublas.Compute[T, S], transA, transB gpublas.Transpose,
	alpha S, a, b []gpublas.Matrix[T], beta S, c []gpublas.Matrix[S],
) error {
	g := &gemm[T, S]{h: h, by: by, transA: transA, transB: transB, alpha: alpha, beta: beta, a: a, b: b, c: c}
	if err := g.check(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return g.queue()
}

// gemm is a call of Gemm.
type gemm[T gpublas.Element, S gpublas.Accumulator] struct {
	h              *Handle
	by             gpublas.Compute[T, S]
	transA, transB gpublas.Transpose
	alpha, beta    S
	a, b           []gpublas.Matrix[T]
	c              []gpublas.Matrix[S]
	firsts         []int // the column of C that each part of B begins with
}

// shape is the number of rows and columns of a matrix as it is used.
func shape[T gpublas.Element](m gpublas.Matrix[T], t gpublas.Transpose) (rows, cols int) {
	if t {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// check refuses operands that are not one of each rank, or do not fit each other.
func (g *gemm[T, S]) check() error {
	const call = "spread: Gemm"
	ranks := len(g.h.ranks)
	if len(g.a) != ranks || len(g.b) != ranks || len(g.c) != ranks {
		return operand.Errorf(comm.ErrRank, "%s: a, b and c have %d, %d and %d parts; want one of each of the %d ranks", call, len(g.a), len(g.b), len(g.c), ranks)
	}
	n := 0
	for q := range ranks {
		if err := operand.Matrix[T](g.b[q]).Check(call, "b"); err != nil {
			return fmt.Errorf("rank %d: %w", q, err)
		}
		_, cols := shape(g.b[q], g.transB)
		g.firsts = append(g.firsts, n)
		if cols > math.MaxInt-n {
			return operand.Errorf(gpublas.ErrShape, "%s: b has more columns than an int can count", call)
		}
		n += cols
	}
	for r := range ranks {
		if err := g.checkRank(call, r, n); err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return nil
}

// checkRank checks what a rank has, for a C of n columns.
func (g *gemm[T, S]) checkRank(call string, r, n int) error {
	a, b, c := operand.Matrix[T](g.a[r]), operand.Matrix[T](g.b[r]), operand.Matrix[S](g.c[r])
	if err := errors.Join(a.Check(call, "a"), c.Check(call, "c")); err != nil {
		return err
	}
	m, k := shape(g.a[r], g.transA)
	for q := range g.b {
		if rows, cols := shape(g.b[q], g.transB); rows != k {
			return operand.Errorf(gpublas.ErrShape, "%s: a is %d x %d, and rank %d's b %d x %d", call, m, k, q, rows, cols)
		}
	}
	if c.Rows != m || c.Cols != n {
		return operand.Errorf(gpublas.ErrShape, "%s: c is %d x %d for a product of %d x %d", call, c.Rows, c.Cols, m, n)
	}
	if operand.Overlap(a, c) || operand.Overlap(b, c) {
		return operand.Errorf(gpublas.ErrOverlap, "%s: c overlaps with a or b", call)
	}
	s := g.h.group.Stream(r)
	return errors.Join(onStream(a.Span(), s), onStream(b.Span(), s), onStream(c.Span(), s))
}

// onStream is an error for a buffer that a stream cannot use.
func onStream[T any](b gridstride.Buffer[T], s *gridstride.Stream) error {
	if b.Len() == 0 {
		return nil
	}
	return b.Check(s)
}

// queue queues the copies and products of all ranks.
func (g *gemm[T, S]) queue() (err error) {
	ranks := len(g.h.ranks)
	x := &ring[T]{ranks: g.h.ranks, b: g.b, moves: ranks > 1 && g.alpha != 0}
	if err := x.begin(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.end()) }()
	for r, k := range g.h.ranks {
		for step := range ranks {
			q := (r + step) % ranks
			b, err := x.take(r, q, step)
			if err == nil {
				err = g.multiply(k, r, q, b)
			}
			if err != nil {
				return fmt.Errorf("rank %d: %w", r, err)
			}
			x.done(r, step)
		}
	}
	return nil
}

// multiply queues the product of rank r's rows of A and rank q's columns of B, which are in b.
func (g *gemm[T, S]) multiply(k *rank, r, q int, b gpublas.Matrix[T]) error {
	_, cols := shape(b, g.transB)
	if g.c[r].Rows == 0 || cols == 0 {
		return nil
	}
	p := gpublas.ProductOf(g.by, g.a[r], b)
	p.TransA, p.TransB, p.Alpha, p.Beta = g.transA, g.transB, g.alpha, g.beta
	return p.To(k.blas, g.c[r].Slice(0, g.c[r].Rows, g.firsts[q], g.firsts[q]+cols))
}
