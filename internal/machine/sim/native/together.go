package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// knowsTogether reports whether the code can do an operation for which lanes wait for each other.
// The code does it for whole warps: see naming.
func (p *plan) knowsTogether(in *code.Inst) bool {
	if p.naming(in) == namesOther {
		return false
	}
	switch in.Op {
	case ptx.OpShfl, ptx.OpElect:
		return true
	case ptx.OpBar, ptx.OpBarrier:
		return in.Has(code.OfWarp)
	case ptx.OpVote:
		return in.Fn == code.FnAll || in.Fn == code.FnAny || in.Fn == code.FnUni || in.Fn == code.FnBallot
	case ptx.OpMatch:
		return in.Args[0].Bits == 32 && in.Args[0].Off != in.Dst[0].Off
	case ptx.OpRedux:
		_, ok := reductions[reductionKey{in.Fn, in.Type == ptx.S32}]
		return ok && in.Type.Bits() == 32 && !in.Type.IsFloat()
	}
	return false
}

// together makes an operation of all lanes of a warp.
func (b *builder) together(in *code.Inst, due Label) {
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
		b.V3(VPXOR, 0, 0, Vec(0))
		b.spread(in.Dst[0], 0)
		b.SaveImm(slot(in.Dst[1].Off), 1)
	}
}

// rows loads the strips of a register of 32 bits into the first vector registers.
func (b *builder) rows(s code.Slot) {
	for i := range int32(strips) {
		b.V2(VMOVDQU, Vec(i), slot(s.Off+uint32(32*i)))
	}
}

// spread stores a vector to each strip of a register of 32 bits.
func (b *builder) spread(s code.Slot, x Vec) {
	b.spreadRow(s.Off, x, strips)
}

// shuffle is shfl. It computes the lane that each lane reads, as lanes.ShuffleSource does. Then it
// takes that lane of each strip of the first operand, and the strip by the upper bits of the lane's
// number.
func (b *builder) shuffle(in *code.Inst) {
	if b.avx512 {
		b.shuffleWide(in)
		return
	}
	const lane, number, in31, from = 4, 5, 14, 6
	b.rows(in.Args[0])
	b.V2(VPBROADCASTD, in31, context(unsafe.Offsetof(Context{}.words)+uintptr(4*low5)))
	for i := range int32(strips) {
		b.V2(VMOVDQU, lane, context(unsafe.Offsetof(Context{}.steps4)+uintptr(32*i)))
		b.Shift(VPSRLD, lane, lane, 2)
		b.source(in, i)
		b.V2(VMOVDQA, from, Vec(number))
		b.Shift(VPSLLD, 10, from, 28)
		for half := range Vec(2) {
			b.V3(VPERMD, 11+half, from, 2*half)
			b.V3(VPERMD, 13, from, 2*half+1)
			b.Blend(VBLENDVPS, 11+half, 11+half, Vec(13), 10)
		}
		b.Shift(VPSLLD, 10, from, 27)
		b.Blend(VBLENDVPS, 11, 11, Vec(12), 10)
		b.Store(slot(in.Dst[0].Off+uint32(32*i)), 11)
	}
	b.Not(R8)
	b.Save(32, slot(in.Dst[1].Off), R8)
}

// source puts the lanes that a strip of a shuffle reads into Y5, and collects in R8 which of them are
// out of range. Y4 has the strip's lanes and Y14 the number 31 in each.
func (b *builder) source(in *code.Inst, strip int32) {
	const lane, number, limit, segment, base, out, in31 = 4, 5, 6, 7, 8, 9, 14
	b.V3(VPAND, number, in31, slot(in.Args[1].Off+uint32(32*strip)))
	b.V2(VMOVDQU, segment, slot(in.Args[2].Off+uint32(32*strip)))
	b.V3(VPAND, limit, segment, Vec(in31))
	b.Shift(VPSRLD, segment, segment, 8)
	b.V3(VPAND, segment, segment, Vec(in31))
	b.V3(VPAND, base, segment, Vec(lane))
	b.V3(VPANDN, limit, segment, Vec(limit))
	b.V3(VPOR, limit, limit, Vec(base))
	switch in.Mode {
	case code.ShuffleUp:
		b.V3(VPSUBD, number, lane, Vec(number))
	case code.ShuffleDown:
		b.V3(VPADDD, number, lane, Vec(number))
	case code.ShuffleBfly:
		b.V3(VPXOR, number, lane, Vec(number))
	case code.ShuffleIdx:
		b.V3(VPANDN, number, segment, Vec(number))
		b.V3(VPOR, number, number, Vec(base))
	}
	if in.Mode == code.ShuffleUp {
		b.V3(VPCMPGTD, out, limit, Vec(number))
	} else {
		b.V3(VPCMPGTD, out, number, Vec(limit))
	}
	b.Blend(VBLENDVPS, number, number, Vec(lane), out)
	b.Signs32(RAX, out)
	if strip == 0 {
		b.Load(32, R8, RAX)
		return
	}
	b.ShiftLeft(32, RAX, byte(8*strip))
	b.Op(OR, 32, R8, RAX)
}

// vote is vote, over the predicate of all lanes.
func (b *builder) vote(in *code.Inst) {
	if in.Fn == code.FnBallot {
		b.V2(VPBROADCASTD, 0, slot(in.Args[0].Off))
		b.spread(in.Dst[0], 0)
		return
	}
	b.Load(32, RAX, slot(in.Args[0].Off))
	yes, done := b.Label(), b.Label()
	b.OpImm(CMP, 32, RAX, -1)
	if in.Fn == code.FnAll || in.Fn == code.FnUni {
		b.Jump(E, yes)
	}
	if in.Fn != code.FnAll {
		b.OpImm(CMP, 32, RAX, 0)
		b.Jump(map[code.Function]Cond{code.FnAny: NE, code.FnUni: E}[in.Fn], yes)
	}
	b.SaveImm(slot(in.Dst[0].Off), 0)
	b.Goto(done)
	b.Place(yes)
	b.SaveImm(slot(in.Dst[0].Off), -1)
	b.Place(done)
}

// match is match over 32 bits: the lanes that have each lane's value, or all of them if they have one.
func (b *builder) match(in *code.Inst) {
	b.rows(in.Args[0])
	if in.Fn == code.FnAny {
		next := b.Label()
		b.Op(XOR, 32, RCX, RCX)
		b.Place(next)
		from, to := slot(in.Args[0].Off), slot(in.Dst[0].Off)
		from.Index, from.Scale, to.Index, to.Scale = RCX, 4, RCX, 4
		b.equalTo(from)
		b.Save(32, to, R8)
		b.OpImm(ADD, 32, RCX, 1)
		b.OpImm(CMP, 32, RCX, abi.WarpSize)
		b.Jump(NE, next)
		return
	}
	b.equalTo(slot(in.Args[0].Off))
	all := b.Label()
	b.OpImm(CMP, 32, R8, -1)
	b.Jump(E, all)
	b.Op(XOR, 32, R8, R8)
	b.Place(all)
	b.Save(32, slot(in.Dst[1].Off), R8)
	b.V2(VMOVD, 0, R8)
	b.V2(VPBROADCASTD, 0, Vec(0))
	b.spread(in.Dst[0], 0)
}

// equalTo puts into R8 which lanes of the first vector registers have the value at m.
func (b *builder) equalTo(m Mem) {
	b.V2(VPBROADCASTD, 4, m)
	for i := range Vec(strips) {
		b.V3(VPCMPEQD, 5, 4, i)
		if i == 0 {
			b.Signs32(R8, 5)
			continue
		}
		b.Signs32(RAX, 5)
		b.ShiftLeft(32, RAX, byte(8*i))
		b.Op(OR, 32, R8, RAX)
	}
}

type reductionKey struct {
	fn     code.Function
	signed bool
}

// reductions are the operations of redux.
var reductions = map[reductionKey]VecOp{
	{code.FnAdd, false}: VPADDD, {code.FnAdd, true}: VPADDD,
	{code.FnMin, false}: VPMINUD, {code.FnMin, true}: VPMINSD,
	{code.FnMax, false}: VPMAXUD, {code.FnMax, true}: VPMAXSD,
	{code.FnAnd, false}: VPAND, {code.FnOr, false}: VPOR, {code.FnXor, false}: VPXOR,
}

// reduce is redux. The operations may combine the lanes in any order.
func (b *builder) reduce(in *code.Inst) {
	op := reductions[reductionKey{in.Fn, in.Type == ptx.S32}]
	b.rows(in.Args[0])
	for i := range Vec(strips - 1) {
		b.V3(op, 0, 0, i+1)
	}
	b.Upper(1, 0)
	b.V3(op, 0, 0, Vec(1))
	for _, swap := range []byte{0x4e, 0xb1} { // pairs of lanes, then the lanes of a pair
		b.V2i(VPSHUFD, 1, Vec(0), swap)
		b.V3(op, 0, 0, Vec(1))
	}
	b.V2(VPBROADCASTD, 0, Vec(0))
	b.spread(in.Dst[0], 0)
}
