package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// addFloats lists the operations on floating-point numbers.
func addFloats(m map[operationKey]emitter) {
	for op, f := range map[code.Op]emitter{
		ptx.OpAdd: single(VADDPS), ptx.OpSub: single(VSUBPS), ptx.OpMul: single(VMULPS), ptx.OpDiv: single(VDIVPS),
		ptx.OpFma: fma32, ptx.OpMad: fma32, ptx.OpSqrt: sqrt32, ptx.OpRcp: reciprocal32,
		ptx.OpMin: extreme32(VMINPS, VPOR), ptx.OpMax: extreme32(VMAXPS, VPAND),
		ptx.OpNeg: sign(VPXOR, sign32), ptx.OpAbs: sign(VPAND, magnitude32),
	} {
		m[operationKey{op: op, t: ptx.F32}] = f
	}
	for op, f := range map[code.Op]emitter{
		ptx.OpAdd: double2(VADDPD, false), ptx.OpSub: double2(VSUBPD, false), ptx.OpMul: double2(VMULPD, false), ptx.OpDiv: double2(VDIVPD, true),
		ptx.OpFma: fma64, ptx.OpMad: fma64, ptx.OpSqrt: sqrt64, ptx.OpRcp: reciprocal64, ptx.OpCopysign: copySign,
		ptx.OpMin: extremeWide(VMINPD, VPOR), ptx.OpMax: extremeWide(VMAXPD, VPAND),
		ptx.OpNeg: signWide(VPXOR, sign64), ptx.OpAbs: signWide(VPAND, magnitude64),
	} {
		m[operationKey{op: op, t: ptx.F64}] = f
	}
}

// The constants by which vcmpps and vcmppd ask what is unordered, and equal.
const (
	equal     = 0
	unordered = 3
)

// canonical replaces the NaNs of d by the one that PTX has in single precision.
func (t *strip) canonical(d Vec) {
	if t.lenient[t.now] {
		return
	}
	nan := t.word(nan32)
	t.where(VCMPPS, scratch, d, d, unordered)
	t.choose(VBLENDVPS, d, d, nan, scratch)
}

func single(op VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.float(in, 0), t.float(in, 1), t.out32(in.Dst[0])
		t.rounded(in.Rounding, func() { t.V3(op, d, a, b) })
		t.finish(in, d)
	}
}

func fma32(t *strip, in *code.Inst) {
	a, b, c, d := t.float(in, 0), t.float(in, 1), t.float(in, 2), t.out32(in.Dst[0])
	t.V2(VMOVDQA, d, c)
	t.rounded(in.Rounding, func() { t.V3(VFMADD231PS, d, a, b) })
	t.finish(in, d)
}

func sqrt32(t *strip, in *code.Inst) {
	a, d := t.float(in, 0), t.out32(in.Dst[0])
	t.rounded(in.Rounding, func() { t.V2(VSQRTPS, d, a) })
	t.finish(in, d)
}

func reciprocal32(t *strip, in *code.Inst) {
	a, one, d := t.float(in, 0), t.word(one32), t.out32(in.Dst[0])
	t.rounded(in.Rounding, func() { t.V3(VDIVPS, d, one, a) })
	t.finish(in, d)
}

// extreme32 is min and max. Of equal operands, which may be zeros of two signs, it takes the bits that
// both have, or either. The instruction gives the second operand where one is a NaN, so a NaN there
// is replaced by the first.
func extreme32(op, ofEqual VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.float(in, 0), t.float(in, 1), t.out32(in.Dst[0])
		x := t.take()
		t.V3(op, d, a, b)
		t.V3(ofEqual, x, a, b)
		t.where(VCMPPS, scratch, a, b, equal)
		t.choose(VBLENDVPS, d, d, x, scratch)
		t.where(VCMPPS, scratch, b, b, unordered)
		t.choose(VBLENDVPS, d, d, a, scratch)
		t.finish(in, d)
	}
}

// extremeWide is the same of doubles. The NaN of two NaNs has its payload.
func extremeWide(op, ofEqual VecOp) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		x := t.take()
		for i := range d {
			t.V3(op, d[i], a[i], b[i])
			t.V3(ofEqual, x, a[i], b[i])
			t.where(VCMPPD, scratch, a[i], b[i], equal)
			t.choose(VBLENDVPD, d[i], d[i], x, scratch)
		}
		t.payload(d, a, b)
		for i := range d { // of a number and a NaN, the number
			t.where(VCMPPD, scratch, b[i], b[i], unordered)
			t.choose(VBLENDVPD, x, b[i], a[i], scratch)
			t.where(VCMPPD, scratch, a[i], b[i], unordered)
			t.where(VCMPPD, scratch2, x, x, unordered)
			t.except(scratch, scratch2)
			t.choose(VBLENDVPD, d[i], d[i], x, scratch)
		}
	}
}

// copySign puts the sign of the first operand on the second.
func copySign(t *strip, in *code.Inst) {
	a, b, m, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.double(sign64), t.out64(in.Dst[0])
	for i := range d {
		t.V3(VPAND, scratch, a[i], m)
		t.V3(VPANDN, d[i], m, b[i])
		t.V3(VPOR, d[i], d[i], scratch)
	}
}

// sign changes signs.
func sign(op VecOp, mask word) emitter {
	return func(t *strip, in *code.Inst) {
		a, m, d := t.float(in, 0), t.word(mask), t.out32(in.Dst[0])
		t.V3(op, d, a, m)
		t.finish(in, d)
	}
}

// signWide changes signs of doubles. A NaN stays as it is.
func signWide(op VecOp, mask double) emitter {
	return func(t *strip, in *code.Inst) {
		a, m, d := t.in64(in.Args[0]), t.double(mask), t.out64(in.Dst[0])
		for i := range d {
			t.V3(op, d[i], a[i], m)
			t.where(VCMPPD, scratch, a[i], a[i], unordered)
			t.choose(VBLENDVPD, d[i], d[i], a[i], scratch)
		}
	}
}

// double2 is an operation of two operands in double precision. div counts them the other way round
// where both are NaNs.
func double2(op VecOp, reverse bool) emitter {
	return func(t *strip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		t.rounded(in.Rounding, func() {
			for i := range d {
				t.V3(op, d[i], a[i], b[i])
			}
		})
		if reverse {
			a, b = b, a
		}
		t.payload(d, a, b)
	}
}

func fma64(t *strip, in *code.Inst) {
	a, b, c, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.in64(in.Args[2]), t.out64(in.Dst[0])
	t.rounded(in.Rounding, func() {
		for i := range d {
			t.V2(VMOVDQA, d[i], c[i])
			t.V3(VFMADD231PD, d[i], a[i], b[i])
		}
	})
	t.payload(d, a, c, b)
}

func sqrt64(t *strip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
	t.rounded(in.Rounding, func() {
		for i := range d {
			t.V2(VSQRTPD, d[i], a[i])
		}
	})
	t.payload(d, a)
}

func reciprocal64(t *strip, in *code.Inst) {
	a, one, d := t.in64(in.Args[0]), t.double(one64), t.out64(in.Dst[0])
	t.rounded(in.Rounding, func() {
		for i := range d {
			t.V3(VDIVPD, d[i], one, a[i])
		}
	})
	t.payload(d, a)
}

// payload gives the NaNs among results the bits that they have on a GPU: of the last operand that is a
// NaN, made quiet, or else the default's (softfloat.NaNOf). The code for that is at the block's end.
func (t *strip) payload(d [2]Vec, operands ...[2]Vec) {
	if t.again != nil && t.lenient[t.now] {
		return
	}
	nan, back := t.Label(), t.Label()
	t.where(VCMPPD, scratch, d[0], d[1], unordered)
	t.anywhere(scratch)
	if t.again != nil {
		t.Jump(NE, *t.again)
		t.looks++
		return
	}
	t.Jump(NE, nan)
	t.Place(back)
	t.later = append(t.later, func() {
		t.Place(nan)
		for i := range d {
			t.where(VCMPPD, scratch, d[i], d[i], unordered)
			t.V2(VPBROADCASTQ, scratch2, doubleAt(nan64))
			t.choose(VBLENDVPD, d[i], d[i], scratch2, scratch)
			for _, x := range operands {
				t.V2(VPBROADCASTQ, scratch2, doubleAt(quiet64))
				t.V3(VPOR, scratch2, scratch2, x[i])
				t.where(VCMPPD, scratch, x[i], x[i], unordered)
				t.choose(VBLENDVPD, d[i], d[i], scratch2, scratch)
			}
		}
		t.Goto(back)
	})
}
