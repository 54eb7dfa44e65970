package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// besselShift0 is the phase of J0 and Y0 minus the leading term's phase, for an x of 7 and
// more.
func besselShift0(x float32) float32 {
	q := 1 / x
	z := float32(q * q)
	phase := float32(0x1.0a13e8p+0)
	phase = ieee.FMA(phase, z, -0x1.9fe9dp-3)
	phase = ieee.FMA(phase, z, 0x1.0a90fcp-4)
	phase = ieee.FMA(phase, z, -0x1.fffffcp-4)
	return float32(phase * q)
}

// besselModulus0 is the modulus of J0 and Y0, for an x of 7 and more.
func besselModulus0(x float32) float32 {
	q := 1 / x
	z := float32(q * q)
	p := float32(-0x1.868b5ap-2)
	p = ieee.FMA(p, z, 0x1.a09e6p-4)
	p = ieee.FMA(p, z, -0x1.fff188p-5)
	p = ieee.FMA(p, z, 0x1p+0)
	return float32(p * ieee.Sqrt(float32(0x1.45f306p-1*q)))
}

// besselShift1 is the phase of J1 and Y1 minus the leading term's phase, for an x of 7 and
// more.
func besselShift1(x float32) float32 {
	q := 1 / x
	z := float32(q * q)
	phase := float32(-0x1.91c83cp+0)
	phase = ieee.FMA(phase, z, 0x1.72d6ecp-2)
	phase = ieee.FMA(phase, z, -0x1.4fee9ap-3)
	phase = ieee.FMA(phase, z, 0x1.7ffffep-2)
	return float32(phase * q)
}

// besselModulus1 is the modulus of J1 and Y1, for an x of 7 and more.
func besselModulus1(x float32) float32 {
	q := 1 / x
	z := float32(q * q)
	p := float32(0x1.2c80b2p-1)
	p = ieee.FMA(p, z, -0x1.86f77cp-3)
	p = ieee.FMA(p, z, 0x1.7ffb0cp-3)
	p = ieee.FMA(p, z, 0x1p+0)
	return float32(p * ieee.Sqrt(float32(0x1.45f306p-1*q)))
}

// besselPhase is x - pi/4 + shift as reduce returns it, n*(pi/2) + high - low.
func besselPhase(x, shift float32) (n int32, high, low float32) {
	n, high, low = reduce(x)
	a, b := float32(piBy4A), float32(piBy4B)
	if high < 0 {
		n--
	} else {
		a, b = -a, -b
	}
	high, first := mathcommon.TwoSum(high, a)
	high, second := mathcommon.TwoSum(high, shift)
	high, low = mathcommon.FastSum(high, first+second+(b-low))
	return n, high, -low
}
