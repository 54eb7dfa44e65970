package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// This file has the steps that the functions of the function unit (unit_functions.go) are made of.

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
