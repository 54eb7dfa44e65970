package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// neonFloats lists the operations on floating-point numbers that round to nearest. Go leaves FPCR as
// the system sets it: the processor keeps subnormals and the payloads of NaNs.
func neonFloats(m map[operationKey]neonEmitter) {
	for op, f := range map[code.Op]neonEmitter{
		ptx.OpAdd: neonSingle(FADD4S), ptx.OpSub: neonSingle(FSUB4S), ptx.OpMul: neonSingle(FMUL4S), ptx.OpDiv: neonSingle(FDIV4S),
		ptx.OpFma: neonFma32, ptx.OpMad: neonFma32, ptx.OpSqrt: neonSingleOne(FSQRT4S), ptx.OpRcp: neonReciprocal32,
		ptx.OpMin: neonExtreme32(FMIN4S), ptx.OpMax: neonExtreme32(FMAX4S),
		ptx.OpNeg: neonSingleOne(FNEG4S), ptx.OpAbs: neonSingleOne(FABS4S),
	} {
		m[operationKey{op: op, t: ptx.F32}] = f
	}
	for op, f := range map[code.Op]neonEmitter{
		ptx.OpAdd: neonDouble(FADD2D, false), ptx.OpSub: neonDouble(FSUB2D, false), ptx.OpMul: neonDouble(FMUL2D, false), ptx.OpDiv: neonDouble(FDIV2D, true),
		ptx.OpFma: neonFma64, ptx.OpMad: neonFma64, ptx.OpSqrt: neonSqrt64, ptx.OpRcp: neonReciprocal64, ptx.OpCopysign: neonCopySign,
		ptx.OpMin: neonExtremeWide(FMIN2D), ptx.OpMax: neonExtremeWide(FMAX2D),
		ptx.OpNeg: neonSignWide(FNEG2D), ptx.OpAbs: neonSignWide(FABS2D),
	} {
		m[operationKey{op: op, t: ptx.F64}] = f
	}
}

// canonical replaces the NaNs of d by the one that PTX has in single precision.
func (t *neonStrip) canonical(d Vec) {
	nan := t.word(nan32)
	t.V3(FCMEQ4S, tmp, d, d)
	t.V3(BIF, d, nan, tmp)
}

func neonSingle(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
		t.V3(op, d, a, b)
		t.canonical(d)
	}
}

func neonSingleOne(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
		t.V2(op, d, a)
		t.canonical(d)
	}
}

func neonFma32(t *neonStrip, in *code.Inst) {
	a, b, c, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	t.MoveVec(d, c)
	t.V3(FMLA4S, d, a, b)
	t.canonical(d)
}

func neonReciprocal32(t *neonStrip, in *code.Inst) {
	a, one, d := t.in32(in.Args[0]), t.word(one32), t.out32(in.Dst[0])
	t.V3(FDIV4S, d, one, a)
	t.canonical(d)
}

// neonExtreme32 is min and max. The processor orders zeros by their signs, as PTX does, and gives a NaN
// if any operand is one. PTX gives the other operand then.
func neonExtreme32(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
		t.V3(op, d, a, b)
		t.numberOf(d, a, b, FCMEQ4S)
		t.canonical(d)
	}
}

// neonExtremeWide is the same of doubles. The NaN of two NaNs has its payload.
func neonExtremeWide(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		for i := range d {
			t.V3(op, d[i], a[i], b[i])
		}
		t.payload(d, a, b)
		for i := range d {
			t.numberOf(d[i], a[i], b[i], FCMEQ2D)
		}
	}
}

// numberOf replaces d by the operand that is a number where the other one is a NaN.
func (t *neonStrip) numberOf(d, a, b Vec, equal VecOp) {
	t.V3(equal, tmp, a, a)
	t.V3(equal, tmp2, b, b)
	t.V3(VBIC, tmp3, tmp, tmp2)
	t.V3(BIT, d, a, tmp3)
	t.V3(VBIC, tmp3, tmp2, tmp)
	t.V3(BIT, d, b, tmp3)
}

// neonCopySign puts the sign of the first operand on the second.
func neonCopySign(t *neonStrip, in *code.Inst) {
	a, b, m, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.double(sign64), t.out64(in.Dst[0])
	for i := range d {
		t.MoveVec(d[i], m)
		t.V3(BSL, d[i], a[i], b[i])
	}
}

// neonSignWide changes signs of doubles. A NaN stays as it is.
func neonSignWide(op VecOp) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
		for i := range d {
			t.V2(op, d[i], a[i])
			t.V3(FCMEQ2D, tmp, a[i], a[i])
			t.V3(BIF, d[i], a[i], tmp)
		}
	}
}

// neonDouble is an operation of two operands in double precision. div counts them the other way round
// where both are NaNs.
func neonDouble(op VecOp, reverse bool) neonEmitter {
	return func(t *neonStrip, in *code.Inst) {
		a, b, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.out64(in.Dst[0])
		for i := range d {
			t.V3(op, d[i], a[i], b[i])
		}
		if reverse {
			a, b = b, a
		}
		t.payload(d, a, b)
	}
}

func neonFma64(t *neonStrip, in *code.Inst) {
	a, b, c, d := t.in64(in.Args[0]), t.in64(in.Args[1]), t.in64(in.Args[2]), t.out64(in.Dst[0])
	for i := range d {
		t.MoveVec(d[i], c[i])
		t.V3(FMLA2D, d[i], a[i], b[i])
	}
	t.payload(d, a, c, b)
}

func neonSqrt64(t *neonStrip, in *code.Inst) {
	a, d := t.in64(in.Args[0]), t.out64(in.Dst[0])
	for i := range d {
		t.V2(FSQRT2D, d[i], a[i])
	}
	t.payload(d, a)
}

func neonReciprocal64(t *neonStrip, in *code.Inst) {
	a, one, d := t.in64(in.Args[0]), t.double(one64), t.out64(in.Dst[0])
	for i := range d {
		t.V3(FDIV2D, d[i], one, a[i])
	}
	t.payload(d, a)
}

// payload gives the NaNs among results the bits that they have on a GPU: of the last operand that is a
// NaN, made quiet, or else the default's (softfloat.NaNOf). The code for that is at the block's end.
func (t *neonStrip) payload(d [2]Vec, operands ...[2]Vec) {
	nan, back := t.Label(), t.Label()
	t.V3(FCMEQ2D, tmp, d[0], d[0])
	t.V3(FCMEQ2D, tmp2, d[1], d[1])
	t.V3(VAND, tmp, tmp, tmp2)
	t.V2(UMINV4S, tmp, tmp)
	t.Extract(32, 7, tmp, 0)
	t.JumpZero(32, 7, nan)
	t.Place(back)
	b := t.neonBuilder
	b.later = append(b.later, func() {
		b.Place(nan)
		b.spreadFrom(64, tmp2, doubleTo(nan64))
		b.spreadFrom(64, tmp3, doubleTo(quiet64))
		for i := range d {
			b.V3(FCMEQ2D, tmp, d[i], d[i])
			b.V3(BIF, d[i], tmp2, tmp)
			for _, x := range operands {
				b.V3(FCMEQ2D, tmp, x[i], x[i])
				b.V3(VORR, tmp4, x[i], tmp3)
				b.V3(BIF, d[i], tmp4, tmp)
			}
		}
		b.Goto(back)
	})
}
