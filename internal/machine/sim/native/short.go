package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has integers of 16 bits, which are zero-extended in registers of 32, and bytes.

// addShorts lists the operations on integers of 16 bits.
func addShorts(m map[operationKey]emitter) {
	for _, t := range []ptx.Type{ptx.U16, ptx.S16} {
		m[operationKey{op: ptx.OpAdd, t: t}], m[operationKey{op: ptx.OpSub, t: t}] = cut(two(VPADDD)), cut(two(VPSUBD))
		m[operationKey{op: ptx.OpMul, t: t}] = cut(two(VPMULLD))
	}
	for _, t := range []ptx.Type{ptx.B16, ptx.U16, ptx.S16} {
		m[operationKey{op: ptx.OpSelp, t: t}] = choose2
	}
	m[operationKey{op: ptx.OpAnd, t: ptx.B16}], m[operationKey{op: ptx.OpOr, t: ptx.B16}] = two(VPAND), two(VPOR)
	m[operationKey{op: ptx.OpXor, t: ptx.B16}], m[operationKey{op: ptx.OpNot, t: ptx.B16}] = two(VPXOR), cut(invert)
	m[operationKey{op: ptx.OpShl, t: ptx.B16}] = cut(shift32(VPSLLVD, VPSLLD))
	for _, t := range []ptx.Type{ptx.B16, ptx.U16} {
		m[operationKey{op: ptx.OpShr, t: t}] = shift32(VPSRLVD, VPSRLD)
	}
	m[operationKey{op: ptx.OpMin, t: ptx.U16}], m[operationKey{op: ptx.OpMax, t: ptx.U16}] = two(VPMINUD), two(VPMAXUD)
}

// cut leaves the lower 16 bits of a result.
func cut(f emitter) emitter {
	return func(t *strip, in *code.Inst) {
		f(t, in)
		d := t.fresh.regs[0]
		t.Shift(VPSLLD, d, d, 16)
		t.Shift(VPSRLD, d, d, 16)
	}
}

// shorts are the operands of a comparison of 16 bits, moved up to where 32 bits compare alike.
func (t *strip) shorts(a, b [2]Vec) (x, y [2]Vec) {
	x[0], y[0] = t.take(), t.take()
	t.Shift(VPSLLD, x[0], a[0], 16)
	t.Shift(VPSLLD, y[0], b[0], 16)
	return x, y
}

// permuteBytes is prmt by a constant: it puts four bytes of two words together, or their signs. A byte is moved to the upper end, so
// that nothing else remains of its word.
func permuteBytes(t *strip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	which, _ := t.constant(in.Args[2])
	t.V3(VPXOR, d, d, d)
	for i := range byte(4) {
		from := which >> (4 * i) & 15
		word := a
		if from&4 != 0 {
			word = b
		}
		t.Shift(VPSLLD, scratch, word, byte(24-8*(from&3)))
		if from&8 != 0 {
			t.Shift(VPSRAD, scratch, scratch, 31)
		}
		t.Shift(VPSRLD, scratch, scratch, 24)
		t.Shift(VPSLLD, scratch, scratch, 8*i)
		t.V3(VPOR, d, d, scratch)
	}
}
