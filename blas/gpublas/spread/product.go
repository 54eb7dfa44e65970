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

// Product is Alpha*A*B, where A and B are transposed or not, as [gpublas.Product]. The rows of A are
// spread, and the columns of B: A[r] has the rows of rank r, and B[r] has some columns. Parts may have
// different sizes, also none. The method [Product.To] writes the product.
//
//	C[0]     A[0]
//	C[1]  =  A[1]  *  (B[0] B[1] B[2])
//	C[2]     A[2]
//
// [ProductOf] makes one. A literal must set Alpha.
type Product[T gpublas.Element, S gpublas.Accumulator] struct {
	By             gpublas.Compute[T, S]
	TransA, TransB gpublas.Transpose
	Alpha          S
	A, B           []gpublas.Matrix[T]
	Beta           S // says how much of C is added
}

// ProductOf is the product A*B by by.
func ProductOf[T gpublas.Element, S gpublas.Accumulator](by gpublas.Compute[T, S], a, b []gpublas.Matrix[T]) Product[T, S] {
	return Product[T, S]{By: by, Alpha: 1, A: a, B: b}
}

// To queues C = Alpha*A*B + Beta*C. c[r] has the rows of C that A[r] has of A, and all columns: first
// the columns of B[0], then the columns of B[1].
//
// Each rank multiplies by its own part of B first. Meanwhile it copies the part of the next rank, and
// so on round the ranks, as in a ring: a copy is hidden if it takes less time than a product. A rank
// allocates memory for two parts of B, and gives it back when the work has run.
//
// The products have the bits of gpublas's products of the parts. With a Beta of 0, C is not read. With
// an Alpha of 0, A and B are not. c[r] does not overlap with A[r] and B[r].
//
// Errors: comm.ErrRank, the errors of gpublas.Product.To and gridstride.Make, with the rank.
func (p Product[T, S]) To(h *Handle, c []gpublas.Matrix[S]) error {
	g := &gemm[T, S]{h: h, Product: p, c: c}
	if err := g.check(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return g.queue()
}

// gemm is a call of Product.To.
type gemm[T gpublas.Element, S gpublas.Accumulator] struct {
	Product[T, S]
	h      *Handle
	c      []gpublas.Matrix[S]
	firsts []int // the column of C that each part of B begins with
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
	const call = "spread: Product.To"
	ranks := len(g.h.ranks)
	if len(g.A) != ranks || len(g.B) != ranks || len(g.c) != ranks {
		return operand.Errorf(comm.ErrRank, "%s: a, b and c have %d, %d and %d parts; want one of each of the %d ranks", call, len(g.A), len(g.B), len(g.c), ranks)
	}
	n := 0
	for q := range ranks {
		if err := operand.Matrix[T](g.B[q]).Check(call, "b"); err != nil {
			return fmt.Errorf("rank %d: %w", q, err)
		}
		_, cols := shape(g.B[q], g.TransB)
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
	a, b, c := operand.Matrix[T](g.A[r]), operand.Matrix[T](g.B[r]), operand.Matrix[S](g.c[r])
	if err := errors.Join(a.Check(call, "a"), c.Check(call, "c")); err != nil {
		return err
	}
	m, k := shape(g.A[r], g.TransA)
	for q := range g.B {
		if rows, cols := shape(g.B[q], g.TransB); rows != k {
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
	x := &ring[T]{ranks: g.h.ranks, b: g.B, moves: ranks > 1 && g.Alpha != 0}
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
	_, cols := shape(b, g.TransB)
	if g.c[r].Rows == 0 || cols == 0 {
		return nil
	}
	p := gpublas.ProductOf(g.By, g.A[r], b)
	p.TransA, p.TransB, p.Alpha, p.Beta = g.TransA, g.TransB, g.Alpha, g.Beta
	return p.To(k.blas, g.c[r].Slice(0, g.c[r].Rows, g.firsts[q], g.firsts[q]+cols))
}
