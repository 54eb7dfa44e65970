package native

import (
	"sync"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// neonEmitter makes the code of an instruction for a strip.
type neonEmitter func(t *neonStrip, in *code.Inst)

func (neon) knows(in *code.Inst, _ *code.Func) bool {
	switch kindOf(in) {
	case access:
		return knowsAccess(in) || knowsAtomic(in)
	case fencing, lanewise:
		return true
	case logic:
		switch in.Op {
		case ptx.OpMov, ptx.OpNot, ptx.OpAnd, ptx.OpOr, ptx.OpXor:
			return true
		}
		return false
	}
	return neonOperation(in) != nil
}

// neonOperation is the emitter of an instruction that computes, nil for none. The loops of package
// lanes define what it does.
func neonOperation(in *code.Inst) neonEmitter {
	if f := neonBitwiseOf(in); f != nil {
		return f
	}
	if in.Flags&^(code.Wide|code.High) != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	switch in.Op {
	case ptx.OpSetp:
		return neonCompareOf(in)
	case ptx.OpCvt:
		return neonConversionOf(in)
	case code.OpExtract:
		if in.Width == 32 && in.Args[0].Bits == 64 && in.Dst[0].Bits == 32 {
			return neonExtractWord
		}
		return nil
	case code.OpJoin:
		if in.Width == 32 && len(in.Args) == 2 && in.Dst[0].Bits == 64 {
			return neonJoinWords
		}
		return nil
	}
	return neonOperations()[operationKey{in.Op, in.Type, in.Has(code.Wide), in.Has(code.High)}]
}

// neonTables are made when a kernel is first compiled. So the linker drops them from programs for other
// processors.
var neonTables struct {
	sync.Once
	operations  map[operationKey]neonEmitter
	conversions map[[2]ptx.Type]neonEmitter
}

func makeNeonTables() {
	neonTables.operations, neonTables.conversions = neonTable(), neonConversionTable()
}

// neonOperations is the table of operations.
func neonOperations() map[operationKey]neonEmitter {
	neonTables.Do(makeNeonTables)
	return neonTables.operations
}

// neonTable lists the operations.
func neonTable() map[operationKey]neonEmitter {
	m := map[operationKey]neonEmitter{
		{op: ptx.OpNeg, t: ptx.S32}: neonOne(NEG4S), {op: ptx.OpNeg, t: ptx.S64}: neonOne(NEG2D),
		{op: ptx.OpMul, t: ptx.U32, wide: true}: neonProduct(UMULL, UMULL2), {op: ptx.OpMul, t: ptx.S32, wide: true}: neonProduct(SMULL, SMULL2),
		{op: ptx.OpMad, t: ptx.U32, wide: true}: neonProduct(UMULL, UMULL2), {op: ptx.OpMad, t: ptx.S32, wide: true}: neonProduct(SMULL, SMULL2),
		{op: ptx.OpMul, t: ptx.U16, wide: true}: neonTwo(MUL4S), // registers of 16 bits are zero-extended
		{op: ptx.OpMul, t: ptx.U32, high: true}: neonUpperProduct(UMULL, UMULL2), {op: ptx.OpMul, t: ptx.S32, high: true}: neonUpperProduct(SMULL, SMULL2),
		{op: ptx.OpMov, t: ptx.B32}: neonMove, {op: ptx.OpMov, t: ptx.B64}: neonMove,
		{op: ptx.OpAbs, t: ptx.S32}: neonOne(ABS4S),
		{op: ptx.OpNot, t: ptx.B32}: neonOne(VNOT), {op: ptx.OpNot, t: ptx.B64}: neonOne(VNOT),
		{op: ptx.OpShl, t: ptx.B32}: neonShift32(USHL4S, SHL4S), {op: ptx.OpShl, t: ptx.B64}: neonShift64(USHL2D, SHL2D),
		{op: ptx.OpShr, t: ptx.S32}: neonShift32(SSHL4S, SSHR4S), {op: ptx.OpShr, t: ptx.S64}: neonShift64(SSHL2D, SSHR2D),
		{op: ptx.OpMin, t: ptx.U32}: neonTwo(UMIN4S), {op: ptx.OpMax, t: ptx.U32}: neonTwo(UMAX4S),
		{op: ptx.OpMin, t: ptx.S32}: neonTwo(SMIN4S), {op: ptx.OpMax, t: ptx.S32}: neonTwo(SMAX4S),
		{op: ptx.OpMin, t: ptx.U64}: neonExtreme64(CMHI2D, true), {op: ptx.OpMax, t: ptx.U64}: neonExtreme64(CMHI2D, false),
		{op: ptx.OpMin, t: ptx.S64}: neonExtreme64(CMGT2D, true), {op: ptx.OpMax, t: ptx.S64}: neonExtreme64(CMGT2D, false),
		{op: ptx.OpPopc, t: ptx.B32}: neonCount32, {op: ptx.OpPopc, t: ptx.B64}: neonCount64,
		{op: ptx.OpClz, t: ptx.B32}: neonOne(CLZ4S), {op: ptx.OpClz, t: ptx.B64}: neonLeading64,
		{op: ptx.OpBrev, t: ptx.B32}: neonReverse32,
	}
	for _, t := range []ptx.Type{ptx.U32, ptx.S32} {
		m[operationKey{op: ptx.OpAdd, t: t}], m[operationKey{op: ptx.OpSub, t: t}] = neonTwo(ADD4S), neonTwo(SUB4S)
		m[operationKey{op: ptx.OpMul, t: t}], m[operationKey{op: ptx.OpMad, t: t}] = neonTwo(MUL4S), neonSumOfProduct
		m[operationKey{op: ptx.OpDiv, t: t}], m[operationKey{op: ptx.OpRem, t: t}] = neonDivide, neonRemainder
	}
	for _, t := range []ptx.Type{ptx.U64, ptx.S64} {
		m[operationKey{op: ptx.OpAdd, t: t}], m[operationKey{op: ptx.OpSub, t: t}] = neonTwo(ADD2D), neonTwo(SUB2D)
		m[operationKey{op: ptx.OpMul, t: t}], m[operationKey{op: ptx.OpMad, t: t}] = neonProduct64, neonProduct64
	}
	for _, t := range []ptx.Type{ptx.B32, ptx.B64} {
		m[operationKey{op: ptx.OpAnd, t: t}], m[operationKey{op: ptx.OpOr, t: t}] = neonTwo(VAND), neonTwo(VORR)
		m[operationKey{op: ptx.OpXor, t: t}] = neonTwo(VEOR)
	}
	for _, t := range []ptx.Type{ptx.B32, ptx.U32} {
		m[operationKey{op: ptx.OpShr, t: t}] = neonShift32(USHL4S, USHR4S)
	}
	for _, t := range []ptx.Type{ptx.B64, ptx.U64} {
		m[operationKey{op: ptx.OpShr, t: t}] = neonShift64(USHL2D, USHR2D)
	}
	for _, t := range []ptx.Type{ptx.B32, ptx.U32, ptx.S32, ptx.F32, ptx.B64, ptx.U64, ptx.S64, ptx.F64} {
		m[operationKey{op: ptx.OpSelp, t: t}] = neonChoose
	}
	neonFloats(m)
	return m
}

// neonTwo and neonOne make an operation that the processor has for the lanes of a vector.

func neonTwo(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		for i := range in.Dst[0].Bits / 32 {
			t.V3(op, d[i], a[i], b[i])
		}
	}
}

func neonOne(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
		for i := range in.Dst[0].Bits / 32 {
			t.V2(op, d[i], a[i])
		}
	}
}

func neonMove(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
	for i := range in.Dst[0].Bits / 32 {
		t.MoveVec(d[i], a[i])
	}
}

func neonSumOfProduct(t *neonStrip, in *code.Inst) {
	a, b, c, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	t.MoveVec(d, c)
	t.V3(MLA4S, d, a, b)
}

// addThird adds the third operand of mad, of 64 bits.
func (t *neonStrip) addThird(d [2]Vec, in *code.Inst) {
	if in.Op != ptx.OpMad {
		return
	}
	for i, c := range t.in64(in.Args[2]) {
		t.V3(ADD2D, d[i], d[i], c)
	}
}

// neonProduct multiplies to twice the width.
func neonProduct(lower, upper VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out64(in.Dst[0])
		t.V3(lower, d[0], a, b)
		t.V3(upper, d[1], a, b)
		t.addThird(d, in)
	}
}

func neonUpperProduct(lower, upper VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
		t.V3(lower, tmp, a, b)
		t.V3(upper, tmp2, a, b)
		t.V3(UZP24S, d, tmp, tmp2)
	}
}

// neonProduct64 makes a product of 64 bits of the halves' products: the mixed ones, which are shifted,
// and the product of the lower halves.
func neonProduct64(t *neonStrip, in *code.Inst) {
	a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
	for i := range d {
		t.V2(REV644S, tmp, b[i])
		t.V3(MUL4S, tmp, tmp, a[i])
		t.V2(UADDLP4S, tmp, tmp)
		t.Shift(SHL2D, d[i], tmp, 32)
		t.V2(XTN, tmp, a[i])
		t.V2(XTN, tmp2, b[i])
		t.V3(UMLAL, d[i], tmp, tmp2)
	}
	t.addThird(d, in)
}

// neonShift32 and neonShift64 shift by counts of 32 bits. The processor shifts by the lowest byte of a
// count, to the right where that is negative. A count of the width or more shifts everything out in
// PTX, so counts beyond the width count as the width.

func neonShift32(by, byConstant VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a := t.in32(in.Args[0])
		if n, ok := t.plan.constants[in.Args[1].Off]; ok {
			t.shiftBy(byConstant, t.out32(in.Dst[0]), a, n, 32)
			return
		}
		n, d := t.in32(in.Args[1]), t.out32(in.Dst[0])
		t.counts(n, 32)
		if byConstant != SHL4S {
			t.V2(NEG4S, tmp, tmp)
		}
		t.V3(by, d, a, tmp)
	}
}

func neonShift64(by, byConstant VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a := t.in64(in.Args[0])
		if n, ok := t.plan.constants[in.Args[1].Off]; ok {
			for i, d := range t.out64(in.Dst[0]) {
				t.shiftBy(byConstant, d, a[i], n, 64)
			}
			return
		}
		n, d := t.in32(in.Args[1]), t.out64(in.Dst[0])
		t.counts(n, 64)
		for i, widen := range []VecOp{UXTL, UXTL2} {
			t.V2(widen, tmp2, tmp)
			if byConstant != SHL2D {
				t.V2(NEG2D, tmp2, tmp2)
			}
			t.V3(by, d[i], a[i], tmp2)
		}
	}
}

// counts puts the counts of n, at most the width, into tmp.
func (t *neonStrip) counts(n Vec, width int) {
	t.Set(7, uint64(width))
	t.Spread(32, tmp, 7)
	t.V3(UMIN4S, tmp, tmp, n)
}

// shiftBy shifts by a constant.
func (t *neonStrip) shiftBy(op VecOp, d, a Vec, n uint64, width int) {
	left := op == SHL4S || op == SHL2D
	switch by := int(min(n, uint64(width))); {
	case by == 0:
		t.MoveVec(d, a)
	case left && by == width:
		t.Zero(d)
	default:
		t.Shift(op, d, a, by)
	}
}

// neonExtreme64 is the minimum or the maximum of numbers of 64 bits.
func neonExtreme64(greater VecOp, least bool) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		for i := range d {
			x, y := a[i], b[i]
			if least {
				x, y = y, x
			}
			t.V3(greater, d[i], a[i], b[i])
			t.V3(BSL, d[i], x, y)
		}
	}
}

// neonChoose is selp: the first operand where a predicate holds, else the second.
func neonChoose(t *neonStrip, in *code.Inst) {
	a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
	test, bits := CMTST4S, []Vec{t.laneBits32()}
	if in.Dst[0].Bits == 64 {
		test, bits = CMTST2D, []Vec{t.laneBits64(0), t.laneBits64(1)}
	}
	t.spreadFrom(32, tmp, fileAt(in.Args[2].Off))
	for i := range bits {
		t.V3(test, d[i], tmp, bits[i])
		t.V3(BSL, d[i], a[i], b[i])
	}
}

// neonExtractWord is a half of 64 bits, and neonJoinWords puts two halves together.

func neonExtractWord(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	op := UZP14S
	if in.Imm == 32 {
		op = UZP24S
	}
	t.V3(op, d, a[0], a[1])
}

func neonJoinWords(t *neonStrip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out64(in.Dst[0])
	t.V3(ZIP14S, d[0], a, b)
	t.V3(ZIP24S, d[1], a, b)
}

// neonCount32 and neonCount64 count bits: of bytes, then of pairs of them, and so on.

func neonCount32(t *neonStrip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	t.V2(CNT16B, d, a)
	t.V2(UADDLP16B, d, d)
	t.V2(UADDLP8H, d, d)
}

func neonCount64(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	for i, x := range []Vec{tmp, tmp2} {
		t.V2(CNT16B, x, a[i])
		t.V2(UADDLP16B, x, x)
		t.V2(UADDLP8H, x, x)
		t.V2(UADDLP4S, x, x)
	}
	t.V3(UZP14S, d, tmp, tmp2)
}

// neonLeading64 counts leading zeros, in the lower half too where the upper half is zero.
func neonLeading64(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	t.V3(UZP24S, tmp, a[0], a[1])
	t.V3(UZP14S, tmp2, a[0], a[1])
	t.V3(CMTST4S, tmp3, tmp, tmp)
	t.V2(CLZ4S, tmp2, tmp2)
	t.V3(VBIC, tmp2, tmp2, tmp3)
	t.V2(CLZ4S, d, tmp)
	t.V3(ADD4S, d, d, tmp2)
}

func neonReverse32(t *neonStrip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	t.V2(RBIT16B, d, a)
	t.V2(REV3216B, d, d)
}

// neonQuotient divides integers of 32 bits as doubles, which is exact enough: see strip.quotient. It
// puts the lower halves of quotients of 64 bits into d. Of a divisor of zero they are anything.
func (t *neonStrip) neonQuotient(d, a, b Vec, signed bool) {
	widen, float, whole := [2]VecOp{UXTL, UXTL2}, UCVTF2D, FCVTZU2D
	if signed {
		widen, float, whole = [2]VecOp{SXTL, SXTL2}, SCVTF2D, FCVTZS2D
	}
	results := [2]Vec{tmp, tmp2}
	for i, x := range results {
		t.V2(widen[i], x, a)
		t.V2(widen[i], tmp3, b)
		t.V2(float, x, x)
		t.V2(float, tmp3, tmp3)
		t.V3(FDIV2D, x, x, tmp3)
		t.V2(whole, x, x)
	}
	t.V3(UZP14S, d, results[0], results[1])
}

// neonDivide has all bits of a quotient by zero.
func neonDivide(t *neonStrip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	t.neonQuotient(d, a, b, in.Type.Signed())
	t.V3(CMTST4S, tmp, b, b)
	t.V2(VNOT, tmp, tmp)
	t.V3(VORR, d, d, tmp)
}

// neonRemainder is the dividend where the divisor is zero, whatever the quotient.
func neonRemainder(t *neonStrip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	t.neonQuotient(tmp4, a, b, in.Type.Signed())
	t.V3(MUL4S, tmp4, tmp4, b)
	t.V3(SUB4S, d, a, tmp4)
}
