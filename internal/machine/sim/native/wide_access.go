package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// This file has what accesses of memory do with AVX-512.

// wideRoutine is a routine of vectors of 512 bits, nil for none. See makeRoutines.
func (b *builder) wideRoutine(n int) func() {
	if !b.avx512 {
		return nil
	}
	for _, bits := range []int{32, 64} {
		for _, elem := range []int{1, 2, 4, 8} {
			if n == consecutive(bits, elem) && (bits == 64 || elem > 2) {
				return func() { b.consecutiveWide(bits, elem) }
			}
		}
		for _, some := range []bool{false, true} {
			if n == offsets(bits, some) {
				return func() { b.offsetsWide(bits, some) }
			}
		}
		if n == same(bits) {
			return func() { b.sameWide(bits) }
		}
	}
	return nil
}

// wideVectors is how many vectors of 512 bits the lanes of a register have.
func wideVectors(bits int) int32 { return int32(abi.WarpSize * bits / 8 / 64) }

// spreads broadcast a lane.
var spreads = map[int]VecOp{32: VPBROADCASTD, 64: VPBROADCASTQ}

// Tables of vpternlogd: the bits of the destination, and the bits in which both sources differ.
const orDiffer = 0xf6

// consecutiveWide is consecutive32 and consecutive64.
func (b *builder) consecutiveWide(bits, elem int) {
	add, times, steps := VPADDQ, 1, unsafe.Offsetof(Context{}.steps1w)
	switch {
	case bits == 32:
		add, times, steps = VPADDD, elem/4, unsafe.Offsetof(Context{}.steps4)
	case elem == 2:
		times = 2
	case elem == 4:
		steps = unsafe.Offsetof(Context{}.steps4w)
	case elem == 8:
		steps = unsafe.Offsetof(Context{}.steps8)
	}
	b.Z2(spreads[bits], 0, Mem{Base: RAX})
	b.Asm.V3(VPXOR, 2, 2, Vec(2))
	for i := range wideVectors(bits) {
		x := Vec(0)
		for range times {
			b.Z3(add, 1, x, context(steps+uintptr(64*i)))
			x = 1
		}
		b.Z3i(VPTERNLOGD, 2, 1, Mem{Base: RAX, Disp: 64 * i}, orDiffer)
	}
	b.answerWide()
}

// sameWide is same.
func (b *builder) sameWide(bits int) {
	b.Z2(spreads[bits], 0, Mem{Base: RAX})
	b.Asm.V3(VPXOR, 2, 2, Vec(2))
	for i := range wideVectors(bits) {
		b.Z3i(VPTERNLOGD, 2, 0, Mem{Base: RAX, Disp: 64 * i}, orDiffer)
	}
	b.answerWide()
}

// answerWide sets ZF if the vector 2 is zero.
func (b *builder) answerWide() {
	b.ZTest(K1, 2, Vec(2))
	b.TestMask(16, K1)
}

// offsetsWide is offsets32 and offsets64.
func (b *builder) offsetsWide(bits int, some bool) {
	sub, above := VPSUBD, VPCMPUD
	if bits == 64 {
		sub, above = VPSUBQ, VPCMPUQ
	}
	for i, r := range []Reg{R8, R9, RCX} {
		b.Asm.V2(VMOVQ, Vec(i), r)
		b.Z2(spreads[bits], Vec(i), Vec(i))
	}
	lanes := 512 / bits
	b.Masks(KXORW, K3, K3, K3)
	for i := range wideVectors(bits) {
		b.Z2(VMOVDQU, 4, Mem{Base: RAX, Disp: 64 * i})
		b.Z3(sub, 4, 4, Vec(0))
		b.ZCompare(above, K1, 4, Vec(1), maskGreater)
		b.ZTestOf(bits, K2, 4, Vec(2))
		b.Masks(KORW, K1, K1, K2)
		if some {
			b.LoadMask(lanes, K2, context(unsafe.Offsetof(Context{}.Mask)+uintptr(int(i)*lanes/8)))
			b.Masks(KANDW, K1, K1, K2)
		}
		b.Masks(KORW, K3, K3, K1)
		at := context(unsafe.Offsetof(Context{}.offsets) + uintptr(int(i)*lanes*4))
		if bits == 64 {
			b.ZStoreWords(at, 4)
		} else {
			b.ZStore(at, 4)
		}
	}
	b.TestMask(16, K3)
}

// copyRowWide is copyRow.
func (b *builder) copyRowWide(to, from Mem, size int) {
	for i := range int32(size / 2) {
		b.Z2(VMOVDQU, Vec(i&7), at(from, 64*i))
		b.ZStore(at(to, 64*i), Vec(i&7))
	}
}

// storeHalf stores the i-th half of a vector of 512 bits together with the half before it: a load of 512
// bits would wait for two stores. Y9 keeps that half.
func (b *builder) storeHalf(m Mem, x Vec, i int) {
	const before = 9
	switch {
	case !b.avx512:
		b.Store(m, x)
	case i%2 == 0:
		b.V2(VMOVDQA, before, x)
	default:
		b.Z3i(VINSERTI64X4, before, before, x, 1)
		b.ZStore(at(m, -32), before)
	}
}

// spreadRow stores a vector of 256 bits, whose lanes are equal, so often in a row.
func (b *builder) spreadRow(s uint32, x Vec, times int) {
	if !b.avx512 {
		for i := range uint32(times) {
			b.Store(slot(s+32*i), x)
		}
		return
	}
	b.Z3i(VINSERTI64X4, x, x, x, 1)
	for i := range uint32(times / 2) {
		b.ZStore(slot(s+64*i), x)
	}
}
