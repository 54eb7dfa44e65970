package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has the approximations of the function unit, in single precision. They take the steps of
// package mufu, which has the scalings of instructions without .ftz too.

// approximations are by the operation.
var approximations = map[code.Op]func(u *unit, ftz bool){
	ptx.OpRcp: (*unit).reciprocal, ptx.OpRsqrt: (*unit).inverseRoot, ptx.OpSqrt: (*unit).root,
	ptx.OpEx2: (*unit).power, ptx.OpLg2: (*unit).logarithm, ptx.OpTanh: (*unit).tangent,
	ptx.OpSin: func(u *unit, _ bool) { u.turns(0) }, ptx.OpCos: func(u *unit, _ bool) { u.turns(1) },
}

// approximationOf is the emitter of an approximation, nil for another instruction.
func approximationOf(in *code.Inst) emitter {
	const modifiers = code.Approx | code.Full | code.FTZ | code.Saturate
	if in.Type != ptx.F32 || in.Flags&(code.Approx|code.Full) == 0 || in.Flags&^modifiers != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	if in.Op == ptx.OpDiv {
		return quotientApproximated
	}
	if f := approximations[in.Op]; f != nil && in.Has(code.Approx) {
		return func(t *strip, in *code.Inst) {
			u := t.unit(in, t.in32(in.Args[0]))
			f(u, in.Has(code.FTZ))
			t.finish(in, u.d)
		}
	}
	return nil
}

// unit is the work of the function unit on a strip: d has the results, and b the arguments as the unit
// gets them.
type unit struct {
	*strip
	d, b Vec
	// e is the exponents' bits at first. i has the numbers of pieces, and x the arguments within them.
	e, i, x Vec
	sum     [2]Vec
	p, q    Vec
}

func (t *strip) unit(in *code.Inst, a Vec) *unit {
	u := &unit{strip: t, d: t.out32(in.Dst[0])}
	for _, v := range []*Vec{&u.b, &u.e, &u.i, &u.x, &u.sum[0], &u.sum[1], &u.p, &u.q} {
		*v = t.take()
	}
	if in.Has(code.FTZ) {
		t.flush(u.b, a)
	} else {
		t.V2(VMOVDQA, u.b, a)
	}
	return u
}

// exponents puts the bits of the arguments' exponents into e.
func (u *unit) exponents() {
	u.Shift(VPSLLD, u.e, u.b, 1)
	u.Shift(VPSRLD, u.e, u.e, 24)
}

// lowest puts the lowest n bits of v into d. They must differ.
func (u *unit) lowest(d, v Vec, n byte) {
	u.Shift(VPSLLD, d, v, 32-n)
	u.Shift(VPSRLD, d, d, 32-n)
}

// replace replaces results by v where the signs of a scratch vector say so.
func (u *unit) replace(v, test Vec) { u.Blend(VBLENDVPS, u.d, u.d, v, test) }

// replaceWord replaces results by a constant where where answered yes.
func (u *unit) replaceWord(w word, test Vec) {
	u.spread(scratch2, w)
	u.choose(VBLENDVPS, u.d, u.d, scratch2, test)
}

// gather looks words up in a table, by their numbers in i.
func (u *unit) gather(d Vec, at int32) {
	u.V2(VMOVDQA, scratch2, u.i)
	if u.avx512 {
		u.Masks(KXNORW, K1, K1, K1)
		u.ZGather(d, scratch2, at, K1)
		return
	}
	u.Asm.V3(VPCMPEQD, scratch, scratch, scratch)
	u.Gather(d, scratch2, at, scratch)
}

// evaluate puts a curve at x in piece i into sum, in 64 bits. Its coefficients are signed.
func (u *unit) evaluate(name string) {
	c := curves().curves[name]
	u.Load(64, RAX, context(unsafe.Offsetof(Context{}.curves)))
	u.gather(u.d, c.first)
	u.widen(VPMOVSXDQ, u.sum, u.d)
	u.V2(VPBROADCASTQ, scratch, Mem{Base: RAX, Disp: c.bias})
	for _, v := range u.sum {
		u.Shift(VPSLLQ, v, v, c.shift)
		u.V3(VPADDQ, v, v, scratch)
	}
	u.gather(u.d, c.first+c.row)
	u.addProduct(0)
	u.gather(u.d, c.first+2*c.row)
	u.square()
	u.addProduct(c.shift2)
}

// addProduct adds the products of d and x, shifted to the left.
func (u *unit) addProduct(shift byte) {
	for half, v := range u.sum {
		for _, pair := range [][2]Vec{{u.p, u.d}, {u.q, u.x}} {
			from := pair[1]
			if half == 1 {
				u.Upper(pair[0], from)
				from = pair[0]
			}
			u.V2(VPMOVSXDQ, pair[0], from)
		}
		u.V3(VPMULDQ, u.p, u.p, u.q)
		if shift > 0 {
			u.Shift(VPSLLQ, u.p, u.p, shift)
		}
		u.V3(VPADDQ, v, v, u.p)
	}
}

// square makes x the unit's square of x, which has 17 bits: the lowest two bits add nothing.
func (u *unit) square() {
	u.V3(VPXOR, u.p, u.p, u.p)
	for bit := byte(2); bit < 17; bit++ {
		u.Shift(VPSLLD, scratch, u.x, 31-bit)
		u.Shift(VPSRAD, scratch, scratch, 31)
		u.Shift(VPSRLD, u.q, u.x, 18-bit)
		u.V3(VPAND, u.q, u.q, scratch)
		u.V3(VPADDD, u.p, u.p, u.q)
	}
	u.Shift(VPSRLD, u.x, u.p, 1)
}

// assemble makes results of sum's numbers, shifted to the right, which have 24 bits, and of the exponents
// in e. Results below the normal numbers are 0.
func (u *unit) assemble(shift byte) {
	u.fractions(shift)
	u.compose()
}

func (u *unit) fractions(shift byte) {
	for _, v := range u.sum {
		u.Shift(VPSRLQ, v, v, shift)
	}
	u.narrow(u.d, u.sum, 0x88)
}

func (u *unit) compose() {
	u.Shift(VPSLLD, u.p, u.e, 23)
	u.V3(VPADDD, u.d, u.d, u.p)
	u.spread(scratch, least32)
	u.V3(VPCMPGTD, scratch, scratch, u.d)
	u.V3(VPANDN, u.d, scratch, u.d)
}

// takeFrom makes e a constant less e, and add adds a constant to it.

func (u *unit) takeFrom(w word) {
	u.spread(scratch, w)
	u.V3(VPSUBD, u.e, scratch, u.e)
}

func (u *unit) add(w word) {
	u.spread(scratch, w)
	u.V3(VPADDD, u.e, u.e, scratch)
}

// signs puts the arguments' signs into q.
func (u *unit) signs() {
	u.spread(u.q, sign32)
	u.V3(VPAND, u.q, u.q, u.b)
}

// zeros and largest say in scratch which arguments have no bits of an exponent, and which have all.

func (u *unit) zeros() {
	u.exponents()
	u.V3(VPXOR, scratch, scratch, scratch)
	u.V3(VPCMPEQD, scratch, scratch, u.e)
}

func (u *unit) largest() {
	u.exponents()
	u.right(scratch, 8)
	u.V3(VPCMPEQD, scratch, scratch, u.e)
}

// invalid makes the results of NaNs, and of other arguments that compare with 0 as how says, NaN.
func (u *unit) invalid(how byte) {
	u.V3(VPXOR, scratch2, scratch2, scratch2)
	u.where(VCMPPS, scratch, u.b, scratch2, how)
	u.replaceWord(nan32, scratch)
}

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

// The instructions scale arguments that the unit does not take, and scale results back.

// scale multiplies b by a constant where magnitudes of v compare with another one. q has the factors.
func (u *unit) scale(v Vec, bound word, how byte, by word) {
	u.magnitudes(v)
	u.spread(scratch, bound)
	u.where(VCMPPS, scratch, u.p, scratch, how)
	u.spread(scratch2, by)
	u.choose(VBLENDVPS, u.q, u.q, scratch2, scratch)
}

// magnitudes puts the magnitudes of v into p.
func (u *unit) magnitudes(v Vec) {
	u.spread(u.p, magnitude32)
	u.V3(VPAND, u.p, u.p, v)
}

const (
	below = 0x11 // of vcmpps: less, ordered
	above = 0x1e
)

// factors puts into q the factors of arguments and results: 1 where no scaling holds.
func (u *unit) factors(scalings ...[3]word) (f Vec) {
	u.spread(u.q, one32)
	for _, s := range scalings {
		how := byte(below)
		if s[0] == most126 {
			how = above
		}
		u.scale(u.b, s[0], how, s[1])
	}
	return u.q
}

func (u *unit) reciprocal(ftz bool) {
	if ftz {
		u.rcp()
		return
	}
	f := u.take()
	u.V2(VMOVDQA, f, u.factors([3]word{least32, scaled24}, [3]word{most126, scaledBack2}))
	u.V3(VMULPS, u.b, u.b, f)
	u.rcp()
	u.V3(VMULPS, u.d, u.d, f)
}

// scaledRoot makes the code of a root of numbers that it scales by 2^24 if they are subnormal.
func (u *unit) scaledRoot(root func(), back word) {
	f := u.take()
	u.V2(VMOVDQA, f, u.factors([3]word{least32, scaled24}))
	u.V3(VMULPS, u.b, u.b, f)
	root()
	u.spread(scratch2, one32)
	u.V3(VPCMPEQD, scratch, f, scratch2)
	u.spread(u.p, back)
	u.Blend(VBLENDVPS, u.p, u.p, scratch2, scratch)
	u.V3(VMULPS, u.d, u.d, u.p)
}

func (u *unit) inverseRoot(ftz bool) {
	if ftz {
		u.rsq()
		return
	}
	u.scaledRoot(u.rsq, scaled12)
}

func (u *unit) root(ftz bool) {
	if ftz {
		u.sqrt()
		return
	}
	u.scaledRoot(u.sqrt, scaledBack12)
}

// power squares the power of half of an argument below -126.
func (u *unit) power(ftz bool) {
	if ftz {
		u.exp()
		return
	}
	f := u.take()
	u.spread(scratch, less126)
	u.where(VCMPPS, scratch, u.b, scratch, below)
	u.spread(f, one32)
	u.spread(scratch2, half32)
	u.choose(VBLENDVPS, f, f, scratch2, scratch)
	u.V3(VMULPS, u.b, u.b, f)
	u.exp()
	u.V3(VMULPS, u.p, u.d, u.d)
	u.spread(scratch2, half32)
	u.V3(VPCMPEQD, scratch, scratch2, f)
	u.replace(u.p, scratch)
}

func (u *unit) logarithm(ftz bool) {
	if ftz {
		u.log()
		return
	}
	f := u.take()
	u.V2(VMOVDQA, f, u.factors([3]word{least32, scaled24}))
	u.V3(VMULPS, u.b, u.b, f)
	u.log()
	u.spread(scratch2, less24)
	u.V3(VADDPS, u.p, u.d, scratch2)
	u.spread(scratch2, scaled24)
	u.V3(VPCMPEQD, scratch, scratch2, f)
	u.replace(u.p, scratch)
}

// quotientApproximated is mufu.Div and mufu.DivFull.
func quotientApproximated(t *strip, in *code.Inst) {
	x, y := t.float(in, 0), t.in32(in.Args[1])
	u := t.unit(in, y)
	f := t.take()
	var scalings [][3]word
	if !in.Has(code.FTZ) {
		scalings = append(scalings, [3]word{least32, scaled24})
	}
	if in.Has(code.Full) {
		scalings = append(scalings, [3]word{most126, scaledBack2})
	}
	t.V2(VMOVDQA, f, u.factors(scalings...))
	t.V3(VMULPS, u.b, u.b, f)
	u.rcp()
	t.V3(VMULPS, f, f, x)
	t.V3(VMULPS, u.d, u.d, f)
	t.finish(in, u.d)
}
