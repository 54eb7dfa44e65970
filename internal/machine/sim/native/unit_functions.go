package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// This file has the functions of the function unit, by the steps of package mufu.

// rcp is mufu.RCP.
func (u *unit) rcp() {
	u.lowest(u.x, u.b, 23)
	u.Shift(VPSRLD, u.i, u.x, 16)
	u.lowest(u.p, u.x, 16)
	u.Shift(VPSLLD, u.x, u.p, 1)
	u.evaluate("rcp")
	u.exponents()
	u.takeFrom(place252)
	u.assemble(16)
	u.signs()
	u.V3(VPOR, u.d, u.d, u.q)
	u.largest()
	u.replace(u.q, scratch)
	u.zeros()
	u.spread(scratch2, infinity32)
	u.V3(VPOR, scratch2, scratch2, u.q)
	u.replace(scratch2, scratch)
	u.invalid(unordered)
}

// fold puts the arguments of a root into x and i: fractions, and above them whether exponents are odd,
// and half of the exponents into e.
func (u *unit) fold() {
	u.exponents()
	u.spread(scratch, least32)
	u.Shift(VPSLLD, u.x, u.e, 23)
	u.V3(VPANDN, u.x, u.x, scratch)
	u.lowest(u.p, u.b, 23)
	u.V3(VPOR, u.p, u.p, u.x)
	u.Shift(VPSRLD, u.i, u.p, 17)
	u.lowest(u.x, u.p, 17)
}

// halve makes e half of the exponents.
func (u *unit) halve() {
	u.exponents()
	u.spread(scratch, place127)
	u.V3(VPSUBD, u.e, u.e, scratch)
	u.Shift(VPSRAD, u.e, u.e, 1)
}

// rsq is mufu.RSQ. It has no piece for powers of four.
func (u *unit) rsq() {
	u.fold()
	u.evaluate("rsqrt")
	u.halve()
	u.takeFrom(place125)
	u.fractions(16)
	u.lowest(u.p, u.b, 24)
	u.spread(scratch, least32)
	u.V3(VPCMPEQD, scratch, scratch, u.p)
	u.spread(scratch2, bit24)
	u.replace(scratch2, scratch)
	u.compose()
	u.largest()
	u.V3(VPXOR, scratch2, scratch2, scratch2)
	u.replace(scratch2, scratch)
	u.invalid(floatCompares[code.LTU])
	u.signs()
	u.zeros()
	u.spread(scratch2, infinity32)
	u.V3(VPOR, scratch2, scratch2, u.q)
	u.replace(scratch2, scratch)
}

// sqrt is mufu.SQRT.
func (u *unit) sqrt() {
	u.fold()
	u.evaluate("sqrt")
	u.halve()
	u.add(place126)
	u.assemble(17)
	u.largest()
	u.replace(u.b, scratch)
	u.invalid(floatCompares[code.LTU])
	u.signs()
	u.zeros()
	u.replace(u.q, scratch)
}

// fixed puts the arguments' magnitudes in units of 2^-23 into p, toward zero and modulo 2^32, times a
// power of two: e has the exponents' bits, and bias what they are larger by.
func (u *unit) fixed(bias word) {
	u.spread(scratch, bias)
	u.V3(VPSUBD, u.e, u.e, scratch)
	u.lowest(u.p, u.b, 23)
	u.spread(scratch, least32)
	u.V3(VPOR, u.p, u.p, scratch)
	u.V3(VPSLLVD, u.q, u.p, u.e)
	u.V3(VPXOR, scratch, scratch, scratch)
	u.V3(VPSUBD, scratch, scratch, u.e)
	u.V3(VPSRLVD, u.p, u.p, scratch)
	u.V3(VPOR, u.p, u.p, u.q)
}

// exp is mufu.EX2.
func (u *unit) exp() {
	u.exponents()
	u.fixed(place127)
	u.lowest(u.x, u.p, 23)
	u.V3(VPXOR, scratch2, scratch2, scratch2)
	u.V3(VPCMPEQD, u.x, u.x, scratch2) // whole numbers
	u.Shift(VPSRAD, scratch, u.b, 31)
	u.V3(VPAND, u.x, u.x, scratch)
	u.V3(VPXOR, u.p, u.p, scratch)
	u.V3(VPSUBD, u.p, u.p, u.x)
	u.Shift(VPSRAD, u.e, u.p, 23)
	u.lowest(u.x, u.p, 23)
	u.Shift(VPSRLD, u.i, u.x, 17)
	u.lowest(u.x, u.p, 17)
	u.evaluate("ex2")
	u.add(place126)
	u.assemble(15)
	u.tooLarge()
	u.invalid(unordered)
}

// tooLarge replaces powers of 128 and more, and of -128 and less.
func (u *unit) tooLarge() {
	u.exponents()
	u.spread(scratch, place127)
	u.V3(VPSUBD, u.e, u.e, scratch)
	u.right(scratch2, 3)
	u.right(scratch, 1)
	u.V3(VPSUBD, scratch2, scratch2, scratch)
	u.V3(VPCMPGTD, u.e, u.e, scratch2) // 6
	u.spread(scratch2, infinity32)
	u.Shift(VPSRAD, scratch, u.b, 31)
	u.V3(VPANDN, scratch2, scratch, scratch2)
	u.replace(scratch2, u.e)
}

// round makes singles of sum's numbers below 2^52, times a power of two, rounded toward zero.
func (u *unit) round(point double) {
	u.spreadDouble(scratch, two52)
	u.spreadDouble(scratch2, point)
	for _, v := range u.sum {
		u.V3(VPOR, v, v, scratch)
		u.V3(VSUBPD, v, v, scratch)
		u.V3(VMULPD, v, v, scratch2)
	}
	u.singles()
}

// singles rounds the doubles in sum toward zero.
func (u *unit) singles() {
	u.rounded(softfloat.ToZero, func() {
		u.V2(VCVTPD2PS, u.d, u.sum[0])
		u.V2(VCVTPD2PS, u.p, u.sum[1])
	})
	u.V3i(VINSERTI128, u.d, u.d, u.p, 1)
}

// log is mufu.LG2.
func (u *unit) log() {
	u.lowest(u.x, u.b, 23)
	u.Shift(VPSRLD, u.i, u.x, 17)
	u.lowest(u.p, u.x, 17)
	u.V2(VMOVDQA, u.x, u.p)
	u.evaluate("lg2")
	u.exponents()
	u.spread(scratch, place127)
	u.V3(VPSUBD, u.e, u.e, scratch)
	for half, v := range u.sum {
		from := u.e
		if half == 1 {
			u.Upper(u.p, u.e)
			from = u.p
		}
		u.V2(VPMOVSXDQ, u.p, from)
		u.Shift(VPSLLQ, u.p, u.p, 36)
		u.Shift(VPSRLQ, v, v, 2)
		u.V3(VPADDQ, v, v, u.p)
	}
	u.negative()
	u.round(point36)
	u.V3(VPOR, u.d, u.d, u.x)
	u.specialLogarithms()
}

// negative makes sum's negative numbers n ^n, and puts the signs into x.
func (u *unit) negative() {
	test := [2]Vec{u.p, u.q}
	for i, v := range u.sum {
		u.V3(VPXOR, test[i], test[i], test[i])
		u.V3(VPCMPGTQ, test[i], test[i], v)
		u.V3(VPXOR, v, v, test[i])
	}
	u.narrow(u.x, test, 0x88)
	u.Shift(VPSLLD, u.x, u.x, 31)
}

func (u *unit) specialLogarithms() {
	u.spread(scratch2, one32)
	u.V3(VPCMPEQD, scratch, scratch2, u.b)
	u.V3(VPANDN, u.d, scratch, u.d)
	u.largest()
	u.replace(u.b, scratch)
	u.invalid(floatCompares[code.LTU])
	u.zeros()
	u.spread(u.q, infinity32)
	u.spread(scratch2, sign32)
	u.V3(VPOR, scratch2, scratch2, u.q)
	u.replace(scratch2, scratch)
}

// turns is mufu.Sin, or with more quarters mufu.Cos.
func (u *unit) turns(more int) {
	u.widen(VCVTPS2PD, u.sum, u.b)
	u.spreadDouble(scratch, turn64)
	for _, v := range u.sum {
		u.V3(VMULPD, v, v, scratch)
	}
	u.singles()
	u.V2(VMOVDQA, u.b, u.d)
	u.exponents()
	u.right(scratch, 1)
	u.V3(VPADDD, u.e, u.e, scratch)
	u.V3(VPADDD, u.e, u.e, scratch)
	u.fixed(place127)
	u.Shift(VPSRLD, u.e, u.p, 23)
	if more > 0 {
		u.right(scratch, 1)
		u.V3(VPADDD, u.e, u.e, scratch)
	}
	u.Shift(VPSLLD, scratch, u.e, 31) // of odd quarters the rest counts
	u.Shift(VPSRAD, scratch, scratch, 31)
	u.V3(VPXOR, u.p, u.p, scratch)
	u.lowest(u.x, u.p, 23)
	u.Shift(VPSRLD, u.i, u.x, 17)
	u.lowest(u.x, u.p, 17)
	u.evaluate("sin")
	u.round(point37)
	u.Shift(VPSRLD, u.e, u.e, 1)
	u.Shift(VPSLLD, u.e, u.e, 31)
	if more == 0 {
		u.signs()
		u.V3(VPXOR, u.e, u.e, u.q)
	}
	u.V3(VPOR, u.d, u.d, u.e)
	u.largest()
	u.spread(scratch2, nan32)
	u.replace(scratch2, scratch)
}

// tangent is mufu.TANH, which is the instruction's with .ftz and without.
func (u *unit) tangent(bool) {
	u.exponents()
	u.spread(scratch, place119)
	u.V3(VPSUBD, u.e, u.e, scratch) // 0 for the first exponent that has pieces
	u.V3(VPXOR, u.x, u.x, u.x)
	u.V3(VPMAXSD, u.i, u.e, u.x)
	u.spread(scratch, most10)
	u.V3(VPMINSD, u.i, u.i, scratch)
	u.Load(64, RAX, context(unsafe.Offsetof(Context{}.curves)))
	u.gather(u.p, curves().tanhFirst)
	u.gather(u.q, curves().tanhShift)
	u.lowest(u.x, u.b, 23)
	u.V3(VPSRLVD, u.i, u.x, u.q)
	u.V3(VPADDD, u.i, u.i, u.p)
	u.right(scratch, 5)
	u.Shift(VPSRLD, scratch, scratch, 1) // 15
	u.right(scratch2, 1)
	u.V3(VPADDD, scratch, scratch, scratch2)
	u.V3(VPADDD, scratch, scratch, scratch2) // 17
	u.V3(VPSUBD, u.q, u.q, scratch)
	u.V3(VPSRLVD, u.p, u.x, u.q)
	u.lowest(u.x, u.p, 17)
	u.evaluate("tanh")
	u.round(point39)
	u.signs()
	u.V3(VPOR, u.d, u.d, u.q)
	u.spread(scratch, most10)
	u.V3(VPCMPGTD, scratch, u.e, scratch)
	u.spread(scratch2, one32)
	u.V3(VPOR, scratch2, scratch2, u.q)
	u.replace(scratch2, scratch)
	u.replace(u.b, u.e) // the arguments that are smaller
	u.invalid(unordered)
}
