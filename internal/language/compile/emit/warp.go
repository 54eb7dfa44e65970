package emit

import (
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// specialRegisters are the registers that SReg reads.
var specialRegisters = map[ir.Sub]string{
	ir.TidX: "%tid.x", ir.TidY: "%tid.y", ir.TidZ: "%tid.z",
	ir.NTidX: "%ntid.x", ir.NTidY: "%ntid.y", ir.NTidZ: "%ntid.z",
	ir.CTAIdX: "%ctaid.x", ir.CTAIdY: "%ctaid.y", ir.CTAIdZ: "%ctaid.z",
	ir.NCTAIdX: "%nctaid.x", ir.NCTAIdY: "%nctaid.y", ir.NCTAIdZ: "%nctaid.z",
	ir.ClusterIdX: "%clusterid.x", ir.ClusterIdY: "%clusterid.y", ir.ClusterIdZ: "%clusterid.z",
	ir.CTAInClusterX: "%cluster_ctaid.x", ir.CTAInClusterY: "%cluster_ctaid.y", ir.CTAInClusterZ: "%cluster_ctaid.z",
	ir.NCTAInClusterX: "%cluster_nctaid.x", ir.NCTAInClusterY: "%cluster_nctaid.y", ir.NCTAInClusterZ: "%cluster_nctaid.z",
	ir.BlockRank: "%cluster_ctarank", ir.ClusterSize: "%cluster_nctarank", ir.LaneID: "%laneid",
}

func (e *emitter) sreg(v *ir.Value) {
	e.ins(ptx.OpMov.Of(ptx.U32), e.reg(v), ptx.Name(specialRegisters[v.Sub]))
}

func (e *emitter) barrier(*ir.Value) { e.ins(ptx.OpBar.Of(ptx.ModSync), ptx.Int{}) }

func (e *emitter) warpSync(v *ir.Value) {
	e.ins(ptx.OpBar.Of(ptx.ModWarp, ptx.ModSync), e.val(v.Args[0]))
}

func (e *emitter) activeMask(v *ir.Value) { e.ins(ptx.OpActivemask.Of(ptx.B32), e.reg(v)) }

// shfl exchanges 32 bits. A value of 64 bits goes in two halves.
func (e *emitter) shfl(v *ir.Value) {
	mode := map[ir.Sub]ptx.Mod{
		ir.ShflIdx: ptx.ModIdx, ir.ShflUp: ptx.ModUp, ir.ShflDown: ptx.ModDown, ir.ShflXor: ptx.ModBfly,
	}[v.Sub]
	op := ptx.OpShfl.Of(ptx.ModSync, mode, ptx.B32)
	mask, x, lane := e.val(v.Args[0]), e.inReg(v.Args[1]), e.val(v.Args[2])
	control := shflControl(v.Sub)
	if v.Type.Bits() == 32 {
		e.ins(op, e.reg(v), x, lane, control, mask)
		return
	}
	var half, got ptx.Vec
	for range 2 {
		half = append(half, e.temp(intClass))
		got = append(got, e.temp(intClass))
	}
	e.ins(ptx.OpMov.Of(ptx.B64), half, x)
	for i := range half {
		e.ins(op, got[i], half[i], lane, control, mask)
	}
	e.ins(ptx.OpMov.Of(ptx.B64), e.reg(v), got)
}

// shflControl says that all 32 lanes exchange, and which lane ends their group: the first lane
// where values move up, else the last (PTX ISA, shfl.sync).
func shflControl(sub ir.Sub) ptx.Operand {
	if sub == ir.ShflUp {
		return ptx.Int{Bits: 0}
	}
	return ptx.Int{Bits: 31}
}

func (e *emitter) vote(v *ir.Value) {
	op := map[ir.Sub]ptx.Opcode{
		ir.VoteAny: ptx.OpVote.Of(ptx.ModSync, ptx.ModAny, ptx.Pred), ir.VoteAll: ptx.OpVote.Of(ptx.ModSync, ptx.ModAll, ptx.Pred),
		ir.VoteBallot: ptx.OpVote.Of(ptx.ModSync, ptx.ModBallot, ptx.B32),
	}[v.Sub]
	e.ins(op, e.reg(v), e.inReg(v.Args[1]), e.val(v.Args[0]))
}

// match compares with the values of a mask's lanes. PTX also gives a predicate that all lanes have
// one value. It is not used.
func (e *emitter) match(v *ir.Value) {
	x := v.Args[1]
	if v.Sub == ir.MatchAny {
		e.ins(ptx.OpMatch.Of(ptx.ModAny, ptx.ModSync, untyped(x.Type)), e.reg(v), e.inReg(x), e.val(v.Args[0]))
		return
	}
	result := ptx.Pair{First: e.temp(intClass), Second: e.reg(v)}
	e.ins(ptx.OpMatch.Of(ptx.ModAll, ptx.ModSync, untyped(x.Type)), result, e.inReg(x), e.val(v.Args[0]))
}

var reduxOps = map[ir.Sub]ptx.Opcode{
	ir.ReduxAdd: ptx.OpRedux.Of(ptx.ModSync, ptx.ModAdd, ptx.S32), ir.ReduxMinS: ptx.OpRedux.Of(ptx.ModSync, ptx.ModMin, ptx.S32), ir.ReduxMinU: ptx.OpRedux.Of(ptx.ModSync, ptx.ModMin, ptx.U32), ir.ReduxMaxS: ptx.OpRedux.Of(ptx.ModSync, ptx.ModMax, ptx.S32), ir.ReduxMaxU: ptx.OpRedux.Of(ptx.ModSync, ptx.ModMax, ptx.U32),
	ir.ReduxAnd: ptx.OpRedux.Of(ptx.ModSync, ptx.ModAnd, ptx.B32), ir.ReduxOr: ptx.OpRedux.Of(ptx.ModSync, ptx.ModOr, ptx.B32), ir.ReduxXor: ptx.OpRedux.Of(ptx.ModSync, ptx.ModXor, ptx.B32),
}

func (e *emitter) redux(v *ir.Value) {
	e.ins(reduxOps[v.Sub], e.reg(v), e.inReg(v.Args[1]), e.val(v.Args[0]))
}

// elect names the elected lane, too, which nobody asks for.
func (e *emitter) elect(v *ir.Value) {
	e.ins(ptx.OpElect.Of(ptx.ModSync), ptx.Pair{First: ptx.Name("_"), Second: e.reg(v)}, e.val(v.Args[0]))
}

func (e *emitter) setMaxNReg(v *ir.Value) {
	way := map[ir.Sub]ptx.Mod{ir.RegInc: ptx.ModInc, ir.RegDec: ptx.ModDec}[v.Sub]
	e.ins(ptx.OpSetmaxnreg.Of(way, ptx.ModSync, ptx.ModAligned, ptx.U32), e.val(v.Args[0]))
}

// mma multiplies matrices. Its operands are registers, never constants.
func (e *emitter) mma(v *ir.Value) {
	p := ir.ProductOf(v.Sub)
	a, b, _ := p.Registers()
	e.ins(ptx.OpcodeOf(p.Opcode()), e.vector(v), e.factor(p, v.Args[:a]), e.factor(p, v.Args[a:a+b]), e.vectorOf(v.Args[a+b:]))
}

// factor is the registers of A or B. A constant of several floating-point numbers, the highest of
// which is negative, must not reach ptxas as one:
//
//	mov.b32 %r3, 0xbe603f80;
//	mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {…}, {%r1, %r2}, {%r3}, {…};
//
// The ptxas of CUDA 12.4 and 13.0, and the driver, take the register for a negative float32. They
// load its magnitude and have the instruction negate it, which turns the signs of all numbers in
// it. So the kernel loads such a constant from constant memory. The fuzzer's program 2001346 showed
// it.
func (e *emitter) factor(p *ir.Product, list []*ir.Value) ptx.Vec {
	if !p.PacksFloats() {
		return e.vectorOf(list)
	}
	var vec ptx.Vec
	for _, x := range list {
		if x.Op != ir.Const || int32(x.Int) >= 0 {
			vec = append(vec, e.inReg(x))
			continue
		}
		t := e.temp(intClass)
		e.ins(ptx.OpLd.Of(ptx.ConstSpace, ptx.B32), t, ptx.Addr{Base: ptx.Name(e.m.constant(fragment(uint32(x.Int))))})
		vec = append(vec, t)
	}
	return vec
}

// fragment is a variable that holds a register of a factor.
func fragment(bits uint32) *ir.Var {
	return &ir.Var{Space: ir.Constant, Name: "fragment", Size: 4, Align: 4, Elem: ir.B32,
		Init: binary.LittleEndian.AppendUint32(nil, bits)}
}

func (e *emitter) barrierRed(v *ir.Value) {
	op := map[ir.Sub]ptx.Opcode{
		ir.BarAnd: ptx.OpBar.Of(ptx.ModRed, ptx.ModAnd, ptx.Pred), ir.BarOr: ptx.OpBar.Of(ptx.ModRed, ptx.ModOr, ptx.Pred),
		ir.BarCount: ptx.OpBar.Of(ptx.ModRed, ptx.ModPopc, ptx.U32),
	}[v.Sub]
	e.ins(op, e.reg(v), ptx.Int{}, e.inReg(v.Args[0]))
}

func (e *emitter) namedBarrier(v *ir.Value) {
	op := map[ir.Sub]ptx.Opcode{ir.BarSync: ptx.OpBar.Of(ptx.ModSync), ir.BarArrive: ptx.OpBar.Of(ptx.ModArrive)}[v.Sub]
	e.ins(op, e.val(v.Args[0]), e.val(v.Args[1]))
}

func (e *emitter) clock(v *ir.Value) {
	from := map[ir.Sub]string{ir.ClockCycles: "%clock64", ir.ClockNanoseconds: "%globaltimer"}[v.Sub]
	e.ins(ptx.OpMov.Of(ptx.U64), e.reg(v), ptx.Name(from))
}

func (e *emitter) nanosleep(v *ir.Value) { e.ins(ptx.OpNanosleep.Of(ptx.U32), e.val(v.Args[0])) }
