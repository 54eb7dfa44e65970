package blas_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
)

// guardCalls is how many calls TestGuardPages makes of each element type.
var guardCalls = flag.Int("guardcalls", 6000, "calls that TestGuardPages makes of each element type")

// guarded is memory between two pages that nobody may read or write.
type guarded []byte

func newGuarded(t *testing.T) guarded {
	t.Helper()
	page, size := os.Getpagesize(), 1<<16
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return guarded(all[page : page+size])
}

// place is n elements at one end of the memory.
func place[T blas.Float](g guarded, n int, atEnd bool) []T {
	all := unsafe.Slice((*T)(unsafe.Pointer(&g[0])), len(g)/int(unsafe.Sizeof(T(0))))
	if atEnd {
		all = all[len(all)-n:]
	}
	return all[:n:n]
}

// scene is the arguments of one call: three matrices and two vectors. Some of them are wrong.
type scene[T blas.Float] struct {
	r          *rand.Rand
	memory     []guarded
	m          [3]blas.Matrix[T]
	v          [2]vector[T]
	trans      [2]blas.Transpose
	side       blas.Side
	uplo       blas.Uplo
	diag       blas.Diag
	alpha      T
	beta       T
	got        []T // the call's result
	want       []float64
	matsBefore [3][]T
	vecsBefore [2][]T
}

// vector is n elements of data that are inc apart.
type vector[T blas.Float] struct {
	data   []T
	n, inc int
}

// index is the place of element i.
func (v *vector[T]) index(i int) int {
	if v.inc < 0 {
		return (v.n - 1 - i) * -v.inc
	}
	return i * v.inc
}

// ok reports whether the elements are in the data, in another way than package extent does.
func (v *vector[T]) ok() bool {
	switch {
	case v.n < 0 || v.inc == 0:
		return false
	case v.n < 2 || v.inc == math.MinInt:
		return v.n == 0 || v.n == 1 && len(v.data) > 0
	}
	return max(v.inc, -v.inc) <= (len(v.data)-1)/(v.n-1)
}

// matrixOK is vector.ok for a matrix.
func matrixOK[T blas.Float](m *blas.Matrix[T]) bool {
	switch {
	case m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols || m.Stride < 1:
		return false
	case m.Rows == 0 || m.Cols == 0:
		return true
	case len(m.Data) < m.Cols:
		return false
	}
	return m.Rows-1 <= (len(m.Data)-m.Cols)/m.Stride
}

func (s *scene[T]) fill(data []T) {
	for i := range data {
		data[i] = T(s.r.Float64()*2 - 1)
	}
}

// matrix makes matrix i of rows and columns, with or without room between its rows.
func (s *scene[T]) matrix(i, rows, cols int) {
	stride := max(cols, 1) + s.r.IntN(2)*s.r.IntN(5)
	size := 0
	if rows > 0 && cols > 0 {
		size = (rows-1)*stride + cols
	}
	s.m[i] = blas.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: place[T](s.memory[i], size, s.r.IntN(2) == 0)}
	s.fill(s.m[i].Data)
	for j := range s.m[i].Data { // so that a triangle can be solved
		s.m[i].Data[j] /= 16
	}
	for d := range min(rows, cols) {
		s.m[i].Data[d*stride+d] += 1
	}
}

// vector makes vector i of n elements.
func (s *scene[T]) vector(i, n, inc int) {
	size := 0
	if n > 0 {
		size = (n-1)*max(inc, -inc) + 1
	}
	s.v[i] = vector[T]{place[T](s.memory[3+i], size, s.r.IntN(2) == 0), n, inc}
	s.fill(s.v[i].data)
}

// hostile are numbers at which sizes overflow.
var hostile = []int{math.MinInt, math.MinInt + 1, -1 << 32, -2, -1, 0, 1, 2, 3, 1 << 31, 1 << 32, 1<<32 + 1, 1<<61 + 1, 1 << 62, 1<<62 + 100,
	math.MaxInt - 1, math.MaxInt}

// sabotage makes one number wrong, or memory too short.
func (s *scene[T]) sabotage(mats, vecs int, incs bool) {
	bad := hostile[s.r.IntN(len(hostile))]
	which := s.r.IntN(mats + vecs)
	if which < mats {
		m := &s.m[which]
		switch s.r.IntN(4) {
		case 0:
			m.Rows = bad
		case 1:
			m.Cols = bad
		case 2:
			m.Stride = bad
		default:
			m.Data = m.Data[: len(m.Data)/2 : len(m.Data)/2]
		}
		return
	}
	v := &s.v[which-mats]
	if !incs || s.r.IntN(2) == 0 {
		v.data = v.data[: len(v.data)/2 : len(v.data)/2]
		if !incs {
			v.n = len(v.data)
		}
		return
	}
	v.inc = bad
}

func (s *scene[T]) shape(i int) (rows, cols int) {
	if i < 2 && s.trans[i] {
		return s.m[i].Cols, s.m[i].Rows
	}
	return s.m[i].Rows, s.m[i].Cols
}

// dense is a matrix in float64, transposed where asked.
func dense[T blas.Float](m blas.Matrix[T], t blas.Transpose) [][]float64 {
	rows, cols := m.Rows, m.Cols
	if t {
		rows, cols = cols, rows
	}
	if rows == 0 || cols == 0 {
		rows = 0
	}
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
		for j := range out[i] {
			if t {
				out[i][j] = float64(m.Data[j*m.Stride+i])
			} else {
				out[i][j] = float64(m.Data[i*m.Stride+j])
			}
		}
	}
	return out
}

func (s *scene[T]) elements(i int) []float64 {
	v := &s.v[i]
	out := make([]float64, v.n)
	for j := range out {
		out[j] = float64(v.data[v.index(j)])
	}
	return out
}

// triangle is a matrix that is defined by one triangle: mirrored, or with zeros on the other side.
func (s *scene[T]) triangle(a [][]float64, mirrored bool) [][]float64 {
	for i := range a {
		for j := range a[i] {
			switch stored := i == j || (j > i) == (s.uplo == blas.Upper); {
			case !stored && mirrored:
				continue // the next loop mirrors it
			case !stored:
				a[i][j] = 0
			case i == j && s.diag == blas.Unit && !mirrored:
				a[i][j] = 1
			}
		}
	}
	for i := range a {
		for j := range a[i] {
			if mirrored && i != j && (j > i) != (s.uplo == blas.Upper) {
				a[i][j] = a[j][i]
			}
		}
	}
	return a
}

func transposed(a [][]float64, t blas.Transpose) [][]float64 {
	if !t {
		return a
	}
	out := make([][]float64, len(a))
	for i := range out {
		out[i] = make([]float64, len(a))
		for j := range a {
			out[i][j] = a[j][i]
		}
	}
	return out
}

func product(a, b [][]float64, alpha float64) func(i, j int) float64 {
	return func(i, j int) (sum float64) {
		if len(a) == 0 || len(b) == 0 {
			return 0
		}
		for k, v := range a[i] {
			sum += v * b[k][j]
		}
		return alpha * sum
	}
}

// column is a vector as a matrix.
func column(x []float64) [][]float64 {
	out := make([][]float64, len(x))
	for i, v := range x {
		out[i] = []float64{v}
	}
	return out
}

// expect notes what becomes of matrix i, or of its triangle.
func (s *scene[T]) expect(i int, triangle bool, value func(i, j int) float64) {
	m := s.m[i]
	if m.Rows == 0 || m.Cols == 0 {
		return
	}
	for r := range m.Rows {
		for c := range m.Cols {
			if !triangle || r == c || (c > r) == (s.uplo == blas.Upper) {
				s.matsBefore[i][r*m.Stride+c] = T(value(r, c))
			}
		}
	}
}

// expectVector notes what becomes of vector i.
func (s *scene[T]) expectVector(i int, value func(j int) float64) {
	for j := range s.v[i].n {
		s.vecsBefore[i][s.v[i].index(j)] = T(value(j))
	}
}

// routine is a function with its arguments: how many matrices and vectors it takes, their sizes,
// whether they fit each other, and the expected result.
type routine[T blas.Float] struct {
	name       string
	mats, vecs int
	incs       bool
	make       func(s *scene[T], m, n, k int) // the matrices, and the lengths of the vectors
	fits       func(s *scene[T]) bool
	expect     func(s *scene[T])
	call       func(s *scene[T])
}

func square[T blas.Float](m blas.Matrix[T]) bool { return m.Rows == m.Cols }

// sumOf is the sum of f over the elements of x.
func sumOf(x []float64, f func(i int) float64) (sum float64) {
	for i := range x {
		sum += f(i)
	}
	return sum
}

// vectorRoutine is a routine of vectors alone.
func vectorRoutine[T blas.Float](name string, vecs int, incs bool, call func(s *scene[T]), expect func(s *scene[T], x, y []float64)) routine[T] {
	return routine[T]{name: name, vecs: vecs, incs: incs, call: call,
		make: func(s *scene[T], m, _, _ int) { s.v[0].n, s.v[1].n = m, m },
		fits: func(s *scene[T]) bool { return vecs < 2 || s.v[0].n == s.v[1].n },
		expect: func(s *scene[T]) {
			var y []float64
			if vecs > 1 {
				y = s.elements(1)
			}
			expect(s, s.elements(0), y)
		}}
}

// vectorRoutines are the routines on vectors alone.
func vectorRoutines[T blas.Float]() []routine[T] {
	x := func(s *scene[T]) []T { return s.v[0].data }
	y := func(s *scene[T]) []T { return s.v[1].data }
	dot := func(x, y []float64) float64 { return sumOf(x, func(i int) float64 { return x[i] * y[i] }) }
	asum := func(x []float64) float64 { return sumOf(x, func(i int) float64 { return math.Abs(x[i]) }) }
	apart := func(x, y []float64) float64 {
		return sumOf(x, func(i int) float64 { return (x[i] - y[i]) * (x[i] - y[i]) })
	}
	far := func(x, y []float64) float64 { return sumOf(x, func(i int) float64 { return math.Abs(x[i] - y[i]) }) }
	one := func(name string, f func(x []T) T, want func(x []float64) float64) routine[T] {
		return vectorRoutine(name, 1, false, func(s *scene[T]) { s.got = []T{f(x(s))} },
			func(s *scene[T], x, _ []float64) { s.want = []float64{want(x)} })
	}
	two := func(name string, f func(x, y []T) T, want func(x, y []float64) float64) routine[T] {
		return vectorRoutine(name, 2, false, func(s *scene[T]) { s.got = []T{f(x(s), y(s))} },
			func(s *scene[T], x, y []float64) { s.want = []float64{want(x, y)} })
	}
	mean := func(f func(x, y []float64) float64) func(x, y []float64) float64 {
		return func(x, y []float64) float64 { return f(x, y) / float64(len(x)) }
	}
	cosine := func(x, y []float64) float64 {
		if len(x) == 0 {
			return 0
		}
		return dot(x, y) / math.Sqrt(dot(x, x)*dot(y, y))
	}
	axpy := func(s *scene[T], x, y []float64) {
		s.expectVector(1, func(i int) float64 { return y[i] + float64(s.alpha)*x[i] })
	}
	scal := func(s *scene[T], x, _ []float64) {
		s.expectVector(0, func(i int) float64 { return float64(s.alpha) * x[i] })
	}
	copied := func(s *scene[T], x, _ []float64) { s.expectVector(1, func(i int) float64 { return x[i] }) }
	swapped := func(s *scene[T], x, y []float64) {
		s.expectVector(0, func(i int) float64 { return y[i] })
		s.expectVector(1, func(i int) float64 { return x[i] })
	}
	turned := func(s *scene[T], x, y []float64) {
		c, n := float64(s.alpha), float64(s.beta)
		s.expectVector(0, func(i int) float64 { return c*x[i] + n*y[i] })
		s.expectVector(1, func(i int) float64 { return c*y[i] - n*x[i] })
	}
	inc := func(name string, vecs int, call func(s *scene[T], n int, x []T, incX int, y []T, incY int), want func(s *scene[T], x, y []float64)) routine[T] {
		return vectorRoutine(name, vecs, true, func(s *scene[T]) {
			call(s, s.v[0].n, s.v[0].data, s.v[0].inc, s.v[1].data, s.v[1].inc)
		}, want)
	}
	gives := func(f func(x, y []float64) float64) func(s *scene[T], x, y []float64) {
		return func(s *scene[T], x, y []float64) { s.want = []float64{f(x, y)} }
	}
	first := func(f func(x []float64) float64) func(x, y []float64) float64 {
		return func(x, _ []float64) float64 { return f(x) }
	}
	norm := func(x []float64) float64 { return math.Sqrt(dot(x, x)) }
	sum := func(x []float64) float64 { return sumOf(x, func(i int) float64 { return x[i] }) }
	largest := func(key func(v float64) float64) func(x []float64) float64 {
		return func(x []float64) float64 {
			at := -1
			for i, v := range x {
				if at < 0 || key(v) > key(x[at]) {
					at = i
				}
			}
			return float64(at)
		}
	}
	same, negative := func(v float64) float64 { return v }, func(v float64) float64 { return -v }
	index := func(f func(x []T) int) func(x []T) T { return func(x []T) T { return T(f(x)) } }
	return []routine[T]{
		two("Dot", blas.Dot[T], dot), two("DotExact", func(x, y []T) T { return T(blas.DotExact(x, y)) }, dot),
		two("DotReproducible", blas.DotReproducible[T], dot),
		one("Sum", blas.Sum[T], sum), one("SumReproducible", blas.SumReproducible[T], sum),
		one("SumSquares", blas.SumSquares[T], func(x []float64) float64 { return dot(x, x) }),
		one("Asum", blas.Asum[T], asum), one("AsumReproducible", blas.AsumReproducible[T], asum),
		one("Nrm2", blas.Nrm2[T], norm), one("Nrm2Reproducible", blas.Nrm2Reproducible[T], norm),
		one("ArgMin", index(blas.ArgMin[T]), largest(negative)), one("ArgMax", index(blas.ArgMax[T]), largest(same)),
		one("Iamax", index(blas.Iamax[T]), largest(math.Abs)),
		vectorRoutine("Axpy", 2, false, func(s *scene[T]) { blas.Axpy(s.alpha, x(s), y(s)) }, axpy),
		vectorRoutine("Scal", 1, false, func(s *scene[T]) { blas.Scal(s.alpha, x(s)) }, scal),
		vectorRoutine("Copy", 2, false, func(s *scene[T]) { blas.Copy(x(s), y(s)) }, copied),
		vectorRoutine("Swap", 2, false, func(s *scene[T]) { blas.Swap(x(s), y(s)) }, swapped),
		vectorRoutine("Rot", 2, false, func(s *scene[T]) { blas.Rot(x(s), y(s), s.alpha, s.beta) }, turned),
		inc("DotInc", 2, func(s *scene[T], n int, x []T, incX int, y []T, incY int) {
			s.got = []T{blas.DotInc(n, x, incX, y, incY)}
		}, gives(dot)),
		inc("AsumInc", 1, func(s *scene[T], n int, x []T, incX int, _ []T, _ int) { s.got = []T{blas.AsumInc(n, x, incX)} }, gives(first(asum))),
		inc("Nrm2Inc", 1, func(s *scene[T], n int, x []T, incX int, _ []T, _ int) { s.got = []T{blas.Nrm2Inc(n, x, incX)} }, gives(first(norm))),
		inc("IamaxInc", 1, func(s *scene[T], n int, x []T, incX int, _ []T, _ int) { s.got = []T{T(blas.IamaxInc(n, x, incX))} }, gives(first(largest(math.Abs)))),
		inc("AxpyInc", 2, func(s *scene[T], n int, x []T, incX int, y []T, incY int) { blas.AxpyInc(n, s.alpha, x, incX, y, incY) }, axpy),
		inc("ScalInc", 1, func(s *scene[T], n int, x []T, incX int, _ []T, _ int) { blas.ScalInc(n, s.alpha, x, incX) }, scal),
		inc("CopyInc", 2, func(s *scene[T], n int, x []T, incX int, y []T, incY int) { blas.CopyInc(n, x, incX, y, incY) }, copied),
		inc("SwapInc", 2, func(s *scene[T], n int, x []T, incX int, y []T, incY int) { blas.SwapInc(n, x, incX, y, incY) }, swapped),
		inc("RotInc", 2, func(s *scene[T], n int, x []T, incX int, y []T, incY int) {
			blas.RotInc(n, x, incX, y, incY, s.alpha, s.beta)
		}, turned),
		two("MSE", metric.MSE[T], mean(apart)), two("MAE", metric.MAE[T], mean(far)),
		two("RMSE", metric.RMSE[T], func(x, y []float64) float64 { return math.Sqrt(mean(apart)(x, y)) }),
		two("SquaredEuclidean", metric.SquaredEuclidean[T], apart), two("Manhattan", metric.Manhattan[T], far),
		two("Euclidean", metric.Euclidean[T], func(x, y []float64) float64 { return math.Sqrt(apart(x, y)) }),
		two("CosineSimilarity", metric.CosineSimilarity[T], cosine),
		two("CosineDistance", metric.CosineDistance[T], func(x, y []float64) float64 { return 1 - cosine(x, y) }),
		two("Chebyshev", metric.Chebyshev[T], func(x, y []float64) (largest float64) {
			for i := range x {
				largest = max(largest, math.Abs(x[i]-y[i]))
			}
			return largest
		}),
		two("Compare", func(x, y []T) T { return metric.Compare(x, y).Manhattan }, far),
		one("SquaredNorm", metric.SquaredNorm[T], func(x []float64) float64 { return dot(x, x) }),
	}
}

// matrixRoutines are the routines on matrices.
func matrixRoutines[T blas.Float]() []routine[T] {
	gemv := func(s *scene[T]) {
		p := product(dense(s.m[0], s.trans[0]), column(s.elements(0)), float64(s.alpha))
		y := s.elements(1)
		full := s.m[0].Rows > 0 && s.m[0].Cols > 0
		s.expectVector(1, func(i int) float64 {
			v := float64(s.beta) * y[i]
			if full {
				v += p(i, 0)
			}
			return v
		})
	}
	gemvFits := func(s *scene[T]) bool {
		rows, cols := s.shape(0)
		return s.v[0].n == cols && s.v[1].n == rows
	}
	gemvMake := func(s *scene[T], m, n, _ int) {
		s.matrix(0, m, n)
		s.v[1].n, s.v[0].n = s.shape(0)
	}
	ger := func(s *scene[T]) {
		a, x, y := dense(s.m[0], false), s.elements(0), s.elements(1)
		s.expect(0, false, func(i, j int) float64 { return a[i][j] + float64(s.alpha)*x[i]*y[j] })
	}
	gerFits := func(s *scene[T]) bool { return s.v[0].n == s.m[0].Rows && s.v[1].n == s.m[0].Cols }
	gerMake := func(s *scene[T], m, n, _ int) { s.matrix(0, m, n); s.v[0].n, s.v[1].n = m, n }
	trmv := func(s *scene[T]) {
		p := product(transposed(s.triangle(dense(s.m[0], false), false), s.trans[0]), column(s.elements(0)), 1)
		s.expectVector(0, func(i int) float64 { return p(i, 0) })
	}
	trmvFits := func(s *scene[T]) bool { return square(s.m[0]) && s.v[0].n == s.m[0].Rows }
	trmvMake := func(s *scene[T], m, _, _ int) { s.matrix(0, m, m); s.v[0].n = m }
	gemm := func(s *scene[T]) {
		p, c := product(dense(s.m[0], s.trans[0]), dense(s.m[1], s.trans[1]), float64(s.alpha)), dense(s.m[2], false)
		s.expect(2, false, func(i, j int) float64 { return p(i, j) + float64(s.beta)*c[i][j] })
	}
	gemmFits := func(s *scene[T]) bool {
		m, k := s.shape(0)
		k2, n := s.shape(1)
		return k == k2 && s.m[2].Rows == m && s.m[2].Cols == n
	}
	gemmMake := func(s *scene[T], m, n, k int) {
		pick := func(t blas.Transpose, rows, cols int) (int, int) {
			if t {
				return cols, rows
			}
			return rows, cols
		}
		rows, cols := pick(s.trans[0], m, k)
		s.matrix(0, rows, cols)
		rows, cols = pick(s.trans[1], k, n)
		s.matrix(1, rows, cols)
		s.matrix(2, m, n)
	}
	sideFits := func(s *scene[T]) bool {
		return square(s.m[0]) && (s.side == blas.Left && s.m[1].Rows == s.m[0].Rows || s.side == blas.Right && s.m[1].Cols == s.m[0].Rows)
	}
	sideMake := func(s *scene[T], m, n, _ int) {
		size := m
		if s.side == blas.Right {
			size = n
		}
		s.matrix(0, size, size)
		s.matrix(1, m, n)
		s.matrix(2, m, n)
	}
	sided := func(s *scene[T], a [][]float64) func(i, j int) float64 {
		if s.side == blas.Left {
			return product(a, dense(s.m[1], false), float64(s.alpha))
		}
		return product(dense(s.m[1], false), a, float64(s.alpha))
	}
	pairs := func(name string, f func(a, b, out blas.Matrix[T]), of func(x, y []float64) float64) routine[T] {
		return routine[T]{name: name, mats: 3, call: func(s *scene[T]) { f(s.m[0], s.m[1], s.m[2]) },
			make: func(s *scene[T], m, n, k int) {
				s.trans = [2]blas.Transpose{}
				s.matrix(0, m, k)
				s.matrix(1, n, k)
				s.matrix(2, m, n)
			},
			fits: func(s *scene[T]) bool {
				return s.m[0].Cols == s.m[1].Cols && s.m[2].Rows == s.m[0].Rows && s.m[2].Cols == s.m[1].Rows
			},
			expect: func(s *scene[T]) {
				a, b := dense(s.m[0], false), dense(s.m[1], false)
				s.expect(2, false, func(i, j int) float64 {
					if len(a) == 0 || len(b) == 0 {
						return of(nil, nil)
					}
					return of(a[i], b[j])
				})
			}}
	}
	dot := func(x, y []float64) float64 { return sumOf(x, func(i int) float64 { return x[i] * y[i] }) }
	apart := func(x, y []float64) float64 {
		return sumOf(x, func(i int) float64 { return (x[i] - y[i]) * (x[i] - y[i]) })
	}
	cosine := func(x, y []float64) float64 {
		if len(x) == 0 {
			return 0
		}
		return dot(x, y) / math.Sqrt(dot(x, x)*dot(y, y))
	}
	symv := func(s *scene[T]) {
		p, y := product(s.triangle(dense(s.m[0], false), true), column(s.elements(0)), float64(s.alpha)), s.elements(1)
		s.expectVector(1, func(i int) float64 { return p(i, 0) + float64(s.beta)*y[i] })
	}
	symvFits := func(s *scene[T]) bool { return trmvFits(s) && s.v[1].n == s.m[0].Rows }
	symvMake := func(s *scene[T], m, _, _ int) { s.matrix(0, m, m); s.v[0].n, s.v[1].n = m, m }
	factor := func(s *scene[T]) [][]float64 {
		return transposed(s.triangle(dense(s.m[0], false), false), s.trans[0])
	}
	trsv := func(s *scene[T]) {
		x := solved(factor(s), column(s.elements(0)))
		s.expectVector(0, func(i int) float64 { return x[i][0] })
	}
	return []routine[T]{
		{"Symv", 1, 2, false, symvMake, symvFits, symv, func(s *scene[T]) {
			blas.Symv(s.uplo, s.alpha, s.m[0], s.v[0].data, s.beta, s.v[1].data)
		}},
		{"Trsv", 1, 1, false, trmvMake, trmvFits, trsv, func(s *scene[T]) { blas.Trsv(s.uplo, s.trans[0], s.diag, s.m[0], s.v[0].data) }},
		{"SymvInc", 1, 2, true, symvMake, func(s *scene[T]) bool {
			s.v[0].n, s.v[1].n = s.m[0].Rows, s.m[0].Rows
			return square(s.m[0])
		}, symv, func(s *scene[T]) {
			blas.SymvInc(s.uplo, s.alpha, s.m[0], s.v[0].data, s.v[0].inc, s.beta, s.v[1].data, s.v[1].inc)
		}},
		{"GerInc", 1, 2, true, gerMake, func(s *scene[T]) bool {
			s.v[0].n, s.v[1].n = s.m[0].Rows, s.m[0].Cols
			return true
		}, ger, func(s *scene[T]) {
			blas.GerInc(s.alpha, s.v[0].data, s.v[0].inc, s.v[1].data, s.v[1].inc, s.m[0])
		}},
		{"TrmvInc", 1, 1, true, trmvMake, func(s *scene[T]) bool {
			s.v[0].n = s.m[0].Rows
			return square(s.m[0])
		}, trmv, func(s *scene[T]) {
			blas.TrmvInc(s.uplo, s.trans[0], s.diag, s.m[0], s.v[0].data, s.v[0].inc)
		}},
		{"TrsvInc", 1, 1, true, trmvMake, func(s *scene[T]) bool {
			s.v[0].n = s.m[0].Rows
			return square(s.m[0])
		}, trsv, func(s *scene[T]) {
			blas.TrsvInc(s.uplo, s.trans[0], s.diag, s.m[0], s.v[0].data, s.v[0].inc)
		}},
		{"Trsm", 2, 0, false, sideMake, sideFits, func(s *scene[T]) {
			a, b := factor(s), dense(s.m[1], s.side == blas.Right)
			if s.side == blas.Right {
				a = transposed(a, true)
			}
			if len(b) == 0 {
				return
			}
			x := solved(a, b)
			s.expect(1, false, func(i, j int) float64 {
				if s.side == blas.Right {
					i, j = j, i
				}
				return float64(s.alpha) * x[i][j]
			})
		}, func(s *scene[T]) { blas.Trsm(s.side, s.uplo, s.trans[0], s.diag, s.alpha, s.m[0], s.m[1]) }},
		{"Syrk", 2, 0, false, func(s *scene[T], m, _, k int) {
			rows, cols := m, k
			if s.trans[0] {
				rows, cols = k, m
			}
			s.matrix(0, rows, cols)
			s.matrix(1, m, m)
		}, func(s *scene[T]) bool {
			n, _ := s.shape(0)
			return s.m[1].Rows == n && s.m[1].Cols == n
		}, func(s *scene[T]) {
			p, c := product(dense(s.m[0], s.trans[0]), dense(s.m[0], !s.trans[0]), float64(s.alpha)), dense(s.m[1], false)
			s.expect(1, true, func(i, j int) float64 { return p(i, j) + float64(s.beta)*c[i][j] })
		}, func(s *scene[T]) { blas.Syrk(s.uplo, s.trans[0], s.alpha, s.m[0], s.beta, s.m[1]) }},
		pairs("CosineSimilarityPairs", metric.CosineSimilarityPairs[T], cosine),
		pairs("CosineDistancePairs", metric.CosineDistancePairs[T], func(x, y []float64) float64 { return 1 - cosine(x, y) }),
		{"Gemv", 1, 2, false, gemvMake, gemvFits, gemv, func(s *scene[T]) {
			blas.Gemv(s.trans[0], s.alpha, s.m[0], s.v[0].data, s.beta, s.v[1].data)
		}},
		{"GemvInc", 1, 2, true, gemvMake, func(s *scene[T]) bool {
			s.v[1].n, s.v[0].n = s.shape(0) // which the function takes for the lengths
			return true
		}, gemv, func(s *scene[T]) {
			blas.GemvInc(s.trans[0], s.alpha, s.m[0], s.v[0].data, s.v[0].inc, s.beta, s.v[1].data, s.v[1].inc)
		}},
		{"Ger", 1, 2, false, gerMake, gerFits, ger, func(s *scene[T]) { blas.Ger(s.alpha, s.v[0].data, s.v[1].data, s.m[0]) }},
		{"Trmv", 1, 1, false, trmvMake, trmvFits, trmv, func(s *scene[T]) { blas.Trmv(s.uplo, s.trans[0], s.diag, s.m[0], s.v[0].data) }},
		{"Gemm", 3, 0, false, gemmMake, gemmFits, gemm, func(s *scene[T]) {
			blas.Gemm(s.trans[0], s.trans[1], s.alpha, s.m[0], s.m[1], s.beta, s.m[2])
		}},
		{"GemmStridedBatched", 3, 0, false, gemmMake, gemmFits, gemm, func(s *scene[T]) {
			blas.GemmStridedBatched(s.trans[0], s.trans[1], s.alpha, s.m[0], 0, s.m[1], 0, s.beta, s.m[2], 0, 1)
		}},
		{"Symm", 3, 0, false, sideMake, func(s *scene[T]) bool {
			return sideFits(s) && s.m[1].Rows == s.m[2].Rows && s.m[1].Cols == s.m[2].Cols
		}, func(s *scene[T]) {
			p, c := sided(s, s.triangle(dense(s.m[0], false), true)), dense(s.m[2], false)
			s.expect(2, false, func(i, j int) float64 { return p(i, j) + float64(s.beta)*c[i][j] })
		}, func(s *scene[T]) { blas.Symm(s.side, s.uplo, s.alpha, s.m[0], s.m[1], s.beta, s.m[2]) }},
		{"Trmm", 2, 0, false, sideMake, sideFits, func(s *scene[T]) {
			s.expect(1, false, sided(s, transposed(s.triangle(dense(s.m[0], false), false), s.trans[0])))
		}, func(s *scene[T]) { blas.Trmm(s.side, s.uplo, s.trans[0], s.diag, s.alpha, s.m[0], s.m[1]) }},
		pairs("DotPairs", metric.DotPairs[T], dot), pairs("SquaredEuclideanPairs", metric.SquaredEuclideanPairs[T], apart),
		pairs("EuclideanPairs", metric.EuclideanPairs[T], func(x, y []float64) float64 { return math.Sqrt(apart(x, y)) }),
	}
}

// solved is the X of A*X = B, where A is a triangle.
func solved(a, b [][]float64) [][]float64 {
	lower := true
	for i := range a {
		for j := i + 1; j < len(a); j++ {
			lower = lower && a[i][j] == 0
		}
	}
	for step := range b {
		i := step
		if !lower {
			i = len(a) - 1 - step
		}
		for c := range b[i] {
			for k := range a[i] {
				if k != i && (k < i) == lower {
					b[i][c] -= a[i][k] * b[k][c]
				}
			}
			b[i][c] /= a[i][i]
		}
	}
	return b
}

// TestGuardPages calls functions of blas and metric with vectors and matrices at the edges of memory
// that may be used, of random sizes, increments and strides, and with numbers that overflow. A call
// whose arguments are right computes what plain loops do, and writes nothing else. Any other panics
// with a message.
func TestGuardPages(t *testing.T) {
	t.Run("float32", guardPages[float32])
	t.Run("float64", guardPages[float64])
}

func guardPages[T blas.Float](t *testing.T) {
	routines := append(vectorRoutines[T](), matrixRoutines[T]()...)
	var memory []guarded
	for range 5 {
		memory = append(memory, newGuarded(t))
	}
	right, refused := 0, 0
	r := rand.New(rand.NewPCG(21, uint64(*guardCalls)))
	for i := range *guardCalls {
		f := routines[i%len(routines)]
		s := newScene(r, memory, &f)
		ok := f.fits(s)
		for _, m := range s.m[:f.mats] {
			ok = ok && matrixOK(&m)
		}
		for _, v := range s.v[:f.vecs] {
			ok = ok && v.ok()
		}
		s.remember()
		if ok {
			f.expect(s)
			right++
		} else {
			refused++
		}
		if fault := s.run(&f, ok); fault != "" {
			t.Fatalf("call %d, %s: %s\nmatrices %s\nvectors %s", i, f.name, fault, s.sizes(), s.lengths())
		}
	}
	t.Logf("%d calls of %d functions: %d compute what plain loops do, %d are refused", *guardCalls, len(routines), right, refused)
}

func newScene[T blas.Float](r *rand.Rand, memory []guarded, f *routine[T]) *scene[T] {
	coin := func() bool { return r.IntN(2) == 0 }
	s := &scene[T]{r: r, memory: memory, trans: [2]blas.Transpose{blas.Transpose(coin()), blas.Transpose(coin())},
		side: blas.Side(coin()), uplo: blas.Uplo(coin()), diag: blas.Diag(coin()), alpha: T(r.IntN(4)) - 1, beta: T(r.IntN(3)) - 1}
	size := func() int { return r.IntN([]int{3, 10, 40}[r.IntN(3)]) }
	f.make(s, size(), size(), size())
	for i := range f.vecs {
		inc := 1
		if f.incs {
			inc = []int{1, 1, 2, 3, -1, -2, 7}[r.IntN(7)]
		}
		s.vector(i, s.v[i].n, inc)
	}
	if r.IntN(3) == 0 {
		s.sabotage(f.mats, f.vecs, f.incs)
	}
	return s
}

// remember keeps what the memory holds before the call.
func (s *scene[T]) remember() {
	for i := range s.m {
		s.matsBefore[i] = append([]T(nil), s.m[i].Data...)
	}
	for i := range s.v {
		s.vecsBefore[i] = append([]T(nil), s.v[i].data...)
	}
}

// run makes the call and says what is wrong with what it did.
func (s *scene[T]) run(f *routine[T], ok bool) string {
	value := func() (value any) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { value = recover() }()
		f.call(s)
		return nil
	}()
	text := fmt.Sprint(value)
	switch {
	case ok && value != nil:
		return "panics: " + text
	case !ok && value == nil:
		return "takes arguments that are wrong"
	case !ok && !strings.HasPrefix(text, "blas: ") && !strings.HasPrefix(text, "metric: "):
		return "panics without a message for its caller: " + text
	}
	for i := range s.m {
		if fault := differ(s.m[i].Data, s.matsBefore[i]); fault != "" {
			return fmt.Sprintf("matrix %d, %s", i, fault)
		}
	}
	for i := range s.v {
		if fault := differ(s.v[i].data, s.vecsBefore[i]); fault != "" {
			return fmt.Sprintf("vector %d, %s", i, fault)
		}
	}
	if !ok {
		return ""
	}
	for i, want := range s.want {
		if !near(float64(s.got[i]), want, unsafe.Sizeof(T(0)) == 4) {
			return fmt.Sprintf("returns %v, want %v", s.got[i], want)
		}
	}
	return ""
}

func differ[T blas.Float](got, want []T) string {
	for i, v := range got {
		if !near(float64(v), float64(want[i]), unsafe.Sizeof(v) == 4) {
			return fmt.Sprintf("element %d is %v, want %v", i, v, want[i])
		}
	}
	return ""
}

// near reports whether a result is as exact as the sizes here allow.
func near(got, want float64, single bool) bool {
	tolerance := 1e-11
	if single {
		tolerance = 1e-4
	}
	return got == want || got != got && want != want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

func (s *scene[T]) sizes() (text string) {
	for _, m := range s.m {
		text += fmt.Sprintf("%d x %d, stride %d, %d elements. ", m.Rows, m.Cols, m.Stride, len(m.Data))
	}
	return text
}

func (s *scene[T]) lengths() (text string) {
	for _, v := range s.v {
		text += fmt.Sprintf("%d, inc %d, %d elements. ", v.n, v.inc, len(v.data))
	}
	return text
}
