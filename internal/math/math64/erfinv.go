package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Erfinv is the inverse of Erf, NaN outside [-1, 1].
//
// With w = -log(1-x*x), erfinv(x)/x is a polynomial in w, and for a large w erfinv(x) is one in its
// root (Giles, Approximating the erfinv function, 2010). What one operation rounds off, the next
// ones take along, so that the error is only the last operation's.
func Erfinv(x float64) float64 {
	a := ieee.Abs(x)
	if !(a < 1) {
		if a == 1 {
			return ieee.Copysign(ieee.Inf[float64](1), x)
		}
		return ieee.NaN[float64]()
	}
	if a < 0x1p-29 {
		// The cube of x is too small to show. The product is a large one, so that its second part
		// is not lost where x is close to the least numbers.
		y, rest := mathcommon.MulSum(0x1.c5bf891b4ef6bp-1, -0x1.618f13eb7ca89p-55, float64(a*0x1p53), 0)
		return ieee.Copysign(float64((y+rest)*0x1p-53), x)
	}
	above, aboveLow := mathcommon.FastSum(1, a)
	below, belowLow := mathcommon.FastSum(1, -a)
	w, low := minusLog(mathcommon.MulSum(above, aboveLow, below, belowLow))
	y, rest := erfinvReduced(w, low, a, 0)
	return ieee.Copysign(y+rest, x)
}

// Erfcinv is the inverse of Erfc, NaN outside [0, 2]. It is computed as Erfinv is.
func Erfcinv(x float64) float64 {
	if !(x > 0 && x < 2) {
		switch x {
		case 0:
			return ieee.Inf[float64](1)
		case 2:
			return ieee.Inf[float64](-1)
		}
		return ieee.NaN[float64]()
	}
	d, dLow := mathcommon.FastSum(1, -x)
	e, eLow := mathcommon.FastSum(2, -x)
	w, low := minusLog(mathcommon.MulSum(e, eLow, x, 0))
	y, rest := erfinvReduced(w, low, ieee.Abs(d), float64(ieee.Copysign(1, d)*dLow))
	return float64(ieee.Copysign(1, d) * (y + rest))
}

// minusLog is -log(v+low), for numbers up to 1.
func minusLog(v, low float64) (w, wLow float64) {
	w, wLow = logSum(v)
	return -w, -ieee.FMA(low, mathcommon.NearInverse(v), wLow)
}

// erfinvReduced is the inverse of the error function at x + xLow, which is not negative, where
// w + wLow is -log(1-x*x).
func erfinvReduced(w, wLow, x, xLow float64) (y, low float64) {
	if w < 6.25 {
		return erfinvCentre(w, wLow, x, xLow)
	}
	root := ieee.Sqrt(w)
	rootLow := float64((ieee.FMA(-root, root, w) + wLow) * mathcommon.NearInverse(float64(2*root)))
	if root < 6.08 {
		return erfinvOuter(root, rootLow)
	}
	return erfinvFar(root, rootLow)
}

// erfinvCentre is erfinvReduced for a w of less than 6.25.
func erfinvCentre(w, wLow, x, xLow float64) (y, low float64) {
	s, rest := mathcommon.TwoSum(w, -0x1.9p+1)
	rest += wLow
	p := 0x1.49dbbbf73f1b9p-77
	p = ieee.FMA(p, s, -0x1.8d4bd9ceee746p-76)
	p = ieee.FMA(p, s, -0x1.09e2f89883d6fp-70)
	p = ieee.FMA(p, s, 0x1.4fcb6b9b4d451p-68)
	p = ieee.FMA(p, s, 0x1.40d0671606ab7p-65)
	p = ieee.FMA(p, s, -0x1.c197e1d2c529ep-62)
	p = ieee.FMA(p, s, 0x1.ccf2dfedbc02ep-62)
	p = ieee.FMA(p, s, 0x1.27af264465774p-56)
	p = ieee.FMA(p, s, -0x1.14b34efe61117p-53)
	p = ieee.FMA(p, s, -0x1.9ac1b52a4cc3fp-55)
	p = ieee.FMA(p, s, 0x1.d4e160cbef083p-48)
	p = ieee.FMA(p, s, -0x1.6829a64ec9773p-45)
	p = ieee.FMA(p, s, -0x1.6b3cdb830283dp-44)
	p = ieee.FMA(p, s, 0x1.72313e749b39dp-39)
	p = ieee.FMA(p, s, -0x1.c8a86ec596353p-37)
	p = ieee.FMA(p, s, -0x1.dc3e3e299cfa9p-35)
	p = ieee.FMA(p, s, 0x1.20f54bb63ac03p-30)
	p = ieee.FMA(p, s, -0x1.1a9eb40c82b96p-28)
	p = ieee.FMA(p, s, -0x1.f36cef59c2d0cp-26)
	p = ieee.FMA(p, s, 0x1.c6b4f89a20edep-22)
	p = ieee.FMA(p, s, -0x1.6e8a53c6431ecp-20)
	p = ieee.FMA(p, s, -0x1.d1d1f7ca69c56p-17)
	p = ieee.FMA(p, s, 0x1.879c2a20add38p-13)
	p = ieee.FMA(p, s, -0x1.8457694835189p-11)
	p = ieee.FMA(p, s, -0x1.8b6c33114ea25p-8)
	c, cLow := mathcommon.LastTerms(s, rest, p, 0x1.ebd80d9b13df9p-3, 0x1.3c7ca80bad3e9p-57, 0x1.a755e7c99ae86p+0, -0x1.b2806b9c9b692p-56)
	return mathcommon.MulSum(c, cLow, x, xLow)
}

// erfinvOuter is the inverse of the error function where the root of w is from 2.5 to 6.08, as for
// every x of Erfinv.
func erfinvOuter(root, rootLow float64) (y, low float64) {
	s := root - 0x1.12p+2
	p := -0x1.836b86dba4d91p-54
	p = ieee.FMA(p, s, 0x1.245be41a4ffc3p-52)
	p = ieee.FMA(p, s, 0x1.ca1635b3139c7p-50)
	p = ieee.FMA(p, s, -0x1.edf52051594e1p-48)
	p = ieee.FMA(p, s, -0x1.e68483549d5bep-50)
	p = ieee.FMA(p, s, 0x1.63b5e2a626592p-45)
	p = ieee.FMA(p, s, -0x1.7648575667266p-44)
	p = ieee.FMA(p, s, 0x1.5e8a787a6fb3ap-42)
	p = ieee.FMA(p, s, -0x1.0b3da02aa3655p-40)
	p = ieee.FMA(p, s, -0x1.ccbac19ec1408p-42)
	p = ieee.FMA(p, s, 0x1.c3c134a78441dp-37)
	p = ieee.FMA(p, s, -0x1.b7243d75855fcp-35)
	p = ieee.FMA(p, s, 0x1.bf0ab16fe1c37p-34)
	p = ieee.FMA(p, s, -0x1.71a5ab87309c4p-36)
	p = ieee.FMA(p, s, -0x1.a0668c57eecc7p-31)
	p = ieee.FMA(p, s, 0x1.ee62180e4f946p-29)
	p = ieee.FMA(p, s, -0x1.69cc274ced176p-27)
	p = ieee.FMA(p, s, 0x1.71f19c92a9df6p-26)
	p = ieee.FMA(p, s, -0x1.7a0c9991297a2p-26)
	p = ieee.FMA(p, s, -0x1.26d56b886f589p-24)
	p = ieee.FMA(p, s, 0x1.48238d16e69f8p-21)
	p = ieee.FMA(p, s, -0x1.a415deec033fbp-19)
	p = ieee.FMA(p, s, 0x1.cd555f7adf7f7p-17)
	p = ieee.FMA(p, s, -0x1.ce8744e83859ep-15)
	p = ieee.FMA(p, s, 0x1.a0b9bd00d38cbp-13)
	p = ieee.FMA(p, s, -0x1.30183b39c0985p-11)
	p = ieee.FMA(p, s, 0x1.580d15b300747p-11)
	return mathcommon.LastTerms(s, rootLow, p, 0x1.0290c0c987953p+0, 0x1.0328f20bc3ae4p-54, 0x1.07ec1bb1f9197p+2, 0x1.6b25665df5f58p-52)
}

// erfinvFar is the inverse of the error function where the root of w is still larger.
func erfinvFar(root, rootLow float64) (y, low float64) {
	q, rest := mathcommon.Quotient(1, root, rootLow)
	s := q - 0x1.9cp-4
	p := 0x1.19b33337a109ep+66
	p = ieee.FMA(p, s, -0x1.ccc717f424306p+62)
	p = ieee.FMA(p, s, -0x1.13799024980c1p+60)
	p = ieee.FMA(p, s, 0x1.a3025f0e89c3p+56)
	p = ieee.FMA(p, s, 0x1.650bb90c25783p+53)
	p = ieee.FMA(p, s, -0x1.0c4f1347c9159p+50)
	p = ieee.FMA(p, s, -0x1.42af183967328p+45)
	p = ieee.FMA(p, s, 0x1.83f80a0db8152p+41)
	p = ieee.FMA(p, s, 0x1.918de77a4fc59p+38)
	p = ieee.FMA(p, s, -0x1.498e279b24a8ap+35)
	p = ieee.FMA(p, s, 0x1.5b6d362b0c99ap+31)
	p = ieee.FMA(p, s, -0x1.74bb5623322e5p+28)
	p = ieee.FMA(p, s, 0x1.a75e78390ea29p+25)
	p = ieee.FMA(p, s, -0x1.b808dc777d78bp+22)
	p = ieee.FMA(p, s, 0x1.d44fc6a7b0ccbp+19)
	p = ieee.FMA(p, s, -0x1.0348660b66c15p+17)
	p = ieee.FMA(p, s, 0x1.2a4adaeeac989p+14)
	p = ieee.FMA(p, s, -0x1.683fc388ef477p+11)
	p = ieee.FMA(p, s, 0x1.d01836fb09329p+8)
	p = ieee.FMA(p, s, -0x1.450e6a0b6f313p+6)
	p = ieee.FMA(p, s, 0x1.00166efc3071ep+4)
	p = ieee.FMA(p, s, -0x1.09fbc843dac6fp+2)
	p = ieee.FMA(p, s, 0x1.a0d309f8e8659p+0)
	p = ieee.FMA(p, s, -0x1.6343aa43744bdp-2)
	c, cLow := mathcommon.LastTerms(s, rest, p, -0x1.5b205649270a6p-3, -0x1.49e9a87354c4ep-63, 0x1.fa5930c0b3248p-1, -0x1.d080358bf2f3dp-56)
	return mathcommon.MulSum(c, cLow, root, rootLow)
}
