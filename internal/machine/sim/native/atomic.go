package native

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// knowsAtomic reports whether an instruction is an atomic on an integer, or a sum of floats, of another
// memory than the thread's own. The interpreter does one that changes nothing again, since a thread may wait by it. So
// its result must be in another register than its operands.
func knowsAtomic(in *code.Inst) bool {
	if in.Op != ptx.OpAtom && in.Op != ptx.OpRed || in.Flags != 0 || in.Elements != 0 || len(in.Mem) != 1 {
		return false
	}
	if in.Order != "" && in.Order != event.Relaxed {
		return false
	}
	at := in.Mem[0]
	if at.Space == ptx.LocalSpace || at.Cluster || at.Align > uint64(in.Type.Bytes()) || at.Base.Bits == 32 && at.Space != ptx.SharedSpace {
		return false
	}
	for _, d := range in.Dst {
		for _, a := range append([]code.Slot{at.Base}, in.Args...) {
			if a.Off == d.Off {
				return false
			}
		}
	}
	switch in.Type {
	case ptx.B32, ptx.U32, ptx.S32, ptx.B64, ptx.U64, ptx.S64:
		return atomics[in.Fn] != nil
	case ptx.F32: // whose subnormals depend on the memory
		return in.Fn == code.FnAdd && (at.Space == ptx.GlobalSpace || at.Space == ptx.SharedSpace)
	case ptx.F64:
		return in.Fn == code.FnAdd
	}
	return false
}

// atomics compute in R10 the new value of a word in memory, of the old one in RAX and an operand in
// R8. cas finds its second operand in R10.
var atomics = map[code.Function]func(b *builder, t ptx.Type){
	code.FnAdd: atomicOp(ADD), code.FnAnd: atomicOp(AND), code.FnOr: atomicOp(OR), code.FnXor: atomicOp(XOR),
	code.FnMin: func(b *builder, t ptx.Type) { b.atomicChoice(t, map[bool]Cond{true: L, false: B}[t.Signed()]) },
	code.FnMax: func(b *builder, t ptx.Type) { b.atomicChoice(t, map[bool]Cond{true: G, false: A}[t.Signed()]) },
	code.FnExch: func(b *builder, t ptx.Type) {
		b.Load(t.Bits(), R10, R8)
	},
	code.FnCAS: func(b *builder, t ptx.Type) {
		equal := b.Label()
		b.Op(CMP, t.Bits(), RAX, R8)
		b.Jump(E, equal)
		b.Load(t.Bits(), R10, RAX)
		b.Place(equal)
	},
	code.FnInc: func(b *builder, t ptx.Type) {
		b.Op(XOR, 32, R10, R10)
		b.Op(CMP, t.Bits(), RAX, R8)
		done := b.Label()
		b.Jump(AE, done)
		b.Load(t.Bits(), R10, RAX)
		b.OpImm(ADD, t.Bits(), R10, 1)
		b.Place(done)
	},
	code.FnDec: func(b *builder, t ptx.Type) {
		done := b.Label()
		b.Load(t.Bits(), R10, R8)
		b.Test(t.Bits(), RAX, RAX)
		b.Jump(E, done)
		b.Op(CMP, t.Bits(), RAX, R8)
		b.Jump(A, done)
		b.Load(t.Bits(), R10, RAX)
		b.OpImm(SUB, t.Bits(), R10, 1)
		b.Place(done)
	},
}

// addFloat is atom.add of float32. Global memory takes subnormals for zeros.
func (b *builder) addFloat(global bool) {
	b.Load(32, R10, RAX)
	if global {
		b.flush(R10)
		b.flush(R8)
	}
	b.V2(VMOVD, 0, R10)
	b.V2(VMOVD, 1, R8)
	b.V3(VADDPS, 0, 0, Vec(1))
	b.V2(VPBROADCASTD, 1, context(unsafe.Offsetof(Context{}.words)+uintptr(4*nan32)))
	b.V3i(VCMPPS, 2, 0, Vec(0), unordered)
	b.Blend(VBLENDVPS, 0, 0, Vec(1), 2)
	b.Lowest32(R10, 0)
	if global {
		b.flush(R10)
	}
}

// flush makes a subnormal float32 a zero of its sign.
func (b *builder) flush(r Reg) {
	normal := b.Label()
	b.TestImm(r, 0x7f800000)
	b.Jump(NE, normal)
	b.OpImm(AND, 32, r, math.MinInt32)
	b.Place(normal)
}

// addDouble is atom.add of float64. The NaN has the payload of the last operand that is one.
func (b *builder) addDouble() {
	b.V2(VMOVQ, 0, RAX)
	b.V2(VMOVQ, 1, R8)
	b.V3(VADDPD, 2, 0, Vec(1))
	b.V3i(VCMPPD, 3, 2, Vec(2), unordered)
	b.V2(VPBROADCASTQ, 4, doubleAt(nan64))
	b.Blend(VBLENDVPD, 2, 2, Vec(4), 3)
	for x := range Vec(2) {
		b.V2(VPBROADCASTQ, 4, doubleAt(quiet64))
		b.V3(VPOR, 4, 4, x)
		b.V3i(VCMPPD, 3, x, x, unordered)
		b.Blend(VBLENDVPD, 2, 2, Vec(4), 3)
	}
	b.Lowest64(R10, 2)
}

func atomicOp(op Arith) func(b *builder, t ptx.Type) {
	return func(b *builder, t ptx.Type) {
		b.Load(t.Bits(), R10, R8)
		b.Op(op, t.Bits(), R10, RAX)
	}
}

// atomicChoice keeps the old value if it compares so with the operand.
func (b *builder) atomicChoice(t ptx.Type, keep Cond) {
	old, done := b.Label(), b.Label()
	b.Op(CMP, t.Bits(), RAX, R8)
	b.Jump(keep, old)
	b.Load(t.Bits(), R10, R8)
	b.Goto(done)
	b.Place(old)
	b.Load(t.Bits(), R10, RAX)
	b.Place(done)
}

// eachAtomic does an atomic for the running lanes in their order, at their offsets in the memory at
// R11. It collects in R9 what they change. Only memory that several workers see needs the
// processor's atomics.
func (b *builder) eachAtomic(in *code.Inst, exit Label) {
	bits := in.Type.Bits()
	next, again, done := b.Label(), b.Label(), b.Label()
	lane := func(s code.Slot) Mem {
		return Mem{Base: RBX, Index: RCX, Scale: uint8(bits / 8), Disp: int32(s.Off)}
	}
	b.Op(XOR, 32, R9, R9)
	b.Load(32, RDX, context(unsafe.Offsetof(Context{}.Mask)))
	b.Place(next)
	b.Lowest(RCX, RDX)
	off, word := offsetOf(0), Mem{Base: R11, Index: RSI, Scale: 1}
	off.Index, off.Scale = RCX, 4
	b.Load(32, RSI, off)
	b.Load(bits, R8, lane(in.Args[0]))
	b.Load(bits, RAX, word)
	b.Place(again)
	if in.Fn == code.FnCAS {
		b.Load(bits, R10, lane(in.Args[1]))
	}
	switch in.Type {
	case ptx.F32:
		b.addFloat(in.Mem[0].Space == ptx.GlobalSpace)
	case ptx.F64:
		b.addDouble()
	default:
		atomics[in.Fn](b, in.Type)
	}
	if in.Mem[0].Memo < 0 {
		b.Save(bits, word, R10)
	} else {
		b.LockCompareExchange(bits, word, R10)
		b.Jump(NE, again)
	}
	b.Op(XOR, bits, R10, RAX)
	b.Op(OR, 64, R9, R10)
	if in.Op == ptx.OpAtom && len(in.Dst) > 0 {
		b.Save(bits, lane(in.Dst[0]), RAX)
	}
	b.ClearLowest(RDX, RDX)
	b.Jump(NE, next)
	b.Test(64, R9, R9)
	if len(in.Dst) > 0 {
		b.Jump(E, exit)
	} else {
		b.Jump(E, done)
	}
	b.SaveImm(context(unsafe.Offsetof(Context{}.stored)), 1)
	b.Place(done)
}
