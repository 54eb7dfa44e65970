package native

import (
	numbits "math/bits"
	"unsafe"

	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// The routines are code that accesses share. They are called with the address of the slot of the
// lanes' addresses in RAX, and answer by ZF. They change vector registers.

// The numbers of the routines, by the width of addresses, and by the size of elements or by whether
// some lanes run or all.

func consecutive(bits, elem int) int { return bits/64*4 + numbits.TrailingZeros(uint(elem)) }

func offsets(bits int, some bool) int {
	n := 8 + bits/64*2
	if some {
		n++
	}
	return n
}

func same(bits int) int { return 12 + bits/64 }

func stripPattern(bits, elem int) int { return 14 + bits/64*2 + elem/8 }

const routines = 18

// An access of scattered lanes counts for scatteredCost of the instructions that the code may run,
// since each lane may wait for memory. Once such accesses have used up mostScattered more than
// those, the interpreter does them.
const (
	scatteredCost = 16
	mostScattered = 1 << 11
)

func (b *builder) makeRoutines() {
	b.routines = make([]Label, routines)
	make1 := func(n int, f func()) {
		b.routines[n] = b.Label()
		b.Place(b.routines[n])
		if wide := b.wideRoutine(n); wide != nil {
			f = wide
		}
		f()
		b.Return()
	}
	for _, elem := range []int{1, 2, 4, 8} {
		make1(consecutive(32, elem), func() { b.consecutive32(elem) })
		make1(consecutive(64, elem), func() { b.consecutive64(elem) })
	}
	for _, elem := range []int{4, 8} {
		make1(stripPattern(32, elem), func() { b.stripPattern32(elem) })
		make1(stripPattern(64, elem), func() { b.stripPattern64(elem) })
	}
	make1(same(32), func() { b.same(4, VPBROADCASTD) })
	make1(same(64), func() { b.same(8, VPBROADCASTQ) })
	for _, some := range []bool{false, true} {
		make1(offsets(32, some), func() { b.offsets32(some) })
		make1(offsets(64, some), func() { b.offsets64(some) })
	}
}

// consecutive32 and consecutive64 answer E if the lanes' addresses follow each other by an element.

func (b *builder) consecutive32(elem int) {
	b.V2(VPBROADCASTD, 0, Mem{Base: RAX})
	b.V3(VPXOR, 2, 2, Vec(2))
	for i := range int32(4) {
		b.V2(VMOVDQU, 1, Mem{Base: RAX, Disp: 32 * i})
		b.V3(VPSUBD, 1, 1, Vec(0))
		unit, steps := 4, unsafe.Offsetof(Context{}.steps4)
		if elem < 4 {
			unit, steps = 1, unsafe.Offsetof(Context{}.steps1)
		}
		for range elem / unit {
			b.V3(VPSUBD, 1, 1, context(steps+uintptr(32*i)))
		}
		b.V3(VPOR, 2, 2, Vec(1))
	}
	b.V2(VPTEST, 2, Vec(2))
}

func (b *builder) consecutive64(elem int) {
	times, steps := 1, unsafe.Offsetof(Context{}.steps1w)
	switch elem {
	case 2:
		times = 2
	case 4:
		steps = unsafe.Offsetof(Context{}.steps4w)
	case 8:
		steps = unsafe.Offsetof(Context{}.steps8)
	}
	b.V2(VPBROADCASTQ, 0, Mem{Base: RAX})
	b.V3(VPXOR, 2, 2, Vec(2))
	for i := range int32(8) {
		b.V2(VMOVDQU, 1, Mem{Base: RAX, Disp: 32 * i})
		b.V3(VPSUBQ, 1, 1, Vec(0))
		for range times {
			b.V3(VPSUBQ, 1, 1, context(steps+uintptr(32*i)))
		}
		b.V3(VPOR, 2, 2, Vec(1))
	}
	b.V2(VPTEST, 2, Vec(2))
}

// stripPattern32 and stripPattern64 answer in Y2 and in Y3, not by ZF: Y2 is zero if the lanes'
// addresses follow each other by an element in each strip, Y3 if they are one in each strip.

func (b *builder) stripPattern32(elem int) {
	b.V3(VPXOR, 2, 2, Vec(2))
	b.V3(VPXOR, 3, 3, Vec(3))
	b.V2(VMOVDQU, 4, context(unsafe.Offsetof(Context{}.steps4)))
	if elem == 8 {
		b.V3(VPADDD, 4, 4, Vec(4))
	}
	for i := range int32(strips) {
		b.V2(VPBROADCASTD, 0, Mem{Base: RAX, Disp: 32 * i})
		b.V2(VMOVDQU, 1, Mem{Base: RAX, Disp: 32 * i})
		b.V3(VPSUBD, 1, 1, Vec(0))
		b.V3(VPOR, 3, 3, Vec(1))
		b.V3(VPXOR, 1, 1, Vec(4))
		b.V3(VPOR, 2, 2, Vec(1))
	}
}

func (b *builder) stripPattern64(elem int) {
	steps := unsafe.Offsetof(Context{}.steps4w)
	if elem == 8 {
		steps = unsafe.Offsetof(Context{}.steps8)
	}
	b.V3(VPXOR, 2, 2, Vec(2))
	b.V3(VPXOR, 3, 3, Vec(3))
	for i := range int32(2 * strips) {
		if i%2 == 0 {
			b.V2(VPBROADCASTQ, 0, Mem{Base: RAX, Disp: 32 * i})
		}
		b.V2(VMOVDQU, 1, Mem{Base: RAX, Disp: 32 * i})
		b.V3(VPSUBQ, 1, 1, Vec(0))
		b.V3(VPOR, 3, 3, Vec(1))
		b.V3(VPXOR, 1, 1, context(steps+uintptr(32*(i%2))))
		b.V3(VPOR, 2, 2, Vec(1))
	}
}

// same answers E if all lanes have one address.
func (b *builder) same(vectors int32, spread VecOp) {
	b.V2(spread, 0, Mem{Base: RAX})
	b.V3(VPXOR, 2, 2, Vec(2))
	for i := range vectors {
		b.V3(VPXOR, 1, 0, Mem{Base: RAX, Disp: 32 * i})
		b.V3(VPOR, 2, 2, Vec(1))
	}
	b.V2(VPTEST, 2, Vec(2))
}

// offsets32 and offsets64 put the lanes' offsets into Context.offsets: addresses less R8. They answer
// E if no running lane has an offset above R9, which is less than 2^32, or with a bit of RCX.

func (b *builder) offsets32(some bool) {
	for i, r := range []Reg{R8, R9, RCX} {
		b.V2(VMOVD, Vec(i), r)
		b.V2(VPBROADCASTD, Vec(i), Vec(i))
	}
	b.V3(VPXOR, 3, 3, Vec(3))
	for i := range int32(4) {
		b.V2(VMOVDQU, 4, Mem{Base: RAX, Disp: 32 * i})
		b.V3(VPSUBD, 4, 4, Vec(0))
		b.Store(context(unsafe.Offsetof(Context{}.offsets)+uintptr(32*i)), 4)
		b.V3(VPMAXUD, 5, 4, Vec(1))
		b.V3(VPXOR, 5, 5, Vec(1))
		b.V3(VPAND, 4, 4, Vec(2))
		b.V3(VPOR, 5, 5, Vec(4))
		if some {
			b.V3(VPAND, 5, 5, context(unsafe.Offsetof(Context{}.mask32)+uintptr(32*i)))
		}
		b.V3(VPOR, 3, 3, Vec(5))
	}
	b.V2(VPTEST, 3, Vec(3))
}

func (b *builder) offsets64(some bool) {
	for i, r := range []Reg{R8, R9, RCX} {
		b.V2(VMOVQ, Vec(i), r)
		b.V2(VPBROADCASTQ, Vec(i), Vec(i))
	}
	b.V2(VPBROADCASTQ, 8, doubleAt(sign64))
	b.V3(VPXOR, 1, 1, Vec(8))
	b.V3(VPXOR, 3, 3, Vec(3))
	for i := range int32(4) {
		for h := range int32(2) {
			off := Vec(4 + h)
			b.V2(VMOVDQU, off, Mem{Base: RAX, Disp: 64*i + 32*h})
			b.V3(VPSUBQ, off, off, Vec(0))
			b.V3(VPXOR, 6, off, Vec(8))
			b.V3(VPCMPGTQ, 6, 6, Vec(1))
			b.V3(VPAND, 7, off, Vec(2))
			b.V3(VPOR, 6, 6, Vec(7))
			if some {
				b.V3(VPAND, 6, 6, context(unsafe.Offsetof(Context{}.mask64)+uintptr(64*i+32*h)))
			}
			b.V3(VPOR, 3, 3, Vec(6))
		}
		b.V3i(VSHUFPS, 4, 4, Vec(5), 0x88)
		b.V2i(VPERMQ, 4, Vec(4), 0xd8)
		b.Store(context(unsafe.Offsetof(Context{}.offsets)+uintptr(32*i)), 4)
	}
	b.V2(VPTEST, 3, Vec(3))
}
