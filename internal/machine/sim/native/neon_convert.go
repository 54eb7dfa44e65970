package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// neonConversionTable lists conversions by the types of the result and of the operand.
func neonConversionTable() map[[2]ptx.Type]neonEmitter {
	return map[[2]ptx.Type]neonEmitter{
		{ptx.S64, ptx.S32}: neonWidened(SXTL, SXTL2), {ptx.U64, ptx.S32}: neonWidened(SXTL, SXTL2),
		{ptx.U64, ptx.U32}: neonWidened(UXTL, UXTL2), {ptx.S64, ptx.U32}: neonWidened(UXTL, UXTL2),
		{ptx.U32, ptx.U64}: neonTruncated, {ptx.U32, ptx.S64}: neonTruncated, {ptx.S32, ptx.U64}: neonTruncated, {ptx.S32, ptx.S64}: neonTruncated,
		{ptx.U32, ptx.S32}: neonMove, {ptx.S32, ptx.U32}: neonMove,
		{ptx.F32, ptx.S32}: neonOne(SCVTF4S), {ptx.F32, ptx.U32}: neonOne(UCVTF4S),
		{ptx.F64, ptx.S32}: neonWidened(SXTL, SXTL2, SCVTF2D), {ptx.F64, ptx.U32}: neonWidened(UXTL, UXTL2, UCVTF2D),
		{ptx.F64, ptx.S64}: neonOne(SCVTF2D), {ptx.F64, ptx.U64}: neonOne(UCVTF2D),
		{ptx.F32, ptx.S64}: neonFloatOf64, {ptx.F32, ptx.U64}: neonFloatOf64,
		{ptx.F64, ptx.F32}: neonWidened(FCVTL, FCVTL2), {ptx.F32, ptx.F64}: neonNarrowed,
		{ptx.S32, ptx.S8}: neonLowest(8, SSHR4S), {ptx.S32, ptx.S16}: neonLowest(16, SSHR4S),
		{ptx.U32, ptx.U8}: neonLowest(8, USHR4S), {ptx.U32, ptx.U16}: neonLowest(16, USHR4S),
		{ptx.S32, ptx.U8}: neonLowest(8, USHR4S), {ptx.S32, ptx.U16}: neonLowest(16, USHR4S),
		{ptx.U16, ptx.U8}: neonLowest(8, USHR4S), {ptx.S16, ptx.U8}: neonLowest(8, USHR4S),
		{ptx.U16, ptx.U32}: neonLowest(16, USHR4S), {ptx.U16, ptx.S32}: neonLowest(16, USHR4S),
		{ptx.S16, ptx.U32}: neonLowest(16, USHR4S), {ptx.S16, ptx.S32}: neonLowest(16, USHR4S),
	}
}

// neonConversionOf is the emitter of cvt between registers of the types' own widths.
func neonConversionOf(in *code.Inst) neonEmitter {
	exact := in.Width == 0 || in.Width == in.Type.Bits()
	if !exact || in.Args[0].Bits != code.SlotBits(in.SrcType) || in.Dst[0].Bits != code.SlotBits(in.Type) {
		return nil
	}
	neonTables.Do(makeNeonTables)
	return neonTables.conversions[[2]ptx.Type{in.Type, in.SrcType}]
}

// neonWidened makes 64 bits of 32, by an instruction for the lower lanes and one for the upper ones.
// Others may follow.
func neonWidened(lower, upper VecOp, then ...VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, d := t.in32(in.Args[0]), t.out64(in.Dst[0])
		t.V2(lower, d[0], a)
		t.V2(upper, d[1], a)
		for _, op := range then {
			t.V2(op, d[0], d[0])
			t.V2(op, d[1], d[1])
		}
	}
}

// neonLowest extends the lowest bits of 32. A result of 16 bits is zero-extended in its register.
func neonLowest(bits int, extend VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
		t.Shift(SHL4S, d, a, 32-bits)
		t.Shift(extend, d, d, 32-bits)
	}
}

func neonTruncated(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	t.V3(UZP14S, d, a[0], a[1])
}

// neonNarrowed rounds doubles to singles. The processor keeps the sign and the upper bits of a NaN's
// payload, as a GPU does.
func neonNarrowed(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	t.V2(FCVTN, d, a[0])
	t.V2(FCVTN2, d, a[1])
}

// neonFloatOf64 converts lane by lane, since no instruction on vectors rounds 64 bits to a float32
// once.
func neonFloatOf64(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	for i := range neonLanes {
		t.Extract(64, 7, a[i/2], i%2)
		if i == 0 {
			t.FloatOfInteger(d, 7, in.SrcType.Signed())
			continue
		}
		t.FloatOfInteger(tmp, 7, in.SrcType.Signed())
		t.InsertLowest(32, d, i, tmp)
	}
}
