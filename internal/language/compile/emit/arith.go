package emit

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// simple are the operations that are one instruction. In the opcode, $i stands for the width of the
// result, 32 or 64, and $a for the width of the first argument.
var simple = map[ir.Op]string{
	ir.Add: "add.s$i", ir.Subtract: "sub.s$i", ir.Mul: "mul.lo.s$i",
	ir.DivS: "div.s$i", ir.DivU: "div.u$i", ir.RemS: "rem.s$i", ir.RemU: "rem.u$i",
	ir.MulHiS: "mul.hi.s$i", ir.MulHiU: "mul.hi.u$i",
	ir.MinS: "min.s$i", ir.MinU: "min.u$i", ir.MaxS: "max.s$i", ir.MaxU: "max.u$i",
	ir.Neg: "neg.s$i", ir.Brev: "brev.b$i", ir.Popc: "popc.b$a", ir.Clz: "clz.b$a",
	ir.Shl: "shl.b$i", ir.ShrS: "shr.s$i", ir.ShrU: "shr.u$i",
	ir.Sext8: "cvt.s32.s8", ir.Sext16: "cvt.s32.s16", ir.Sext32: "cvt.s64.s32", ir.Zext32: "cvt.u64.u32",
	ir.Trunc: "cvt.u32.u64",
	ir.FAdd:  "add.rn.f$i", ir.FSub: "sub.rn.f$i", ir.FMul: "mul.rn.f$i",
	ir.FSqrt: "sqrt.rn.f$i", ir.FNeg: "neg.f$i", ir.FAbs: "abs.f$i", ir.FFma: "fma.rn.f$i",
	ir.FFmaDown: "fma.rm.f$i", ir.FFmaUp: "fma.rp.f$i",
	ir.FFloor: "cvt.rmi.f$i.f$i", ir.FCeil: "cvt.rpi.f$i.f$i", ir.FTrunc: "cvt.rzi.f$i.f$i",
	ir.FRoundEven: "cvt.rni.f$i.f$i",
	ir.SToF:       "cvt.rn.f$i.s$a", ir.UToF: "cvt.rn.f$i.u$a",
	ir.NearRcp: "rcp.approx.ftz.f$i", ir.NearRsqrt: "rsqrt.approx.ftz.f$i",
}

func init() {
	for _, in := range abi.Intrinsics {
		if in.Approximates != "" {
			op, _, _, _ := ir.ParseOp(in.Op)
			simple[op] = in.Approximates
		}
	}
}

// needRegister are the operations of simple whose single operand cannot be a constant.
var needRegister = map[ir.Op]bool{
	ir.Sext8: true, ir.Sext16: true, ir.Sext32: true, ir.Zext32: true, ir.Trunc: true,
	ir.FFloor: true, ir.FCeil: true, ir.FTrunc: true, ir.FRoundEven: true, ir.SToF: true, ir.UToF: true,
}

// opcode fills in the widths of an opcode of simple.
func opcode(pattern string, v *ir.Value) string {
	var out []byte
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] != '$':
			out = append(out, pattern[i])
		case pattern[i+1] == 'i':
			out = append(out, width(v.Type)...)
			i++
		default:
			out = append(out, width(v.Args[0].Type)...)
			i++
		}
	}
	return string(out)
}

// instr prints the instruction of v.
func (e *emitter) instr(v *ir.Value) {
	if f := e.fused[v.ID]; f != nil {
		e.fusedInstr(v, f)
		return
	}
	if pattern, ok := simple[v.Op]; ok {
		var args []ptx.Operand
		for _, a := range v.Args {
			switch {
			case needRegister[v.Op]:
				args = append(args, e.inReg(a))
			case isLong(a):
				args = append(args, e.loaded(a))
			default:
				args = append(args, e.val(a))
			}
		}
		e.ins(opcode(pattern, v), append([]ptx.Operand{e.reg(v)}, args...)...)
		return
	}
	print, ok := special[v.Op]
	if !ok {
		panic(fmt.Sprintf("BUG: emit: no instruction for %s", v.Op))
	}
	print(e, v)
}

func (e *emitter) fusedInstr(v *ir.Value, f *fusion) {
	args := []ptx.Operand{e.reg(v), e.val(f.a)}
	if f.b != nil {
		args = append(args, e.val(f.b))
	} else {
		args = append(args, ptx.Int{Bits: uint64(f.imm)})
	}
	if f.c != nil {
		args = append(args, e.as(f.c, v))
	}
	e.ins(f.op, args...)
}

// special are the operations that need more than an opcode. An expansion writes its result last:
// the result may share a register with an argument.
var special map[ir.Op]func(*emitter, *ir.Value)

func init() {
	special = map[ir.Op]func(*emitter, *ir.Value){
		ir.And: (*emitter).logic, ir.Or: (*emitter).logic, ir.Xor: (*emitter).logic, ir.Not: (*emitter).logic,
		ir.Zext8: (*emitter).zext, ir.Zext16: (*emitter).zext, ir.RotL: (*emitter).rotl,
		ir.FDiv: (*emitter).divide, ir.FMin: (*emitter).minmax, ir.FMax: (*emitter).minmax, ir.FCopysign: (*emitter).copysign,
		ir.FToS: (*emitter).toInt, ir.FToU: (*emitter).toInt, ir.FToF: (*emitter).toFloat,
		ir.Bitcast: (*emitter).bitcast,
		ir.HAdd:    (*emitter).half, ir.HSub: (*emitter).half, ir.HMul: (*emitter).half, ir.HFma: (*emitter).half,
		ir.HMin: (*emitter).half, ir.HMax: (*emitter).half, ir.HNeg: (*emitter).halfSign, ir.HAbs: (*emitter).halfSign,
		ir.F16ToF: (*emitter).fromHalf, ir.FToH: (*emitter).toHalf, ir.FTo8: (*emitter).toByte, ir.Prmt: (*emitter).prmt,
		ir.Cmp: (*emitter).compare, ir.Select: (*emitter).selp,
		ir.PtrAdd: (*emitter).ptrAdd, ir.VarAddr: (*emitter).symbolAddress, ir.Alloca: (*emitter).symbolAddress,
		ir.DynSize: (*emitter).dynSize, ir.MapShared: (*emitter).mapShared,
		ir.ParamVal: (*emitter).paramVal, ir.Load: (*emitter).load, ir.Store: (*emitter).store,
		ir.Atomic: (*emitter).atomic, ir.AtomicLoad: (*emitter).atomicLoad, ir.AtomicStore: (*emitter).atomicStore,
		ir.Fence: (*emitter).fence,
		ir.SReg:  (*emitter).sreg, ir.Barrier: (*emitter).barrier, ir.WarpSync: (*emitter).warpSync,
		ir.GridBarrier: (*emitter).gridBarrier, ir.BarrierRed: (*emitter).barrierRed, ir.NamedBarrier: (*emitter).namedBarrier,
		ir.Shfl: (*emitter).shfl, ir.Vote: (*emitter).vote, ir.Match: (*emitter).match, ir.Redux: (*emitter).redux,
		ir.ActiveMask: (*emitter).activeMask, ir.MMA: (*emitter).mma, ir.Elect: (*emitter).elect,
		ir.SetMaxNReg: (*emitter).setMaxNReg,
		ir.Machine:    (*emitter).machine,
		ir.WGMMA:      (*emitter).wgmma, ir.Hold: (*emitter).hold, ir.SharedAddr: (*emitter).sharedAddr,
		ir.Clock: (*emitter).clock, ir.Nanosleep: (*emitter).nanosleep,
		ir.Print: (*emitter).print, ir.Check: (*emitter).check,
	}
}

// divide is a division, or a reciprocal, which gives the same and takes fewer instructions.
func (e *emitter) divide(v *ir.Value) {
	one := math.Float64bits(1)
	if v.Type == ir.F32 {
		one = uint64(math.Float32bits(1))
	}
	if n := v.Args[0]; n.Op == ir.Const && n.Int == one {
		e.ins("rcp.rn.f"+width(v.Type), e.reg(v), e.val(v.Args[1]))
		return
	}
	e.ins("div.rn.f"+width(v.Type), e.reg(v), e.val(v.Args[0]), e.val(v.Args[1]))
}

// logic is and, or, xor and not, on integers and predicates.
func (e *emitter) logic(v *ir.Value) {
	op := map[ir.Op]string{ir.And: "and", ir.Or: "or", ir.Xor: "xor", ir.Not: "not"}[v.Op]
	args := []ptx.Operand{e.reg(v)}
	for _, a := range v.Args {
		if v.Type == ir.Bool {
			args = append(args, e.inReg(a))
		} else {
			args = append(args, e.val(a))
		}
	}
	suffix := ".pred"
	if v.Type != ir.Bool {
		suffix = ".b" + width(v.Type)
	}
	e.ins(op+suffix, args...)
}

func (e *emitter) zext(v *ir.Value) {
	mask := uint64(0xff)
	if v.Op == ir.Zext16 {
		mask = 0xffff
	}
	e.ins("and.b32", e.reg(v), e.val(v.Args[0]), ptx.Int{Bits: mask})
}

// rotl rotates. In 32 bits it is a funnel shift, in 64 two shifts, where a shift by 64 gives 0.
func (e *emitter) rotl(v *ir.Value) {
	x, by := e.inReg(v.Args[0]), e.val(v.Args[1])
	if v.Type == ir.I32 {
		e.ins("shf.l.wrap.b32", e.reg(v), x, x, by)
		return
	}
	n, back, hi, lo := e.temp(intClass), e.temp(intClass), e.temp(longClass), e.temp(longClass)
	e.ins("and.b32", n, by, ptx.Int{Bits: 63})
	e.ins("sub.s32", back, ptx.Int{Bits: 64}, n)
	e.ins("shl.b64", hi, x, n)
	e.ins("shr.u64", lo, x, back)
	e.ins("or.b64", e.reg(v), hi, lo)
}

// minmax is Go's min and max. PTX's min and max order the zeros in the same way, but they give the
// number where one operand is NaN. The sum of the operands is NaN then, and is selected. From sm_80
// on, min.NaN and max.NaN do it for float32: their NaN is the canonical one, as the sum's is.
func (e *emitter) minmax(v *ir.Value) {
	op, t := "min", ".f"+width(v.Type)
	if v.Op == ir.FMax {
		op = "max"
	}
	c := classOf(v)
	x, y := e.inReg(v.Args[0]), e.inReg(v.Args[1])
	if v.Type == ir.F32 && e.m.target.Has(abi.Target{SM: 80}) {
		e.ins(op+".NaN"+t, e.reg(v), x, y)
		return
	}
	nan, least, sum := e.temp(predClass), e.temp(c), e.temp(c)
	e.ins("setp.nan"+t, nan, x, y)
	e.ins(op+t, least, x, y)
	e.ins("add.rn"+t, sum, x, y)
	e.ins("selp"+t, e.reg(v), sum, least, nan)
}

// copysign exchanges the arguments: PTX has the sign first.
func (e *emitter) copysign(v *ir.Value) {
	e.ins("copysign.f"+width(v.Type), e.reg(v), e.val(v.Args[1]), e.val(v.Args[0]))
}

// toInt truncates. PTX saturates. It converts NaN to 0 only from f32 to 32 bits (PTX ISA, cvt).
// Other conversions select 0.
func (e *emitter) toInt(v *ir.Value) {
	sign := "s"
	if v.Op == ir.FToU {
		sign = "u"
	}
	from := v.Args[0]
	op := "cvt.rzi." + sign + width(v.Type) + ".f" + width(from.Type)
	x := e.inReg(from)
	if from.Type == ir.F32 && v.Type == ir.I32 {
		e.ins(op, e.reg(v), x)
		return
	}
	nan, n := e.temp(predClass), e.temp(classOf(v))
	e.ins("setp.nan.f"+width(from.Type), nan, x, x)
	e.ins(op, n, x)
	e.ins("selp.b"+width(v.Type), e.reg(v), ptx.Int{}, n, nan)
}

func (e *emitter) toFloat(v *ir.Value) {
	op := "cvt.rn.f32.f64"
	switch {
	case v.Type == v.Args[0].Type:
		op = "mov.f" + width(v.Type)
	case v.Type == ir.F64:
		op = "cvt.f64.f32"
	}
	e.ins(op, e.reg(v), e.inReg(v.Args[0]))
}

func (e *emitter) bitcast(v *ir.Value) {
	x := e.val(v.Args[0])
	if v.Args[0].Type == ir.Ptr {
		x = e.generic(v.Args[0])
	}
	e.ins("mov.b"+width(v.Type), e.reg(v), x)
}

// comparisons are setp's names; a float that compares not equal may be unordered.
var comparisons = map[ir.Sub]string{
	ir.Eq: "eq", ir.Ne: "ne", ir.Lt: "lt", ir.Le: "le", ir.Gt: "gt", ir.Ge: "ge",
	ir.LtU: "lt", ir.LeU: "le", ir.GtU: "gt", ir.GeU: "ge",
}

func (e *emitter) compare(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	if x.Type == ir.Bool {
		e.compareBool(v)
		return
	}
	op := comparisons[v.Sub]
	switch {
	case x.Type.IsFloat():
		if v.Sub == ir.Ne {
			op = "neu"
		}
		op += ".f"
	case v.Sub >= ir.LtU || x.Type == ir.Ptr:
		op += ".u"
	default:
		op += ".s"
	}
	if x.Type == ir.Ptr && !(x.PointsTo() == y.PointsTo() && !inline(x) && !inline(y)) {
		e.ins("setp."+op+"64", e.reg(v), e.generic(x), e.generic(y))
		return
	}
	w := width(x.Type)
	if classOf(x) == intClass {
		w = "32"
	}
	e.ins("setp."+op+w, e.reg(v), e.val(x), e.val(y))
}

func (e *emitter) compareBool(v *ir.Value) {
	x, y := e.inReg(v.Args[0]), e.inReg(v.Args[1])
	if v.Sub == ir.Ne {
		e.ins("xor.pred", e.reg(v), x, y)
		return
	}
	differ := e.temp(predClass)
	e.ins("xor.pred", differ, x, y)
	e.ins("not.pred", e.reg(v), differ)
}

func (e *emitter) selp(v *ir.Value) {
	cond, x, y := e.inReg(v.Args[0]), v.Args[1], v.Args[2]
	if v.Type != ir.Bool {
		c := classOf(v)
		e.ins("selp."+string(c.typ), e.reg(v), e.as(x, v), e.as(y, v), cond)
		return
	}
	px, py := e.inReg(x), e.inReg(y)
	not, yes, no := e.temp(predClass), e.temp(predClass), e.temp(predClass)
	e.ins("and.pred", yes, cond, px)
	e.ins("not.pred", not, cond)
	e.ins("and.pred", no, not, py)
	e.ins("or.pred", e.reg(v), yes, no)
}
