package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Lgamma is the natural logarithm of the absolute value of Gamma(x), and the sign of Gamma(x),
// computed as math64's. It is +Inf at 0, negative integers and both infinities.
func Lgamma(x float32) (lgamma float32, sign int) {
	return mathcommon.Lgamma(x, 0x1.45f306p-2, 0x1.b9391p-27, logSum, lgammaSum, Sinpi)
}

// lgammaSum is Lgamma of a positive x, as a sum.
func lgammaSum(x float32) (high, low float32) {
	if x >= 5 {
		high, low = stirling(x)
		high, rest := mathcommon.FastSum(high, 0x1.d67f1cp-1)
		return high, rest + (low + lgammaSeries(1/x))
	}
	return mathcommon.LgammaShifted(x, logSum, lgammaNearOne, lgammaNearTwo)
}

// lgammaSeries is Lgamma minus stirling and the first part of log(2*pi)/2, for x = 1/q.
func lgammaSeries(q float32) float32 {
	p := float32(-0x1.60d84cp-9)
	p = ieee.FMA(p, q, -0x1.dbede4p-17)
	p = ieee.FMA(p, q, 0x1.5556p-4)
	return ieee.FMA(p, q, 0x1.884cf4p-27)
}

// lgammaNearOne is Lgamma of 1+y, for y from -1/4 to 1/4.
func lgammaNearOne(y float32) (high, low float32) {
	p := float32(-0x1.03dc36p-3)
	p = ieee.FMA(p, y, 0x1.2055dcp-3)
	p = ieee.FMA(p, y, -0x1.253878p-3)
	p = ieee.FMA(p, y, 0x1.59bf16p-3)
	p = ieee.FMA(p, y, -0x1.a8c428p-3)
	p = ieee.FMA(p, y, 0x1.151688p-2)
	p = ieee.FMA(p, y, -0x1.9a4d4cp-2)
	high, low = mathcommon.LastTerms(y, 0, p, 0x1.a51a64p-1, 0x1.7bbce2p-29, -0x1.2788dp-1, 0x1.baa214p-28)
	return mathcommon.MulSum(high, low, y, 0)
}

// lgammaNearTwo is Lgamma of 2+y, for y from -1/2 to 1/2.
func lgammaNearTwo(y float32) (high, low float32) {
	p := float32(-0x1.0a3186p-12)
	p = ieee.FMA(p, y, 0x1.2b06aap-11)
	p = ieee.FMA(p, y, -0x1.36dc38p-10)
	p = ieee.FMA(p, y, 0x1.795566p-9)
	p = ieee.FMA(p, y, -0x1.e40f8p-8)
	p = ieee.FMA(p, y, 0x1.51359ep-6)
	p = ieee.FMA(p, y, -0x1.13dffcp-4)
	high, low = mathcommon.LastTerms(y, 0, p, 0x1.4a34ccp-2, -0x1.8135e6p-27, 0x1.b0ee6p-2, 0x1.c1511p-28)
	return mathcommon.MulSum(high, low, y, 0)
}
