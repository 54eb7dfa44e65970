package gpublas

import "github.com/gridstride/gridstride/blas"

// The choices of BLAS's functions are package blas's.
type (
	Transpose = blas.Transpose
	Uplo      = blas.Uplo
	Diag      = blas.Diag
	Side      = blas.Side
)

// The values of the choices.
const (
	NoTrans = blas.NoTrans // a matrix as it is
	Trans   = blas.Trans   // a matrix with rows and columns exchanged
	Upper   = blas.Upper   // the triangle above the diagonal, with the diagonal
	Lower   = blas.Lower   // the triangle below the diagonal, with the diagonal
	NonUnit = blas.NonUnit // the diagonal of the matrix
	Unit    = blas.Unit    // a diagonal of ones, which is not read
	Left    = blas.Left    // A*B
	Right   = blas.Right   // B*A
)
