package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// This file has conversions of f16 and bf16, which are the lower 16 bits of a register of 32.

// singlesOfHalves shifts the bits to a single's place, and multiplies by what the exponents differ by,
// which makes subnormal halves normal singles. What is not below 2^16 then is infinite or a NaN.
func singlesOfHalves(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	sign := t.take()
	t.Shift(VPSLLD, sign, a, 16)
	t.spread(scratch, sign32)
	t.V3(VPAND, sign, sign, scratch)
	t.Shift(VPSLLD, d, a, 17)
	t.Shift(VPSRLD, d, d, 4)
	t.spread(scratch, half112)
	t.V3(VMULPS, d, d, scratch)
	t.spread(scratch2, tooLargeHalf)
	t.where(VCMPPS, scratch, d, scratch2, floatCompares[code.GE])
	t.spread(scratch2, infinity32)
	t.choose(VBLENDVPS, d, d, scratch2, scratch)
	t.V3(VPOR, d, d, sign)
	t.Shift(VPSLLD, sign, a, 17)
	t.Shift(VPSRLD, sign, sign, 17)
	t.spread(scratch, infinityHalf)
	t.V3(VPCMPGTD, sign, sign, scratch)
	t.spread(scratch, nan32)
	t.Blend(VBLENDVPS, d, d, scratch, sign)
}

// halvesOfSingles rounds to nearest (F. Giesen, float_to_half_fast3_rtne, 2012): a sum with a constant
// rounds numbers that are subnormal halves, and a sum of the bits the others.
func halvesOfSingles(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	u, small := t.take(), t.take()
	t.spread(scratch, magnitude32)
	t.V3(VPAND, u, a, scratch)
	t.spread(scratch, denormHalf)
	t.V3(VADDPS, small, u, scratch)
	t.V3(VPSUBD, small, small, scratch)
	t.Shift(VPSLLD, d, u, 18)
	t.Shift(VPSRLD, d, d, 31)
	t.V3(VPADDD, d, d, u)
	t.spread(scratch, rebasedHalf)
	t.V3(VPADDD, d, d, scratch)
	t.Shift(VPSRLD, d, d, 13)
	t.spread(scratch2, normalHalf)
	t.V3(VPCMPGTD, scratch, scratch2, u)
	t.Blend(VBLENDVPS, d, d, small, scratch)
	t.spread(scratch2, tooLargeHalf)
	t.where(VCMPPS, scratch, u, scratch2, floatCompares[code.GE])
	t.spread(scratch2, infinityHalf)
	t.choose(VBLENDVPS, d, d, scratch2, scratch)
	t.Shift(VPSRLD, u, a, 31)
	t.Shift(VPSLLD, u, u, 15)
	t.V3(VPOR, d, d, u)
	t.canonicalShort(d, a)
}

// canonicalShort gives results of NaNs the NaN of f16 and bf16.
func (t *strip) canonicalShort(d, a Vec) {
	t.spread(scratch2, nanHalf)
	t.where(VCMPPS, scratch, a, a, unordered)
	t.choose(VBLENDVPS, d, d, scratch2, scratch)
}

// singlesOfBFloats keeps all bits.
func singlesOfBFloats(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	t.Shift(VPSLLD, d, a, 16)
}

// bFloatsOfSingles rounds to nearest.
func bFloatsOfSingles(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	t.Shift(VPSLLD, d, a, 15)
	t.Shift(VPSRLD, d, d, 31)
	t.V3(VPADDD, d, d, a)
	t.right(scratch, 15)
	t.V3(VPADDD, d, d, scratch)
	t.Shift(VPSRLD, d, d, 16)
	t.canonicalShort(d, a)
}
