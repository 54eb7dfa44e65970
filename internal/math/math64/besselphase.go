package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// besselShift0 is the phase of J0 and Y0 minus the leading term's phase, for an x of 7 and
// more.
func besselShift0(x float64) float64 {
	q := 1 / x
	z := float64(q * q)
	phase := 0x1.f9789e54a5231p+45
	phase = ieee.FMA(phase, z, -0x1.3d9c1b4e09c4dp+43)
	phase = ieee.FMA(phase, z, 0x1.714ae0be74d2ep+39)
	phase = ieee.FMA(phase, z, -0x1.0b358464cb9fap+35)
	phase = ieee.FMA(phase, z, 0x1.149384984b579p+30)
	phase = ieee.FMA(phase, z, -0x1.c8f822439b393p+24)
	phase = ieee.FMA(phase, z, 0x1.5574479ab66f7p+19)
	phase = ieee.FMA(phase, z, -0x1.0e1f64c99d4eap+14)
	phase = ieee.FMA(phase, z, 0x1.0ae4b979b54e1p+9)
	phase = ieee.FMA(phase, z, -0x1.7788de43e58c1p+4)
	phase = ieee.FMA(phase, z, 0x1.a357e65d7ce8fp+0)
	phase = ieee.FMA(phase, z, -0x1.ad33329ceee99p-3)
	phase = ieee.FMA(phase, z, 0x1.0aaaaaaa93db4p-4)
	phase = ieee.FMA(phase, z, -0x1.ffffffffffffbp-4)
	return float64(phase * q)
}

// besselModulus0 is the modulus of J0 and Y0, for an x of 7 and more.
func besselModulus0(x float64) float64 {
	q := 1 / x
	z := float64(q * q)
	p := 0x1.3f9b4df1e3227p+48
	p = ieee.FMA(p, z, -0x1.aacbe40b860dcp+45)
	p = ieee.FMA(p, z, 0x1.0852a10aab571p+42)
	p = ieee.FMA(p, z, -0x1.976878eb36b6cp+37)
	p = ieee.FMA(p, z, 0x1.be560aaa68304p+32)
	p = ieee.FMA(p, z, -0x1.7f195952edc85p+27)
	p = ieee.FMA(p, z, 0x1.1dea804b3dcdep+22)
	p = ieee.FMA(p, z, -0x1.a85a456ff407ap+16)
	p = ieee.FMA(p, z, 0x1.6ef70e55259b7p+11)
	p = ieee.FMA(p, z, -0x1.ab2a400882061p+6)
	p = ieee.FMA(p, z, 0x1.764dfd2455fefp+2)
	p = ieee.FMA(p, z, -0x1.15eff83d2ebb9p-1)
	p = ieee.FMA(p, z, 0x1.a7fffff5aeeabp-4)
	p = ieee.FMA(p, z, -0x1.fffffffffea1ap-5)
	p = ieee.FMA(p, z, 0x1p+0)
	return float64(p * ieee.Sqrt(float64(0x1.45f306dc9c883p-1*q)))
}

// besselShift1 is the phase of J1 and Y1 minus the leading term's phase, for an x of 7 and
// more.
func besselShift1(x float64) float64 {
	q := 1 / x
	z := float64(q * q)
	phase := -0x1.1dc868c993a42p+46
	phase = ieee.FMA(phase, z, 0x1.678380e405d7ap+43)
	phase = ieee.FMA(phase, z, -0x1.a2a7a9825081p+39)
	phase = ieee.FMA(phase, z, 0x1.2fa5d581283cdp+35)
	phase = ieee.FMA(phase, z, -0x1.3b881fbd6908fp+30)
	phase = ieee.FMA(phase, z, 0x1.0677389e7fc75p+25)
	phase = ieee.FMA(phase, z, -0x1.8d1a0c00a6bd4p+19)
	phase = ieee.FMA(phase, z, 0x1.40f7dc7f91b3ap+14)
	phase = ieee.FMA(phase, z, -0x1.488e16cce3a45p+9)
	phase = ieee.FMA(phase, z, 0x1.e9e89e77cebf5p+4)
	phase = ieee.FMA(phase, z, -0x1.2f483656d714ep+1)
	phase = ieee.FMA(phase, z, 0x1.7bcccc7884e55p-2)
	phase = ieee.FMA(phase, z, -0x1.4ffffffff3339p-3)
	phase = ieee.FMA(phase, z, 0x1.7ffffffffffffp-2)
	return float64(phase * q)
}

// besselModulus1 is the modulus of J1 and Y1, for an x of 7 and more.
func besselModulus1(x float64) float64 {
	q := 1 / x
	z := float64(q * q)
	p := -0x1.6780276c38ce2p+48
	p = ieee.FMA(p, z, 0x1.e07a28111ed3bp+45)
	p = ieee.FMA(p, z, -0x1.29edfdabd0ca7p+42)
	p = ieee.FMA(p, z, 0x1.cc0c517d0bc65p+37)
	p = ieee.FMA(p, z, -0x1.f97ab61a799a3p+32)
	p = ieee.FMA(p, z, 0x1.b4019b1e6920bp+27)
	p = ieee.FMA(p, z, -0x1.4839be2d7686ap+22)
	p = ieee.FMA(p, z, 0x1.ee88c751e9e2cp+16)
	p = ieee.FMA(p, z, -0x1.b665ebc280ea6p+11)
	p = ieee.FMA(p, z, 0x1.094f8342793cap+7)
	p = ieee.FMA(p, z, -0x1.ef57f1139269dp+2)
	p = ieee.FMA(p, z, 0x1.9c4ff755e8277p-1)
	p = ieee.FMA(p, z, -0x1.8bfffffa3d262p-3)
	p = ieee.FMA(p, z, 0x1.7fffffffff9e2p-3)
	p = ieee.FMA(p, z, 0x1p+0)
	return float64(p * ieee.Sqrt(float64(0x1.45f306dc9c883p-1*q)))
}

// besselPhase is x - pi/4 + shift as reduce returns it, n*(pi/2) + high - low.
func besselPhase(x, shift float64) (n int32, high, low float64) {
	n, high, low = reduce(x)
	a, b := float64(piBy4A), float64(piBy4B)
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
