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
	{ptx.F64, ptx.F32}: widened(VCVTPS2PD), {ptx.F32, ptx.F64}: narrowed,
	{ptx.S32, ptx.S8}: lowest(8, VPSRAD), {ptx.S32, ptx.S16}: lowest(16, VPSRAD),
	{ptx.U32, ptx.U8}: lowest(8, VPSRLD), {ptx.U32, ptx.U16}: lowest(16, VPSRLD),
	{ptx.S32, ptx.U8}: lowest(8, VPSRLD), {ptx.S32, ptx.U16}: lowest(16, VPSRLD),
	{ptx.U16, ptx.U8}: lowest(8, VPSRLD), {ptx.S16, ptx.U8}: lowest(8, VPSRLD),
	{ptx.U16, ptx.U32}: lowest(16, VPSRLD), {ptx.U16, ptx.S32}: lowest(16, VPSRLD),
	{ptx.S16, ptx.U32}: lowest(16, VPSRLD), {ptx.S16, ptx.S32}: lowest(16, VPSRLD),
}

// conversionOf is the emitter of cvt between registers of the types' own widths.
func conversionOf(in *code.Inst) emitter {
	exact := in.Width == 0 || in.Width == in.Type.Bits()
	if !exact || in.Args[0].Bits != code.SlotBits(in.SrcType) || in.Dst[0].Bits != code.SlotBits(in.Type) {
		return nil
	}
	return conversions[[2]ptx.Type{in.Type, in.SrcType}]
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
