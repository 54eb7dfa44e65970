// Package cmplx is the device form of math/cmplx.
package cmplx

import "github.com/gridstride/gridstride/internal/math/mathcmplx"

func Polar(x complex128) (r, θ float64) { return mathcmplx.Polar(x) }
func Rect(r, θ float64) complex128      { return mathcmplx.Rect(r, θ) }
func Abs(x complex128) float64          { return mathcmplx.Abs(x) }
func Phase(x complex128) float64        { return mathcmplx.Phase(x) }
func IsInf(x complex128) bool           { return mathcmplx.IsInf(x) }
func IsNaN(x complex128) bool           { return mathcmplx.IsNaN(x) }
func Inf() complex128                   { return mathcmplx.Inf() }
func NaN() complex128                   { return mathcmplx.NaN() }
func Pow(x, y complex128) complex128    { return mathcmplx.Pow(x, y) }
func Exp(x complex128) complex128       { return mathcmplx.Exp(x) }
func Log(x complex128) complex128       { return mathcmplx.Log(x) }
func Log10(x complex128) complex128     { return mathcmplx.Log10(x) }
func Sqrt(x complex128) complex128      { return mathcmplx.Sqrt(x) }
func Sin(x complex128) complex128       { return mathcmplx.Sin(x) }
func Cos(x complex128) complex128       { return mathcmplx.Cos(x) }
func Tan(x complex128) complex128       { return mathcmplx.Tan(x) }
func Sinh(x complex128) complex128      { return mathcmplx.Sinh(x) }
func Cosh(x complex128) complex128      { return mathcmplx.Cosh(x) }
func Tanh(x complex128) complex128      { return mathcmplx.Tanh(x) }
func Asin(x complex128) complex128      { return mathcmplx.Asin(x) }
func Acos(x complex128) complex128      { return mathcmplx.Acos(x) }
func Atan(x complex128) complex128      { return mathcmplx.Atan(x) }
func Asinh(x complex128) complex128     { return mathcmplx.Asinh(x) }
func Acosh(x complex128) complex128     { return mathcmplx.Acosh(x) }
func Atanh(x complex128) complex128     { return mathcmplx.Atanh(x) }
func Cot(x complex128) complex128       { return mathcmplx.Cot(x) }
func Conj(x complex128) complex128      { return mathcmplx.Conj(x) }
