package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has conversions of floats to whole numbers, and to floats of the same type.

// integralRounds are the constants by which vroundps and vroundpd round.
var integralRounds = map[softfloat.Rounding]byte{softfloat.Nearest: 0, softfloat.Down: 1, softfloat.Up: 2, softfloat.ToZero: toZero}

// integralOf is the emitter of such a conversion, nil for another instruction.
func integralOf(in *code.Inst) emitter {
	if in.Op != ptx.OpCvt || in.Width != 0 && in.Width != in.Type.Bits() {
		return nil
	}
	_, rounds := integralRounds[in.Rounding]
	plain := in.Flags&^code.Integral == 0 && rounds
	single := in.Flags&^(code.Integral|code.FTZ|code.Saturate) == 0 && rounds
	switch types := [2]ptx.Type{in.Type, in.SrcType}; {
	case types == [2]ptx.Type{ptx.F32, ptx.F32} && single:
		return wholeSingles
	case types == [2]ptx.Type{ptx.F64, ptx.F64} && plain && in.Has(code.Integral):
		return wholeDoubles
	case types == [2]ptx.Type{ptx.S32, ptx.F32} && rounds && in.Flags&^(code.Integral|code.FTZ) == 0:
		return signedOfSingles
	case types == [2]ptx.Type{ptx.U32, ptx.F32} && rounds && in.Flags&^(code.Integral|code.FTZ) == 0:
		return unsignedOfSingles
	case types == [2]ptx.Type{ptx.S32, ptx.F64} && plain:
		return signedOfDoubles
	}
	return nil
}

// wholeSingles rounds to whole numbers, and applies .ftz and .sat.
func wholeSingles(t *strip, in *code.Inst) {
	a, d := t.float(in, 0), t.out32(in.Dst[0])
	if in.Has(code.Integral) {
		t.V2i(VROUNDPS, d, a, integralRounds[in.Rounding])
	} else {
		t.V2(VMOVDQA, d, a)
	}
	t.finish(in, d)
}

// wholeDoubles makes a NaN quiet, as the processor does.
func wholeDoubles(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
	for i := range d {
		t.V2i(VROUNDPD, d[i], a[i], integralRounds[in.Rounding])
	}
}

// signedOfSingles clamps to the numbers of 32 bits. The processor gives the least one for all beyond
// them, and for NaNs, which become 0.
func signedOfSingles(t *strip, in *code.Inst) {
	a, d := t.float(in, 0), t.out32(in.Dst[0])
	x := t.take()
	t.V2i(VROUNDPS, x, a, integralRounds[in.Rounding])
	t.V2(VCVTTPS2DQ, d, x)
	t.spread(scratch2, two31)
	t.where(VCMPPS, scratch, x, scratch2, floatCompares[code.GE])
	t.spread(scratch2, magnitude32) // 2^31 - 1
	t.choose(VBLENDVPS, d, d, scratch2, scratch)
	t.zeroNaNs(d, x)
}

// zeroNaNs makes the results of NaNs 0.
func (t *strip) zeroNaNs(d, x Vec) {
	t.V3(VPXOR, scratch2, scratch2, scratch2)
	t.where(VCMPPS, scratch, x, x, unordered)
	t.choose(VBLENDVPS, d, d, scratch2, scratch)
}

// unsignedOfSingles converts numbers from 2^31 on less 2^31.
func unsignedOfSingles(t *strip, in *code.Inst) {
	a, d := t.float(in, 0), t.out32(in.Dst[0])
	x, y := t.take(), t.take()
	t.V3(VPXOR, scratch, scratch, scratch)
	t.V2i(VROUNDPS, x, a, integralRounds[in.Rounding])
	t.V3(VMAXPS, x, x, scratch) // of a NaN 0
	t.V2(VCVTTPS2DQ, d, x)
	t.spread(scratch2, two31)
	t.V3(VSUBPS, y, x, scratch2)
	t.V2(VCVTTPS2DQ, y, y)
	t.where(VCMPPS, scratch, x, scratch2, floatCompares[code.GE])
	t.spread(scratch2, sign32)
	t.V3(VPXOR, y, y, scratch2)
	t.choose(VBLENDVPS, d, d, y, scratch)
	t.V3(VPCMPEQD, y, y, y)
	t.spread(scratch2, twice31)
	t.where(VCMPPS, scratch, x, scratch2, floatCompares[code.GE])
	t.choose(VBLENDVPS, d, d, y, scratch)
}

// signedOfDoubles clamps too. A NaN becomes the least number.
func signedOfDoubles(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	x := [2]Vec{t.take(), t.take()}
	limit := t.double(limit31)
	for i := range x {
		t.V2i(VROUNDPD, x[i], a[i], integralRounds[in.Rounding])
		t.V3(VMINPD, x[i], limit, x[i]) // of a NaN the NaN
		t.V2(VCVTTPD2DQ, x[i], x[i])
	}
	t.V3i(VINSERTI128, d, x[0], x[1], 1)
}
