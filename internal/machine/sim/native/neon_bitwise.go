package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// neonBitwiseOf is the emitter of shf, and of bfe and bfi of 32 bits, nil for others.
func neonBitwiseOf(in *code.Inst) neonEmitter {
	if in.Flags&^code.Left != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	switch {
	case in.Op == ptx.OpShf && in.Type == ptx.B32:
		return neonFunnel
	case in.Op == ptx.OpBfe && (in.Type == ptx.U32 || in.Type == ptx.S32) && in.Flags == 0:
		return neonExtractField
	case in.Op == ptx.OpBfi && in.Type == ptx.B32 && in.Flags == 0:
		return neonInsertField
	}
	return nil
}

// same32 puts a number into each lane. It uses X7.
func (t *neonStrip) same32(d Vec, v uint32) {
	t.Set(7, uint64(v))
	t.Spread(32, d, 7)
}

// neonFunnel shifts a word and the word above it. A shift of 32, to the left or the right, leaves nothing
// of a word.
func neonFunnel(t *neonStrip, in *code.Inst) {
	a, b, n, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	if in.Mode == code.AmountClamp {
		t.counts(n, 32)
	} else {
		t.same32(tmp, 31)
		t.V3(VAND, tmp, tmp, n)
	}
	t.same32(tmp2, 32)
	if in.Has(code.Left) {
		t.V3(SUB4S, tmp2, tmp, tmp2) // to the right, so it is negative
		a, b = b, a
	} else {
		t.V3(SUB4S, tmp2, tmp2, tmp)
		t.V2(NEG4S, tmp, tmp)
	}
	t.V3(USHL4S, d, a, tmp)
	t.V3(USHL4S, tmp, b, tmp2)
	t.V3(VORR, d, d, tmp)
}

// field puts the position and the length of a field, of 8 bits each and at most 32, into tmp and tmp2. It
// leaves 32 in tmp4.
func (t *neonStrip) field(pos, length Vec) {
	t.same32(tmp3, 0xff)
	t.same32(tmp4, 32)
	t.V3(VAND, tmp, pos, tmp3)
	t.V3(UMIN4S, tmp, tmp, tmp4)
	t.V3(VAND, tmp2, length, tmp3)
	t.V3(UMIN4S, tmp2, tmp2, tmp4)
}

// neonExtractField shifts a field down, then up so that its highest bit is the highest bit of a word, and down.
// Shifts of signed words to the right repeat the sign. So a field that is longer than the rest of the
// word continues by the word's highest bit, and a field without bits is zero.
func neonExtractField(t *neonStrip, in *code.Inst) {
	a, pos, length, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.in32(in.Args[2]), t.out32(in.Dst[0])
	down := USHL4S
	if in.Type.Signed() {
		down = SSHL4S
	}
	t.field(pos, length)
	t.V2(NEG4S, tmp, tmp)
	t.V3(down, d, a, tmp)
	t.V3(SUB4S, tmp, tmp4, tmp2)
	t.V3(USHL4S, d, d, tmp)
	t.V2(NEG4S, tmp, tmp)
	t.V3(down, d, d, tmp)
}

func neonInsertField(t *neonStrip, in *code.Inst) {
	a, b, d := t.in32(in.Args[0]), t.in32(in.Args[1]), t.out32(in.Dst[0])
	t.field(t.in32(in.Args[2]), t.in32(in.Args[3]))
	t.V3(SUB4S, tmp2, tmp2, tmp4)
	t.Ones(d)
	t.V3(USHL4S, d, d, tmp2) // n bits
	t.V3(USHL4S, d, d, tmp)
	t.V3(USHL4S, tmp, a, tmp)
	t.V3(BSL, d, tmp, b)
}
