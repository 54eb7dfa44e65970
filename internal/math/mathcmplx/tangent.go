package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Atan is the arc tangent of z: atanh(iz) = i*atan z. The cuts are along the imaginary axis, below
// -1 and above 1.
func Atan(z complex128) complex128 { return swap(Atanh(swap(z))) }

// Atanh is the inverse hyperbolic tangent of z. The cuts are along the real axis, below -1 and
// above 1.
//
// The real part is log(|1+z|^2 / |1-z|^2) / 4, and the imaginary part the angle of (1+z)*(1-conj z)
// by two (W. Kahan, "Branch Cuts for Complex Elementary Functions", 1987).
func Atanh(z complex128) complex128 {
	x, y := ieee.Abs(real(z)), ieee.Abs(imag(z))
	re, im := nan(), nan()
	switch {
	case isInf(y), isInf(x) && !ieee.IsNaN(y):
		re, im = 0, pi/2
	case isInf(x), x == 0 && ieee.IsNaN(y):
		re = 0
	case ieee.IsNaN(x) || ieee.IsNaN(y):
	case max(x, y) >= 0x1p27: // 1/z and a right angle
		re, im = inverse(x, y)
		im = pi/2 - im
	case x == 1 && y < leastRoot:
		re, im = (ln2-math64.Log(y))/2, pi/4
		if y == 0 {
			re, im = inf(), 0
		}
	default:
		less, yy := 1-x, float64(y*y)
		re = math64.Log1p(float64(4*x)/(float64(less*less)+yy)) / 4
		im = math64.Atan2(float64(2*y), float64(less*(1+x))-yy) / 2
	}
	return complex(ieee.Copysign(re, real(z)), ieee.Copysign(im, imag(z)))
}

// inverse is x and y by x^2 + y^2 (R. Smith, "Algorithm 116: Complex division", 1962). Neither is
// negative, and one is large.
func inverse(x, y float64) (re, im float64) {
	large, small := max(x, y), min(x, y)
	t := small / large
	half := large/2 + float64(small/2*t) // of the sum, which may overflow
	re, im = 0.5/half, 0.5*t/half
	if x < y {
		return im, re
	}
	return re, im
}

// Cot is the cotangent of z: (sin x * cos x - i * sinh y * cosh y) / (sin^2 x + sinh^2 y).
func Cot(z complex128) complex128 {
	x, y := real(z), imag(z)
	sin, cos := math64.Sincos(x)
	switch {
	case x == 0 && y == 0:
		return Inf()
	case ieee.Abs(y) > flat && !notFinite(x): // 4 * sin x * cos x / e^2|y| relative to 1
		e := math64.Exp(-ieee.Abs(y))
		return complex(float64(4*sin*cos*e*e), ieee.Copysign(1, -y))
	}
	sinh, cosh := math64.Sinh(y), math64.Cosh(y)
	if ieee.Abs(sin) >= ieee.Abs(sinh) {
		t := sinh / sin
		d := sin + float64(sinh*t)
		return complex(cos/d, float64(-cosh*t)/d)
	}
	t := sin / sinh
	d := sinh + float64(sin*t)
	return complex(float64(cos*t)/d, -cosh/d)
}
