package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// eachAtomic makes an atomic of the running lanes, one after the other. Where it changes nothing, and
// has a result, the interpreter does it again: a thread may wait by it.
//
// X14 has the address of a lane's word, X8 the operand, X7 the old value and X10 the new one. X9
// collects what changes.
func (b *neonBuilder) eachAtomic(in *code.Inst, exit Label) {
	next, again, done := b.Label(), b.Label(), b.Label()
	bits := in.Type.Bits()
	b.Set(9, 0)
	b.Load(LDRW, 12, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.Place(next)
	b.nextLane()
	b.Place(again)
	b.load(bits, 8, laneAt(in.Args[0]))
	b.load(bits, 7, Mem{Base: 14})
	b.newValue(in)
	if in.Mem[0].Memo < 0 {
		b.store(bits, 10, Mem{Base: 14})
	} else {
		b.compareExchange(bits, again)
	}
	b.R3(EOR, bits, 10, 10, 7)
	b.R3(ORR, 64, 9, 9, 10)
	if in.Op == ptx.OpAtom && len(in.Dst) > 0 {
		b.store(bits, 7, laneAt(in.Dst[0]))
	}
	b.JumpNotZero(32, 12, next)
	if len(in.Dst) > 0 {
		b.JumpZero(64, 9, exit)
	} else {
		b.JumpZero(64, 9, done)
	}
	b.saveImm(ctxAt(unsafe.Offsetof(Context{}.stored)), 1)
	b.Place(done)
}

// compareExchange replaces X7 at X14 by X10, and goes to again if another value is there.
func (b *neonBuilder) compareExchange(bits int, again Label) {
	b.LoadExclusive(bits, 11, 14)
	b.Compare(bits, 11, 7)
	b.Jump(NE, again)
	b.StoreExclusive(bits, 11, 10, 14)
	b.JumpNotZero(32, 11, again)
}

// newValue computes X10 of X7 and X8.
func (b *neonBuilder) newValue(in *code.Inst) {
	bits, t := in.Type.Bits(), in.Type
	least, most := LO, HI
	if t.Signed() {
		least, most = LT, GT
	}
	switch {
	case t == ptx.F32:
		b.addFloat(in.Mem[0].Space == ptx.GlobalSpace)
		return
	case t == ptx.F64:
		b.addDouble()
		return
	}
	switch in.Fn {
	case code.FnAdd:
		b.R3(ADD, bits, 10, 7, 8)
	case code.FnAnd:
		b.R3(AND, bits, 10, 7, 8)
	case code.FnOr:
		b.R3(ORR, bits, 10, 7, 8)
	case code.FnXor:
		b.R3(EOR, bits, 10, 7, 8)
	case code.FnExch:
		b.Move(bits, 10, 8)
	case code.FnMin, code.FnMax:
		b.Compare(bits, 7, 8)
		b.Choose(bits, 10, 7, 8, map[code.Function]Cond{code.FnMin: least, code.FnMax: most}[in.Fn])
	case code.FnCAS:
		b.load(bits, 10, laneAt(in.Args[1]))
		b.Compare(bits, 7, 8)
		b.Choose(bits, 10, 10, 7, EQ)
	case code.FnInc:
		b.AddImm(bits, 10, 7, 1)
		b.Compare(bits, 7, 8)
		b.Choose(bits, 10, ZR, 10, HS)
	case code.FnDec:
		b.AddImm(bits, 10, 7, -1)
		b.Compare(bits, 7, 8)
		b.Choose(bits, 10, 8, 10, HI)
		b.CompareImm(bits, 7, 0)
		b.Choose(bits, 10, 8, 10, EQ)
	default:
		panic("BUG: an atomic without code: " + string(in.Fn))
	}
}

// addFloat is atom.add of float32. Global memory takes subnormals for zeros.
func (b *neonBuilder) addFloat(global bool) {
	b.Move(32, 10, 7)
	if global {
		b.flush(10)
		b.flush(8)
	}
	b.Spread(32, 0, 10)
	b.Spread(32, 1, 8)
	b.V3(FADD4S, 0, 0, 1)
	b.spreadFrom(32, 1, wordAt(nan32))
	b.V3(FCMEQ4S, 2, 0, 0)
	b.V3(BIF, 0, 1, 2)
	b.Extract(32, 10, 0, 0)
	if global {
		b.flush(10)
	}
}

// flush makes a subnormal float32 a zero of its sign. It uses X11 and X19.
func (b *neonBuilder) flush(r Reg) {
	b.ShiftLeft(32, 11, r, 1)
	b.ShiftRight(32, 11, 11, 24)
	b.ShiftRight(32, 19, r, 31)
	b.ShiftLeft(32, 19, 19, 31)
	b.CompareImm(32, 11, 0)
	b.Choose(32, r, 19, r, EQ)
}

// addDouble is atom.add of float64. The NaN has the payload of the last operand that is one.
func (b *neonBuilder) addDouble() {
	b.Spread(64, 0, 7)
	b.Spread(64, 1, 8)
	b.V3(FADD2D, 2, 0, 1)
	b.spreadFrom(64, 4, doubleTo(nan64))
	b.V3(FCMEQ2D, 3, 2, 2)
	b.V3(BIF, 2, 4, 3)
	b.spreadFrom(64, 4, doubleTo(quiet64))
	for x := range Vec(2) {
		b.V3(VORR, 5, 4, x)
		b.V3(FCMEQ2D, 3, x, x)
		b.V3(BIF, 2, 5, 3)
	}
	b.Extract(64, 10, 2, 0)
}
