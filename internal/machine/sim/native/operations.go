package native

import (
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// emitter makes the code of an instruction for a strip.
type emitter func(t *strip, in *code.Inst)

// operationKey names an operation: what it does, the type of its operands, and whether it is a product
// of twice the width, or the upper half of a product.
type operationKey struct {
	op         code.Op
	t          ptx.Type
	wide, high bool
}

func (t avx2) knows(in *code.Inst, _ *code.Func) bool {
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
	return t.operation(in) != nil
}

// operation is the emitter of an instruction that computes, nil for none. The loops of package lanes
// define what it does.
func operation(in *code.Inst) emitter {
	if f := bitwiseOf(in); f != nil {
		return f
	}
	if f := approximationOf(in); f != nil {
		return f
	}
	if f := integralOf(in); f != nil {
		return f
	}
	if !modifiable(in) {
		return nil
	}
	switch in.Op {
	case ptx.OpSetp:
		return compareOf(in)
	case ptx.OpCvt:
		return conversionOf(in)
	case ptx.OpPrmt:
		if in.Mode == "" {
			return permuteBytes
		}
		return nil
	case code.OpExtract:
		if in.Width == 32 && in.Args[0].Bits == 64 && in.Dst[0].Bits == 32 {
			return extractWord
		}
		return nil
	case code.OpJoin:
		if in.Width == 32 && len(in.Args) == 2 && in.Dst[0].Bits == 64 {
			return joinWords
		}
		return nil
	}
	return operations()[operationKey{in.Op, in.Type, in.Has(code.Wide), in.Has(code.High)}]
}

var tableOnce struct {
	sync.Once
	operations map[operationKey]emitter
}

// operations is the table, which is made when a kernel is first compiled.
func operations() map[operationKey]emitter {
	tableOnce.Do(func() { tableOnce.operations = table() })
	return tableOnce.operations
}

// table lists the operations.
func table() map[operationKey]emitter {
	m := map[operationKey]emitter{
		{op: ptx.OpNeg, t: ptx.S32}: negate(VPSUBD), {op: ptx.OpNeg, t: ptx.S64}: negate(VPSUBQ),
		{op: ptx.OpMul, t: ptx.U32, wide: true}: product(VPMOVZXDQ, VPMULUDQ, false),
		{op: ptx.OpMul, t: ptx.S32, wide: true}: product(VPMOVSXDQ, VPMULDQ, false),
		{op: ptx.OpMad, t: ptx.U32, wide: true}: product(VPMOVZXDQ, VPMULUDQ, true),
		{op: ptx.OpMad, t: ptx.S32, wide: true}: product(VPMOVSXDQ, VPMULDQ, true),
		{op: ptx.OpMul, t: ptx.U16, wide: true}: two(VPMULLD), // registers of 16 bits are zero-extended
		{op: ptx.OpMul, t: ptx.U32, high: true}: upperProduct(VPMULUDQ),
		{op: ptx.OpMul, t: ptx.S32, high: true}: upperProduct(VPMULDQ),
		{op: ptx.OpMov, t: ptx.B32}:             one(VMOVDQA), {op: ptx.OpMov, t: ptx.B64}: one(VMOVDQA),
		{op: ptx.OpAbs, t: ptx.S32}: one(VPABSD),
		{op: ptx.OpNot, t: ptx.B32}: invert, {op: ptx.OpNot, t: ptx.B64}: invert,
		{op: ptx.OpShl, t: ptx.B32}: shift32(VPSLLVD, VPSLLD), {op: ptx.OpShl, t: ptx.B64}: shift64(VPSLLVQ, VPSLLQ),
		{op: ptx.OpShr, t: ptx.S32}: shift32(VPSRAVD, VPSRAD), {op: ptx.OpShr, t: ptx.S64}: shiftSigned,
		{op: ptx.OpMin, t: ptx.S64}: extreme64(true), {op: ptx.OpMax, t: ptx.S64}: extreme64(false),
		{op: ptx.OpMin, t: ptx.U64}: extreme64(true), {op: ptx.OpMax, t: ptx.U64}: extreme64(false),
		{op: ptx.OpMin, t: ptx.U32}: two(VPMINUD), {op: ptx.OpMax, t: ptx.U32}: two(VPMAXUD),
		{op: ptx.OpMin, t: ptx.S32}: two(VPMINSD), {op: ptx.OpMax, t: ptx.S32}: two(VPMAXSD),
	}
	for _, t := range []ptx.Type{ptx.U32, ptx.S32} {
		m[operationKey{op: ptx.OpAdd, t: t}], m[operationKey{op: ptx.OpSub, t: t}] = two(VPADDD), two(VPSUBD)
		m[operationKey{op: ptx.OpMul, t: t}], m[operationKey{op: ptx.OpMad, t: t}] = two(VPMULLD), sumOfProduct
	}
	for _, t := range []ptx.Type{ptx.U64, ptx.S64} {
		m[operationKey{op: ptx.OpAdd, t: t}], m[operationKey{op: ptx.OpSub, t: t}] = two(VPADDQ), two(VPSUBQ)
		m[operationKey{op: ptx.OpMul, t: t}], m[operationKey{op: ptx.OpMad, t: t}] = product64(false), product64(true)
	}
	for _, t := range []ptx.Type{ptx.B32, ptx.B64} {
		m[operationKey{op: ptx.OpAnd, t: t}], m[operationKey{op: ptx.OpOr, t: t}] = two(VPAND), two(VPOR)
		m[operationKey{op: ptx.OpXor, t: t}] = two(VPXOR)
	}
	for _, t := range []ptx.Type{ptx.B32, ptx.U32} {
		m[operationKey{op: ptx.OpShr, t: t}] = shift32(VPSRLVD, VPSRLD)
	}
	for _, t := range []ptx.Type{ptx.B64, ptx.U64} {
		m[operationKey{op: ptx.OpShr, t: t}] = shift64(VPSRLVQ, VPSRLQ)
	}
	for _, t := range []ptx.Type{ptx.B32, ptx.U32, ptx.S32, ptx.F32, ptx.B64, ptx.U64, ptx.S64, ptx.F64} {
		m[operationKey{op: ptx.OpSelp, t: t}] = choose2
	}
	addShorts(m)
	addFloats(m)
	addQuotients(m)
	return m
}

// two and one make an operation that the processor has for the lanes of a vector.

func two(op VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		for i := range in.Dst[0].Bits / 32 {
			t.V3(op, d[i], a[i], b[i])
		}
	}
}

func one(op VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
		for i := range in.Dst[0].Bits / 32 {
			t.V2(op, d[i], a[i])
		}
	}
}

func negate(op VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
		for i := range in.Dst[0].Bits / 32 {
			t.V3(VPXOR, d[i], d[i], d[i])
			t.V3(op, d[i], d[i], a[i])
		}
	}
}

func invert(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
	for i := range in.Dst[0].Bits / 32 {
		t.V3(VPCMPEQD, d[i], d[i], d[i])
		t.V3(VPXOR, d[i], d[i], a[i])
	}
}

func sumOfProduct(t *strip, in *code.Inst) {
	a, b, c, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	t.V3(VPMULLD, d, a, b)
	t.V3(VPADDD, d, d, c)
}

// widen spreads 8 lanes of 32 bits over two vectors, by an instruction that extends 4.
func (t *strip) widen(extend VecOp, d [2]Vec, a Vec) {
	t.Upper(d[1], a)
	t.V2(extend, d[0], a)
	t.V2(extend, d[1], d[1])
}

// product multiplies to twice the width, and adds a third operand to that where sum says so.
func product(extend, multiply VecOp, sum bool) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out64(in.Dst[0])
		x := [2]Vec{t.take(), t.take()}
		t.widen(extend, d, a)
		t.widen(extend, x, b)
		for i := range d {
			t.V3(multiply, d[i], d[i], x[i])
		}
		if !sum {
			return
		}
		c := t.in64(in.Args[2])
		for i := range d {
			t.V3(VPADDQ, d[i], d[i], c[i])
		}
	}
}

// upperProduct is the upper half of each product: of the even lanes, and of the odd ones.
func upperProduct(multiply VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, upper, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.double(upper64), t.out32(in.Dst[0])
		x, y := t.take(), t.take()
		t.Shift(VPSRLQ, x, a, 32)
		t.Shift(VPSRLQ, y, b, 32)
		t.V3(multiply, x, x, y)
		t.V3(VPAND, x, x, upper)
		t.V3(multiply, d, a, b)
		t.Shift(VPSRLQ, d, d, 32)
		t.V3(VPOR, d, d, x)
	}
}

// product64 makes a product of 64 bits of three of 32, and adds a third operand where sum says so.
func product64(sum bool) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		x := t.take()
		for i := range d {
			t.Shift(VPSRLQ, x, a[i], 32)
			t.V3(VPMULUDQ, x, x, b[i])
			t.Shift(VPSRLQ, d[i], b[i], 32)
			t.V3(VPMULUDQ, d[i], d[i], a[i])
			t.V3(VPADDQ, x, x, d[i])
			t.Shift(VPSLLQ, x, x, 32)
			t.V3(VPMULUDQ, d[i], a[i], b[i])
			t.V3(VPADDQ, d[i], d[i], x)
		}
		if !sum {
			return
		}
		c := t.in64(in.Args[2])
		for i := range d {
			t.V3(VPADDQ, d[i], d[i], c[i])
		}
	}
}

// shift32 and shift64 shift by counts of 32 bits. A count of the width or more shifts everything out,
// here and in PTX.

func shift32(by, byConstant VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a := t.in32(in.Args[0])
		if n, ok := t.constant(in.Args[1]); ok {
			t.Shift(byConstant, t.out32(in.Dst[0]), a, byte(min(n, 255)))
			return
		}
		n, d := t.in32(in.Args[1]), t.out32(in.Dst[0])
		t.V3(by, d, a, n)
	}
}

func shift64(by, byConstant VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a := t.in64(in.Args[0])
		if n, ok := t.constant(in.Args[1]); ok {
			for i, d := range t.out64(in.Dst[0]) {
				t.Shift(byConstant, d, a[i], byte(min(n, 255)))
			}
			return
		}
		n, d := t.in32(in.Args[1]), t.out64(in.Dst[0])
		t.widen(VPMOVZXDQ, d, n)
		for i := range d {
			t.V3(by, d[i], a[i], d[i])
		}
	}
}

// shiftSigned shifts 64 bits with their sign, which AVX2 does not: it inverts negative numbers, and
// inverts them back.
func shiftSigned(t *strip, in *code.Inst) {
	a, n, d := t.in64(in.Args[0]), t.in32(in.Args[1]), t.out64(in.Dst[0])
	sign, x := t.take(), t.take()
	t.widen(VPMOVZXDQ, d, n)
	for i := range d {
		t.V3(VPXOR, sign, sign, sign)
		t.V3(VPCMPGTQ, sign, sign, a[i])
		t.V3(VPXOR, x, a[i], sign)
		t.V3(VPSRLVQ, d[i], x, d[i])
		t.V3(VPXOR, d[i], d[i], sign)
	}
}

// extreme64 is the minimum or the maximum of numbers of 64 bits.
func extreme64(least bool) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		greater := t.take()
		for i := range d {
			if m, n := a[i], b[i]; in.Type.Signed() {
				t.V3(VPCMPGTQ, greater, m, n)
			} else {
				t.V3(VPCMPGTQ, greater, t.shifted(greater, m, true), t.shifted(scratch, n, true))
			}
			x, y := b[i], a[i]
			if least {
				x, y = y, x
			}
			t.Blend(VBLENDVPD, d[i], x, y, greater)
		}
	}
}

// choose2 is selp: the first operand where a predicate holds, else the second.
func choose2(t *strip, in *code.Inst) {
	a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
	if t.avx512 {
		for i := range in.Dst[0].Bits / 32 {
			t.ZBlend(blendOf(in.Dst[0].Bits), d[i], b[i], a[i], t.chosen(in.Args[2].Off, in.Dst[0].Bits, i))
		}
		return
	}
	yes, bits := t.take(), t.take()
	for i := range in.Dst[0].Bits / 32 {
		t.V2(VPBROADCASTD, yes, slot(in.Args[2].Off))
		if in.Dst[0].Bits == 64 {
			t.V2(VMOVDQU, bits, t.laneBits64(i))
			t.V3(VPAND, yes, yes, bits)
			t.V3(VPCMPEQQ, yes, yes, bits)
		} else {
			t.V2(VMOVDQU, bits, t.laneBits32())
			t.V3(VPAND, yes, yes, bits)
			t.V3(VPCMPEQD, yes, yes, bits)
		}
		t.Blend(VBLENDVPS, d[i], b[i], a[i], yes)
	}
}

// extractWord is a half of 64 bits, and joinWords puts two halves together.

func extractWord(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	if in.Imm == 32 {
		t.narrow(d, a, 0xdd)
		return
	}
	t.narrow(d, a, 0x88)
}

// narrow takes one word of each lane of 64 bits: the lower ones by 0x88, the upper ones by 0xdd.
func (t *strip) narrow(d Vec, a [2]Vec, which byte) {
	if t.avx512 {
		t.pick(map[byte]uintptr{0x88: unsafe.Offsetof(Context{}.even), 0xdd: unsafe.Offsetof(Context{}.odd)}[which], d, a[0], a[1])
		return
	}
	t.V3i(VSHUFPS, d, a[0], a[1], which)
	t.V2i(VPERMQ, d, d, 0xd8)
}

func joinWords(t *strip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out64(in.Dst[0])
	if t.avx512 {
		t.pick(unsafe.Offsetof(Context{}.lowPairs), d[0], a, b)
		t.pick(unsafe.Offsetof(Context{}.highPairs), d[1], a, b)
		return
	}
	low, high := t.take(), t.take()
	t.V3(VPUNPCKLDQ, low, a, b)
	t.V3(VPUNPCKHDQ, high, a, b)
	t.V3i(VPERM2I128, d[0], low, high, 0x20)
	t.V3i(VPERM2I128, d[1], low, high, 0x31)
}
