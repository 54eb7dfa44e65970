package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// conversions are by the types of the result and of the operand.
var conversions = map[[2]ptx.Type]emitter{
	{ptx.S64, ptx.S32}: widened(VPMOVSXDQ), {ptx.U64, ptx.S32}: widened(VPMOVSXDQ),
	{ptx.U64, ptx.U32}: widened(VPMOVZXDQ), {ptx.S64, ptx.U32}: widened(VPMOVZXDQ),
	{ptx.U32, ptx.U64}: truncated, {ptx.U32, ptx.S64}: truncated, {ptx.S32, ptx.U64}: truncated, {ptx.S32, ptx.S64}: truncated,
	{ptx.U32, ptx.S32}: one(VMOVDQA), {ptx.S32, ptx.U32}: one(VMOVDQA),
	{ptx.F32, ptx.S32}: one(VCVTDQ2PS), {ptx.F32, ptx.U32}: floatOfUnsigned,
	{ptx.F64, ptx.S32}: widened(VCVTDQ2PD), {ptx.F64, ptx.U32}: doubleOfUnsigned,
	{ptx.F64, ptx.S64}: doubleOf64(true), {ptx.F64, ptx.U64}: doubleOf64(false),
	{ptx.F32, ptx.S64}: floatOf64(true), {ptx.F32, ptx.U64}: floatOf64(false),
	{ptx.F64, ptx.F32}: widened(VCVTPS2PD), {ptx.F32, ptx.F64}: narrowed,
	{ptx.S32, ptx.S8}: lowest(8, VPSRAD), {ptx.S32, ptx.S16}: lowest(16, VPSRAD),
	{ptx.U32, ptx.U8}: lowest(8, VPSRLD), {ptx.U32, ptx.U16}: lowest(16, VPSRLD),
	{ptx.S32, ptx.U8}: lowest(8, VPSRLD), {ptx.S32, ptx.U16}: lowest(16, VPSRLD),
	{ptx.U16, ptx.U8}: lowest(8, VPSRLD), {ptx.S16, ptx.U8}: lowest(8, VPSRLD),
	{ptx.U16, ptx.U32}: lowest(16, VPSRLD), {ptx.U16, ptx.S32}: lowest(16, VPSRLD),
	{ptx.S16, ptx.U32}: lowest(16, VPSRLD), {ptx.S16, ptx.S32}: lowest(16, VPSRLD),
}

// shortConversions are conversions of formats of 16 bits.
var shortConversions = map[[2]ptx.Type]emitter{
	{ptx.F32, ptx.F16}: singlesOfHalves, {ptx.F16, ptx.F32}: halvesOfSingles,
	{ptx.F32, ptx.BF16}: singlesOfBFloats, {ptx.BF16, ptx.F32}: bFloatsOfSingles,
}

// conversionOf is the emitter of cvt between registers of the types' own widths.
func conversionOf(in *code.Inst) emitter {
	exact := in.Width == 0 || in.Width == in.Type.Bits()
	if !exact || in.Args[0].Bits != code.SlotBits(in.SrcType) || in.Dst[0].Bits != code.SlotBits(in.Type) {
		return nil
	}
	types := [2]ptx.Type{in.Type, in.SrcType}
	if f := shortConversions[types]; f != nil {
		return f
	}
	return conversions[types]
}

func widened(extend VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, d := t.in32(in.Args[0]), t.out64(in.Dst[0])
		t.widen(extend, d, a)
	}
}

// lowest extends the lowest bits of 32. A result of 16 bits is zero-extended in its register.
func lowest(bits byte, extend VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
		t.Shift(VPSLLD, d, a, 32-bits)
		t.Shift(extend, d, d, 32-bits)
	}
}

func truncated(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	t.narrow(d, a, 0x88)
}

// narrowed rounds doubles to singles. The processor keeps the sign and the upper bits of a NaN's
// payload, as a GPU does.
func narrowed(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	x := t.take()
	t.V2(VCVTPD2PS, d, a[0])
	t.V2(VCVTPD2PS, x, a[1])
	t.V3i(VINSERTI128, d, d, x, 1)
}

// floatOfUnsigned adds the upper 16 bits times 2^16 and the lower ones, which are exact, so it rounds
// once.
func floatOfUnsigned(t *strip, in *code.Inst) {
	a, low, scale, d := t.in32(in.Args[0]), t.word(low16), t.word(two16), t.out32(in.Dst[0])
	x := t.take()
	t.V3(VPAND, x, a, low)
	t.V2(VCVTDQ2PS, x, x)
	t.Shift(VPSRLD, d, a, 16)
	t.V2(VCVTDQ2PS, d, d)
	t.V3(VFMADD231PS, x, d, scale)
	t.V2(VMOVDQA, d, x)
}

// doubleOfUnsigned makes the bits the lowest bits of 2^52, and subtracts 2^52.
func doubleOfUnsigned(t *strip, in *code.Inst) {
	a, two, d := t.in32(in.Args[0]), t.double(two52), t.out64(in.Dst[0])
	t.widen(VPMOVZXDQ, d, a)
	for i := range d {
		t.V3(VPOR, d[i], d[i], two)
		t.V3(VSUBPD, d[i], d[i], two)
	}
}

// wide converts numbers of 64 bits to doubles.
type wide struct {
	signed                            bool
	lower, biased, upper, two32, sign Vec
}

func (t *strip) wide(signed bool) *wide {
	w := &wide{signed: signed, lower: t.double(two52), upper: t.double(upper64), two32: t.double(two32)}
	w.biased = w.lower
	if signed {
		w.biased, w.sign = t.double(biased52), t.double(sign64)
	}
	return w
}

// convert adds the upper half times 2^32 and the lower half, which are exact, so it rounds once. The
// upper half of a signed number is 2^31 too large at first.
func (w *wide) convert(t *strip, d, a Vec) {
	const low, high = scratch, scratch2
	t.V3(VPANDN, low, w.upper, a)
	t.V3(VPOR, low, low, w.lower)
	t.V3(VSUBPD, low, low, w.lower)
	if w.signed {
		t.V3(VPXOR, high, a, w.sign)
		a = high
	}
	t.Shift(VPSRLQ, high, a, 32)
	t.V3(VPOR, high, high, w.lower)
	t.V3(VSUBPD, high, high, w.biased)
	t.V3(VFMADD231PD, low, high, w.two32)
	t.V2(VMOVDQA, d, low)
}

func doubleOf64(signed bool) emitter {
	return func(t *strip, in *code.Inst) {
		a, w, d := t.in64(in.Args[0]), t.wide(signed), t.out64(in.Dst[0])
		for i := range d {
			w.convert(t, d[i], a[i])
		}
	}
}

// floatOf64 rounds twice, to a double and to a single. So that the second rounding is right, it first
// makes the lowest 11 bits of numbers beyond 2^53 a single bit, which says whether they are zeros.
func floatOf64(signed bool) emitter {
	return func(t *strip, in *code.Inst) {
		a, w, limit, low, d := t.in64(in.Args[0]), t.wide(signed), t.double(bit53), t.double(low11), t.out32(in.Dst[0])
		x := [2]Vec{t.take(), t.take()}
		for i := range x {
			t.V3(VPAND, x[i], a[i], low)
			t.V3(VPADDQ, x[i], x[i], low)
			t.V3(VPOR, x[i], x[i], a[i])
			t.V3(VPANDN, x[i], low, x[i])
			if signed {
				t.V3(VPADDQ, scratch, a[i], limit)
				t.Shift(VPSRLQ, scratch, scratch, 54)
			} else {
				t.Shift(VPSRLQ, scratch, a[i], 53)
			}
			t.V3(VPXOR, scratch2, scratch2, scratch2)
			t.V3(VPCMPEQQ, scratch, scratch, scratch2)
			t.Blend(VBLENDVPD, x[i], x[i], a[i], scratch)
			w.convert(t, x[i], x[i])
		}
		t.V2(VCVTPD2PS, d, x[0])
		t.V2(VCVTPD2PS, x[1], x[1])
		t.V3i(VINSERTI128, d, d, x[1], 1)
	}
}
