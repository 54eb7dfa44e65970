package native

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// This file has what depends on the width of vectors where instructions compute. The emitters are
// written for AVX2, with vectors of 256 bits. The methods of strip that have the names of Asm's make
// the same of 512 bits where the processor has AVX-512: a strip then has 16 lanes, 32 vector
// registers, and mask registers for comparisons.

// lanes is how many lanes a strip of a step that computes has.
func (b *builder) lanes() int {
	if b.avx512 {
		return 2 * stripLanes
	}
	return stripLanes
}

func (b *builder) steps() int32 { return int32(abi.WarpSize / b.lanes()) }

// vecBytes is the size of a vector.
func (b *builder) vecBytes() int32 { return int32(4 * b.lanes()) }

// vectors is how many vector registers there are, with the scratch ones.
func (b *builder) vectors() Vec {
	if b.avx512 {
		return 32
	}
	return 16
}

// maskOf is the mask register that stands for a scratch vector with the answer of a comparison.
func maskOf(test Vec) Mask {
	if test != scratch && test != scratch2 {
		panic(fmt.Sprintf("BUG: vector register %d stands for no mask register", test))
	}
	return Mask(16 - test)
}

// where compares floats as a constant says. The answer is in a scratch vector, or in the mask register
// for it, and is for choose.
func (t *strip) where(op VecOp, test, x Vec, y Operand, how byte) {
	if t.avx512 {
		t.ZCompare(op, maskOf(test), x, y, how)
		return
	}
	t.Asm.V3i(op, test, x, y, how)
}

// choose takes the lanes of y for which where answered yes, else the lanes of x.
func (t *strip) choose(op VecOp, d, x, y, test Vec) {
	if t.avx512 {
		t.ZBlend(blends[op], d, x, y, maskOf(test))
		return
	}
	t.Asm.Blend(op, d, x, y, test)
}

// anywhere clears ZF if where answered yes for any lane, of 64 bits.
func (t *strip) anywhere(test Vec) {
	if t.avx512 {
		t.TestMask(8, maskOf(test))
		return
	}
	t.Asm.V2(VPTEST, test, test)
}

// except takes the lanes of another answer from the lanes of one.
func (t *strip) except(test, other Vec) {
	if t.avx512 {
		t.Masks(KANDNW, maskOf(test), maskOf(other), maskOf(test))
		return
	}
	t.Asm.V3(VPANDN, test, other, test)
}

// compareWide compares vectors of lanes of some bits, and collects the answers.
func (t *strip) compareWide(op VecOp, a, b [2]Vec, how byte, bits int) {
	t.ZCompare(op, K1, a[0], b[0], how)
	if bits == 64 {
		t.ZCompare(op, K2, a[1], b[1], how)
		t.Masks(KUNPCKBW, K1, K2, K1)
	}
	t.StoreMask(16, RAX, K1)
	t.collect()
}

// blendOf is the choice by a mask register of lanes of some bits.
func blendOf(bits int) VecOp {
	if bits == 64 {
		return VPBLENDMQ
	}
	return VPBLENDMD
}

// blends are the choices by mask registers for those by vectors.
var blends = map[VecOp]VecOp{VBLENDVPS: VPBLENDMD, VBLENDVPD: VPBLENDMQ}

// laneBits is the width of the lanes that a comparison or a choice has.
func laneBits(op VecOp) int {
	switch op {
	case VCMPPS, VPCMPEQD, VPCMPGTD, VBLENDVPS:
		return 32
	}
	return 64
}

// The constants of comparisons of integers.
const (
	maskEqual   = 0
	maskGreater = 6
)

// integerTests are comparisons of AVX2, and the comparisons and constants for mask registers.
var integerTests = map[VecOp]struct {
	op  VecOp
	how byte
}{VPCMPEQD: {VPCMPD, maskEqual}, VPCMPGTD: {VPCMPD, maskGreater}, VPCMPEQQ: {VPCMPQ, maskEqual}, VPCMPGTQ: {VPCMPQ, maskGreater}}

// V3 is Asm.V3 of the strip's width. A comparison answers in a vector.
func (t *strip) V3(op VecOp, d, x Vec, y Operand) {
	if !t.avx512 {
		t.Asm.V3(op, d, x, y)
		return
	}
	if c, ok := integerTests[op]; ok {
		t.ZCompare(c.op, K1, x, y, c.how)
		t.ZSpread(laneBits(op), d, K1)
		return
	}
	t.Z3(op, d, x, y)
}

// V3i is Asm.V3i of the strip's width. VINSERTI128 inserts the half of a vector.
func (t *strip) V3i(op VecOp, d, x Vec, y Operand, imm byte) {
	switch {
	case !t.avx512:
		t.Asm.V3i(op, d, x, y, imm)
	case op == VCMPPS || op == VCMPPD:
		t.ZCompare(op, K1, x, y, imm)
		t.ZSpread(laneBits(op), d, K1)
	case op == VINSERTI128:
		t.Z3i(VINSERTI64X4, d, x, y, imm)
	default:
		panic(fmt.Sprintf("BUG: instruction %#x moves lanes in vectors of 256 bits", uint32(op)))
	}
}

// V2 is Asm.V2 of the strip's width.
func (t *strip) V2(op VecOp, d Vec, x Operand) {
	switch {
	case !t.avx512:
		t.Asm.V2(op, d, x)
	case op == VPTEST:
		t.ZTest(K1, d, x)
		t.TestMask(16, K1)
	default:
		t.Z2(op, d, x)
	}
}

// V2i is Asm.V2i of the strip's width.
func (t *strip) V2i(op VecOp, d Vec, x Operand, imm byte) {
	if t.avx512 {
		t.Z2i(op, d, x, imm)
		return
	}
	t.Asm.V2i(op, d, x, imm)
}

// Shift is Asm.Shift of the strip's width.
func (t *strip) Shift(op VecOp, d, x Vec, by byte) {
	if t.avx512 {
		t.ZShift(op, d, x, by)
		return
	}
	t.Asm.Shift(op, d, x, by)
}

// Blend is Asm.Blend of the strip's width, by the signs of a vector.
func (t *strip) Blend(op VecOp, d, x Vec, y Operand, test Vec) {
	if t.avx512 {
		t.ZSigns(laneBits(op), K1, test)
		t.ZBlend(blends[op], d, x, y, K1)
		return
	}
	t.Asm.Blend(op, d, x, y, test)
}

// Upper is the upper half of a vector.
func (t *strip) Upper(d, x Vec) {
	if t.avx512 {
		t.ZUpper(d, x)
		return
	}
	t.Asm.Upper(d, x)
}

// Signs32 is Asm.Signs32 of the strip's width, and Signs64 is Asm.Signs64.

func (t *strip) Signs32(d Reg, x Vec) {
	if t.avx512 {
		t.ZSigns(32, K1, x)
		t.StoreMask(16, d, K1)
		return
	}
	t.Asm.Signs32(d, x)
}

func (t *strip) Signs64(d Reg, x Vec) {
	if t.avx512 {
		t.ZSigns(64, K1, x)
		t.StoreMask(8, d, K1)
		return
	}
	t.Asm.Signs64(d, x)
}

// Store is Asm.Store of the strip's width.
func (t *strip) Store(m Mem, x Vec) {
	if t.avx512 {
		t.ZStore(m, x)
		return
	}
	t.Asm.Store(m, x)
}

// storeSome stores the running lanes of a vector of lanes of some bits: the i-th vector of a value. It
// stores all lanes, since a load waits for a store by a mask.
func (t *strip) storeSome(at Mem, x Vec, bits, i int) {
	if t.avx512 {
		t.Z2(VMOVDQU, scratch, at)
		t.ZBlend(blendOf(bits), scratch, scratch, x, t.running(bits, i))
		t.ZStore(at, scratch)
		return
	}
	mask := unsafe.Offsetof(Context{}.mask32) + uintptr(t.number*32)
	if bits == 64 {
		mask = unsafe.Offsetof(Context{}.mask64) + uintptr(t.number*64+int32(32*i))
	}
	t.V2(VMOVDQU, scratch, context(mask))
	t.V2(VMOVDQU, scratch2, at)
	t.Asm.Blend(VBLENDVPS, scratch2, scratch2, x, scratch)
	t.Store(at, scratch2)
}

// running is the mask register of the running lanes: all lanes of the strip, or half of them for the
// i-th vector of lanes of 64 bits. The strip loads it once.
func (t *strip) running(bits, i int) Mask {
	k, from := K7, unsafe.Offsetof(Context{}.Mask)+uintptr(2*t.number)
	if bits == 64 {
		k, from = K5+Mask(i), from+uintptr(i)
	}
	if !t.masks[k] {
		t.masks[k] = true
		t.LoadMask(16*32/bits, k, context(from))
	}
	return k
}

// chosen is a mask register with the bits that the strip's lanes have in a predicate.
func (t *strip) chosen(predicate uint32, bits, i int) Mask {
	at := slot(predicate + uint32(2*t.number))
	if bits == 64 {
		at.Disp += int32(i)
	}
	t.LoadMask(16*32/bits, K1, at)
	return K1
}

// pick puts words of two vectors into d, by their numbers in a table of the Context.
func (t *strip) pick(table uintptr, d, x, y Vec) {
	t.Z2(VMOVDQU, d, context(table))
	t.Z3(VPERMI2D, d, x, y)
}
