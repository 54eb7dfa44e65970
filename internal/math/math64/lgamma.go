package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Lgamma is the natural logarithm of the absolute value of Gamma(x), and the sign of Gamma(x).
// It is +Inf at 0, negative integers and both infinities.
//
// It is computed as Gamma is, but as a polynomial near its zeros at 1 and 2. It has more zeros at
// negative x, two between integers from -2 down. There the error is small relative to 1, but not
// relative to the result.
func Lgamma(x float64) (lgamma float64, sign int) {
	return mathcommon.Lgamma(x, 0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56, logSum, lgammaSum, Sinpi)
}

// lgammaSum is Lgamma of a positive x, as a sum.
func lgammaSum(x float64) (high, low float64) {
	if x >= 8 {
		high, low = stirling(x)
		high, rest := mathcommon.FastSum(high, 0x1.d67f1c864beb5p-1)
		return high, rest + (low + lgammaSeries(1/x))
	}
	return mathcommon.LgammaShifted(x, logSum, lgammaNearOne, lgammaNearTwo)
}

// lgammaSeries is Lgamma minus stirling and the first part of log(2*pi)/2, for x = 1/q.
func lgammaSeries(q float64) float64 {
	p := 0x1.9d91fe62f4d0ap-12
	p = ieee.FMA(p, q, -0x1.63e52294a72d8p-11)
	p = ieee.FMA(p, q, 0x1.4ca75bef21543p-17)
	p = ieee.FMA(p, q, 0x1.9fbc28e12b7fep-11)
	p = ieee.FMA(p, q, 0x1.f7a14072dc114p-26)
	p = ieee.FMA(p, q, -0x1.6c16c765f0b45p-9)
	p = ieee.FMA(p, q, 0x1.247f92629f3efp-37)
	p = ieee.FMA(p, q, 0x1.5555555554a87p-4)
	return ieee.FMA(p, q, -0x1.5f79bf70a46f1p-57)
}

// lgammaNearOne is Lgamma of 1+y, for y from -1/4 to 1/4.
func lgammaNearOne(y float64) (high, low float64) {
	p := -0x1.1ffd569789563p-4
	p = ieee.FMA(p, y, 0x1.2b2f8cdaabeadp-4)
	p = ieee.FMA(p, y, -0x1.cd921a7f93dc8p-5)
	p = ieee.FMA(p, y, 0x1.ed241de10a8b4p-5)
	p = ieee.FMA(p, y, -0x1.11d7b19674c7bp-4)
	p = ieee.FMA(p, y, 0x1.25404f7b31eb9p-4)
	p = ieee.FMA(p, y, -0x1.3b14b710653e5p-4)
	p = ieee.FMA(p, y, 0x1.5563d836da8b8p-4)
	p = ieee.FMA(p, y, -0x1.748c723d6e035p-4)
	p = ieee.FMA(p, y, 0x1.9a020fefd504cp-4)
	p = ieee.FMA(p, y, -0x1.c8066f5c75fe7p-4)
	p = ieee.FMA(p, y, 0x1.010b365ce8e6ep-3)
	p = ieee.FMA(p, y, -0x1.2703a1de3c15cp-3)
	p = ieee.FMA(p, y, 0x1.5b40cb10b25b5p-3)
	p = ieee.FMA(p, y, -0x1.a8b9c17aa46c5p-3)
	p = ieee.FMA(p, y, 0x1.151322ac7d38ap-2)
	p = ieee.FMA(p, y, -0x1.9a4d55beab2ddp-2)
	high, low = mathcommon.LastTerms(y, 0, p, 0x1.a51a6625307d4p-1, -0x1.d42e77913f1fbp-56, -0x1.2788cfc6fb619p-1, 0x1.7501ce5959846p-58)
	return mathcommon.MulSum(high, low, y, 0)
}

// lgammaNearTwo is Lgamma of 2+y, for y from -1/2 to 1/2.
func lgammaNearTwo(y float64) (high, low float64) {
	p := 0x1.2b5bff4d053adp-22
	p = ieee.FMA(p, y, -0x1.380e68ad42041p-21)
	p = ieee.FMA(p, y, 0x1.edea6fb5168a4p-21)
	p = ieee.FMA(p, y, -0x1.08f899474c9b8p-19)
	p = ieee.FMA(p, y, 0x1.26411ef9939a3p-18)
	p = ieee.FMA(p, y, -0x1.3d4d5370889dp-17)
	p = ieee.FMA(p, y, 0x1.5806d073ccafbp-16)
	p = ieee.FMA(p, y, -0x1.78d8f2a5f3ab8p-15)
	p = ieee.FMA(p, y, 0x1.a127dd5e6d56p-14)
	p = ieee.FMA(p, y, -0x1.d3fd6abbae2e2p-13)
	p = ieee.FMA(p, y, 0x1.0b36af3396a97p-11)
	p = ieee.FMA(p, y, -0x1.38ac5bfc8c74fp-10)
	p = ieee.FMA(p, y, 0x1.7add6eae5cf8dp-9)
	p = ieee.FMA(p, y, -0x1.e404fc21d9ad8p-8)
	p = ieee.FMA(p, y, 0x1.51322ac7d7fc5p-6)
	p = ieee.FMA(p, y, -0x1.13e001a557553p-4)
	high, low = mathcommon.LastTerms(y, 0, p, 0x1.4a34cc4a60fa7p-2, -0x1.a29f797f3d23p-56, 0x1.b0ee6072093cep-2, 0x1.430ff5a99128p-60)
	return mathcommon.MulSum(high, low, y, 0)
}
