package emit

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// simple are the operations that are one instruction.
var simple = map[ir.Op]opcodeForm{
	ir.Add:        one(ptx.OpAdd, signedResult),
	ir.Subtract:   one(ptx.OpSub, signedResult),
	ir.Mul:        modified(ptx.OpMul, ptx.ModLo, signedResult),
	ir.DivS:       one(ptx.OpDiv, signedResult),
	ir.DivU:       one(ptx.OpDiv, unsignedResult),
	ir.RemS:       one(ptx.OpRem, signedResult),
	ir.RemU:       one(ptx.OpRem, unsignedResult),
	ir.MulHiS:     modified(ptx.OpMul, ptx.ModHi, signedResult),
	ir.MulHiU:     modified(ptx.OpMul, ptx.ModHi, unsignedResult),
	ir.MinU:       one(ptx.OpMin, unsignedResult),
	ir.MaxU:       one(ptx.OpMax, unsignedResult),
	ir.Neg:        one(ptx.OpNeg, signedResult),
	ir.Brev:       one(ptx.OpBrev, untypedResult),
	ir.Popc:       one(ptx.OpPopc, untypedArg),
	ir.Clz:        one(ptx.OpClz, untypedArg),
	ir.Shl:        one(ptx.OpShl, untypedResult),
	ir.ShrS:       one(ptx.OpShr, signedResult),
	ir.ShrU:       one(ptx.OpShr, unsignedResult),
	ir.Sext8:      one(ptx.OpCvt, always(ptx.S32), always(ptx.S8)),
	ir.Sext16:     one(ptx.OpCvt, always(ptx.S32), always(ptx.S16)),
	ir.Sext32:     one(ptx.OpCvt, always(ptx.S64), always(ptx.S32)),
	ir.Zext32:     one(ptx.OpCvt, always(ptx.U64), always(ptx.U32)),
	ir.Trunc:      one(ptx.OpCvt, always(ptx.U32), always(ptx.U64)),
	ir.FAdd:       modified(ptx.OpAdd, ptx.ModRN, floatingResult),
	ir.FSub:       modified(ptx.OpSub, ptx.ModRN, floatingResult),
	ir.FMul:       modified(ptx.OpMul, ptx.ModRN, floatingResult),
	ir.FSqrt:      modified(ptx.OpSqrt, ptx.ModRN, floatingResult),
	ir.FNeg:       one(ptx.OpNeg, floatingResult),
	ir.FAbs:       one(ptx.OpAbs, floatingResult),
	ir.FFma:       modified(ptx.OpFma, ptx.ModRN, floatingResult),
	ir.FFmaDown:   modified(ptx.OpFma, ptx.ModRM, floatingResult),
	ir.FFmaUp:     modified(ptx.OpFma, ptx.ModRP, floatingResult),
	ir.FFloor:     modified(ptx.OpCvt, ptx.ModRMI, floatingResult, floatingResult),
	ir.FCeil:      modified(ptx.OpCvt, ptx.ModRPI, floatingResult, floatingResult),
	ir.FTrunc:     modified(ptx.OpCvt, ptx.ModRZI, floatingResult, floatingResult),
	ir.FRoundEven: modified(ptx.OpCvt, ptx.ModRNI, floatingResult, floatingResult),
	ir.SToF:       modified(ptx.OpCvt, ptx.ModRN, floatingResult, signedArg),
	ir.UToF:       modified(ptx.OpCvt, ptx.ModRN, floatingResult, unsignedArg),
	ir.NearRcp:    near(ptx.OpRcp),
	ir.NearRsqrt:  near(ptx.OpRsqrt),
	ir.NearSqrt:   near(ptx.OpSqrt),
	ir.NearExp2:   near(ptx.OpEx2),
	ir.NearLog2:   near(ptx.OpLg2),
	ir.NearSin:    near(ptx.OpSin),
	ir.NearCos:    near(ptx.OpCos),
}

func init() {
	for _, in := range abi.Intrinsics {
		if in.Approximates != "" {
			op, _, _, _ := ir.ParseOp(in.Op)
			opcode := ptx.OpcodeOf(in.Approximates)
			simple[op] = func(*ir.Value) ptx.Opcode { return opcode }
		}
	}
}

// needRegister are the operations of simple whose single operand cannot be a constant.
var needRegister = map[ir.Op]bool{
	ir.Sext8: true, ir.Sext16: true, ir.Sext32: true, ir.Zext32: true, ir.Trunc: true,
	ir.FFloor: true, ir.FCeil: true, ir.FTrunc: true, ir.FRoundEven: true, ir.SToF: true, ir.UToF: true,
}

// instr prints the instruction of v.
func (e *emitter) instr(v *ir.Value) {
	if f := e.fused[v.ID]; f != nil {
		e.fusedInstr(v, f)
		return
	}
	if opcode, ok := simple[v.Op]; ok {
		var args []ptx.Operand
		for _, a := range v.Args {
			if needRegister[v.Op] {
				args = append(args, e.inReg(a))
			} else {
				args = append(args, e.short(a))
			}
		}
		e.ins(opcode(v), append([]ptx.Operand{e.reg(v)}, args...)...)
		return
	}
	print, ok := special[v.Op]
	if !ok {
		panic(fmt.Sprintf("BUG: emit: no instruction for %s", v.Op))
	}
	print(e, v)
}

func (e *emitter) fusedInstr(v *ir.Value, f *fusion) {
	if v.Op == ir.Select {
		e.extremes(v, f)
		return
	}
	if f.without {
		both := e.temp(classOf(v))
		e.ins(f.op.As(ptx.OpAnd), both, e.val(f.b), e.val(f.a))
		e.ins(f.op, e.reg(v), both, e.val(f.a))
		return
	}
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
		ir.MinS: (*emitter).signedMinmax, ir.MaxS: (*emitter).signedMinmax,
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
		e.ins(ptx.OpRcp.Of(ptx.ModRN, floating(v.Type)), e.reg(v), e.val(v.Args[1]))
		return
	}
	e.ins(ptx.OpDiv.Of(ptx.ModRN, floating(v.Type)), e.reg(v), e.val(v.Args[0]), e.val(v.Args[1]))
}

// logic is and, or, xor and not, on integers and predicates.
//
// An integer is complemented by a subtraction, and x &^ y is x ^ x&y. ptxas (12.4 and 13.0) combines
// "not" with an and, or or xor that takes its result, and loses the complement where a branch says
// that the operand has a certain value. It makes 2 & 7 of this, in a thread whose %r1 is 2:
//
//	setp.ne.s32 %p1, %r1, 2;
//	@%p1 bra $elsewhere;
//	not.b32 %r2, %r1;
//	and.b32 %r3, %r2, 7;
func (e *emitter) logic(v *ir.Value) {
	if v.Op == ir.Not && v.Type != ir.Bool {
		e.ins(ptx.OpSub.Of(signed(v.Type)), e.reg(v), ptx.Int{Bits: math.MaxUint64}, e.val(v.Args[0]))
		return
	}
	op := map[ir.Op]ptx.Op{ir.And: ptx.OpAnd, ir.Or: ptx.OpOr, ir.Xor: ptx.OpXor, ir.Not: ptx.OpNot}[v.Op]
	args := []ptx.Operand{e.reg(v)}
	for _, a := range v.Args {
		if v.Type == ir.Bool {
			args = append(args, e.inReg(a))
		} else {
			args = append(args, e.val(a))
		}
	}
	t := ptx.Pred
	if v.Type != ir.Bool {
		t = untyped(v.Type)
	}
	e.ins(op.Of(t), args...)
}

func (e *emitter) zext(v *ir.Value) {
	mask := uint64(0xff)
	if v.Op == ir.Zext16 {
		mask = 0xffff
	}
	e.ins(ptx.OpAnd.Of(ptx.B32), e.reg(v), e.val(v.Args[0]), ptx.Int{Bits: mask})
}

// rotl rotates. In 32 bits it is a funnel shift, in 64 two shifts, where a shift by 64 gives 0.
func (e *emitter) rotl(v *ir.Value) {
	x, by := e.inReg(v.Args[0]), e.val(v.Args[1])
	if v.Type == ir.I32 {
		e.ins(ptx.OpShf.Of(ptx.ModLeft, ptx.ModWrap, ptx.B32), e.reg(v), x, x, by)
		return
	}
	n, back, hi, lo := e.temp(intClass), e.temp(intClass), e.temp(longClass), e.temp(longClass)
	e.ins(ptx.OpAnd.Of(ptx.B32), n, by, ptx.Int{Bits: 63})
	e.ins(ptx.OpSub.Of(ptx.S32), back, ptx.Int{Bits: 64}, n)
	e.ins(ptx.OpShl.Of(ptx.B64), hi, x, n)
	e.ins(ptx.OpShr.Of(ptx.U64), lo, x, back)
	e.ins(ptx.OpOr.Of(ptx.B64), e.reg(v), hi, lo)
}

// signedMinmax is min and max of integers. ptxas of CUDA 13.0 joins two of 32 bits to one for sm_90,
// and takes x for -x where that is the second operand of the first: max(y, max(x, -x)) is y or x
// then. So a negated operand comes first, and of two the larger one is selected. CUDA 13.5 has no
// such fault.
func (e *emitter) signedMinmax(v *ir.Value) {
	op, relation, x, y := ptx.OpMin, ptx.ModLT, v.Args[0], v.Args[1]
	if v.Op == ir.MaxS {
		op, relation = ptx.OpMax, ptx.ModGT
	}
	negated := func(x *ir.Value) bool { return x.Op == ir.Neg && v.Type == ir.I32 }
	if negated(x) && negated(y) {
		first := e.temp(predClass)
		e.ins(ptx.OpSetp.Of(relation, signed(v.Type)), first, e.val(x), e.val(y))
		e.ins(ptx.OpSelp.Of(untyped(v.Type)), e.reg(v), e.val(x), e.val(y), first)
		return
	}
	if negated(y) {
		x, y = y, x
	}
	e.ins(op.Of(signed(v.Type)), e.reg(v), e.short(x), e.short(y))
}

// short is x, in a register if it is a constant that an instruction has no room for.
func (e *emitter) short(x *ir.Value) ptx.Operand {
	if isLong(x) {
		return e.loaded(x)
	}
	return e.val(x)
}

// singleNaN is the NaN that operations on float32 give.
var singleNaN = ptx.Float{Bits: 0x7fffffff, Single: true}

// minmax is Go's min and max. PTX's min and max order the zeros in the same way, but they give the
// number where one operand is NaN. Of float32 the canonical NaN is selected then. Of float64 the sum
// of the operands is, which has the bits of one of them. From sm_80 on, min.NaN and max.NaN do it for
// float32. A fast one gives the number.
func (e *emitter) minmax(v *ir.Value) {
	op, t := ptx.OpMin, floating(v.Type)
	if v.Op == ir.FMax {
		op = ptx.OpMax
	}
	c := classOf(v)
	x, y := e.inReg(v.Args[0]), e.inReg(v.Args[1])
	if v.Fast {
		e.ins(op.Of(t), e.reg(v), x, y)
		return
	}
	if v.Type == ir.F32 && e.m.target.Has(abi.Target{SM: 80}) {
		e.ins(op.Of(ptx.ModNaN, t), e.reg(v), x, y)
		return
	}
	nan, least := e.temp(predClass), e.temp(c)
	e.ins(ptx.OpSetp.Of(ptx.ModUnordered, t), nan, x, y)
	e.ins(op.Of(t), least, x, y)
	if v.Type == ir.F32 {
		e.ins(ptx.OpSelp.Of(t), e.reg(v), singleNaN, least, nan)
		return
	}
	sum := e.temp(c)
	e.ins(ptx.OpAdd.Of(ptx.ModRN, t), sum, x, y)
	e.ins(ptx.OpSelp.Of(t), e.reg(v), sum, least, nan)
}

// extremes is the minimum and the maximum of two numbers, of which a condition chooses one, or NaN.
func (e *emitter) extremes(v *ir.Value, f *fusion) {
	x, y, cond := e.inReg(f.b), e.inReg(f.c), e.inReg(f.a)
	c := classOf(v)
	nan, least, most, chosen := e.temp(predClass), e.temp(c), e.temp(c), e.temp(c)
	e.ins(ptx.OpSetp.Of(ptx.ModUnordered, ptx.F32), nan, x, y)
	e.ins(ptx.OpMin.Of(ptx.F32), least, x, y)
	e.ins(ptx.OpMax.Of(ptx.F32), most, x, y)
	if v.Args[1].Op == ir.FMax {
		least, most = most, least
	}
	e.ins(ptx.OpSelp.Of(ptx.F32), chosen, least, most, cond)
	e.ins(ptx.OpSelp.Of(ptx.F32), e.reg(v), singleNaN, chosen, nan)
}

// copysign exchanges the arguments: PTX has the sign first.
func (e *emitter) copysign(v *ir.Value) {
	e.ins(ptx.OpCopysign.Of(floating(v.Type)), e.reg(v), e.val(v.Args[1]), e.val(v.Args[0]))
}

// toInt truncates. PTX saturates. It converts NaN to 0 only from f32 to 32 bits (PTX ISA, cvt).
// Other conversions select 0, except fast ones.
func (e *emitter) toInt(v *ir.Value) {
	to := signed(v.Type)
	if v.Op == ir.FToU {
		to = unsigned(v.Type)
	}
	from := v.Args[0]
	op := ptx.OpCvt.Of(ptx.ModRZI, to, floating(from.Type))
	x := e.inReg(from)
	if v.Fast || from.Type == ir.F32 && v.Type == ir.I32 {
		e.ins(op, e.reg(v), x)
		return
	}
	nan, n := e.temp(predClass), e.temp(classOf(v))
	e.ins(ptx.OpSetp.Of(ptx.ModUnordered, floating(from.Type)), nan, x, x)
	e.ins(op, n, x)
	e.ins(ptx.OpSelp.Of(untyped(v.Type)), e.reg(v), ptx.Int{}, n, nan)
}

func (e *emitter) toFloat(v *ir.Value) {
	op := ptx.OpCvt.Of(ptx.ModRN, ptx.F32, ptx.F64)
	switch {
	case v.Type == v.Args[0].Type:
		op = ptx.OpMov.Of(floating(v.Type))
	case v.Type == ir.F64:
		op = ptx.OpCvt.Of(ptx.F64, ptx.F32)
	}
	e.ins(op, e.reg(v), e.inReg(v.Args[0]))
}

func (e *emitter) bitcast(v *ir.Value) {
	x := e.val(v.Args[0])
	if v.Args[0].Type == ir.Ptr {
		x = e.generic(v.Args[0])
	}
	e.ins(ptx.OpMov.Of(untyped(v.Type)), e.reg(v), x)
}

// comparisons are setp's names. A float that compares not equal may be unordered.
var comparisons = map[ir.Sub]ptx.Mod{
	ir.Eq: ptx.ModEQ, ir.Ne: ptx.ModNE, ir.Lt: ptx.ModLT, ir.Le: ptx.ModLE, ir.Gt: ptx.ModGT, ir.Ge: ptx.ModGE,
	ir.LtU: ptx.ModLT, ir.LeU: ptx.ModLE, ir.GtU: ptx.ModGT, ir.GeU: ptx.ModGE,
}

func (e *emitter) compare(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	if x.Type == ir.Bool {
		e.compareBool(v)
		return
	}
	relation, typed := comparisons[v.Sub], signed
	switch {
	case x.Type.IsFloat():
		if v.Sub == ir.Ne {
			relation = ptx.ModNEU
		}
		typed = floating
	case v.Sub >= ir.LtU || x.Type == ir.Ptr:
		typed = unsigned
	}
	if x.Type == ir.Ptr && !(x.PointsTo() == y.PointsTo() && !inline(x) && !inline(y)) {
		e.ins(ptx.OpSetp.Of(relation, typed(ir.I64)), e.reg(v), e.generic(x), e.generic(y))
		return
	}
	of := x.Type
	if classOf(x) == intClass {
		of = ir.I32
	}
	e.ins(ptx.OpSetp.Of(relation, typed(of)), e.reg(v), e.val(x), e.val(y))
}

func (e *emitter) compareBool(v *ir.Value) {
	x, y := e.inReg(v.Args[0]), e.inReg(v.Args[1])
	if v.Sub == ir.Ne {
		e.ins(ptx.OpXor.Of(ptx.Pred), e.reg(v), x, y)
		return
	}
	differ := e.temp(predClass)
	e.ins(ptx.OpXor.Of(ptx.Pred), differ, x, y)
	e.ins(ptx.OpNot.Of(ptx.Pred), e.reg(v), differ)
}

func (e *emitter) selp(v *ir.Value) {
	cond, x, y := e.inReg(v.Args[0]), v.Args[1], v.Args[2]
	if v.Type != ir.Bool {
		c := classOf(v)
		e.ins(ptx.OpSelp.Of(c.typ), e.reg(v), e.as(x, v), e.as(y, v), cond)
		return
	}
	px, py := e.inReg(x), e.inReg(y)
	not, yes, no := e.temp(predClass), e.temp(predClass), e.temp(predClass)
	e.ins(ptx.OpAnd.Of(ptx.Pred), yes, cond, px)
	e.ins(ptx.OpNot.Of(ptx.Pred), not, cond)
	e.ins(ptx.OpAnd.Of(ptx.Pred), no, not, py)
	e.ins(ptx.OpOr.Of(ptx.Pred), e.reg(v), yes, no)
}
