package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// rowRegs are the first of 8 vector registers that have a register of PTX, of 32 bits.
const rowRegs Vec = 16

// together makes an operation of all lanes of a warp.
func (b *neonBuilder) together(in *code.Inst, due Label) {
	if b.plan.naming(in) == namesMaybe {
		b.wholeMask(in.Mask, due)
	}
	switch in.Op {
	case ptx.OpShfl:
		b.shuffle(in)
	case ptx.OpVote:
		b.vote(in)
	case ptx.OpMatch:
		b.match(in)
	case ptx.OpRedux:
		b.reduce(in)
	case ptx.OpElect: // the lowest lane
		b.Zero(0)
		b.spreadTo(in.Dst[0], 0)
		b.saveImm(fileAt(in.Dst[1].Off), 1)
	}
}

// wholeMask exits unless the mask in a register names all 32 lanes, in each lane.
func (b *neonBuilder) wholeMask(mask code.Slot, exit Label) {
	b.rows(mask)
	for i := Vec(1); i < neonStrips; i++ {
		b.V3(VAND, rowRegs, rowRegs, rowRegs+i)
	}
	b.V2(UMINV4S, rowRegs, rowRegs)
	b.Extract(32, 7, rowRegs, 0)
	b.CompareImm(32, 7, -1)
	b.Jump(NE, exit)
}

// rows loads the strips of a register of 32 bits.
func (b *neonBuilder) rows(s code.Slot) {
	for i := range Vec(neonStrips) {
		b.LoadVec(LDRQ, rowRegs+i, fileAt(s.Off+16*uint32(i)))
	}
}

// spreadTo stores a vector to each strip of a register of 32 bits.
func (b *neonBuilder) spreadTo(s code.Slot, x Vec) {
	for i := range uint32(neonStrips) {
		b.StoreVec(STRQ, x, fileAt(s.Off+16*i))
	}
}

// The vector registers of a shuffle.
const (
	shflLane    Vec = 0  // the strip's lanes
	shflFrom    Vec = 1  // the lanes that they read
	shflBound   Vec = 2  // the last lane that each may read, or the first
	shflSegment Vec = 3  // the bits of a lane's number that name its segment
	shflOutside Vec = 4  // which are out of range
	shfl31      Vec = 5  // the number 31 in each lane
	shflFours   Vec = 6  // 4 in each byte
	shflBytes   Vec = 7  // the numbers of the bytes of a word
	shflHalf    Vec = 24 // 64 in each byte
	shflOut     Vec = 25 // collects which lanes are out of range
)

// shuffle is shfl. It computes the lane that each lane reads, as lanes.ShuffleSource does. Then it
// looks that lane's bytes up in the first 16 lanes and in the others.
func (b *neonBuilder) shuffle(in *code.Inst) {
	b.rows(in.Args[0])
	b.constantVec(shfl31, 31)
	b.constantVec(shflFours, 0x04040404)
	b.constantVec(shflBytes, 0x03020100)
	b.constantVec(shflHalf, 0x40404040)
	b.Zero(shflOut)
	for i := range neonStrips {
		b.LoadVec(LDRQ, shflLane, ctxAt(unsafe.Offsetof(Context{}.steps1)+uintptr(16*i)))
		b.source(in, i)
		b.LoadVec(LDRQ, tmp, ctxAt(unsafe.Offsetof(Context{}.bits32)+uintptr(16*i)))
		b.V3(VAND, tmp, tmp, shflOutside)
		b.V3(VORR, shflOut, shflOut, tmp)
		b.V3(MUL4S, shflFrom, shflFrom, shflFours)
		b.V3(ADD4S, shflFrom, shflFrom, shflBytes)
		b.Lookup(tmp, rowRegs, shflFrom, false)
		b.V3(VEOR, shflFrom, shflFrom, shflHalf)
		b.Lookup(tmp, rowRegs+4, shflFrom, true)
		b.StoreVec(STRQ, tmp, fileAt(in.Dst[0].Off+uint32(16*i)))
	}
	b.V2(ADDV4S, tmp, shflOut)
	b.Extract(32, 7, tmp, 0)
	b.Not(32, 7, 7)
	b.Store(STRW, 7, fileAt(in.Dst[1].Off))
}

// constantVec sets each lane of 32 bits. It uses X19.
func (b *neonBuilder) constantVec(d Vec, v uint32) {
	b.Set(19, uint64(v))
	b.Spread(32, d, 19)
}

// source computes the lanes that a strip of a shuffle reads, and which of them are out of range. They
// read their own.
func (b *neonBuilder) source(in *code.Inst, strip int) {
	b.LoadVec(LDRQ, shflFrom, fileAt(in.Args[1].Off+uint32(16*strip)))
	b.LoadVec(LDRQ, shflSegment, fileAt(in.Args[2].Off+uint32(16*strip)))
	b.V3(VAND, shflFrom, shflFrom, shfl31)
	b.V3(VAND, shflBound, shflSegment, shfl31)
	b.Shift(USHR4S, shflSegment, shflSegment, 8)
	b.V3(VAND, shflSegment, shflSegment, shfl31)
	b.V3(VAND, tmp, shflSegment, shflLane) // the segment's first lane
	b.V3(VBIC, shflBound, shflBound, shflSegment)
	b.V3(VORR, shflBound, shflBound, tmp)
	switch in.Mode {
	case code.ShuffleUp:
		b.V3(SUB4S, shflFrom, shflLane, shflFrom)
	case code.ShuffleDown:
		b.V3(ADD4S, shflFrom, shflLane, shflFrom)
	case code.ShuffleBfly:
		b.V3(VEOR, shflFrom, shflLane, shflFrom)
	case code.ShuffleIdx:
		b.V3(VBIC, shflFrom, shflFrom, shflSegment)
		b.V3(VORR, shflFrom, shflFrom, tmp)
	}
	if in.Mode == code.ShuffleUp {
		b.V3(CMGT4S, shflOutside, shflBound, shflFrom)
	} else {
		b.V3(CMGT4S, shflOutside, shflFrom, shflBound)
	}
	b.V3(BIT, shflFrom, shflLane, shflOutside)
}

// vote is vote, over the predicate of all lanes.
func (b *neonBuilder) vote(in *code.Inst) {
	b.Load(LDRW, 7, fileAt(in.Args[0].Off))
	if in.Fn == code.FnBallot {
		b.Spread(32, 0, 7)
		b.spreadTo(in.Dst[0], 0)
		return
	}
	b.Set(8, 1<<32-1)
	b.CompareImm(32, 7, -1)
	b.Choose(32, 9, 8, ZR, EQ) // all
	b.CompareImm(32, 7, 0)
	switch in.Fn {
	case code.FnAny:
		b.Choose(32, 9, 8, ZR, NE)
	case code.FnUni:
		b.Choose(32, 9, 8, 9, EQ)
	}
	b.Store(STRW, 9, fileAt(in.Dst[0].Off))
}

// match is match over 32 bits: the lanes that have each lane's value, or all of them if they have one.
func (b *neonBuilder) match(in *code.Inst) {
	b.rows(in.Args[0])
	for i := range Vec(neonStrips) {
		b.LoadVec(LDRQ, 8+i, ctxAt(unsafe.Offsetof(Context{}.bits32)+uintptr(16*i)))
	}
	if in.Fn == code.FnAny {
		next := b.Label()
		b.AddImm(64, 10, file, int64(in.Args[0].Off))
		b.AddImm(64, 11, file, int64(in.Dst[0].Off))
		b.Set(12, 0)
		b.Place(next)
		b.Load(LDRW, 8, Mem{Base: 10, Index: 12, Shift: 2})
		b.equalTo(8)
		b.Store(STRW, 7, Mem{Base: 11, Index: 12, Shift: 2})
		b.AddImm(64, 12, 12, 1)
		b.CompareImm(64, 12, abi.WarpSize)
		b.Jump(NE, next)
		return
	}
	b.Load(LDRW, 8, fileAt(in.Args[0].Off))
	b.equalTo(8)
	b.CompareImm(32, 7, -1)
	b.Choose(32, 7, 7, ZR, EQ)
	b.Store(STRW, 7, fileAt(in.Dst[1].Off))
	b.Spread(32, 0, 7)
	b.spreadTo(in.Dst[0], 0)
}

// equalTo puts into X7 which lanes have a value. V8 to V15 have the bits of lanes.
func (b *neonBuilder) equalTo(r Reg) {
	b.Spread(32, 0, r)
	b.Zero(1)
	for i := range Vec(neonStrips) {
		b.V3(CMEQ4S, 2, 0, rowRegs+i)
		b.V3(VAND, 2, 2, 8+i)
		b.V3(VORR, 1, 1, 2)
	}
	b.V2(ADDV4S, 1, 1)
	b.Extract(32, 7, 1, 0)
}

// neonReduction is an operation of redux: of vectors, and of the lanes of one or of general registers.
type neonReduction struct {
	op, across VecOp
	last       Arith
}

var neonReductions = map[reductionKey]neonReduction{
	{code.FnAdd, false}: {op: ADD4S, across: ADDV4S}, {code.FnAdd, true}: {op: ADD4S, across: ADDV4S},
	{code.FnMin, false}: {op: UMIN4S, across: UMINV4S}, {code.FnMin, true}: {op: SMIN4S, across: SMINV4S},
	{code.FnMax, false}: {op: UMAX4S, across: UMAXV4S}, {code.FnMax, true}: {op: SMAX4S, across: SMAXV4S},
	{code.FnAnd, false}: {op: VAND, last: AND}, {code.FnOr, false}: {op: VORR, last: ORR}, {code.FnXor, false}: {op: VEOR, last: EOR},
}

// reduce is redux. The operations may combine the lanes in any order.
func (b *neonBuilder) reduce(in *code.Inst) {
	how := neonReductions[reductionKey{in.Fn, in.Type == ptx.S32}]
	b.rows(in.Args[0])
	for i := range Vec(neonStrips - 1) {
		b.V3(how.op, rowRegs, rowRegs, rowRegs+i+1)
	}
	if how.across != 0 {
		b.V2(how.across, 0, rowRegs)
		b.SpreadLane(32, 0, 0, 0)
	} else {
		b.Extract(64, 7, rowRegs, 0)
		b.Extract(64, 8, rowRegs, 1)
		b.R3(how.last, 64, 7, 7, 8)
		b.ShiftRight(64, 8, 7, 32)
		b.R3(how.last, 32, 7, 7, 8)
		b.Spread(32, 0, 7)
	}
	b.spreadTo(in.Dst[0], 0)
}
