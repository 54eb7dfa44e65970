// Package cmplx is math/cmplx for kernels and the host, for both complex types and with the same
// bits everywhere. A kernel may call the functions by the names of math/cmplx as well: there
// cmplx.Exp(z) of that package is the one of this package. On the host math/cmplx is Go's own,
// whose last bits may differ.
//
// Zeros, infinities and NaN follow annex G of C99, and math/cmplx except for the sides of some
// cuts. For complex64 the functions compute in float64 and round once. For complex128 each part of
// Exp, Log, Sqrt, Sinh, Cosh, Sin and Cos is within 3 units in its last place of the exact value in
// all points that were tried, each part of Asin, Acos, Atan, Asinh, Acosh, Atanh and Cot within 5,
// and Tanh and Tan are within 5 units in the last place of the larger part. The error of Pow grows
// with the size of y*log(x): if that is below 14 it is 20 units.
package cmplx

import "github.com/gridstride/gridstride/internal/math/mathcmplx"

// Complex is the complex types.
type Complex interface {
	~complex64 | ~complex128
}

// Abs is the distance of z from 0.
func Abs[C Complex](z C) float64 { return mathcmplx.Abs(complex128(z)) }

// Phase is the angle of z, from -π to π. The cut is along the negative real axis.
func Phase[C Complex](z C) float64 { return mathcmplx.Phase(complex128(z)) }

// Polar is [Abs] and [Phase].
func Polar[C Complex](z C) (r, theta float64) { return mathcmplx.Polar(complex128(z)) }

// Rect is the number at distance r from 0 and angle theta.
func Rect(r, theta float64) complex128 { return mathcmplx.Rect(r, theta) }

// IsInf reports whether a part of z is infinite.
func IsInf[C Complex](z C) bool { return mathcmplx.IsInf(complex128(z)) }

// IsNaN reports whether a part of z is NaN and none is infinite.
func IsNaN[C Complex](z C) bool { return mathcmplx.IsNaN(complex128(z)) }

// Pow is x to the power of y. Pow(0, y) is infinite if the real part of y is negative, 1 if it is
// 0, and 0 if it is positive.
func Pow[C Complex](x, y C) C { return C(mathcmplx.Pow(complex128(x), complex128(y))) }

// Exp is e to the power of z.
func Exp[C Complex](z C) C { return C(mathcmplx.Exp(complex128(z))) }

// Log is the logarithm of z, with an imaginary part from -π to π. The cut is along the negative
// real axis.
func Log[C Complex](z C) C { return C(mathcmplx.Log(complex128(z))) }

// Log10 is the logarithm of z to base 10.
func Log10[C Complex](z C) C { return C(mathcmplx.Log10(complex128(z))) }

// Sqrt is the square root of z, with a real part that is not negative. The cut is along the
// negative real axis.
func Sqrt[C Complex](z C) C { return C(mathcmplx.Sqrt(complex128(z))) }

// Sin is the sine of z.
func Sin[C Complex](z C) C { return C(mathcmplx.Sin(complex128(z))) }

// Cos is the cosine of z.
func Cos[C Complex](z C) C { return C(mathcmplx.Cos(complex128(z))) }

// Tan is the tangent of z.
func Tan[C Complex](z C) C { return C(mathcmplx.Tan(complex128(z))) }

// Sinh is the hyperbolic sine of z.
func Sinh[C Complex](z C) C { return C(mathcmplx.Sinh(complex128(z))) }

// Cosh is the hyperbolic cosine of z.
func Cosh[C Complex](z C) C { return C(mathcmplx.Cosh(complex128(z))) }

// Tanh is the hyperbolic tangent of z.
func Tanh[C Complex](z C) C { return C(mathcmplx.Tanh(complex128(z))) }

// Cot is the cotangent of z, infinite at 0.
func Cot[C Complex](z C) C { return C(mathcmplx.Cot(complex128(z))) }

// Asin is the arc sine of z. The cuts are along the real axis, below -1 and above 1.
func Asin[C Complex](z C) C { return C(mathcmplx.Asin(complex128(z))) }

// Acos is the arc cosine of z, with a real part from 0 to π. The cuts are [Asin]'s.
func Acos[C Complex](z C) C { return C(mathcmplx.Acos(complex128(z))) }

// Atan is the arc tangent of z. The cuts are along the imaginary axis, below -1 and above 1.
func Atan[C Complex](z C) C { return C(mathcmplx.Atan(complex128(z))) }

// Asinh is the inverse hyperbolic sine of z. The cuts are [Atan]'s.
func Asinh[C Complex](z C) C { return C(mathcmplx.Asinh(complex128(z))) }

// Acosh is the inverse hyperbolic cosine of z, with a real part that is not negative. The cut is
// along the real axis, below 1.
func Acosh[C Complex](z C) C { return C(mathcmplx.Acosh(complex128(z))) }

// Atanh is the inverse hyperbolic tangent of z. The cuts are [Asin]'s.
func Atanh[C Complex](z C) C { return C(mathcmplx.Atanh(complex128(z))) }

// Conj is z with the other sign of its imaginary part.
func Conj[C Complex](z C) C { return C(mathcmplx.Conj(complex128(z))) }
