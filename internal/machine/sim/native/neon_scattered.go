package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// scattered accesses memory lane by lane, in their order.
func (b *neonBuilder) scattered(in *code.Inst, m *transfer, exit Label) {
	a := in.Mem[0]
	b.AddImm(64, limit, limit, -scatteredCost)
	b.CompareImm(64, limit, -mostScattered)
	b.Jump(LT, exit)
	b.room(13, m.size, exit)
	b.ShiftRight(64, 8, 13, 32)
	b.JumpNotZero(64, 8, exit)
	b.Load(LDRX, 12, segmentAt(unsafe.Offsetof(memory.Segment{}.Base)))
	b.AddImm(64, 12, 12, -int64(a.Offset))
	b.Set(14, uint64(m.size-1))
	b.ask(offsets(a.Base.Bits, b.some), a.Base)
	b.JumpNotZero(32, 9, exit)
	b.Load(LDRX, 15, segmentAt(unsafe.Offsetof(memory.Segment{}.P)))
	switch {
	case in.Op == ptx.OpAtom, in.Op == ptx.OpRed:
		b.eachAtomic(in, exit)
	case ordered(in): // after all accesses before it, as a release is, and each element at once
		b.Barrier()
		b.eachLane(true, m)
	case in.Op == ptx.OpSt || b.some || m.elem*8 != m.bits:
		b.eachLane(in.Op == ptx.OpSt, m)
	default:
		b.gather(m)
	}
}

// offsetTo is where the offset of a lane's access is.
func offsetTo(lane int) Mem { return ctxAt(unsafe.Offsetof(Context{}.offsets) + uintptr(4*lane)) }

// nextLane takes the lowest lane out of the mask in X12. It puts the lane into X13, and the address
// of its access into X14.
func (b *neonBuilder) nextLane() {
	b.Lowest(13, 12)
	b.AddImm(32, 14, 12, -1)
	b.R3(AND, 32, 12, 12, 14)
	off := offsetTo(0)
	off.Index, off.Shift = 13, 2
	b.Load(LDRW, 14, off)
	b.R3(ADD, 64, 14, 15, 14)
}

// laneAt is the part of a register of PTX of the lane in X13.
func laneAt(s code.Slot) Mem {
	m := fileAt(s.Off)
	m.Index, m.Shift = 13, 2
	if s.Bits == 64 {
		m.Shift = 3
	}
	return m
}

// elementLoads are the loads that extend an element, of a number of bytes, to a register.
var elementLoads = map[wideningKey]MemOp{
	{1, 32, false}: LDRB, {1, 64, false}: LDRB, {2, 32, false}: LDRH, {2, 64, false}: LDRH, {4, 32, false}: LDRW, {4, 64, false}: LDRW,
	{1, 32, true}: LDRSB, {1, 64, true}: LDRSBX, {2, 32, true}: LDRSH, {2, 64, true}: LDRSHX, {4, 32, true}: LDRW, {4, 64, true}: LDRSW,
	{8, 64, false}: LDRX, {8, 64, true}: LDRX,
}

var elementStores = map[int]MemOp{1: STRB, 2: STRH, 4: STRW, 8: STRX}

// eachLane moves the elements of the running lanes, one after the other.
func (b *neonBuilder) eachLane(store bool, m *transfer) {
	next := b.Label()
	b.Load(LDRW, 12, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.Place(next)
	b.nextLane()
	for k, r := range m.regs {
		mem := Mem{Base: 14, Disp: int32(k * m.elem)}
		if store {
			b.load(m.bits, 8, laneAt(r))
			b.Store(elementStores[m.elem], 8, mem)
			continue
		}
		b.Load(elementLoads[wideningKey{m.elem, m.bits, m.signed}], 8, mem)
		b.store(m.bits, 8, laneAt(r))
	}
	b.JumpNotZero(32, 12, next)
}

// gather loads elements of all lanes. It puts them together in vectors: an operation that reads a slot
// whose lanes were stored one by one waits for them.
func (b *neonBuilder) gather(m *transfer) {
	lanes := 128 / m.bits
	for k, r := range m.regs {
		for first := 0; first < abi.WarpSize; first += lanes {
			v := Vec(first / lanes % 8)
			for i := range lanes {
				b.Load(LDRW, 14, offsetTo(first+i))
				b.R3(ADD, 64, 14, 15, 14)
				b.AddImm(64, 14, 14, int64(k*m.elem))
				b.LoadLane(m.bits, v, i, 14)
			}
			b.StoreVec(STRQ, v, fileAt(r.Off+uint32(first*m.bits/8)))
		}
	}
}

// makeRoutines makes the routines, by the numbers that AVX2's have. They are called with the address
// of the slot of the lanes' addresses in X10, and answer in X9, not by flags: 0 is yes.
func (b *neonBuilder) makeRoutines() {
	b.routines = make([]Label, routines)
	make1 := func(n int, f func()) {
		b.routines[n] = b.Label()
		b.Place(b.routines[n])
		f()
		b.Return(30)
	}
	for _, bits := range []int{32, 64} {
		for _, elem := range []int{1, 2, 4, 8} {
			make1(consecutive(bits, elem), func() { b.consecutive(bits, elem) })
		}
		for _, elem := range []int{4, 8} {
			make1(stripPattern(bits, elem), func() { b.pattern(bits, elem) })
		}
		make1(same(bits), func() { b.same(bits) })
		for _, some := range []bool{false, true} {
			make1(offsets(bits, some), func() { b.offsets(bits, some) })
		}
	}
}

// answer puts into a register whether any bit of a vector is set.
func (b *neonBuilder) answer(d Reg, x Vec) {
	b.V2(UMAXV4S, x, x)
	b.Extract(32, d, x, 0)
}

// steps puts elem times the number of each lane of a vector into d. It uses X8.
func (b *neonBuilder) steps(bits int, d Vec, elem int) {
	b.Set(8, uint64(elem))
	if bits == 64 {
		b.Zero(d)
		b.Insert(64, d, 1, 8)
		return
	}
	b.Spread(32, tmp, 8)
	b.LoadVec(LDRQ, d, ctxAt(unsafe.Offsetof(Context{}.steps1)))
	b.V3(MUL4S, d, d, tmp)
}

// addressOps are addition and subtraction of vectors of addresses.
func addressOps(bits int) (add, sub, higher VecOp) {
	if bits == 64 {
		return ADD2D, SUB2D, CMHI2D
	}
	return ADD4S, SUB4S, CMHI4S
}

// consecutive answers whether the lanes' addresses follow each other by an element.
func (b *neonBuilder) consecutive(bits, elem int) {
	const want, more, have, differ = 0, 1, 2, 3
	add, _, _ := addressOps(bits)
	b.steps(bits, more, elem)
	b.LoadAll(bits, want, 10)
	b.V3(add, want, want, more)
	b.Set(8, uint64(elem*128/bits))
	b.Spread(bits, more, 8)
	b.Zero(differ)
	for i := range int32(abi.WarpSize * bits / 128) {
		b.LoadVec(LDRQ, have, Mem{Base: 10, Disp: 16 * i})
		b.V3(VEOR, have, have, want)
		b.V3(VORR, differ, differ, have)
		b.V3(add, want, want, more)
	}
	b.answer(9, differ)
}

// pattern answers in X9 whether the lanes' addresses follow each other by an element in each strip, and
// in X11 whether they are one in each strip.
func (b *neonBuilder) pattern(bits, elem int) {
	const first, have, rows, ones, step, more = 0, 1, 2, 3, 4, 5
	add, _, _ := addressOps(bits)
	b.Zero(rows)
	b.Zero(ones)
	b.steps(bits, step, elem)
	b.Set(8, uint64(2*elem))
	b.Spread(64, more, 8)
	b.V3(ADD2D, more, more, step) // of the upper lanes of a strip of 64 bits
	for i := range int32(neonStrips) {
		for k := range int32(bits / 32) {
			b.LoadVec(LDRQ, have, Mem{Base: 10, Disp: i*int32(bits/2) + 16*k})
			if k == 0 {
				b.SpreadLane(bits, first, have, 0)
			}
			b.V3(VEOR, tmp, have, first)
			b.V3(VORR, ones, ones, tmp)
			b.V3(add, tmp, first, []Vec{step, more}[k])
			b.V3(VEOR, tmp, tmp, have)
			b.V3(VORR, rows, rows, tmp)
		}
	}
	b.answer(9, rows)
	b.answer(11, ones)
}

// same answers whether all lanes have one address.
func (b *neonBuilder) same(bits int) {
	b.LoadAll(bits, 0, 10)
	b.Zero(2)
	for i := range int32(abi.WarpSize * bits / 128) {
		b.LoadVec(LDRQ, 1, Mem{Base: 10, Disp: 16 * i})
		b.V3(VEOR, 1, 1, 0)
		b.V3(VORR, 2, 2, 1)
	}
	b.answer(9, 2)
}

// offsets puts the lanes' offsets into Context.offsets: addresses less X12. It answers whether no
// running lane has an offset above X13, which is less than 2^32, or with a bit of X14.
func (b *neonBuilder) offsets(bits int, some bool) {
	const base, last, unaligned, bad, off, x, words = 0, 1, 2, 3, 4, 5, 6
	_, sub, higher := addressOps(bits)
	b.Spread(bits, base, 12)
	b.Spread(bits, last, 13)
	b.Spread(bits, unaligned, 14)
	b.Zero(bad)
	masks := unsafe.Offsetof(Context{}.mask32)
	if bits == 64 {
		masks = unsafe.Offsetof(Context{}.mask64)
	}
	b.AddImm(64, 8, ctx, int64(masks))
	b.AddImm(64, 11, ctx, int64(unsafe.Offsetof(Context{}.offsets)))
	for i := range int32(abi.WarpSize * bits / 128) {
		b.LoadVec(LDRQ, off, Mem{Base: 10, Disp: 16 * i})
		b.V3(sub, off, off, base)
		b.V3(higher, x, off, last)
		b.V3(VAND, tmp, off, unaligned)
		b.V3(VORR, x, x, tmp)
		if some {
			b.LoadVec(LDRQ, tmp, Mem{Base: 8, Disp: 16 * i})
			b.V3(VAND, x, x, tmp)
		}
		b.V3(VORR, bad, bad, x)
		switch {
		case bits == 32:
			b.StoreVec(STRQ, off, Mem{Base: 11, Disp: 16 * i})
		case i%2 == 0:
			b.V2(XTN, words, off)
		default:
			b.V2(XTN2, words, off)
			b.StoreVec(STRQ, words, Mem{Base: 11, Disp: 16 * (i / 2)})
		}
	}
	b.answer(9, bad)
}
