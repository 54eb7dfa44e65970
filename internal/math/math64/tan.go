package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Tan is the tangent of x radians.
//
// The argument is reduced to pi/4 and less, as for Sin, where the tangent is a polynomial. In odd
// quadrants it is the reciprocal, with a step of Newton's that includes what the polynomial's last
// addition has rounded off (Muller, Elementary Functions, third edition, 2016).
func Tan(x float64) float64 {
	n, high, low := reduce(x)
	z := float64(high * high)
	p := -0x1.472c1p-17
	p = ieee.FMA(p, z, 0x1.93996p-16)
	p = ieee.FMA(p, z, -0x1.94514p-15)
	p = ieee.FMA(p, z, 0x1.a5503p-16)
	p = ieee.FMA(p, z, -0x1.183b1p-14)
	p = ieee.FMA(p, z, -0x1.5f683p-14)
	p = ieee.FMA(p, z, -0x1.ff00ap-13)
	p = ieee.FMA(p, z, -0x1.34bf4p-11)
	p = ieee.FMA(p, z, -0x1.7db140adf51eep-10)
	p = ieee.FMA(p, z, -0x1.d6d2ecf7ef3fbp-9)
	p = ieee.FMA(p, z, -0x1.226e3a62dd829p-7)
	p = ieee.FMA(p, z, -0x1.664f485e01c9p-6)
	p = ieee.FMA(p, z, -0x1.ba1ba1babbc7ep-5)
	p = ieee.FMA(p, z, -0x1.11111111105fep-3)
	p = ieee.FMA(p, z, -0x1.555555555555ep-2)
	low = ieee.FMA(low, 1.5*z, low)                          // the derivative, nearly
	low = ieee.FMA(ieee.FMA(high, high, -z), -0.5*high, low) // the rounding of z
	low = ieee.FMA(float64(z*high), p, low)
	tan := high - low
	if n&1 != 0 {
		low = (high - tan) - low
		q := -(1 / tan)
		// -1/(tan+low), where q is the quotient without low
		return ieee.FMA(q, ieee.FMA(q, low, ieee.FMA(q, tan, 1)), q)
	}
	return tan
}
