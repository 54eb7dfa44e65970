package native

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// While an access is made X20 has its memory.Segment, and X7 the address of its first lane.
const (
	seg Reg = 20
	mem Reg = 7
)

// segmentAt is a field of the memory.Segment.
func segmentAt(off uintptr) Mem { return Mem{Base: seg, Disp: int32(off)} }

// access makes the code of a load, a store or an atomic, as builder.access does.
func (b *neonBuilder) access(in *code.Inst, n int, exit Label) {
	m := transferOf(in)
	at := in.Mem[0]
	memo := b.o.Shared
	if at.Memo >= 0 {
		memo = b.o.Memos + at.Memo
	}
	b.Load(LDRX, seg, ctxAt(unsafe.Offsetof(Context{}.Segs)))
	b.Load(LDRX, seg, Mem{Base: seg, Disp: int32(8 * memo)})
	if in.Op == ptx.OpSt {
		b.saveImm(ctxAt(unsafe.Offsetof(Context{}.stored)), 1)
	}
	if in.Op == ptx.OpAtom || in.Op == ptx.OpRed {
		b.scattered(in, &m, exit)
		return
	}
	general, done := b.Label(), b.Label()
	if b.some || ordered(in) || !m.rowed(in) || b.plan.fixed[at.Base.Off] {
		b.uniform(in, &m, done)
		b.scattered(in, &m, exit)
		b.Place(done)
		return
	}
	b.row(in, &m, n, general)
	switch {
	case in.Op == ptx.OpSt:
		b.copyRow(Mem{Base: mem}, fileAt(m.regs[0].Off), m.size)
	default:
		if at.Memo >= 0 {
			b.prefetch(memo, m.size)
		}
		b.loadRow(&m)
	}
	b.Place(done)
	b.later = append(b.later, func() {
		b.Place(general)
		if m.lined() {
			b.byStrips(in, &m, n, exit, done)
		}
		b.scattered(in, &m, exit)
		b.Goto(done)
	})
}

// row finds the memory of 32 consecutive elements, in X7, and goes to other where the lanes'
// addresses are not that.
func (b *neonBuilder) row(in *code.Inst, m *transfer, n int, other Label) {
	at, known := in.Mem[0], b.Label()
	if n != noShape {
		b.Load(LDRW, 8, shapeTo(n))
		b.CompareImm(32, 8, int64(rowShape))
		b.Jump(HI, other)
	}
	b.first(in, m, abi.WarpSize*m.size, other)
	b.whenShape(n, rowShape, known)
	b.ask(consecutive(at.Base.Bits, m.elem), at.Base)
	b.JumpNotZero(32, 9, other)
	b.remember(n, rowShape)
	b.Place(known)
	b.Load(LDRX, 8, segmentAt(unsafe.Offsetof(memory.Segment{}.P)))
	b.R3(ADD, 64, mem, mem, 8)
}

// ask calls a routine about the addresses in a register of PTX.
func (b *neonBuilder) ask(routine int, addresses code.Slot) {
	b.AddImm(64, 10, file, int64(addresses.Off))
	b.Call(b.routines[routine])
}

// first puts the offset of the first lane's access into X7, and goes to other if it is not aligned,
// or if the segment does not have a number of bytes there.
func (b *neonBuilder) first(in *code.Inst, m *transfer, bytes int, other Label) {
	at := in.Mem[0]
	b.load(at.Base.Bits, mem, fileAt(at.Base.Off))
	b.AddImm(at.Base.Bits, mem, mem, offsetIn(at))
	b.Load(LDRX, 8, segmentAt(unsafe.Offsetof(memory.Segment{}.Base)))
	b.R3(SUB, 64, mem, mem, 8)
	b.room(8, bytes, other)
	b.Compare(64, mem, 8)
	b.Jump(HI, other)
	b.aligned(mem, m, other)
}

// offsetIn is an access's offset, of 32 bits or 64.
func offsetIn(at code.Address) int64 {
	if at.Base.Bits == 32 {
		return int64(int32(at.Offset))
	}
	return int64(at.Offset)
}

// room puts the last offset at which the segment has a number of bytes into d, and goes to other if
// there is none.
func (b *neonBuilder) room(d Reg, bytes int, other Label) {
	b.Load(LDRX, d, segmentAt(unsafe.Offsetof(memory.Segment{}.Size)))
	b.CompareImm(64, d, int64(bytes))
	b.Jump(LO, other)
	b.AddImm(64, d, d, -int64(bytes))
}

// aligned goes to other if an offset is not aligned.
func (b *neonBuilder) aligned(r Reg, m *transfer, other Label) {
	if m.size > 1 {
		b.TestOnes(r, bits.TrailingZeros(uint(m.size)))
		b.Jump(NE, other)
	}
}

// uniform makes the code of a load by all lanes for lanes that have one address, which then goes to
// done.
func (b *neonBuilder) uniform(in *code.Inst, m *transfer, done Label) {
	if in.Op == ptx.OpSt || b.some || m.elem*8 != m.bits {
		return
	}
	at, other := in.Mem[0], b.Label()
	if !b.plan.fixed[at.Base.Off] {
		b.ask(same(at.Base.Bits), at.Base)
		b.JumpNotZero(32, 9, other)
	}
	b.first(in, m, m.size, other)
	b.Load(LDRX, 8, segmentAt(unsafe.Offsetof(memory.Segment{}.P)))
	b.R3(ADD, 64, mem, mem, 8)
	for k, r := range m.regs {
		b.spreadFrom(m.bits, 0, Mem{Base: mem, Disp: int32(k * m.elem)})
		for i := range uint32(m.bits / neonLanes) {
			b.StoreVec(STRQ, 0, fileAt(r.Off+16*i))
		}
	}
	b.Goto(done)
	b.Place(other)
}

// byStrips makes the code for lanes that access consecutive elements, or one element, in each
// strip: the rows of a tile. It then goes to done. Where the lanes' addresses are not that it falls
// through.
func (b *neonBuilder) byStrips(in *code.Inst, m *transfer, n int, exit, done Label) {
	rows, rowsAgain, one, other := b.Label(), b.Label(), b.Label(), b.Label()
	at := in.Mem[0]
	b.whenShape(n, stripRows, rowsAgain)
	b.whenShape(n, stripOnes, one)
	b.whenShape(n, otherShape, other)
	b.ask(stripPattern(at.Base.Bits, m.elem), at.Base)
	b.JumpZero(32, 9, rows)
	b.remember(n, otherShape)
	b.JumpNotZero(32, 11, other)
	b.remember(n, stripOnes)
	b.Place(one)
	if in.Op == ptx.OpSt {
		b.Goto(other)
	} else {
		b.stripOffsets(in, m, m.size, exit)
		b.moveStrips(in, m, true)
		b.Goto(done)
	}
	b.Place(rows)
	b.remember(n, stripRows)
	b.Place(rowsAgain)
	b.stripOffsets(in, m, neonLanes*m.size, exit)
	b.moveStrips(in, m, false)
	b.Goto(done)
	b.Place(other)
}

// stripOffsets puts the address of each strip's first lane into X8 to X15. At exit the segment does
// not have a number of bytes there, or the address is not aligned.
func (b *neonBuilder) stripOffsets(in *code.Inst, m *transfer, bytes int, exit Label) {
	at := in.Mem[0]
	b.room(21, bytes, exit)
	b.Load(LDRX, 22, segmentAt(unsafe.Offsetof(memory.Segment{}.Base)))
	for i := range Reg(neonStrips) {
		r := 8 + i
		b.load(at.Base.Bits, r, fileAt(at.Base.Off+uint32(i)*neonLanes*uint32(at.Base.Bits/8)))
		b.AddImm(at.Base.Bits, r, r, offsetIn(at))
		b.R3(SUB, 64, r, r, 22)
		b.Compare(64, r, 21)
		b.Jump(HI, exit)
		b.aligned(r, m, exit)
	}
	b.Load(LDRX, 22, segmentAt(unsafe.Offsetof(memory.Segment{}.P)))
	for i := range Reg(neonStrips) {
		b.R3(ADD, 64, 8+i, 8+i, 22)
	}
}

// moveStrips moves the strips between the addresses in X8 to X15 and a register. one says that each
// has one element.
func (b *neonBuilder) moveStrips(in *code.Inst, m *transfer, one bool) {
	for i := range neonStrips {
		for k := range m.elem / 4 {
			reg, mem := fileAt(m.regs[0].Off+uint32(i*neonLanes*m.elem+16*k)), Mem{Base: 8 + Reg(i), Disp: int32(16 * k)}
			v := Vec(2*i + k)
			switch {
			case in.Op == ptx.OpSt:
				b.LoadVec(LDRQ, v, reg)
				b.StoreVec(STRQ, v, mem)
				continue
			case one:
				b.LoadAll(m.bits, v, 8+Reg(i))
			default:
				b.LoadVec(LDRQ, v, mem)
			}
			b.StoreVec(STRQ, v, reg)
		}
	}
}

// copyRow copies an element of some bytes for each lane.
func (b *neonBuilder) copyRow(to, from Mem, size int) {
	vectors := int32(size * abi.WarpSize / 16)
	for i := int32(0); i < vectors; i += 4 {
		for k := range int32(4) {
			b.LoadVec(LDRQ, Vec(k), from.At(16*(i+k)))
		}
		for k := range int32(4) {
			b.StoreVec(STRQ, Vec(k), to.At(16*(i+k)))
		}
	}
}

// loadRow loads an element for each lane from the memory at X7.
func (b *neonBuilder) loadRow(m *transfer) {
	to, from := fileAt(m.regs[0].Off), Mem{Base: mem}
	if m.elem*8 == m.bits {
		b.copyRow(to, from, m.size)
		return
	}
	for i := range int32(neonStrips) {
		b.widenStrip(m, to.At(i*int32(neonLanes*m.bits/8)), from.At(i*int32(neonLanes*m.elem)))
	}
}

// widenStrip loads 4 elements that registers extend.
func (b *neonBuilder) widenStrip(m *transfer, to, from Mem) {
	bytes, halves, words, upper := UXTL8B, UXTL4H, UXTL, UXTL2
	if m.signed {
		bytes, halves, words, upper = SXTL8B, SXTL4H, SXTL, SXTL2
	}
	switch m.elem {
	case 1:
		b.LoadVec(LDRS, 0, from)
		b.V2(bytes, 0, 0)
		b.V2(halves, 0, 0)
	case 2:
		b.LoadVec(LDRD, 0, from)
		b.V2(halves, 0, 0)
	case 4:
		b.LoadVec(LDRQ, 1, from)
		b.V2(words, 0, 1)
		b.V2(upper, 1, 1)
		b.StoreVec(STRQ, 1, to.At(16))
	}
	b.StoreVec(STRQ, 0, to)
}

// prefetch predicts a row that a loop reads later, as builder.prefetch does.
func (b *neonBuilder) prefetch(memo, size int) {
	b.Load(LDRX, 8, ctxAt(unsafe.Offsetof(Context{}.Rows)))
	last := Mem{Base: 8, Disp: int32(8 * memo)}
	b.Load(LDRX, 9, last)
	b.R3(SUB, 64, 9, mem, 9)
	b.Store(STRX, mem, last)
	b.AddScaled(9, mem, 9, rowsAhead)
	for line := 0; line < abi.WarpSize*size; line += 64 {
		b.Prefetch(Mem{Base: 9, Disp: int32(line)})
	}
}
