package blas_test

import (
	"github.com/gridstride/gridstride/blas"
)

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
