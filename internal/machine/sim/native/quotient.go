package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// addQuotients lists the operations on integers that take AVX2 many instructions.
func addQuotients(m map[operationKey]emitter) {
	for _, t := range []ptx.Type{ptx.U32, ptx.S32} {
		m[operationKey{op: ptx.OpDiv, t: t}], m[operationKey{op: ptx.OpRem, t: t}] = divide, remainder
	}
	m[operationKey{op: ptx.OpPopc, t: ptx.B32}], m[operationKey{op: ptx.OpPopc, t: ptx.B64}] = count32, count64
	m[operationKey{op: ptx.OpClz, t: ptx.B32}], m[operationKey{op: ptx.OpClz, t: ptx.B64}] = leading32, leading64
	m[operationKey{op: ptx.OpBrev, t: ptx.B32}] = reverse32
}

// quotient divides integers of 32 bits as doubles. Their quotient is a double's rounding away from an
// integer only if it is one, since the divisor has 32 bits and a double 53. Of a divisor of zero it is
// anything.
func (t *strip) quotient(d, a, b Vec, signed bool) {
	if t.avx512 && !signed {
		t.wideQuotient(d, a, b)
		return
	}
	x, y := [2]Vec{t.take(), t.take()}, [2]Vec{t.take(), t.take()}
	if signed {
		t.widen(VCVTDQ2PD, x, a)
		t.widen(VCVTDQ2PD, y, b)
		for i := range x {
			t.V3(VDIVPD, x[i], x[i], y[i])
			t.V2(VCVTTPD2DQ, x[i], x[i])
		}
		t.V3i(VINSERTI128, d, x[0], x[1], 1)
		return
	}
	two := t.double(two52)
	t.widen(VPMOVZXDQ, x, a)
	t.widen(VPMOVZXDQ, y, b)
	for i := range x {
		for _, v := range []Vec{x[i], y[i]} {
			t.V3(VPOR, v, v, two)
			t.V3(VSUBPD, v, v, two)
		}
		t.V3(VDIVPD, x[i], x[i], y[i])
		t.V2i(VROUNDPD, x[i], x[i], toZero)
		t.V3(VADDPD, x[i], x[i], two)
	}
	t.narrow(d, x, 0x88)
}

// toZero is how vroundpd rounds.
const toZero = 3

// divide has all bits of a quotient by zero.
func divide(t *strip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	t.quotient(d, a, b, in.Type.Signed())
	t.V3(VPXOR, scratch, scratch, scratch)
	t.V3(VPCMPEQD, scratch, scratch, b)
	t.V3(VPOR, d, d, scratch)
}

// remainder is the dividend where the divisor is zero, whatever the quotient.
func remainder(t *strip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	t.quotient(d, a, b, in.Type.Signed())
	t.V3(VPMULLD, d, d, b)
	t.V3(VPSUBD, d, a, d)
}

// population counts the bits of each 32 of a: of 2, of 4, of 8, and then of all by a product (Warren,
// Hacker's Delight, section 5-1). It changes x.
func (t *strip) population(d, a, x Vec) {
	pairs, fours, eights, sum := t.word(ones1), t.word(ones2), t.word(ones4), t.word(ones8)
	t.Shift(VPSRLD, x, a, 1)
	t.V3(VPAND, x, x, pairs)
	t.V3(VPSUBD, d, a, x)
	t.Shift(VPSRLD, x, d, 2)
	t.V3(VPAND, x, x, fours)
	t.V3(VPAND, d, d, fours)
	t.V3(VPADDD, d, d, x)
	t.Shift(VPSRLD, x, d, 4)
	t.V3(VPADDD, d, d, x)
	t.V3(VPAND, d, d, eights)
	t.V3(VPMULLD, d, d, sum)
	t.Shift(VPSRLD, d, d, 24)
}

func count32(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	t.population(d, a, t.take())
}

// count64 adds the counts of both halves.
func count64(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	x, low := t.take(), t.take()
	t.narrow(x, a, 0x88)
	t.population(low, x, scratch)
	t.narrow(x, a, 0xdd)
	t.population(d, x, scratch)
	t.V3(VPADDD, d, d, low)
}

// leading counts the zeros above the highest bit of each 32 of a. It copies that bit to all below, and
// counts the zeros. It changes a and x.
func (t *strip) leading(d, a, x Vec) {
	for by := byte(1); by < 32; by *= 2 {
		t.Shift(VPSRLD, x, a, by)
		t.V3(VPOR, a, a, x)
	}
	t.V3(VPCMPEQD, x, x, x)
	t.V3(VPXOR, a, a, x)
	t.population(d, a, x)
}

func leading32(t *strip, in *code.Inst) {
	a, x, d := t.in32(in.Args[0]), t.take(), t.out32(in.Dst[0])
	t.V2(VMOVDQA, x, a)
	t.leading(d, x, scratch)
}

// leading64 counts in the lower half too where the upper half is zero.
func leading64(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out32(in.Dst[0])
	x, low, most := t.take(), t.take(), t.take()
	t.narrow(x, a, 0x88)
	t.leading(low, x, scratch)
	t.narrow(x, a, 0xdd)
	t.leading(d, x, scratch)
	t.V3(VPCMPEQD, most, most, most)
	t.Shift(VPSRLD, most, most, 31)
	t.Shift(VPSLLD, most, most, 5) // 32
	t.V3(VPCMPEQD, scratch, d, most)
	t.V3(VPAND, low, low, scratch)
	t.V3(VPADDD, d, d, low)
}

// reverse32 swaps bits, pairs of them, and so on up to halves.
func reverse32(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	t.V2(VMOVDQA, d, a)
	for i, lower := range []word{ones1, ones2, ones4, bytes16} {
		mask := t.word(lower)
		t.Shift(VPSRLD, scratch, d, 1<<i)
		t.V3(VPAND, scratch, scratch, mask)
		t.V3(VPAND, d, d, mask)
		t.Shift(VPSLLD, d, d, 1<<i)
		t.V3(VPOR, d, d, scratch)
	}
	t.Shift(VPSRLD, scratch, d, 16)
	t.Shift(VPSLLD, d, d, 16)
	t.V3(VPOR, d, d, scratch)
}
