package lanes

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/sim/code"

	"github.com/gridstride/gridstride/internal/ptx"
)

// integer are the types of integer registers at their full width.
type integer interface {
	uint32 | uint64 | int32 | int64
}

func add[T integer](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub[T integer](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mulLo[T integer](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func madLo[T integer](w *Warp, in *Inst) {
	d, a, b, c := regs3[T](w, in)
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func mulWide[D, T integer](w *Warp, in *Inst) {
	d, a, b := Reg[D](w, in.D), Reg[T](w, in.A), Reg[T](w, in.B)
	for i := range d {
		d[i] = D(a[i]) * D(b[i])
	}
}

func madWide[D, T integer](w *Warp, in *Inst) {
	d, a, b, c := Reg[D](w, in.D), Reg[T](w, in.A), Reg[T](w, in.B), Reg[D](w, in.C)
	for i := range d {
		d[i] = D(a[i])*D(b[i]) + c[i]
	}
}

func minInt[T integer](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func maxInt[T integer](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

// divide and remainder follow the GPU where PTX leaves a division by zero open: all ones, and the
// dividend.
func divide[T integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b
}

func remainder[T integer](a, b T) T {
	if b == 0 {
		return a
	}
	return a % b
}

func divide16[T narrow](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b
}

func remainder16[T narrow](a, b T) T {
	if b == 0 {
		return a
	}
	return a % b
}

func mulHiU32(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }
func mulHiS32(a, b int32) int32   { return int32(int64(a) * int64(b) >> 32) }
func mulHiU64(a, b uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }

func mulHiS64(a, b int64) int64 {
	hi := mulHiU64(uint64(a), uint64(b))
	return int64(hi) - a>>63&b - b>>63&a
}

func addSatS32(a, b int32) int32 { return clampS32(int64(a) + int64(b)) }
func subSatS32(a, b int32) int32 { return clampS32(int64(a) - int64(b)) }

func clampS32(x int64) int32 { return int32(min(max(x, math.MinInt32), math.MaxInt32)) }

func abs[T int32 | int64](a T) T {
	if a < 0 {
		return -a
	}
	return a
}

// distance is |a-b|, and wraps.
func distance[T integer](a, b T) T {
	if a < b {
		return b - a
	}
	return a - b
}

var (
	addInt = byType{
		ptx.U16: narrow2(func(a, b uint16) uint16 { return a + b }),
		ptx.S16: narrow2(func(a, b uint16) uint16 { return a + b }),
		ptx.U32: add[uint32], ptx.S32: add[uint32], ptx.U64: add[uint64], ptx.S64: add[uint64],
		ptx.U16x2: pair2(func(a, b uint16) uint16 { return a + b }),
		ptx.S16x2: pair2(func(a, b uint16) uint16 { return a + b }),
	}
	subInt = byType{
		ptx.U16: narrow2(func(a, b uint16) uint16 { return a - b }),
		ptx.S16: narrow2(func(a, b uint16) uint16 { return a - b }),
		ptx.U32: sub[uint32], ptx.S32: sub[uint32], ptx.U64: sub[uint64], ptx.S64: sub[uint64],
	}
	mulLoInt = byType{
		ptx.U16: narrow2(func(a, b uint16) uint16 { return a * b }),
		ptx.S16: narrow2(func(a, b uint16) uint16 { return a * b }),
		ptx.U32: mulLo[uint32], ptx.S32: mulLo[uint32], ptx.U64: mulLo[uint64], ptx.S64: mulLo[uint64],
	}
	mulHiInt = byType{
		ptx.U16: narrow2(func(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }),
		ptx.S16: narrow2(func(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) }),
		ptx.U32: of2(mulHiU32), ptx.S32: of2(mulHiS32), ptx.U64: of2(mulHiU64), ptx.S64: of2(mulHiS64),
	}
	mulWideInt = byType{
		ptx.U16: of2(func(a, b uint32) uint32 { return a * b }),
		ptx.S16: of2(func(a, b uint32) int32 { return int32(int16(a)) * int32(int16(b)) }),
		ptx.U32: mulWide[uint64, uint32], ptx.S32: mulWide[int64, int32],
	}
	madLoInt = byType{
		ptx.U16: narrow3(func(a, b, c uint16) uint16 { return a*b + c }),
		ptx.S16: narrow3(func(a, b, c uint16) uint16 { return a*b + c }),
		ptx.U32: madLo[uint32], ptx.S32: madLo[uint32], ptx.U64: madLo[uint64], ptx.S64: madLo[uint64],
	}
	madHiInt = byType{
		ptx.U16: narrow3(func(a, b, c uint16) uint16 { return uint16(uint32(a)*uint32(b)>>16) + c }),
		ptx.S16: narrow3(func(a, b, c int16) int16 { return int16(int32(a)*int32(b)>>16) + c }),
		ptx.U32: of3(func(a, b, c uint32) uint32 { return mulHiU32(a, b) + c }),
		ptx.S32: of3(func(a, b, c int32) int32 { return mulHiS32(a, b) + c }),
		ptx.U64: of3(func(a, b, c uint64) uint64 { return mulHiU64(a, b) + c }),
		ptx.S64: of3(func(a, b, c int64) int64 { return mulHiS64(a, b) + c }),
	}
	madWideInt = byType{
		ptx.U16: of3(func(a, b, c uint32) uint32 { return a*b + c }),
		ptx.S16: of3(func(a, b uint32, c int32) int32 { return int32(int16(a))*int32(int16(b)) + c }),
		ptx.U32: madWide[uint64, uint32], ptx.S32: madWide[int64, int32],
	}
	divInt = byType{
		ptx.U16: narrow2(divide16[uint16]), ptx.S16: narrow2(divide16[int16]),
		ptx.U32: of2(divide[uint32]), ptx.S32: of2(divide[int32]), ptx.U64: of2(divide[uint64]),
		ptx.S64: of2(divide[int64]),
	}
	remInt = byType{
		ptx.U16: narrow2(remainder16[uint16]), ptx.S16: narrow2(remainder16[int16]),
		ptx.U32: of2(remainder[uint32]), ptx.S32: of2(remainder[int32]), ptx.U64: of2(remainder[uint64]),
		ptx.S64: of2(remainder[int64]),
	}
	minInts = byType{
		ptx.U16: minInt[uint32], ptx.S16: narrow2(func(a, b int16) int16 { return min(a, b) }),
		ptx.U32: minInt[uint32], ptx.S32: minInt[int32], ptx.U64: minInt[uint64], ptx.S64: minInt[int64],
		ptx.U16x2: pair2(func(a, b uint16) uint16 { return min(a, b) }),
		ptx.S16x2: pair2(func(a, b uint16) uint16 { return uint16(min(int16(a), int16(b))) }),
	}
	maxInts = byType{
		ptx.U16: maxInt[uint32], ptx.S16: narrow2(func(a, b int16) int16 { return max(a, b) }),
		ptx.U32: maxInt[uint32], ptx.S32: maxInt[int32], ptx.U64: maxInt[uint64], ptx.S64: maxInt[int64],
		ptx.U16x2: pair2(func(a, b uint16) uint16 { return max(a, b) }),
		ptx.S16x2: pair2(func(a, b uint16) uint16 { return uint16(max(int16(a), int16(b))) }),
	}
	// minRelu and maxRelu also clamp to 0 from below.
	minRelu = byType{
		ptx.S32:   of2(func(a, b int32) int32 { return max(min(a, b), 0) }),
		ptx.S16x2: pair2(func(a, b uint16) uint16 { return uint16(max(min(int16(a), int16(b)), 0)) }),
	}
	maxRelu = byType{
		ptx.S32:   of2(func(a, b int32) int32 { return max(a, b, 0) }),
		ptx.S16x2: pair2(func(a, b uint16) uint16 { return uint16(max(int16(a), int16(b), 0)) }),
	}
	absInt = byType{
		ptx.S16: narrow1(func(a int16) int16 { return int16(abs(int32(a))) }), ptx.S32: of1(abs[int32]),
		ptx.S64: of1(abs[int64]),
	}
	negInt = byType{
		ptx.S16: narrow1(func(a int16) int16 { return -a }),
		ptx.S32: of1(func(a int32) int32 { return -a }), ptx.S64: of1(func(a int64) int64 { return -a }),
	}
	sadInt = byType{
		ptx.U16: narrow3(func(a, b, c uint16) uint16 { return c + max(a, b) - min(a, b) }),
		ptx.S16: narrow3(func(a, b, c int16) int16 { return c + max(a, b) - min(a, b) }),
		ptx.U32: of3(func(a, b, c uint32) uint32 { return c + distance(a, b) }),
		ptx.S32: of3(func(a, b, c int32) int32 { return c + distance(a, b) }),
		ptx.U64: of3(func(a, b, c uint64) uint64 { return c + distance(a, b) }),
		ptx.S64: of3(func(a, b, c int64) int64 { return c + distance(a, b) }),
	}
)

// product24 is the 48-bit product of the low 24 bits of two numbers.
func product24(t ptx.Type) func(a, b uint32) int64 {
	if t == ptx.S32 {
		return func(a, b uint32) int64 { return int64(int32(a<<8)>>8) * int64(int32(b<<8)>>8) }
	}
	return func(a, b uint32) int64 { return int64(a&0xffffff) * int64(b&0xffffff) }
}

func mul24(d *code.Inst) Op {
	p := product24(d.Type)
	shift := shift24(d)
	return of2(func(a, b uint32) uint32 { return uint32(p(a, b) >> shift) })
}

func mad24(d *code.Inst) Op {
	p := product24(d.Type)
	shift := shift24(d)
	if d.Has(code.Saturate) {
		return of3(func(a, b uint32, c int32) int32 { return clampS32(int64(int32(p(a, b)>>shift)) + int64(c)) })
	}
	return of3(func(a, b, c uint32) uint32 { return uint32(p(a, b)>>shift) + c })
}

// shift24: .hi takes bits 16 to 47, .lo bits 0 to 31.
func shift24(d *code.Inst) int {
	if d.Has(code.High) {
		return 16
	}
	return 0
}

// dp4a is the dot product of four bytes with four bytes plus c. dp2a is the dot product of two
// halves with two bytes plus c.
func dp4a(d *code.Inst) Op {
	byteA, byteB := byteOf(d.Type), byteOf(d.SrcType)
	return of3(func(a, b, c uint32) uint32 {
		for i := 0; i < 32; i += 8 {
			c += uint32(byteA(a>>i) * byteB(b>>i))
		}
		return c
	})
}

func dp2a(d *code.Inst) Op {
	halfA := func(x uint32) int32 { return int32(uint16(x)) }
	if d.Type == ptx.S32 {
		halfA = func(x uint32) int32 { return int32(int16(x)) }
	}
	byteB := byteOf(d.SrcType)
	shift := 0
	if d.Has(code.High) {
		shift = 16
	}
	return of3(func(a, b, c uint32) uint32 {
		b >>= shift
		return c + uint32(halfA(a)*byteB(b)) + uint32(halfA(a>>16)*byteB(b>>8))
	})
}

func byteOf(t ptx.Type) func(uint32) int32 {
	if t == ptx.S32 {
		return func(x uint32) int32 { return int32(int8(x)) }
	}
	return func(x uint32) int32 { return int32(uint8(x)) }
}
