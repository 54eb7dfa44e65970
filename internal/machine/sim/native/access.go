package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// knowsAccess reports whether an instruction is a plain load, or a store, of another memory than the
// thread's own.
func knowsAccess(in *code.Inst) bool {
	if in.Op != ptx.OpLd && in.Op != ptx.OpLdu && in.Op != ptx.OpSt || len(in.Mem) != 1 {
		return false
	}
	if plain := !in.Has(code.Volatile) && (in.Order == "" || in.Order == event.Weak); !plain && !ordered(in) {
		return false
	}
	m := transferOf(in)
	at := in.Mem[0]
	switch {
	case at.Space == ptx.LocalSpace, at.Cluster, at.Align > uint64(m.size), at.Base.Bits == 32 && at.Space != ptx.SharedSpace:
		return false
	}
	switch in.Type.Bytes() {
	case 1, 2, 4, 8, 16:
		return m.elem*8 <= m.bits
	}
	return false
}

// transfer describes the elements that an access moves between memory and registers.
type transfer struct {
	regs   []code.Slot
	bits   int // of a register
	elem   int // bytes of an element
	size   int // bytes of all elements
	signed bool
}

func transferOf(in *code.Inst) transfer {
	regs := in.Dst
	switch in.Op {
	case ptx.OpSt:
		regs = in.Args
	case ptx.OpAtom, ptx.OpRed:
		regs = in.Args[:1]
	}
	elem := min(in.Type.Bytes(), 8)
	return transfer{
		regs: regs, bits: regs[0].Bits, elem: elem, size: elem * len(regs),
		signed: in.Type.Signed() && (in.Width == 0 || in.Type.Bits() < in.Width),
	}
}

// lined reports whether 32 consecutive elements look in memory as they do in a slot.
func (m *transfer) lined() bool { return len(m.regs) == 1 && m.elem*8 == m.bits && m.elem >= 4 }

// rowed reports whether the code copies 32 consecutive elements as vectors.
func (m *transfer) rowed(in *code.Inst) bool {
	_, widens := m.widening(in)
	return (m.lined() || widens) && in.Op != ptx.OpAtom && in.Op != ptx.OpRed
}

// access makes the code of a load, a store or an atomic. At exit the interpreter does it instead.
// The code checks all addresses before it reads or writes anything. n is the number of its shape.
func (b *builder) access(in *code.Inst, n int, exit Label) {
	m := transferOf(in)
	at := in.Mem[0]
	seg := b.o.Shared
	if at.Memo >= 0 {
		seg = b.o.Memos + at.Memo
	}
	b.Load(64, RSI, context(unsafe.Offsetof(Context{}.Segs)))
	b.Load(64, RSI, Mem{Base: RSI, Disp: int32(8 * seg)})
	if in.Op == ptx.OpSt {
		b.SaveImm(context(unsafe.Offsetof(Context{}.stored)), 1)
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
	if in.Op == ptx.OpSt {
		b.copyRow(Mem{Base: RCX}, slot(m.regs[0].Off), m.size)
	} else {
		if at.Memo >= 0 {
			b.prefetch(seg, m.size)
		}
		b.loadRow(in, &m)
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

// segment is a field of the memory.Segment at RSI.
func segment(off uintptr) Mem { return Mem{Base: RSI, Disp: int32(off)} }

// row finds the memory of 32 consecutive elements, in RCX, and goes to other where the lanes'
// addresses are not that.
func (b *builder) row(in *code.Inst, m *transfer, n int, other Label) {
	at, known := in.Mem[0], b.Label()
	if n != noShape {
		b.OpImm(CMP, 32, shapeAt(n), int32(rowShape))
		b.Jump(A, other)
	}
	b.first(in, m, abi.WarpSize*m.size, other)
	b.whenShape(n, rowShape, known)
	b.Address(RAX, slot(at.Base.Off))
	b.Call(b.routines[consecutive(at.Base.Bits, m.elem)])
	b.Jump(NE, other)
	b.remember(n, rowShape)
	b.Place(known)
	b.Op(ADD, 64, RCX, segment(unsafe.Offsetof(memory.Segment{}.P)))
}

// first puts the offset of the first lane's access into RCX, and goes to other if it is not
// aligned, or if the segment does not have a number of bytes there.
func (b *builder) first(in *code.Inst, m *transfer, bytes int, other Label) {
	at := in.Mem[0]
	b.Load(at.Base.Bits, RCX, slot(at.Base.Off))
	b.add(at.Base.Bits, RCX, at.Offset)
	b.Op(SUB, 64, RCX, segment(unsafe.Offsetof(memory.Segment{}.Base)))
	b.Load(64, RDX, segment(unsafe.Offsetof(memory.Segment{}.Size)))
	b.OpImm(SUB, 64, RDX, int32(bytes))
	b.Jump(B, other)
	b.Op(CMP, 64, RCX, RDX)
	b.Jump(A, other)
	b.TestImm(RCX, int32(m.size-1))
	b.Jump(NE, other)
}

// uniform makes the code of a load by all lanes for lanes that have one address, which then goes to
// done.
func (b *builder) uniform(in *code.Inst, m *transfer, done Label) {
	if in.Op == ptx.OpSt || b.some || m.elem*8 != m.bits {
		return
	}
	at, other := in.Mem[0], b.Label()
	if !b.plan.fixed[at.Base.Off] {
		b.Address(RAX, slot(at.Base.Off))
		b.Call(b.routines[same(at.Base.Bits)])
		b.Jump(NE, other)
	}
	b.first(in, m, m.size, other)
	b.Op(ADD, 64, RCX, segment(unsafe.Offsetof(memory.Segment{}.P)))
	spread := VPBROADCASTD
	if m.elem == 8 {
		spread = VPBROADCASTQ
	}
	for k, r := range m.regs {
		b.V2(spread, 0, Mem{Base: RCX, Disp: int32(k * m.elem)})
		b.spreadRow(r.Off, 0, m.elem)
	}
	b.Goto(done)
	b.Place(other)
}

// byStrips makes the code for lanes that access consecutive elements, or one element, in each
// strip: the rows of a tile. It then goes to done. Where the lanes' addresses are not that it falls
// through.
func (b *builder) byStrips(in *code.Inst, m *transfer, n int, exit, done Label) {
	rows, rowsAgain, one, other := b.Label(), b.Label(), b.Label(), b.Label()
	at := in.Mem[0]
	b.whenShape(n, stripRows, rowsAgain)
	b.whenShape(n, stripOnes, one)
	b.whenShape(n, otherShape, other)
	b.Address(RAX, slot(at.Base.Off))
	b.Call(b.routines[stripPattern(at.Base.Bits, m.elem)])
	b.V2(VPTEST, 2, Vec(2))
	b.Jump(E, rows)
	b.remember(n, otherShape)
	b.V2(VPTEST, 3, Vec(3))
	b.Jump(NE, other)
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
	b.stripOffsets(in, m, stripLanes*m.size, exit)
	b.moveStrips(in, m, false)
	b.Goto(done)
	b.Place(other)
}

// stripOffsets puts the address of each strip's first lane into R8 to R11. At exit the segment does
// not have a number of bytes there, or the address is not aligned.
func (b *builder) stripOffsets(in *code.Inst, m *transfer, bytes int, exit Label) {
	at := in.Mem[0]
	b.Load(64, RCX, segment(unsafe.Offsetof(memory.Segment{}.Size)))
	b.OpImm(SUB, 64, RCX, int32(bytes))
	b.Jump(B, exit)
	b.Load(64, RAX, segment(unsafe.Offsetof(memory.Segment{}.Base)))
	for i := range Reg(strips) {
		r := R8 + i
		b.Load(at.Base.Bits, r, slot(at.Base.Off+uint32(i)*stripLanes*uint32(at.Base.Bits/8)))
		b.add(at.Base.Bits, r, at.Offset)
		b.Op(SUB, 64, r, RAX)
		b.Op(CMP, 64, r, RCX)
		b.Jump(A, exit)
		b.TestImm(r, int32(m.size-1))
		b.Jump(NE, exit)
	}
	b.Load(64, RAX, segment(unsafe.Offsetof(memory.Segment{}.P)))
	for i := range Reg(strips) {
		b.Op(ADD, 64, R8+i, RAX)
	}
}

// moveStrips moves the strips between the addresses in R8 to R11 and a register. one says that each
// has one element.
func (b *builder) moveStrips(in *code.Inst, m *transfer, one bool) {
	load := VMOVDQU
	if one {
		load = map[int]VecOp{4: VPBROADCASTD, 8: VPBROADCASTQ}[m.elem]
	}
	for i := range strips {
		for k := range m.elem / 4 {
			reg, mem := slot(m.regs[0].Off+uint32(i*stripLanes*m.elem+32*k)), Mem{Base: R8 + Reg(i)}
			if !one {
				mem.Disp = int32(32 * k)
			}
			if in.Op == ptx.OpSt {
				reg, mem = mem, reg
			}
			b.V2(load, Vec(2*i+k), mem)
			if in.Op == ptx.OpSt {
				b.Store(reg, Vec(2*i+k))
			} else {
				b.storeHalf(reg, Vec(2*i+k), i*m.elem/4+k)
			}
		}
	}
}

// add adds a constant to r. It may use RDX.
func (b *builder) add(bits int, r Reg, v uint64) {
	switch {
	case v == 0:
	case bits == 32 || int64(int32(v)) == int64(v):
		b.OpImm(ADD, bits, r, int32(v))
	default:
		b.Set64(RDX, v)
		b.Op(ADD, 64, r, RDX)
	}
}

// copyRow copies an element of some bytes for each lane.
func (b *builder) copyRow(to, from Mem, size int) {
	if b.avx512 && size > 1 {
		b.copyRowWide(to, from, size)
		return
	}
	for i := range int32(size) {
		b.V2(VMOVDQU, Vec(i&7), at(from, 32*i))
		b.Store(at(to, 32*i), Vec(i&7))
	}
}

// at is m, off bytes further on.
func at(m Mem, off int32) Mem {
	m.Disp += off
	return m
}

// scattered accesses memory lane by lane, in their order.
func (b *builder) scattered(in *code.Inst, m *transfer, exit Label) {
	a := in.Mem[0]
	b.OpImm(SUB, 64, R13, scatteredCost)
	b.OpImm(CMP, 64, R13, -mostScattered)
	b.Jump(L, exit)
	b.Load(64, R9, segment(unsafe.Offsetof(memory.Segment{}.Size)))
	b.OpImm(SUB, 64, R9, int32(m.size))
	b.Jump(B, exit)
	b.Load(64, RDX, R9)
	b.ShiftRight(64, RDX, 32)
	b.Jump(NE, exit)
	b.Load(64, R8, segment(unsafe.Offsetof(memory.Segment{}.Base)))
	b.add(64, R8, -a.Offset)
	b.Set(RCX, int32(m.size-1))
	b.Address(RAX, slot(a.Base.Off))
	b.Call(b.routines[offsets(a.Base.Bits, b.some)])
	b.Jump(NE, exit)
	b.Load(64, R11, segment(unsafe.Offsetof(memory.Segment{}.P)))
	switch {
	case in.Op == ptx.OpAtom, in.Op == ptx.OpRed:
		b.eachAtomic(in, exit)
	case in.Op == ptx.OpSt || b.some || m.elem*8 != m.bits:
		b.eachLane(in.Op == ptx.OpSt, m)
	case m.elem == 4:
		b.gather32(m)
	default:
		b.gather64(m)
	}
}

// offsetOf is where the offset of a lane's access is.
func offsetOf(lane int) Mem { return context(unsafe.Offsetof(Context{}.offsets) + uintptr(4*lane)) }

// eachLane moves the elements of the running lanes, one after the other.
func (b *builder) eachLane(store bool, m *transfer) {
	next := b.Label()
	b.Load(32, RDX, context(unsafe.Offsetof(Context{}.Mask)))
	b.Place(next)
	b.Lowest(RCX, RDX)
	off := offsetOf(0)
	off.Index, off.Scale = RCX, 4
	b.Load(32, RAX, off)
	for k, r := range m.regs {
		reg := slot(r.Off)
		reg.Index, reg.Scale = RCX, uint8(m.bits/8)
		mem := Mem{Base: R11, Index: RAX, Scale: 1, Disp: int32(k * m.elem)}
		if store {
			b.Load(m.bits, R8, reg)
			b.Save(8*m.elem, mem, R8)
			continue
		}
		b.Extend(m.bits, R8, mem, 8*m.elem, m.signed)
		b.Save(m.bits, reg, R8)
	}
	b.ClearLowest(RDX, RDX)
	b.Jump(NE, next)
}

// gather32 and gather64 load elements of all lanes. They put them together in vectors: an operation
// that reads a slot whose lanes were stored one by one waits for them.

func (b *builder) gather32(m *transfer) {
	for k, r := range m.regs {
		for first := 0; first < abi.WarpSize; first += 8 {
			for half := range 2 {
				for i := range 4 {
					b.Load(32, RAX, offsetOf(first+4*half+i))
					from := Mem{Base: R11, Index: RAX, Scale: 1, Disp: int32(k * m.elem)}
					if i == 0 {
						b.V2(VMOVD, Vec(half), from)
					} else {
						b.V3i(VPINSRD, Vec(half), Vec(half), from, byte(i))
					}
				}
			}
			b.V3i(VINSERTI128, 0, 0, Vec(1), 1)
			b.storeHalf(slot(r.Off+uint32(4*first)), 0, first/8)
		}
	}
}

func (b *builder) gather64(m *transfer) {
	for k, r := range m.regs {
		for first := 0; first < abi.WarpSize; first += 4 {
			for half := range 2 {
				for i := range 2 {
					b.Load(32, RAX, offsetOf(first+2*half+i))
					from := Mem{Base: R11, Index: RAX, Scale: 1, Disp: int32(k * m.elem)}
					if i == 0 {
						b.V2(VMOVQ, Vec(half), from)
					} else {
						b.V3i(VPINSRQ, Vec(half), Vec(half), from, 1)
					}
				}
			}
			b.V3i(VINSERTI128, 0, 0, Vec(1), 1)
			b.storeHalf(slot(r.Off+uint32(8*first)), 0, first/4)
		}
	}
}
