package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has the modifiers of floating-point instructions: roundings, .ftz and .sat.

// modifiable reports whether the emitter of an instruction obeys the instruction's modifiers.
func modifiable(in *code.Inst) bool {
	rounds, flushes := false, false
	switch in.Op {
	case ptx.OpAdd, ptx.OpSub, ptx.OpMul, ptx.OpDiv, ptx.OpFma, ptx.OpMad, ptx.OpSqrt, ptx.OpRcp:
		rounds, flushes = in.Type == ptx.F32 || in.Type == ptx.F64, in.Type == ptx.F32
	case ptx.OpNeg, ptx.OpAbs, ptx.OpMin, ptx.OpMax:
		flushes = in.Type == ptx.F32
	case ptx.OpSetp:
		flushes = in.Type == ptx.F32
	}
	allowed := code.Wide | code.High
	if flushes {
		allowed |= code.FTZ
		if in.Op != ptx.OpSetp {
			allowed |= code.Saturate
		}
	}
	if in.Flags&^allowed != 0 {
		return false
	}
	return in.Rounding == softfloat.Nearest || rounds && controls[in.Rounding] != 0
}

// controls are the values of MXCSR for roundings, 0 for those that it does not have: exceptions are masked,
// and subnormal numbers are not flushed.
var controls = [softfloat.Away + 1]uint32{
	softfloat.Nearest: 0x1f80, softfloat.ToZero: 0x7f80, softfloat.Down: 0x3f80, softfloat.Up: 0x5f80,
}

// rounded makes code that rounds in some way. To nearest is how all other code rounds.
func (b *builder) rounded(how softfloat.Rounding, emit func()) {
	if how == softfloat.Nearest {
		emit()
		return
	}
	at := func(how softfloat.Rounding) Mem { return context(unsafe.Offsetof(Context{}.controls) + 4*uintptr(how)) }
	b.LoadControl(at(how))
	emit()
	b.LoadControl(at(softfloat.Nearest))
}

// float is an operand in single precision, without what .ftz flushes.
func (t *strip) float(in *code.Inst, i int) Vec {
	a := t.in32(in.Args[i])
	if !in.Has(code.FTZ) {
		return a
	}
	d := t.take()
	t.flush(d, a)
	return d
}

// flush makes zeros of subnormal numbers, with their signs.
func (t *strip) flush(d, a Vec) {
	t.spread(scratch, magnitude32)
	t.V3(VPAND, scratch, scratch, a)
	t.spread(scratch2, least32)
	t.V3(VPCMPGTD, scratch2, scratch2, scratch)
	t.V3(VPAND, scratch, scratch, scratch2)
	t.V3(VPANDN, d, scratch, a)
}

// spread puts a constant into a vector that holds no register of PTX.
func (t *strip) spread(d Vec, w word) {
	t.V2(VPBROADCASTD, d, context(unsafe.Offsetof(Context{}.words)+4*uintptr(w)))
}

func (t *strip) spreadDouble(d Vec, w double) { t.V2(VPBROADCASTQ, d, doubleAt(w)) }

// finish makes the NaNs of a result in single precision canonical, and applies .ftz and .sat. The
// processor's maximum of a NaN and zero, in this order, is zero. Of two zeros it takes the second.
func (t *strip) finish(in *code.Inst, d Vec) {
	if !in.Has(code.Saturate) {
		t.canonical(d)
	}
	if in.Has(code.FTZ) {
		t.flush(d, d)
	}
	if in.Has(code.Saturate) {
		t.V3(VPXOR, scratch, scratch, scratch)
		t.V3(VMAXPS, d, d, scratch)
		t.spread(scratch, one32)
		t.V3(VMINPS, d, d, scratch)
	}
}
