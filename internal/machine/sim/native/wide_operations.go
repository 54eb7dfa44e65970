package native

import (
	"sync"

	"golang.org/x/sys/cpu"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has the instructions for which AVX-512 has something better than what the emitters for AVX2
// make of them, or anything at all.

// operation is the emitter of an instruction that computes, nil for none.
func (t avx2) operation(in *code.Inst) emitter {
	if t.avx512 {
		if e := wideOperation(in); e != nil {
			return e
		}
	}
	return operation(in)
}

// narrow is the same processor with vectors of 256 bits.
func (avx2) narrow() target { return avx2{} }

func wideOperation(in *code.Inst) emitter {
	if in.Flags != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	switch in.Op {
	case ptx.OpCvt:
		if conversionOf(in) == nil {
			return nil
		}
		return wideConversions[[2]ptx.Type{in.Type, in.SrcType}]
	case ptx.OpLop3:
		if len(in.Dst) != 1 || len(in.Args) != 3 {
			return nil
		}
	}
	return wideOperations()[operationKey{op: in.Op, t: in.Type}]
}

// wideOperations is a table. Some of its instructions are not on all processors with AVX-512.
var wideOperations = sync.OnceValue(func() map[operationKey]emitter {
	m := map[operationKey]emitter{
		{op: ptx.OpLop3, t: ptx.B32}: lookUp, {op: ptx.OpAbs, t: ptx.S64}: one(VPABSQ),
		{op: ptx.OpMin, t: ptx.S64}: two(VPMINSQ), {op: ptx.OpMax, t: ptx.S64}: two(VPMAXSQ),
		{op: ptx.OpMin, t: ptx.U64}: two(VPMINUQ), {op: ptx.OpMax, t: ptx.U64}: two(VPMAXUQ),
		{op: ptx.OpShr, t: ptx.S64}: shift64(VPSRAVQ, VPSRAQ),
		{op: ptx.OpNot, t: ptx.B32}: invertWide, {op: ptx.OpNot, t: ptx.B64}: invertWide,
	}
	for _, t := range []ptx.Type{ptx.U64, ptx.S64} {
		m[operationKey{op: ptx.OpMul, t: t}], m[operationKey{op: ptx.OpMad, t: t}] = two(VPMULLQ), sumOfWideProduct
	}
	if cpu.X86.HasAVX512CD {
		m[operationKey{op: ptx.OpClz, t: ptx.B32}], m[operationKey{op: ptx.OpClz, t: ptx.B64}] = one(VPLZCNTD), counted(VPLZCNTQ)
	}
	if cpu.X86.HasAVX512VPOPCNTDQ {
		m[operationKey{op: ptx.OpPopc, t: ptx.B32}], m[operationKey{op: ptx.OpPopc, t: ptx.B64}] = one(VPOPCNTD), counted(VPOPCNTQ)
	}
	return m
})

// wideConversions are by the types of the result and of the operand. They round once.
var wideConversions = map[[2]ptx.Type]emitter{
	{ptx.F32, ptx.U32}: one(VCVTUDQ2PS), {ptx.F64, ptx.U32}: widened(VCVTUDQ2PD),
	{ptx.F64, ptx.S64}: one(VCVTQQ2PD), {ptx.F64, ptx.U64}: one(VCVTUQQ2PD),
	{ptx.F32, ptx.S64}: singlesOf64(VCVTQQ2PS), {ptx.F32, ptx.U64}: singlesOf64(VCVTUQQ2PS),
}

// lookUp is lop3, whose table has the order that the instruction's has.
func lookUp(t *strip, in *code.Inst) {
	a, b, c, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	t.V2(VMOVDQA, d, a)
	t.Z3i(VPTERNLOGD, d, b, c, byte(in.Imm))
}

func invertWide(t *strip, in *code.Inst) {
	const notFirst = 0x33 // of the sources
	a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
	for i := range in.Dst[0].Bits / 32 {
		t.Z3i(VPTERNLOGD, d[i], a[i], a[i], notFirst)
	}
}

func sumOfWideProduct(t *strip, in *code.Inst) {
	a, b, c, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.in64(in.Args[2]), t.out64(in.Dst[0])
	for i := range d {
		t.V3(VPMULLQ, d[i], a[i], b[i])
		t.V3(VPADDQ, d[i], d[i], c[i])
	}
}

// counted is a count of 64 bits, whose result has 32.
func counted(op VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
		x := [2]Vec{t.take(), t.take()}
		for i := range x {
			t.V2(op, x[i], a[i])
		}
		t.narrow(d, x, 0x88)
	}
}

func singlesOf64(op VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
		x := t.take()
		t.V2(op, d, a[0])
		t.V2(op, x, a[1])
		t.V3i(VINSERTI128, d, d, x, 1)
	}
}

// wideQuotient is the quotient of unsigned integers of 32 bits as doubles.
func (t *strip) wideQuotient(d, a, b Vec) {
	x, y := [2]Vec{t.take(), t.take()}, [2]Vec{t.take(), t.take()}
	t.widen(VCVTUDQ2PD, x, a)
	t.widen(VCVTUDQ2PD, y, b)
	for i := range x {
		t.V3(VDIVPD, x[i], x[i], y[i])
		t.V2(VCVTTPD2UDQ, x[i], x[i])
	}
	t.V3i(VINSERTI128, d, x[0], x[1], 1)
}
