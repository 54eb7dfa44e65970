// Package mathcmplx is the functions of math/cmplx for kernels and for package gpu/cmplx: written
// over package math64, with the same bits everywhere. Zeros, infinities and NaN are as annex G of
// C99 has them, and in Go's math/cmplx except for the sides of some cuts.
//
// Parts are multiplied and added one by one, and products converted explicitly: a Go compiler may
// fuse others.
package mathcmplx

import "github.com/gridstride/gridstride/internal/math/ieee"

// The magnitudes from which on powers of e overflow, and a hyperbolic function is one.
const (
	large = 709.0
	flat  = 22.0
)

func inf() float64 { return ieee.Inf[float64](1) }
func nan() float64 { return ieee.NaN[float64]() }

func isInf(x float64) bool { return ieee.IsInf(x, 0) }

// notFinite reports whether x is infinite or NaN.
func notFinite(x float64) bool { return !ieee.IsFinite(x) }

// swap exchanges the parts of z. It turns functions of z into functions of i times its conjugate.
func swap(z complex128) complex128 { return complex(imag(z), real(z)) }
