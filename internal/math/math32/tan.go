package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Tan is the tangent of x radians, computed as math64.Tan is.
func Tan(x float32) float32 {
	n, high, low := reduce(x)
	z := float32(high * high)
	p := float32(-0x1.241c3ap-8)
	p = ieee.FMA(p, z, 0x1.3b8c02p-14)
	p = ieee.FMA(p, z, -0x1.67583p-7)
	p = ieee.FMA(p, z, -0x1.5bdbf4p-6)
	p = ieee.FMA(p, z, -0x1.baf07p-5)
	p = ieee.FMA(p, z, -0x1.110d1ap-3)
	p = ieee.FMA(p, z, -0x1.555562p-2)
	low = ieee.FMA(low, 1.5*z, low)                          // the derivative, nearly
	low = ieee.FMA(ieee.FMA(high, high, -z), -0.5*high, low) // the rounding of z
	low = ieee.FMA(float32(z*high), p, low)
	tan := high - low
	if n&1 != 0 {
		low = (high - tan) - low
		q := ieee.Copysign(ieee.Inverse(ieee.Abs(tan)), -tan)
		// -1/(tan+low), where q is the quotient without low
		return ieee.FMA(q, ieee.FMA(q, low, ieee.FMA(q, tan, 1)), q)
	}
	return tan
}
