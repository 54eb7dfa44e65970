package blas_test

import (
	"math"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
)

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
