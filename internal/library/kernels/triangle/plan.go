package triangle

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/level2"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Plan holds the kernels for one element type on a device, and the plans of BLAS's levels that they
// need. Any goroutine may use it. Its functions expect operands that were checked, and at least
// one row and column.
//
// Errors of the functions: the errors of [gridstride.Kernel.Launch].
type Plan[T operand.Float] struct {
	multiply *multiplyKernel[T]
	solve    *solveKernel[T]
	solveOne *solveOneKernel[T]
	diagonal *diagonalKernel[T]
	vector   *vectorKernel[T]
	level1   *level1.Plan[T]
	level2   *level2.Plan[T]
	level3   *level3.Plan[T]
}

// NewPlan loads the kernels. one, two and three are the plans of BLAS's levels on the device.
//
// Errors: the errors of [gridstride.Device.Load].
func NewPlan[T operand.Float](dev *gridstride.Device, one *level1.Plan[T], two *level2.Plan[T], three *level3.Plan[T]) (*Plan[T], error) {
	p := &Plan[T]{level1: one, level2: two, level3: three}
	var errs [5]error
	p.multiply, errs[0] = loadMultiply[T](dev)
	p.solve, errs[1] = loadSolve[T](dev)
	p.solveOne, errs[2] = loadSolveOne[T](dev)
	p.diagonal, errs[3] = loadDiagonal[T](dev)
	p.vector, errs[4] = loadVector[T](dev)
	return p, errors.Join(errs[:]...)
}

// Matrix is a symmetric or triangular matrix: the stored triangle of Data, which is lower or not, and
// is used transposed or not.
type Matrix[T operand.Float] struct {
	Data               operand.Matrix[T]
	Lower, Trans, Unit bool
}

// isLower reports whether the triangle is a lower one as it is used.
func (t Matrix[T]) isLower() bool { return t.Lower != t.Trans }

// rows is the number of rows.
func (t Matrix[T]) rows() int { return t.Data.Rows }

// part is the triangle of the rows and columns from i up to j.
func (t Matrix[T]) part(i, j int) Matrix[T] {
	t.Data = cut(t.Data, i, j, i, j)
	return t
}

// beside is the stored block that belongs neither to part(0, i) nor to part(i, n).
func (t Matrix[T]) beside(i int) operand.Matrix[T] {
	if t.Lower {
		return cut(t.Data, i, t.rows(), 0, i)
	}
	return cut(t.Data, 0, i, i, t.rows())
}

// cut is the part of a matrix with the rows from i0 up to i1 and the columns from j0 up to j1. It has
// at least one element.
func cut[T operand.Float](m operand.Matrix[T], i0, i1, j0, j1 int) operand.Matrix[T] {
	return operand.Matrix[T]{Data: m.Data.Slice(i0*m.Stride+j0, (i1-1)*m.Stride+j1), Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
}

// half is where n rows, more than Base, are cut in two: at a multiple of 32, so that rows which begin
// at 16 bytes do so in the second part.
func half(n int) int { return (n/2 + 31) &^ 31 }

// other is the matrix B that a triangle is multiplied with. If the triangle is on the right of B, B
// is used transposed.
type other[T operand.Float] struct {
	operand.Matrix[T]
	right bool // the triangle is on the right of B
}

// size is the number of rows of B, or its columns if the triangle is on the right, and the number of
// the others.
func (b other[T]) size() (n, cols int) {
	if b.right {
		return b.Cols, b.Rows
	}
	return b.Rows, b.Cols
}

// part is the part of B that meets the rows of the triangle from i up to j.
func (b other[T]) part(i, j int) other[T] {
	if b.right {
		return other[T]{cut(b.Matrix, 0, b.Rows, i, j), true}
	}
	return other[T]{cut(b.Matrix, i, j, 0, b.Cols), false}
}

// steps is the distance of B's elements from one row to the next, and from one column to the next, as
// B is used.
func (b other[T]) steps() (row, col int) {
	if b.right {
		return 1, b.Stride
	}
	return b.Stride, 1
}

// shape is where a kernel finds a triangle and B. A triangle on the right is used transposed.
func shape[T operand.Float](t Matrix[T], b other[T]) Shape {
	s := Shape{N: t.rows(), RowA: t.Data.Stride, ColA: 1, Lower: t.isLower() != b.right, Unit: t.Unit}
	if t.Trans != b.right {
		s.RowA, s.ColA = s.ColA, s.RowA
	}
	_, s.Cols = b.size()
	s.RowB, s.ColB = b.steps()
	return s
}

// work is shared by the launches of one call.
type work[T operand.Float] struct {
	*Plan[T]
	s *gridstride.Stream
	w onepass.Work
}

// gemm computes of = alpha*block*from + beta*of, or from*block with the triangle on the right.
func (k work[T]) gemm(trans bool, alpha T, block operand.Matrix[T], from other[T], beta T, of other[T]) error {
	p := level3.Product[T, T]{Alpha: alpha, Beta: beta, A: block, TransA: trans, B: from.Matrix, C: of.Matrix, Count: 1}
	if from.right {
		p.A, p.B, p.TransA, p.TransB = from.Matrix, block, false, trans
	}
	return k.level3.Launch(k.s, k.w, p)
}

// grid has one thread for each column.
func grid(cols int) gridstride.Config { return gridstride.Grid((cols-1)/Block + 1) }

// Multiply queues B = alpha*A*B, or alpha*B*A with a triangle A on the right.
func (p *Plan[T]) Multiply(s *gridstride.Stream, w onepass.Work, right bool, t Matrix[T], alpha T, b operand.Matrix[T]) error {
	return work[T]{p, s, w}.product(t, alpha, other[T]{b, right})
}

func (k work[T]) product(t Matrix[T], alpha T, b other[T]) error {
	n := t.rows()
	if n <= Base {
		_, cols := b.size()
		return k.multiply.Launch(k.s, grid(cols), t.Data.Data, b.Data, shape(t, b), alpha)
	}
	i := half(n)
	first, second, b1, b2 := t.part(0, i), t.part(i, n), b.part(0, i), b.part(i, n)
	if t.isLower() != b.right { // the second part needs the first as it was
		first, second, b1, b2 = second, first, b2, b1
	}
	if err := k.product(first, alpha, b1); err != nil {
		return err
	}
	if err := k.gemm(t.Trans, alpha, t.beside(i), b2, 1, b1); err != nil {
		return err
	}
	return k.product(second, alpha, b2)
}

// Solve queues B = alpha*inverse(A)*B, or alpha*B*inverse(A) with a triangle A on the right.
func (p *Plan[T]) Solve(s *gridstride.Stream, w onepass.Work, right bool, t Matrix[T], alpha T, b operand.Matrix[T]) error {
	return work[T]{p, s, w}.solution(t, alpha, other[T]{b, right})
}

func (k work[T]) solution(t Matrix[T], alpha T, b other[T]) error {
	n := t.rows()
	if n <= Base {
		_, cols := b.size()
		return k.solve.Launch(k.s, grid(cols), t.Data.Data, b.Data, shape(t, b), alpha)
	}
	i := half(n)
	first, second, b1, b2 := t.part(0, i), t.part(i, n), b.part(0, i), b.part(i, n)
	if t.isLower() == b.right { // the first part needs the second one's result
		first, second, b1, b2 = second, first, b2, b1
	}
	if err := k.solution(first, alpha, b1); err != nil {
		return err
	}
	if err := k.gemm(t.Trans, -1, t.beside(i), b1, alpha, b2); err != nil {
		return err
	}
	return k.solution(second, 1, b2)
}

// Symmetric queues C = alpha*A*B + beta*C, or alpha*B*A + beta*C with a symmetric matrix A on the
// right.
func (p *Plan[T]) Symmetric(s *gridstride.Stream, w onepass.Work, right bool, t Matrix[T], alpha T, b operand.Matrix[T], beta T, c operand.Matrix[T]) error {
	k, from, of := work[T]{p, s, w}, other[T]{b, right}, other[T]{c, right}
	n, cols := from.size()
	at := shape(t, from)
	at.RowC, at.ColC = of.steps()
	blocks := grid(cols)
	blocks.GridDim.Y = (n-1)/Base + 1
	if err := p.diagonal.Launch(s, blocks, t.Data.Data, b.Data, c.Data, at, alpha, beta); err != nil {
		return err
	}
	return k.blocks(t, alpha, from, of)
}

// blocks adds the products with the blocks off the diagonal of a symmetric matrix, which kernel
// diagonal leaves out. It cuts the matrix where that kernel does.
func (k work[T]) blocks(t Matrix[T], alpha T, b, c other[T]) error {
	n := t.rows()
	if n <= Base {
		return nil
	}
	i := (n/2 + Base - 1) / Base * Base
	b1, b2, c1, c2 := b.part(0, i), b.part(i, n), c.part(0, i), c.part(i, n)
	// The stored block is the rows of the second part if the triangle is a lower one.
	one, two := t.Lower != b.right, t.Lower == b.right
	for _, err := range []error{
		k.gemm(one, alpha, t.beside(i), b2, 1, c1), k.gemm(two, alpha, t.beside(i), b1, 1, c2),
		k.blocks(t.part(0, i), alpha, b1, c1), k.blocks(t.part(i, n), alpha, b2, c2),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// lines is where a kernel finds a matrix and vectors.
func lines[T operand.Float](t Matrix[T], kind Kind, x, y operand.Vector[T]) Lines {
	return Lines{Shape: shape(t, other[T]{}), Kind: kind, X: x.First(), IncX: x.Inc, Y: y.First(), IncY: y.Inc}
}

// rowsGrid has one block for each tileRows rows.
func rowsGrid(n int) gridstride.Config { return gridstride.Grid((n-1)/tileRows + 1) }

// SymmetricVector queues y = alpha*A*x + beta*y with a symmetric matrix A.
func (p *Plan[T]) SymmetricVector(s *gridstride.Stream, t Matrix[T], alpha T, x operand.Vector[T], beta T, y operand.Vector[T]) error {
	return p.vector.Launch(s, rowsGrid(t.rows()), t.Data.Data, x.Data, y.Data, lines(t, Symmetric, x, y), alpha, beta)
}

// MultiplyVector queues x = A*x with a triangle A. The result is in working memory before it is
// copied to x.
func (p *Plan[T]) MultiplyVector(s *gridstride.Stream, w onepass.Work, t Matrix[T], x operand.Vector[T]) error {
	data, err := onepass.Partial[T](w, x.N)
	if err != nil {
		return fmt.Errorf("BUG: a vector of %d elements is longer than the working memory: %w", x.N, err)
	}
	y := operand.Vector[T]{Data: data, N: x.N, Inc: 1}
	if err := p.vector.Launch(s, rowsGrid(t.rows()), t.Data.Data, x.Data, y.Data, lines(t, Triangular, x, y), 1, 0); err != nil {
		return err
	}
	return p.level1.Copy(s, y, x)
}

// SolveVector queues x = inverse(A)*x with a triangle A.
func (p *Plan[T]) SolveVector(s *gridstride.Stream, w onepass.Work, t Matrix[T], x operand.Vector[T]) error {
	n := t.rows()
	if n <= Base {
		return p.solveOne.Launch(s, gridstride.Grid(1), t.Data.Data, x.Data, lines(t, Triangular, x, x))
	}
	i := half(n)
	first, second, x1, x2 := t.part(0, i), t.part(i, n), elements(x, 0, i), elements(x, i, n)
	if !t.isLower() { // the first part needs the second one's result
		first, second, x1, x2 = second, first, x2, x1
	}
	if err := p.SolveVector(s, w, first, x1); err != nil {
		return err
	}
	if err := p.level2.Gemv(s, w, t.Trans, -1, t.beside(i), x1, 1, x2); err != nil {
		return err
	}
	return p.SolveVector(s, w, second, x2)
}

// elements is the part of a vector with the elements from i up to j.
func elements[T operand.Float](x operand.Vector[T], i, j int) operand.Vector[T] {
	first, last := i*x.Inc, (j-1)*x.Inc
	if x.Inc < 0 { // the last element is the first in memory
		first, last = (j-x.N)*x.Inc, (i-x.N+1)*x.Inc
	}
	return operand.Vector[T]{Data: x.Data.Slice(first, last+1), N: j - i, Inc: x.Inc}
}
