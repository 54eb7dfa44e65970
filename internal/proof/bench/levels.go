package bench

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/proof/cublas"
	"github.com/gridstride/gridstride/internal/proof/openblas"
)

// operation is a function of package blas on matrices of n by n, on the processor and, where
// package gpublas has it, on a device.
type operation[T float] struct {
	name  string
	share float64 // of the benchmark's work; 0 is all
	host  func(o *operands[T])
	// openblas is the same, and device and cublas are nil if there is none.
	openblas func(l *openblas.Library, o *operands[T])
	device   func(h *gpublas.Handle, o *deviceOperands[T]) error
	cublas   func(h *cublas.Handle, o *deviceOperands[T]) error
	// results is how many elements the result has. Of each, terms gives two vectors whose dot
	// product it is. Where the operation solves, that is the element of the right-hand side.
	results func(o *operands[T]) int
	terms   func(o *operands[T], at int) (x, y []T)
	solves  bool
	// upper: only the upper triangle of the result is computed.
	upper bool
}

// operands are the matrices of an operation, on the host: a, and a triangle whose inverse is not
// large; b, which are two vectors for level 2; and the result. runs is how often it has been
// computed.
type operands[T float] struct {
	n         int
	a, t, b   []T
	out       []T
	runs      int
	batchSize int // of the matrices of a batch
}

// deviceOperands are the same on a device, without the triangle.
type deviceOperands[T float] struct {
	*operands[T]
	a, b, out gridstride.Buffer[T]
}

// batch is how many products of matrices with a sixteenth of the rows a batch has.
const batch = 100

func (o *operands[T]) square(data []T) blas.Matrix[T] {
	return blas.MatrixOf(o.n, o.n, data[:o.n*o.n])
}

// x and y are the vectors of level 2.
func (o *operands[T]) x() []T { return o.b[:o.n] }
func (o *operands[T]) y() []T { return o.b[o.n : 2*o.n] }

// start copies the right-hand side to the result, for what works in place.
func (o *operands[T]) start(n int) []T {
	copy(o.out[:n], o.b)
	return o.out[:n]
}

func (o *deviceOperands[T]) square(data gridstride.Buffer[T]) gpublas.Matrix[T] {
	return gpublas.MatrixOf(o.n, o.n, data.Slice(0, o.n*o.n))
}

func (o *deviceOperands[T]) vector(data gridstride.Buffer[T], from int) gpublas.Vector[T] {
	return gpublas.VectorOf(data.Slice(from, from+o.n))
}

// matrixRow is row i of a square matrix, and matrixColumn its column j.
func matrixRow[T float](n int, m []T, i int) []T { return m[i*n:][:n] }

func matrixColumn[T float](n int, m []T, j int) []T {
	c := make([]T, n)
	for i := range c {
		c[i] = m[i*n+j]
	}
	return c
}

// upperRow is row i of a triangle, and symmetricRow of the symmetric matrix that it stands for.
func upperRow[T float](n int, m []T, i int) []T {
	r := make([]T, n)
	copy(r[i:], m[i*n+i:][:n-i])
	return r
}

func symmetricRow[T float](n int, m []T, i int) []T {
	r := matrixColumn(n, m, i)
	copy(r[i:], m[i*n+i:][:n-i])
	return r
}

// operationsOf returns the operations of a benchmark, "level2" or "level3".
func operationsOf[T float](what string) []operation[T] {
	if what == "level2" {
		return level2[T]()
	}
	return level3[T]()
}

func vectorLength[T float](o *operands[T]) int { return o.n }
func squareSize[T float](o *operands[T]) int   { return o.n * o.n }

func level2[T float]() []operation[T] {
	return []operation[T]{
		gemv[T]("gemv", false), gemv[T]("gemvt", true), ger[T](),
		{name: "symv", share: 0.5, results: vectorLength[T],
			host: func(o *operands[T]) { blas.Symv(blas.Upper, 1, o.square(o.a), o.x(), 0, o.out[:o.n]) },
			openblas: func(l *openblas.Library, o *operands[T]) {
				openblas.Symv(l, false, o.n, 1, o.a, o.n, o.x(), 0, o.out)
			},
			terms: func(o *operands[T], i int) (x, y []T) { return symmetricRow(o.n, o.a, i), o.x() }},
		{name: "trmv", share: 0.5, results: vectorLength[T],
			host: func(o *operands[T]) {
				blas.Trmv(blas.Upper, blas.NoTrans, blas.NonUnit, o.square(o.a), o.start(o.n))
			},
			openblas: func(l *openblas.Library, o *operands[T]) {
				openblas.Trmv(l, false, false, false, o.n, o.a, o.n, o.start(o.n))
			},
			terms: func(o *operands[T], i int) (x, y []T) { return upperRow(o.n, o.a, i), o.x() }},
		{name: "trsv", share: 0.5, results: vectorLength[T], solves: true,
			host: func(o *operands[T]) {
				blas.Trsv(blas.Upper, blas.NoTrans, blas.NonUnit, o.square(o.t), o.start(o.n))
			},
			openblas: func(l *openblas.Library, o *operands[T]) {
				openblas.Trsv(l, false, false, false, o.n, o.t, o.n, o.start(o.n))
			},
			terms: func(o *operands[T], i int) (x, y []T) { return upperRow(o.n, o.t, i), o.out[:o.n] }},
	}
}

func gemv[T float](name string, trans bool) operation[T] {
	return operation[T]{name: name, results: vectorLength[T],
		host: func(o *operands[T]) { blas.Gemv(blas.Transpose(trans), 1, o.square(o.a), o.x(), 0, o.out[:o.n]) },
		openblas: func(l *openblas.Library, o *operands[T]) {
			openblas.Gemv(l, trans, o.n, o.n, 1, o.a, o.n, o.x(), 1, 0, o.out, 1)
		},
		device: func(h *gpublas.Handle, o *deviceOperands[T]) error {
			return gpublas.Gemv(h, gpublas.Transpose(trans), 1, o.square(o.a), o.vector(o.b, 0), 0, o.vector(o.out, 0))
		},
		cublas: func(h *cublas.Handle, o *deviceOperands[T]) error {
			return cublas.Gemv(h, trans, o.n, o.n, o.a, o.b, o.out)
		},
		terms: func(o *operands[T], i int) (x, y []T) {
			if trans {
				return matrixColumn(o.n, o.a, i), o.x()
			}
			return matrixRow(o.n, o.a, i), o.x()
		}}
}

// ger adds to the result, run after run.
func ger[T float]() operation[T] {
	return operation[T]{name: "ger", share: 2, results: squareSize[T],
		host: func(o *operands[T]) { blas.Ger(1, o.x(), o.y(), o.square(o.out)) },
		openblas: func(l *openblas.Library, o *operands[T]) {
			openblas.Ger(l, o.n, o.n, 1, o.x(), o.y(), o.out, o.n)
		},
		device: func(h *gpublas.Handle, o *deviceOperands[T]) error {
			return gpublas.Ger(h, 1, o.vector(o.b, 0), o.vector(o.b, o.n), o.square(o.out))
		},
		cublas: func(h *cublas.Handle, o *deviceOperands[T]) error {
			return cublas.Ger(h, o.n, o.n, o.b, o.b.Slice(o.n, 2*o.n), o.out)
		},
		terms: func(o *operands[T], at int) (x, y []T) {
			for range o.runs {
				x, y = append(x, o.x()[at/o.n]), append(y, o.y()[at%o.n])
			}
			return x, y
		}}
}

func level3[T float]() []operation[T] {
	return []operation[T]{
		gemm[T](), gemmBatched[T](), syrk[T](),
		{name: "symm", results: squareSize[T],
			host: func(o *operands[T]) {
				blas.Symm(blas.Left, blas.Upper, 1, o.square(o.a), o.square(o.b), 0, o.square(o.out))
			},
			openblas: func(l *openblas.Library, o *operands[T]) {
				openblas.Symm(l, false, false, o.n, o.n, 1, o.a, o.n, o.b, o.n, 0, o.out, o.n)
			},
			terms: func(o *operands[T], at int) (x, y []T) {
				return symmetricRow(o.n, o.a, at/o.n), matrixColumn(o.n, o.b, at%o.n)
			}},
		{name: "trmm", share: 0.5, results: squareSize[T],
			host: func(o *operands[T]) {
				blas.Trmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, 1, o.square(o.a), o.square(o.start(o.n*o.n)))
			},
			openblas: func(l *openblas.Library, o *operands[T]) {
				openblas.Trmm(l, false, false, false, false, o.n, o.n, 1, o.a, o.n, o.start(o.n*o.n), o.n)
			},
			terms: func(o *operands[T], at int) (x, y []T) {
				return upperRow(o.n, o.a, at/o.n), matrixColumn(o.n, o.b, at%o.n)
			}},
		{name: "trsm", share: 0.5, results: squareSize[T], solves: true,
			host: func(o *operands[T]) {
				blas.Trsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, 1, o.square(o.t), o.square(o.start(o.n*o.n)))
			},
			openblas: func(l *openblas.Library, o *operands[T]) {
				openblas.Trsm(l, false, false, false, false, o.n, o.n, 1, o.t, o.n, o.start(o.n*o.n), o.n)
			},
			terms: func(o *operands[T], at int) (x, y []T) {
				return upperRow(o.n, o.t, at/o.n), matrixColumn(o.n, o.out, at%o.n)
			}},
	}
}

func gemm[T float]() operation[T] {
	return operation[T]{name: "gemm", results: squareSize[T],
		host: func(o *operands[T]) {
			blas.Gemm(blas.NoTrans, blas.NoTrans, 1, o.square(o.a), o.square(o.b), 0, o.square(o.out))
		},
		openblas: func(l *openblas.Library, o *operands[T]) {
			openblas.Gemm(l, false, false, o.n, o.n, o.n, 1, o.a, o.n, o.b, o.n, 0, o.out, o.n)
		},
		device: func(h *gpublas.Handle, o *deviceOperands[T]) error {
			return gpublas.Gemm(h, gpublas.NoTrans, gpublas.NoTrans, 1, o.square(o.a), o.square(o.b), 0, o.square(o.out))
		},
		cublas: func(h *cublas.Handle, o *deviceOperands[T]) error {
			size := o.n * o.n
			return cublas.Gemm(h, o.n, o.n, o.n, o.a.Slice(0, size), o.b.Slice(0, size), o.out.Slice(0, size))
		},
		terms: func(o *operands[T], at int) (x, y []T) {
			return matrixRow(o.n, o.a, at/o.n), matrixColumn(o.n, o.b, at%o.n)
		}}
}

func gemmBatched[T float]() operation[T] {
	return operation[T]{name: "gemmbatched", share: float64(batch) / (16 * 16 * 16),
		results: func(o *operands[T]) int { return batch * o.batchSize * o.batchSize },
		host: func(o *operands[T]) {
			m := o.batchSize
			matrix := func(data []T) blas.Matrix[T] {
				return blas.Matrix[T]{Rows: m, Cols: m, Stride: m, Data: data}
			}
			blas.GemmStridedBatched(blas.NoTrans, blas.NoTrans, 1, matrix(o.a), m*m, matrix(o.b), m*m, 0, matrix(o.out), m*m, batch)
		},
		openblas: func(l *openblas.Library, o *operands[T]) { // which has no batches
			m := o.batchSize
			for at := 0; at < batch*m*m; at += m * m {
				openblas.Gemm(l, false, false, m, m, m, 1, o.a[at:], m, o.b[at:], m, 0, o.out[at:], m)
			}
		},
		device: func(h *gpublas.Handle, o *deviceOperands[T]) error {
			m := o.batchSize
			matrix := func(data gridstride.Buffer[T]) gpublas.Matrix[T] { return gpublas.MatrixOf(m, m, data) }
			return gpublas.GemmStridedBatched(h, gpublas.NoTrans, gpublas.NoTrans, 1, matrix(o.a), m*m, matrix(o.b), m*m, 0, matrix(o.out), m*m, batch)
		},
		cublas: func(h *cublas.Handle, o *deviceOperands[T]) error {
			return cublas.GemmStridedBatched(h, o.batchSize, batch, o.a, o.b, o.out)
		},
		terms: func(o *operands[T], at int) (x, y []T) {
			m := o.batchSize
			of, at := at/(m*m)*m*m, at%(m*m)
			return matrixRow(m, o.a[of:], at/m), matrixColumn(m, o.b[of:], at%m)
		}}
}

func syrk[T float]() operation[T] {
	return operation[T]{name: "syrk", share: 0.5, results: squareSize[T], upper: true,
		host: func(o *operands[T]) { blas.Syrk(blas.Upper, blas.NoTrans, 1, o.square(o.a), 0, o.square(o.out)) },
		openblas: func(l *openblas.Library, o *operands[T]) {
			openblas.Syrk(l, false, false, o.n, o.n, 1, o.a, o.n, 0, o.out, o.n)
		},
		device: func(h *gpublas.Handle, o *deviceOperands[T]) error {
			return gpublas.Syrk(h, gpublas.Upper, gpublas.NoTrans, 1, o.square(o.a), 0, o.square(o.out))
		},
		cublas: func(h *cublas.Handle, o *deviceOperands[T]) error { return cublas.Syrk(h, o.n, o.n, o.a, o.out) },
		terms: func(o *operands[T], at int) (x, y []T) {
			return matrixRow(o.n, o.a, at/o.n), matrixRow(o.n, o.a, at%o.n)
		}}
}
