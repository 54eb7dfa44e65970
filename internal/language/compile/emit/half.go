package emit

import (
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// halfOps are the operations on numbers of 16 bits. The instructions for pairs serve for single
// numbers, too: their operands stay in registers of 32 bits, where the upper halves are zero.
var halfOps = map[ir.Op]struct {
	op  ptx.Op
	mod ptx.Mod
}{
	ir.HAdd: {ptx.OpAdd, ptx.ModRN}, ir.HSub: {ptx.OpSub, ptx.ModRN}, ir.HMul: {ptx.OpMul, ptx.ModRN}, ir.HFma: {ptx.OpFma, ptx.ModRN},
	ir.HMin: {ptx.OpMin, ptx.ModNaN}, ir.HMax: {ptx.OpMax, ptx.ModNaN},
}

// Pairs of BF16.
const (
	ones      = 0x3f803f80
	minusOnes = 0xbf80bf80
	minusZero = 0x80008000
)

// half is arithmetic on pairs. What BF16 has from sm_90 on only is fused with a multiplication by 1
// or -1, which is exact, or an addition of -0, which changes nothing, before.
func (e *emitter) half(v *ir.Value) {
	do, typ := halfOps[v.Op], ptx.F16x2
	var args []ptx.Operand
	for _, a := range v.Args {
		args = append(args, e.inReg(a))
	}
	if v.Sub == ir.BF16 {
		typ = ptx.BF16x2
		if !e.m.target.Has(abi.Target{SM: 90}) {
			pair := func(bits uint64) ptx.Operand {
				t := e.temp(intClass)
				e.mov(intClass, t, ptx.Int{Bits: bits})
				return t
			}
			switch v.Op {
			case ir.HAdd:
				do, args = halfOps[ir.HFma], []ptx.Operand{args[0], pair(ones), args[1]}
			case ir.HSub:
				do, args = halfOps[ir.HFma], []ptx.Operand{args[1], pair(minusOnes), args[0]}
			case ir.HMul:
				do, args = halfOps[ir.HFma], append(args, pair(minusZero))
			}
		}
	}
	e.ins(do.op.Of(do.mod, typ), append([]ptx.Operand{e.reg(v)}, args...)...)
}

// halfSign changes the signs of a pair. neg and abs of PTX leave open which NaN comes out.
func (e *emitter) halfSign(v *ir.Value) {
	x := e.val(v.Args[0])
	if v.Op == ir.HNeg {
		e.ins(ptx.OpXor.Of(ptx.B32), e.reg(v), x, ptx.Int{Bits: minusZero})
		return
	}
	e.ins(ptx.OpAnd.Of(ptx.B32), e.reg(v), x, ptx.Int{Bits: 0x7fff7fff})
}

// fromHalf widens a number. The register of 16 bits is a name for the lower half of its operand's.
func (e *emitter) fromHalf(v *ir.Value) {
	e.ins(ptx.OpCvt.Of(floating(v.Type), ptx.F16), e.reg(v), e.lowHalf(v.Args[0]))
}

// roundings are the modifiers of conversions.
var roundings = map[string]ptx.Mod{"Nearest": ptx.ModRN, "Zero": ptx.ModRZ, "Down": ptx.ModRM, "Up": ptx.ModRP}

// toHalf narrows a number. NaN becomes 0x7fff, except a NaN of 64 bits, whose payload stays.
func (e *emitter) toHalf(v *ir.Value) {
	format, typ := "F16", ptx.F16
	if v.Sub >= ir.BF16Nearest {
		format, typ = "BF16", ptx.BF16
	}
	rounding := roundings[strings.TrimPrefix(v.Sub.String(), format)]
	h, x := e.lowHalf(v), e.inReg(v.Args[0])
	if v.Args[0].Type == ir.F64 {
		nan, narrow := e.temp(predClass), e.temp(halfClass)
		e.ins(ptx.OpSetp.Of(ptx.ModUnordered, ptx.F64), nan, x, x)
		e.ins(ptx.OpCvt.Of(rounding, typ, ptx.F64), narrow, x)
		e.ins(ptx.OpSelp.Of(ptx.B16), h, ptx.Int{Bits: 0x7fff}, narrow, nan)
	} else {
		e.ins(ptx.OpCvt.Of(rounding, typ, ptx.F32), h, x)
	}
	if e.wide(v) {
		e.widen(e.reg(v), h)
	}
}

// toByte narrows a number to 8 bits. The instruction makes a pair, and the other number is 0.
func (e *emitter) toByte(v *ir.Value) {
	format := map[ir.Sub]ptx.Type{ir.E4M3: ptx.E4M3x2, ir.E5M2: ptx.E5M2x2}[v.Sub]
	zero, pair := e.temp(f32Class), e.temp(halfClass)
	e.mov(f32Class, zero, ptx.Float{})
	e.ins(ptx.OpCvt.Of(ptx.ModRN, ptx.ModSatfinite, format, ptx.F32), pair, zero, e.inReg(v.Args[0]))
	e.ins(ptx.OpCvt.Of(ptx.U32, ptx.U16), e.reg(v), pair)
}

// widen fills the upper half of a register with zeros. NVIDIA's assembler (CUDA 13.0) makes one
// instruction of two conversions to F16 whose results are part of no pair, and takes the second
// apart with whatever a register held before in its upper half. It had dropped the cvt.u32.u16, and
// drops an and.b32, too. Bytes that a prmt.b32 picks stay.
func (e *emitter) widen(to ptx.Operand, h ptx.Name) {
	t := e.temp(intClass)
	e.ins(ptx.OpCvt.Of(ptx.U32, ptx.U16), t, h)
	e.ins(ptx.OpPrmt.Of(ptx.B32), to, t, ptx.Int{Bits: 0}, ptx.Int{Bits: 0x4410})
}

// lowHalf is a register of 16 bits with the lower half of v.
func (e *emitter) lowHalf(v *ir.Value) ptx.Name {
	if v.Op != ir.FToH {
		h := e.temp(halfClass)
		e.ins(ptx.OpCvt.Of(ptx.U16, ptx.U32), h, e.inReg(v))
		return h
	}
	h, ok := e.halves[v]
	if !ok { // it has its own opcode
		h = e.temp(halfClass)
		e.halves[v] = h
	}
	return h
}

// wide reports whether a conversion's result is used as 32 bits.
func (e *emitter) wide(v *ir.Value) bool {
	if e.wideUses == nil {
		e.wideUses = map[*ir.Value]bool{}
		for _, b := range e.f.Blocks {
			for _, u := range b.Instrs {
				if u.Op == ir.F16ToF || isPack(u) {
					continue
				}
				for _, a := range u.Args {
					e.wideUses[a] = true
				}
			}
		}
	}
	return e.wideUses[v]
}

// isPack reports whether v makes a pair of the lower halves of its operands.
func isPack(v *ir.Value) bool {
	if v.Op != ir.Prmt {
		return false
	}
	selector, ok := v.Args[2].IsConst()
	return ok && selector == ir.LowHalves
}

// prmt picks bytes. A pair of conversions is made of their 16 bits, which ptxas makes one
// instruction of where the target has it.
func (e *emitter) prmt(v *ir.Value) {
	if x, y := v.Args[0], v.Args[1]; isPack(v) && (x.Op == ir.FToH || y.Op == ir.FToH) {
		e.ins(ptx.OpMov.Of(ptx.B32), e.reg(v), ptx.Vec{e.lowHalf(x), e.lowHalf(y)})
		return
	}
	e.ins(ptx.OpPrmt.Of(ptx.B32), e.reg(v), e.val(v.Args[0]), e.val(v.Args[1]), e.val(v.Args[2]))
}
