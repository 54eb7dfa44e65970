package lanes

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/sim/code"

	"github.com/gridstride/gridstride/internal/ptx"
)

func and[T uint32 | uint64](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or[T uint32 | uint64](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor[T uint32 | uint64](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func not[T uint32 | uint64](w *Warp, in *Inst) {
	d, a := regs1[T](w, in)
	for i := range d {
		d[i] = ^a[i]
	}
}

// shl and shr clamp the shift amount to the width, as Go's shifts do.
func shl[T uint32 | uint64](w *Warp, in *Inst) {
	d, a, b := Reg[T](w, in.D), Reg[T](w, in.A), Reg[uint32](w, in.B)
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shr[T integer](w *Warp, in *Inst) {
	d, a, b := Reg[T](w, in.D), Reg[T](w, in.A), Reg[uint32](w, in.B)
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func andPred(w *Warp, in *Inst) { w.SetPred(in.D, *Pred(w, in.A)&*Pred(w, in.B)) }
func orPred(w *Warp, in *Inst)  { w.SetPred(in.D, *Pred(w, in.A)|*Pred(w, in.B)) }
func xorPred(w *Warp, in *Inst) { w.SetPred(in.D, *Pred(w, in.A)^*Pred(w, in.B)) }
func notPred(w *Warp, in *Inst) { w.SetPred(in.D, ^*Pred(w, in.A)) }
func movPred(w *Warp, in *Inst) { w.SetPred(in.D, *Pred(w, in.A)) }

var (
	andBits = byType{ptx.Pred: andPred, ptx.B16: and[uint32], ptx.B32: and[uint32], ptx.B64: and[uint64]}
	orBits  = byType{ptx.Pred: orPred, ptx.B16: or[uint32], ptx.B32: or[uint32], ptx.B64: or[uint64]}
	xorBits = byType{ptx.Pred: xorPred, ptx.B16: xor[uint32], ptx.B32: xor[uint32], ptx.B64: xor[uint64]}
	notBits = byType{
		ptx.Pred: notPred, ptx.B16: narrow1(func(a uint16) uint16 { return ^a }), ptx.B32: not[uint32],
		ptx.B64: not[uint64],
	}
	cnotBits = byType{ptx.B16: of1(cnot[uint32]), ptx.B32: of1(cnot[uint32]), ptx.B64: of1(cnot[uint64])}
	shlBits  = byType{
		ptx.B16: of2(func(a, b uint32) uint32 { return uint32(uint16(a) << b) }), ptx.B32: shl[uint32],
		ptx.B64: shl[uint64],
	}
	shrBits = byType{
		ptx.B16: shr[uint32], ptx.U16: shr[uint32],
		ptx.S16: of2(func(a, b uint32) uint32 { return uint32(uint16(int16(a) >> b)) }),
		ptx.B32: shr[uint32], ptx.U32: shr[uint32], ptx.S32: shr[int32], ptx.B64: shr[uint64],
		ptx.U64: shr[uint64], ptx.S64: shr[int64],
	}
	popcBits = byType{
		ptx.B32: of1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }),
		ptx.B64: of1(func(a uint64) uint32 { return uint32(bits.OnesCount64(a)) }),
	}
	clzBits = byType{
		ptx.B32: of1(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }),
		ptx.B64: of1(func(a uint64) uint32 { return uint32(bits.LeadingZeros64(a)) }),
	}
	brevBits = byType{ptx.B32: of1(bits.Reverse32), ptx.B64: of1(bits.Reverse64)}
	bfeBits  = byType{
		ptx.U32: of3(func(a, pos, n uint32) uint32 { return uint32(extract(uint64(a), 31, pos, n, false)) }),
		ptx.S32: of3(func(a, pos, n uint32) uint32 { return uint32(extract(uint64(a), 31, pos, n, true)) }),
		ptx.U64: of3(func(a uint64, pos, n uint32) uint64 { return extract(a, 63, pos, n, false) }),
		ptx.S64: of3(func(a uint64, pos, n uint32) uint64 { return extract(a, 63, pos, n, true) }),
	}
	bfiBits = byType{
		ptx.B32: of4(func(a, b, pos, n uint32) uint32 { return uint32(insert(uint64(a), uint64(b), 31, pos, n)) }),
		ptx.B64: of4(func(a, b uint64, pos, n uint32) uint64 { return insert(a, b, 63, pos, n) }),
	}
)

func cnot[T uint32 | uint64](a T) T {
	if a == 0 {
		return 1
	}
	return 0
}

// bfind is the number of the highest bit that is not the sign, or, with shiftamt, how far left it
// may be shifted.
func bfind(d *code.Inst) Op {
	shift := d.Has(code.ShiftAmount)
	find := func(top uint32, width int) uint32 {
		if top == 0 {
			return ^uint32(0)
		}
		if shift {
			return uint32(width) - top
		}
		return top - 1
	}
	return byType{
		ptx.U32: of1(func(a uint32) uint32 { return find(uint32(bits.Len32(a)), 32) }),
		ptx.S32: of1(func(a int32) uint32 { return find(uint32(bits.Len32(uint32(a^a>>31))), 32) }),
		ptx.U64: of1(func(a uint64) uint32 { return find(uint32(bits.Len64(a)), 64) }),
		ptx.S64: of1(func(a int64) uint32 { return find(uint32(bits.Len64(uint64(a^a>>63))), 64) }),
	}[d.Type]
}

// fns is the number of the n-th set bit of mask from base on, upwards for n > 0, downwards for n <
// 0. 0 asks for base itself.
func fns(mask, base uint32, n int32) uint32 {
	step, count := int64(1), int64(n)
	if n < 0 {
		step, count = -1, -count
	}
	if n == 0 {
		count = 1
	}
	for pos := int64(int32(base)); pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 != 0 {
			if count--; count == 0 {
				return uint32(pos)
			}
		}
		if n == 0 {
			break
		}
	}
	return ^uint32(0)
}

// extract is bfe: n bits of a from pos on. The bits above them are zero, or copies of the highest
// bit of the field. If the field reaches beyond a, that is bit msb.
func extract(a uint64, msb, pos, n uint32, signed bool) uint64 {
	pos, n = pos&0xff, n&0xff
	if n == 0 {
		return 0
	}
	have := min(n, msb+1-min(pos, msb+1)) // bits there are
	r := a >> pos & (1<<have - 1)
	if signed && a>>min(pos+n-1, msb)&1 != 0 {
		r |= ^uint64(0) << have
	}
	return r
}

// insert is bfi: b with the low n bits of a put in from pos on.
func insert(a, b uint64, msb, pos, n uint32) uint64 {
	pos, n = pos&0xff, n&0xff
	if n == 0 || pos > msb {
		return b
	}
	mask := (uint64(1)<<min(n, msb+1-pos) - 1) << pos
	return b&^mask | a<<pos&mask
}

// szext extends the low n bits of a to 32. n above 31 is 32 (.clamp) or n mod 32 (.wrap).
func szext(d *code.Inst) Op {
	limit := limiter(d)
	signed := d.Type == ptx.S32
	return of2(func(a, n uint32) uint32 {
		n = limit(n)
		if n == 0 {
			return 0
		}
		if n >= 32 {
			return a
		}
		if signed {
			return uint32(int32(a<<(32-n)) >> (32 - n))
		}
		return a & (1<<n - 1)
	})
}

// bmsk is n ones from bit pos on.
func bmsk(d *code.Inst) Op {
	limit := limiter(d)
	return of2(func(pos, n uint32) uint32 { return (1<<limit(n) - 1) << limit(pos) })
}

// limiter limits the amount of a shift: to at most 32 with .clamp, or modulo 32 with .wrap.
func limiter(d *code.Inst) func(uint32) uint32 {
	if d.Mode == code.AmountClamp {
		return func(n uint32) uint32 { return min(n, 32) }
	}
	return func(n uint32) uint32 { return n & 31 }
}

// funnel is shf: the high or low word of b:a shifted left or right.
func funnel(d *code.Inst) Op {
	limit := limiter(d)
	if d.Has(code.Left) {
		return of3(func(a, b, n uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) << limit(n) >> 32) })
	}
	return of3(func(a, b, n uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> limit(n)) })
}

// lop3 looks each bit up in the table in.Imm, whose index is made of the bits of a, b and c.
func lop3(w *Warp, in *Inst) {
	d, a, b, c := regs3[uint32](w, in)
	var m [8]uint32
	for i := range m {
		m[i] = -uint32(in.Imm >> i & 1)
	}
	for i := range d {
		x, y, z := a[i], b[i], c[i]
		// Choose by z, then y, then x: each line halves the table.
		c0, c1 := m[0]&^z|m[1]&z, m[2]&^z|m[3]&z
		c2, c3 := m[4]&^z|m[5]&z, m[6]&^z|m[7]&z
		d[i] = (c0&^y|c1&y)&^x | (c2&^y|c3&y)&x
	}
}

// prmt picks four bytes out of b:a, by its selector c or by a fixed scheme.
func prmt(d *code.Inst) Op {
	mode := d.Mode
	if mode == "" {
		return of3(func(a, b, sel uint32) uint32 {
			v := uint64(b)<<32 | uint64(a)
			var r uint32
			for i := 0; i < 4; i++ {
				s := sel >> (4 * i)
				x := uint32(v>>(8*(s&7))) & 0xff
				if s&8 != 0 { // the sign of the byte, eight times
					x = -(x >> 7) & 0xff
				}
				r |= x << (8 * i)
			}
			return r
		})
	}
	schemes := prmtSchemes[mode]
	return of3(func(a, b, sel uint32) uint32 {
		v := uint64(b)<<32 | uint64(a)
		var r uint32
		for i, s := range schemes[sel&3] {
			r |= uint32(v>>(8*s)) & 0xff << (8 * i)
		}
		return r
	})
}

// prmtSchemes are the bytes that the modes of prmt take, lowest first, by the low bits of the
// selector (PTX ISA, prmt).
var prmtSchemes = map[code.Mode][4][4]uint{
	code.PermuteF4E:  {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
	code.PermuteB4E:  {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
	code.PermuteRC8:  {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
	code.PermuteECL:  {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
	code.PermuteECR:  {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
	code.PermuteRC16: {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}},
}
