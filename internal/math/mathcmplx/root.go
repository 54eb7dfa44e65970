package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Sqrt is the square root of z, with a real part that is not negative. The cut is along the
// negative real axis. Parts are scaled as in S. Moshier's Cephes, so that no sum of squares
// overflows.
func Sqrt(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0 && x == 0:
		return complex(0, y)
	case y == 0 && x < 0:
		return complex(0, ieee.Copysign(ieee.Sqrt(-x), y))
	case y == 0:
		return complex(ieee.Sqrt(x), y)
	case isInf(y):
		return complex(inf(), y)
	case x == 0:
		root := ieee.Sqrt(ieee.Abs(y) / 2)
		return complex(root, ieee.Copysign(root, y))
	}
	scale := 0x1p-27
	if ieee.Abs(x) > 4 || ieee.Abs(y) > 4 {
		scale, x, y = 2, x/4, y/4
	} else {
		x, y = float64(x*0x1p54), float64(y*0x1p54)
	}
	root := ieee.Sqrt(math64.Hypot(x, y)/2 + ieee.Abs(x)/2) // the larger part
	other := float64(scale * ieee.Abs(y/2/root))
	if root = float64(root * scale); x > 0 {
		return complex(root, ieee.Copysign(other, y))
	}
	return complex(other, ieee.Copysign(root, y))
}
