package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// neonFloatCompare is a comparison of floats: whether the operands are equal, the first is greater, or
// it is no less, or either is greater, or both are numbers. It may swap them, and negate the answer.
type neonFloatCompare struct {
	how          neonRelation
	swap, negate bool
}

type neonRelation uint8

const (
	isEqual neonRelation = iota
	isGreater
	isNoLess
	isUnlike
	areNumbers
)

var neonFloatCompares = map[code.Compare]neonFloatCompare{
	code.EQ: {how: isEqual}, code.NE: {how: isUnlike}, code.GT: {how: isGreater}, code.GE: {how: isNoLess},
	code.LT: {how: isGreater, swap: true}, code.LE: {how: isNoLess, swap: true},
	code.EQU: {how: isUnlike, negate: true}, code.NEU: {how: isEqual, negate: true},
	code.LTU: {how: isNoLess, negate: true}, code.LEU: {how: isGreater, negate: true},
	code.GTU: {how: isNoLess, swap: true, negate: true}, code.GEU: {how: isGreater, swap: true, negate: true},
	code.Num: {how: areNumbers}, code.NaN: {how: areNumbers, negate: true},
}

// neonCompareOf is the emitter of setp.
func neonCompareOf(in *code.Inst) neonEmitter {
	switch in.Type {
	case ptx.F32, ptx.F64:
		if _, ok := neonFloatCompares[in.Compare]; ok {
			return neonCompareFloats
		}
	case ptx.U32, ptx.S32, ptx.B32, ptx.U64, ptx.S64, ptx.B64:
		if _, ok := intCompares[in.Compare]; ok {
			return neonCompareInts
		}
	}
	return nil
}

// neonNegates reports whether finishCompares negates the answer of a comparison.
func neonNegates(in *code.Inst) bool {
	if in.Type == ptx.F32 || in.Type == ptx.F64 {
		return neonFloatCompares[in.Compare].negate
	}
	return intCompares[in.Compare].negate
}

func neonCompareFloats(t *neonStrip, in *code.Inst) {
	a, b, how := t.in64(in.Args[0]), t.in64(in.Args[1]), neonFloatCompares[in.Compare]
	if how.swap {
		a, b = b, a
	}
	bits := t.laneBits32()
	equal, greater, noLess := FCMEQ4S, FCMGT4S, FCMGE4S
	if in.Type == ptx.F64 {
		equal, greater, noLess = FCMEQ2D, FCMGT2D, FCMGE2D
	}
	d := [2]Vec{tmp, tmp2}
	for i := range in.Args[0].Bits / 32 {
		switch how.how {
		case isEqual:
			t.V3(equal, d[i], a[i], b[i])
		case isGreater:
			t.V3(greater, d[i], a[i], b[i])
		case isNoLess:
			t.V3(noLess, d[i], a[i], b[i])
		case isUnlike:
			t.V3(greater, d[i], a[i], b[i])
			t.V3(greater, tmp3, b[i], a[i])
			t.V3(VORR, d[i], d[i], tmp3)
		case areNumbers:
			t.V3(equal, d[i], a[i], a[i])
			t.V3(equal, tmp3, b[i], b[i])
			t.V3(VAND, d[i], d[i], tmp3)
		}
	}
	t.collect(bits, in.Type == ptx.F64)
}

func neonCompareInts(t *neonStrip, in *code.Inst) {
	a, b, how := t.in64(in.Args[0]), t.in64(in.Args[1]), intCompares[in.Compare]
	if how.swap {
		a, b = b, a
	}
	bits := t.laneBits32()
	wide := in.Args[0].Bits == 64
	ops := [2]VecOp{CMHI4S, CMHI2D}
	switch {
	case how.equal:
		ops = [2]VecOp{CMEQ4S, CMEQ2D}
	case in.Type.Signed():
		ops = [2]VecOp{CMGT4S, CMGT2D}
	}
	op := ops[0]
	if wide {
		op = ops[1]
	}
	d := [2]Vec{tmp, tmp2}
	for i := range in.Args[0].Bits / 32 {
		t.V3(op, d[i], a[i], b[i])
	}
	t.collect(bits, wide)
}

// collect adds the lanes of a strip for which a comparison holds, in tmp and of 64 bits in tmp2 too, to
// the vector that collects them. bits are laneBits32.
func (t *neonStrip) collect(bits Vec, wide bool) {
	if wide {
		t.V3(UZP14S, tmp, tmp, tmp2)
	}
	to := collectors + Vec(t.tests)
	t.tests++
	if t.number == 0 {
		t.V3(VAND, to, tmp, bits)
		return
	}
	t.V3(VAND, tmp, tmp, bits)
	t.V3(VORR, to, to, tmp)
}
