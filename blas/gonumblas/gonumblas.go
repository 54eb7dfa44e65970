// Package gonumblas lets gonum compute with package blas. After
//
//	blas64.Use(gonumblas.Implementation{})
//	blas32.Use(gonumblas.Implementation{})
//
// in a program, gonum's mat, lapack and stat use it too. Level 3 on dense matrices runs here, and
// so do the functions of levels 1 and 2 that are faster here. The rest, including banded and packed
// matrices, is gonum's own. Calls with a bad argument also go to gonum, so that its panics do not
// change.
package gonumblas

import (
	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/math/extent"
)

//go:generate sh -c "(echo '// Code generated from float64.go by go generate. DO NOT EDIT.'; echo; sed -f single.sed float64.go) >float32.go"

// Implementation implements gonum's blas.Float64 and blas.Float32. Its methods may be called from
// many goroutines.
type Implementation struct{ gonum.Implementation }

var (
	_ gonumblas.Float64 = Implementation{}
	_ gonumblas.Float32 = Implementation{}
)

// fits reports whether n elements, at least one, are in a vector at an increment.
func fits(n, length, inc int) bool {
	needs, ok := extent.Vector(n, inc)
	return n > 0 && ok && needs <= length
}

// together reports whether n elements, at least one, are in a vector and adjacent. For other
// increments level 1 calls gonum, which computes in one pass, while package blas copies the
// elements first for its kernels. LAPACK reads columns that way.
func together(n, length, inc int) bool { return n > 0 && inc == 1 && n <= length }

// matrix is a matrix as package blas takes it. It is not ok if it is none, or has no elements.
func matrix[T blas.Float](rows, cols int, data []T, stride int) (m blas.Matrix[T], ok bool) {
	return blas.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: data}, extent.Holds(len(data), rows, cols, stride)
}

// transpose is how a matrix is used. For real matrices a conjugate transpose is a transpose.
func transpose(t gonumblas.Transpose) (trans blas.Transpose, ok bool) {
	switch t {
	case gonumblas.NoTrans:
		return blas.NoTrans, true
	case gonumblas.Trans, gonumblas.ConjTrans:
		return blas.Trans, true
	}
	return blas.NoTrans, false
}

// shape is the number of rows and columns as they are stored of a matrix that is used as rows x
// cols.
func shape(t blas.Transpose, rows, cols int) (int, int) {
	if t {
		return cols, rows
	}
	return rows, cols
}

func uplo(u gonumblas.Uplo) (blas.Uplo, bool) {
	return u == gonumblas.Lower, u == gonumblas.Lower || u == gonumblas.Upper
}

func diag(d gonumblas.Diag) (blas.Diag, bool) {
	return d == gonumblas.Unit, d == gonumblas.Unit || d == gonumblas.NonUnit
}

// side is the side of a square matrix, and its size for a matrix of m x n.
func side(s gonumblas.Side, m, n int) (side blas.Side, size int, ok bool) {
	switch s {
	case gonumblas.Left:
		return blas.Left, m, true
	case gonumblas.Right:
		return blas.Right, n, true
	}
	return blas.Left, 0, false
}

// triangular are the arguments of a routine with a triangular matrix.
type triangular[T blas.Float] struct {
	uplo  blas.Uplo
	trans blas.Transpose
	diag  blas.Diag
	a     blas.Matrix[T]
}

func newTriangular[T blas.Float](ul gonumblas.Uplo, tA gonumblas.Transpose, d gonumblas.Diag, n int, a []T,
	lda int) (t triangular[T], ok bool) {
	var okUplo, okTrans, okDiag, okA bool
	t.uplo, okUplo = uplo(ul)
	t.trans, okTrans = transpose(tA)
	t.diag, okDiag = diag(d)
	t.a, okA = matrix(n, n, a, lda)
	return t, okUplo && okTrans && okDiag && okA
}
