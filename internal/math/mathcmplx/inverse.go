package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

const pi = 3.14159265358979323846264338327950288419716939937510582097494459

// Asin is the arc sine of z: asinh(iz) = i*asin z. The cuts are along the real axis, below -1 and
// above 1.
func Asin(z complex128) complex128 { return swap(Asinh(swap(z))) }

// Acos is the arc cosine of z, with a real part from 0 to π. The cuts are [Asin]'s.
func Acos(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case isInf(y) && isInf(x):
		return complex(ofSign(x, pi/4, 3*pi/4), -y)
	case isInf(y) && ieee.IsNaN(x):
		return complex(x, -y)
	case isInf(y):
		return complex(pi/2, -y)
	case isInf(x) && ieee.IsNaN(y):
		return complex(y, x)
	case isInf(x):
		return complex(ofSign(x, 0, pi), ieee.Copysign(inf(), -y))
	case x == 0 && ieee.IsNaN(y):
		return complex(pi/2, y)
	case ieee.IsNaN(x) || ieee.IsNaN(y):
		return NaN()
	}
	a := arcOf(ieee.Abs(x), ieee.Abs(y))
	re := a.cosine()
	return complex(ofSign(x, re, pi-re), ieee.Copysign(a.imag, -y))
}

// ofSign is plus or minus, after the sign of x.
func ofSign(x, plus, minus float64) float64 {
	if ieee.Signbit(x) {
		return minus
	}
	return plus
}

// Asinh is the inverse hyperbolic sine of z. The cuts are along the imaginary axis, below -1 and
// above 1.
func Asinh(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case isInf(x) && isInf(y):
		return complex(x, ieee.Copysign(pi/4, y))
	case isInf(x) && ieee.IsNaN(y), ieee.IsNaN(x) && y == 0:
		return z
	case isInf(x):
		return complex(x, ieee.Copysign(0, y))
	case isInf(y) && ieee.IsNaN(x):
		return complex(y, x)
	case isInf(y):
		return complex(ieee.Copysign(inf(), x), ieee.Copysign(pi/2, y))
	case ieee.IsNaN(x) || ieee.IsNaN(y):
		return NaN()
	}
	a := arcOf(ieee.Abs(y), ieee.Abs(x))
	return complex(ieee.Copysign(a.imag, x), ieee.Copysign(a.sine(), y))
}

// Acosh is the inverse hyperbolic cosine of z, with a real part that is not negative: i*acos z or
// -i*acos z. The cut is along the real axis, below 1.
func Acosh(z complex128) complex128 {
	w := Acos(z)
	return complex(ieee.Abs(imag(w)), ieee.Copysign(real(w), imag(z)))
}

// arc is the arc sine and the arc cosine of a number in the first quadrant. Their real parts are
// the angles between the sides x and side of a right triangle, or where side is negative the arc
// sine and arc cosine of b. The imaginary parts differ in their signs only.
type arc struct{ x, side, b, imag float64 }

func (a arc) sine() float64 {
	if a.side < 0 {
		return math64.Asin(a.b)
	}
	return math64.Atan2(a.x, a.side)
}

func (a arc) cosine() float64 {
	if a.side < 0 {
		return math64.Acos(a.b)
	}
	return math64.Atan2(a.side, a.x)
}

// Between these no square overflows, or loses digits.
const (
	leastRoot = 0x1p-509
	mostRoot  = 0x1p508
)

// arcOf is the arc of x + iy, which are not negative (T. Hull, T. Fairgrieve, P. Tang,
// "Implementing the complex arcsine and arccosine functions using exception handling", 1997).
func arcOf(x, y float64) arc {
	if !(leastRoot < x && x < mostRoot && leastRoot < y && y < mostRoot) {
		return extremeArc(x, y)
	}
	above, below := x+1, ieee.Abs(x-1)
	r, s := math64.Hypot(above, y), math64.Hypot(below, y)
	a, yy := (r+s)/2, float64(y*y)
	arc := arc{x: x, side: -1, b: x / a}
	if arc.b > 0.6417 {
		if sum := a + x; x <= 1 {
			arc.side = ieee.Sqrt(float64(0.5 * sum * (yy/(r+above) + (s + below))))
		} else {
			arc.side = float64(y * ieee.Sqrt(float64(0.5*(sum/(r+above)+sum/(s+below)))))
		}
	}
	if a > 1.5 {
		arc.imag = math64.Log(a + ieee.Sqrt(float64((a-1)*(a+1))))
		return arc
	}
	less := s + below
	if x < 1 {
		less = yy / less
	}
	less = float64(0.5 * (yy/(r+above) + less)) // a - 1
	arc.imag = math64.Log1p(less + ieee.Sqrt(float64(less*(a+1))))
	return arc
}

// extremeArc is the arc where x or y is very small or large.
func extremeArc(x, y float64) arc {
	above, below := x+1, ieee.Abs(x-1)
	beside := y <= float64(0x1p-52*below) // the real axis
	switch {
	case beside && x < 1:
		return arc{x, -1, x, y / ieee.Sqrt(float64(below*above))}
	case beside && x == 1:
		return arc{x: x}
	case beside:
		root := float64(ieee.Sqrt(below) * ieee.Sqrt(above))
		side := float64(y / root * x)
		if x >= mostRoot { // the sum may overflow
			return arc{x, side, 0, ln2 + math64.Log(x)}
		}
		return arc{x, side, 0, math64.Log1p(below + root)}
	case y <= leastRoot: // so x is 1
		return arc{1, ieee.Sqrt(y), 0, ieee.Sqrt(y)}
	case x >= mostRoot || y >= mostRoot:
		ratio := x / y
		return arc{x, y, 0, ln2 + math64.Log(y) + math64.Log1p(float64(ratio*ratio))/2}
	}
	side := ieee.Sqrt(1 + float64(y*y)) // x is nearly 0
	return arc{x, side, 0, math64.Log1p(float64(2*y*(y+side))) / 2}
}
