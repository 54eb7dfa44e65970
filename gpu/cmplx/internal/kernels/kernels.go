// Package kernels calls the functions of math/cmplx and of package gpu/cmplx on a device, for the
// tests of that package.
package kernels

import (
	"math/cmplx"

	"github.com/gridstride/gridstride/gpu"
	own "github.com/gridstride/gridstride/gpu/cmplx"
)

//go:generate go tool gridstride build

// Results is how many results Of has.
const Results = 21

// Of is the functions of package gpu/cmplx at z and w.
func Of[C own.Complex](z, w C) [Results]C {
	r, theta := own.Polar(z)
	var flags complex128
	if own.IsInf(z) {
		flags += 1
	}
	if own.IsNaN(z) {
		flags += 1i
	}
	return [...]C{
		own.Exp(z), own.Log(z), own.Log10(z), own.Sqrt(z), own.Sin(z), own.Cos(z), own.Tan(z), own.Sinh(z), own.Cosh(z),
		own.Tanh(z), own.Cot(z), own.Asin(z), own.Acos(z), own.Atan(z), own.Asinh(z), own.Acosh(z), own.Atanh(z), own.Conj(z),
		own.Pow(z, w), C(own.Rect(r, theta)), C(flags),
	}
}

// Own computes Of.
//
//gpu:kernel C=complex64
func Own[C own.Complex](z, w []C, out [][Results]C) {
	for i := range gpu.GridStride(len(z)) {
		out[i] = Of(z[i], w[i])
	}
}

// Standard is Own by the names of math/cmplx.
//
//gpu:kernel
func Standard(z, w []complex128, out [][Results]complex128) {
	for i := range gpu.GridStride(len(z)) {
		out[i] = standard(z[i], w[i])
	}
}

func standard(z, w complex128) [Results]complex128 {
	r, theta := cmplx.Polar(z)
	var flags complex128
	if cmplx.IsInf(z) {
		flags += 1
	}
	if cmplx.IsNaN(z) {
		flags += 1i
	}
	return [...]complex128{
		cmplx.Exp(z), cmplx.Log(z), cmplx.Log10(z), cmplx.Sqrt(z), cmplx.Sin(z), cmplx.Cos(z), cmplx.Tan(z), cmplx.Sinh(z),
		cmplx.Cosh(z), cmplx.Tanh(z), cmplx.Cot(z), cmplx.Asin(z), cmplx.Acos(z), cmplx.Atan(z), cmplx.Asinh(z), cmplx.Acosh(z),
		cmplx.Atanh(z), cmplx.Conj(z), cmplx.Pow(z, w), cmplx.Rect(r, theta), flags,
	}
}
