package blas

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// The matrix product follows Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (TOMS 2008), and BLIS, with the roles of A and B exchanged, since rows are
// contiguous here: a panel of some rows of A stays in the first cache, a block of B in the second
// one, and a tile of C in registers.
//
// An element of C is the sum over k in blocks whose lengths depend on k alone, each block added in
// order with fused multiplications. Its bits therefore do not depend on the instruction set, on
// how a matrix is packed or cut, or on the number of goroutines.

const (
	maxRows   = 4032 // rows of A packed at once
	maxCols   = 4032 // columns of B packed at once
	rowBlock  = 84   // rows of a task: a multiple of all tiles' heights
	packGroup = 8    // panels packed by a task
	padding   = 16   // elements after a packed panel that the transposition may overwrite
)

// depth is how many columns of A and rows of B are multiplied before C is written.
func depth[T Float]() int {
	if kernel.Single[T]() {
		return 512
	}
	return 256
}

// colBlock is how many columns of packed B a task multiplies. They fit into the second cache.
func colBlock[T Float]() int {
	if kernel.Single[T]() {
		return 384
	}
	return 288
}

// operand is a matrix whose element (i, j) is data[i*row + j*col]. One of row and col is 1.
type operand[T Float] struct {
	data     []T
	row, col int
}

// transposed is the operand with rows and columns exchanged.
func (o operand[T]) transposed() operand[T] { return operand[T]{o.data, o.col, o.row} }

// product is C = alpha*A*B + beta*C, with A of m rows and k columns. No dimension is 0.
type product[T Float] struct {
	m, n, k     int
	alpha, beta T
	a, b        operand[T]
	c           []T
	cRow        int

	rows, cols int // of a tile
}

// blocks are the lengths of the blocks of k: how many there are, and how long all but the last are.
func blocks[T Float](k int) (count, length int) {
	if k <= depth[T]() {
		return 1, k
	}
	count = (k + depth[T]() - 1) / depth[T]()
	return count, (k + count - 1) / count
}

// slab is a part of the product between two meetings of the team: the rows [i0, i0+m), the columns
// [j0, j0+n) and the block [k0, k0+k) of k, with its operands packed. Each of the team has its own.
type slab[T Float] struct {
	*product[T]
	i0, j0, k0 int
	m, n, k    int
	beta       T
	packA      []T
	packB      []T
	colBlock   int
	packRows   bool // A is not packed yet
}

// run computes the product from packed copies of the operands, by several goroutines if it is large
// enough.
func (p *product[T]) run() {
	sizes := kernel.TileSizes[T]()
	p.rows, p.cols = sizes.Rows, sizes.Cols
	workers := cores.Claim(p.m * p.n * p.k)
	defer cores.Release(workers)
	_, length := blocks[T](p.k)
	aBuf := getBuffer[T](panels(min(p.m, maxRows), p.rows) * panelSize(p.rows, length))
	bBuf := getBuffer[T](panels(min(p.n, maxCols), p.cols) * panelSize(p.cols, length))
	defer putBuffer(aBuf)
	defer putBuffer(bBuf)
	cores.Together(workers, func(t *cores.Team) {
		s := &slab[T]{product: p, packA: aBuf.data, packB: bBuf.data, colBlock: colBlock[T]()}
		if workers > 1 { // enough tasks for all
			s.colBlock = min(s.colBlock, max(p.cols, (min(p.n, maxCols)/workers+p.cols-1)/p.cols*p.cols))
		}
		s.all(t)
	})
}

// all goes through the slabs of a product, as one of a team.
func (s *slab[T]) all(t *cores.Team) {
	p := s.product
	count, length := blocks[T](p.k)
	for s.i0 = 0; s.i0 < p.m; s.i0 += maxRows {
		s.m = min(maxRows, p.m-s.i0)
		for block := range count {
			s.k0 = block * length
			s.k = min(length, p.k-s.k0)
			s.packRows = true
			s.beta = p.beta
			if block > 0 {
				s.beta = 1
			}
			for s.j0 = 0; s.j0 < p.n; s.j0 += maxCols {
				s.n = min(maxCols, p.n-s.j0)
				s.run(t)
				s.packRows = false
			}
		}
	}
}

// run packs and multiplies.
func (s *slab[T]) run(t *cores.Team) {
	aTasks, bTasks := panels(s.m, packGroup*s.rows), panels(s.n, packGroup*s.cols)
	if !s.packRows {
		aTasks = 0
	}
	t.Share(aTasks+bTasks, func(task int) {
		if task < bTasks {
			s.pack(s.packB, task, s.cols, s.product.b.transposed(), s.j0, s.n)
		} else {
			s.pack(s.packA, task-bTasks, s.rows, s.product.a, s.i0, s.m)
		}
	})
	rowTasks := panels(s.m, rowBlock)
	t.Share(rowTasks*panels(s.n, s.colBlock), func(task int) {
		s.multiply(task%rowTasks*rowBlock, task/rowTasks*s.colBlock)
	})
}

// panels is how many panels of a width there are in n rows or columns.
func panels(n, width int) int { return (n + width - 1) / width }

// panelSize is the number of elements of a packed panel, given its number of columns.
func panelSize(width, k int) int { return width*k + padding }

// pack copies a group of panels, each of some rows of an operand, so that the elements of a column
// are adjacent.
func (s *slab[T]) pack(dst []T, group, width int, src operand[T], first, n int) {
	size := panelSize(width, s.k)
	i, end := group*packGroup*width, min((group+1)*packGroup*width, n)
	if src.row == 1 { // all panels at once, as their elements are adjacent
		for k := range s.k {
			from := src.data[(s.k0+k)*src.col+first:]
			for i := i; i < end; i += width {
				copy(dst[i/width*size+k*width:][:width], from[i:end])
			}
		}
		return
	}
	for ; i < end; i += width {
		panel := dst[i/width*size:][:size]
		kernel.Transpose(panel, width, src.data[(first+i)*src.row+s.k0:], src.row, min(width, end-i), s.k)
	}
}

// multiply computes the block of C that begins at row i and column j of the slab.
func (s *slab[T]) multiply(i, j int) {
	size := int(unsafe.Sizeof(s.alpha))
	t := asm.Tile[T]{
		K: s.k, ARow: size, AK: s.rows * size, BK: s.cols * size, CRow: s.cRow * size,
		Alpha: s.alpha, Beta: s.beta,
	}
	aSize, bSize := panelSize(s.rows, s.k), panelSize(s.cols, s.k)
	iEnd, jEnd := min(i+rowBlock, s.m), min(j+s.colBlock, s.n)
	for ; i < iEnd; i += s.rows {
		rows := min(s.rows, iEnd-i)
		t.A = &s.packA[i/s.rows*aSize]
		c := s.c[(s.i0+i)*s.cRow+s.j0:]
		next := s.packA[min(i/s.rows+1, panels(s.m, s.rows)-1)*aSize:][:aSize]
		for j := j; j < jEnd; j += s.cols {
			t.Next = &next[0]
			next = next[min(len(next)-1, 16*s.k/size):]
			t.B = &s.packB[j/s.cols*bSize]
			t.C = &c[j]
			kernel.RunTile(&t, rows, min(s.cols, jEnd-j))
		}
	}
}
