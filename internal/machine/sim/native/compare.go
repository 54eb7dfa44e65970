package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// floatCompares are the constants of vcmpps and vcmppd.
var floatCompares = map[code.Compare]byte{
	code.EQ: 0, code.NE: 0x0c, code.LT: 0x11, code.LE: 0x12, code.GT: 0x1e, code.GE: 0x1d, code.EQU: 0x08, code.NEU: 0x04,
	code.LTU: 0x19, code.LEU: 0x1a, code.GTU: 0x16, code.GEU: 0x15, code.Num: 7, code.NaN: unordered,
}

// intCompare says how a comparison of integers follows from "equal" and "greater".
type intCompare struct{ equal, swap, negate bool }

var intCompares = map[code.Compare]intCompare{
	code.EQ: {equal: true}, code.NE: {equal: true, negate: true},
	code.GT: {}, code.LE: {negate: true}, code.LT: {swap: true}, code.GE: {swap: true, negate: true},
	code.HI: {}, code.LS: {negate: true}, code.LO: {swap: true}, code.HS: {swap: true, negate: true},
}

// compareOf is the emitter of setp.
func compareOf(in *code.Inst) emitter {
	switch in.Type {
	case ptx.F32, ptx.F64:
		if _, ok := floatCompares[in.Compare]; ok {
			return compareFloats
		}
	case ptx.U16, ptx.S16, ptx.B16, ptx.U32, ptx.S32, ptx.B32, ptx.U64, ptx.S64, ptx.B64:
		if _, ok := intCompares[in.Compare]; ok {
			return compareInts
		}
	}
	return nil
}

func compareFloats(t *strip, in *code.Inst) {
	how := floatCompares[in.Compare]
	var a, b [2]Vec
	if in.Type == ptx.F32 {
		a[0], b[0] = t.float(in, 0), t.float(in, 1)
	} else {
		a, b = t.in64(in.Args[0]), t.in64(in.Args[1])
	}
	if t.avx512 {
		op := map[ptx.Type]VecOp{ptx.F32: VCMPPS, ptx.F64: VCMPPD}[in.Type]
		t.compareWide(op, a, b, how, in.Type.Bits())
		return
	}
	d := [2]Vec{t.take(), t.take()}
	if in.Type == ptx.F32 {
		t.V3i(VCMPPS, d[0], a[0], b[0], how)
		t.collect32(d[0])
		return
	}
	for i := range d {
		t.V3i(VCMPPD, d[i], a[i], b[i], how)
	}
	t.collect64(d)
}

// compareInts compares. finishCompares negates.
func compareInts(t *strip, in *code.Inst) {
	a, b, how := t.in64(in.Args[0]), t.in64(in.Args[1]), intCompares[in.Compare]
	if in.Type == ptx.S16 && !how.equal {
		a, b = t.shorts(a, b)
	}
	if how.swap {
		a, b = b, a
	}
	wide := in.Args[0].Bits == 64
	if t.avx512 {
		op := map[[2]bool]VecOp{{false, false}: VPCMPUD, {false, true}: VPCMPUQ, {true, false}: VPCMPD, {true, true}: VPCMPQ}[[2]bool{in.Type.Signed(), wide}]
		t.compareWide(op, a, b, map[bool]byte{true: maskEqual, false: maskGreater}[how.equal], in.Args[0].Bits)
		return
	}
	d := [2]Vec{t.take(), t.take()}
	op := map[[2]bool]VecOp{{false, false}: VPCMPGTD, {false, true}: VPCMPGTQ, {true, false}: VPCMPEQD, {true, true}: VPCMPEQQ}[[2]bool{how.equal, wide}]
	for i := range in.Args[0].Bits / 32 {
		x, y := a[i], b[i]
		if !how.equal && !in.Type.Signed() {
			x, y = t.shifted(d[i], x, wide), t.shifted(scratch, y, wide)
		}
		t.V3(op, d[i], x, y)
	}
	if wide {
		t.collect64(d)
		return
	}
	t.collect32(d[0])
}

// shifted inverts the highest bits of x, so that unsigned numbers compare as signed ones.
func (t *strip) shifted(d, x Vec, wide bool) Vec {
	bit := sign32
	if wide {
		t.V3(VPXOR, d, x, t.double(sign64))
		return d
	}
	t.V3(VPXOR, d, x, t.word(bit))
	return d
}

// collect32 and collect64 add the signs of a strip's lanes to the general register of a comparison.

func (t *strip) collect32(x Vec) {
	t.Signs32(RAX, x)
	t.collect()
}

func (t *strip) collect64(x [2]Vec) {
	t.Signs64(RAX, x[0])
	t.Signs64(RCX, x[1])
	t.ShiftLeft(32, RCX, byte(t.lanes()/2))
	t.Op(OR, 32, RAX, RCX)
	t.collect()
}

func (t *strip) collect() {
	to := collector(t.tests)
	t.tests++
	if t.number == 0 {
		t.Load(32, to, RAX)
		return
	}
	t.ShiftLeft(32, RAX, byte(int32(t.lanes())*t.number))
	t.Op(OR, 32, to, RAX)
}

// collector is the general register of the i-th comparison of a step.
func collector(i int) Reg { return R8 + Reg(i) }

// finishCompares writes the predicates of a step's comparisons.
func (b *builder) finishCompares(s *step) {
	tests := 0
	for i := range s.insts {
		in := &s.insts[i]
		if in.Op != ptx.OpSetp {
			continue
		}
		r := collector(tests)
		tests++
		if in.Type != ptx.F32 && in.Type != ptx.F64 && intCompares[in.Compare].negate {
			b.Not(r)
		}
		if len(in.Args) < 3 {
			b.setPredicate(in.Dst[0], r)
			continue
		}
		b.Load(32, RSI, slot(in.Args[2].Off))
		b.Load(32, RCX, r)
		b.Not(RCX)
		b.combine(in.Combine, r)
		b.combine(in.Combine, RCX)
		b.setPredicate(in.Dst[0], r)
		b.setPredicate(in.Dst[1], RCX)
	}
}

// combine combines the bits of r and RSI.
func (b *builder) combine(how code.Combine, r Reg) {
	switch how {
	case code.CombineAnd:
		b.Op(AND, 32, r, RSI)
	case code.CombineOr:
		b.Op(OR, 32, r, RSI)
	case code.CombineXor:
		b.Op(XOR, 32, r, RSI)
	}
}

// laneBits32 and laneBits64 are the bits that the lanes of a strip have in a predicate.

func (t *strip) laneBits32() Mem {
	return context(unsafe.Offsetof(Context{}.bits32) + uintptr(32*t.number))
}

func (t *strip) laneBits64(i int) Mem {
	return context(unsafe.Offsetof(Context{}.bits64) + uintptr(64*t.number+int32(32*i)))
}

// doubleAt is where a constant is.
func doubleAt(d double) Mem { return context(unsafe.Offsetof(Context{}.doubles) + uintptr(8*d)) }
