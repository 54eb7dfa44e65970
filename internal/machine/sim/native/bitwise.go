package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// bitwiseOf is the emitter of shf, and of bfe and bfi of 32 bits, nil for others.
func bitwiseOf(in *code.Inst) emitter {
	if in.Flags&^code.Left != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	switch {
	case in.Op == ptx.OpShf && in.Type == ptx.B32:
		return funnel
	case in.Op == ptx.OpBfe && in.Type == ptx.U32:
		return extractField
	case in.Op == ptx.OpBfe && in.Type == ptx.S32:
		return extractSigned
	case in.Op == ptx.OpBfi && in.Type == ptx.B32:
		return insertField
	}
	return nil
}

// right makes a number of 2^n-1 in each lane.
func (t *strip) right(d Vec, n byte) {
	t.V3(VPCMPEQD, d, d, d)
	t.Shift(VPSRLD, d, d, 32-n)
}

// funnel shifts a word and the word above it. A shift of 32 and more leaves nothing of a word.
func funnel(t *strip, in *code.Inst) {
	a, b, n, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	by := t.take()
	t.right(scratch, 1)
	t.Shift(VPSLLD, scratch, scratch, 5) // 32
	if in.Mode == code.AmountClamp {
		t.V3(VPMINUD, by, n, scratch)
	} else {
		t.right(by, 5)
		t.V3(VPAND, by, by, n)
	}
	t.V3(VPSUBD, scratch, scratch, by)
	if in.Has(code.Left) {
		t.V3(VPSLLVD, d, b, by)
		t.V3(VPSRLVD, scratch, a, scratch)
	} else {
		t.V3(VPSRLVD, d, a, by)
		t.V3(VPSLLVD, scratch, b, scratch)
	}
	t.V3(VPOR, d, d, scratch)
}

// field puts the position and the length of a field, of 8 bits each, into vectors, and a mask of n
// bits into another.
func (t *strip) field(pos, length code.Slot) (at, n, mask Vec) {
	p, l := t.in32(pos), t.in32(length)
	at, n, mask = t.take(), t.take(), t.take()
	t.right(scratch, 8)
	t.V3(VPAND, at, p, scratch)
	t.V3(VPAND, n, l, scratch)
	t.right(scratch, 1)
	t.V3(VPSLLVD, mask, scratch, n)
	t.V3(VPSUBD, mask, mask, scratch)
	return at, n, mask
}

func extractField(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	at, _, mask := t.field(in.Args[1], in.Args[2])
	t.V3(VPSRLVD, d, a, at)
	t.V3(VPAND, d, d, mask)
}

// extractSigned continues a field by its highest bit, or by the highest bit of all if the field is longer.
func extractSigned(t *strip, in *code.Inst) {
	a, d := t.in32(in.Args[0]), t.out32(in.Dst[0])
	at, n, mask := t.field(in.Args[1], in.Args[2])
	t.V3(VPSRLVD, d, a, at)
	t.V3(VPAND, d, d, mask)

	t.right(scratch, 1)
	t.V3(VPADDD, mask, at, n)
	t.V3(VPSUBD, mask, mask, scratch)
	t.right(scratch2, 5)
	t.V3(VPMINUD, mask, mask, scratch2)
	t.V3(VPSRLVD, mask, a, mask)
	t.Shift(VPSLLD, mask, mask, 31)
	t.Shift(VPSRAD, mask, mask, 31) // all bits, if the field is negative

	t.Shift(VPSLLD, scratch2, scratch, 5) // 32
	t.V3(VPMINUD, at, at, scratch2)
	t.V3(VPSUBD, at, scratch2, at)
	t.V3(VPMINUD, at, at, n)       // how many bits there are
	t.V3(VPSLLVD, at, scratch, at) // the bit above them
	t.V3(VPXOR, scratch, scratch, scratch)
	t.V3(VPSUBD, at, scratch, at)
	t.V3(VPAND, at, at, mask)
	t.V3(VPOR, d, d, at)
	t.V3(VPCMPEQD, scratch, scratch, n)
	t.V3(VPANDN, d, scratch, d)
}

func insertField(t *strip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	at, _, mask := t.field(in.Args[2], in.Args[3])
	t.V3(VPSLLVD, mask, mask, at)
	t.V3(VPSLLVD, d, a, at)
	t.V3(VPAND, d, d, mask)
	t.V3(VPANDN, mask, mask, b)
	t.V3(VPOR, d, d, mask)
}
