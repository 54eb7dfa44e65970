package emit

import (
	"github.com/gridstride/gridstride/internal/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// specialRegisters are the registers that SReg reads.
var specialRegisters = map[ir.Sub]string{
	ir.TidX: "%tid.x", ir.TidY: "%tid.y", ir.TidZ: "%tid.z",
	ir.NTidX: "%ntid.x", ir.NTidY: "%ntid.y", ir.NTidZ: "%ntid.z",
	ir.CTAIdX: "%ctaid.x", ir.CTAIdY: "%ctaid.y", ir.CTAIdZ: "%ctaid.z",
	ir.NCTAIdX: "%nctaid.x", ir.NCTAIdY: "%nctaid.y", ir.NCTAIdZ: "%nctaid.z",
	ir.LaneID: "%laneid", ir.DynamicSharedSize: "%dynamic_smem_size",
}

func (e *emitter) sreg(v *ir.Value) { e.ins("mov.u32", e.reg(v), ptx.Name(specialRegisters[v.Sub])) }

func (e *emitter) barrier(*ir.Value) { e.ins("bar.sync", ptx.Int{}) }

func (e *emitter) warpSync(v *ir.Value) { e.ins("bar.warp.sync", e.val(v.Args[0])) }

func (e *emitter) activeMask(v *ir.Value) { e.ins("activemask.b32", e.reg(v)) }

// shfl exchanges 32 bits; 64 go in two halves.
func (e *emitter) shfl(v *ir.Value) {
	mode := map[ir.Sub]string{ir.ShflIdx: "idx", ir.ShflUp: "up", ir.ShflDown: "down", ir.ShflXor: "bfly"}[v.Sub]
	op := "shfl.sync." + mode + ".b32"
	mask, x, lane := e.val(v.Args[0]), e.inReg(v.Args[1]), e.val(v.Args[2])
	control := e.shflControl(v)
	if v.Type.Bits() == 32 {
		e.ins(op, e.reg(v), x, lane, control, mask)
		return
	}
	var half, got ptx.Vec
	for range 2 {
		half = append(half, e.temp(intClass))
		got = append(got, e.temp(intClass))
	}
	e.ins("mov.b64", half, x)
	for i := range half {
		e.ins(op, got[i], half[i], lane, control, mask)
	}
	e.ins("mov.b64", e.reg(v), got)
}

// shflControl packs the width of the groups that exchange and the last lane of a group:
// ((32-width)<<8) | 31, or 0 for the first lane when shifting up (PTX ISA, shfl.sync).
func (e *emitter) shflControl(v *ir.Value) ptx.Operand {
	last := uint64(31)
	if v.Sub == ir.ShflUp {
		last = 0
	}
	if w, ok := v.Args[3].IntConst(); ok {
		return ptx.Int{Bits: uint64(32-w)<<8 | last}
	}
	rest, shifted, control := e.temp(intClass), e.temp(intClass), e.temp(intClass)
	e.ins("sub.s32", rest, ptx.Int{Bits: 32}, e.val(v.Args[3]))
	e.ins("shl.b32", shifted, rest, ptx.Int{Bits: 8})
	e.ins("or.b32", control, shifted, ptx.Int{Bits: last})
	return control
}

func (e *emitter) vote(v *ir.Value) {
	op := map[ir.Sub]string{ir.VoteAny: "any.pred", ir.VoteAll: "all.pred", ir.VoteBallot: "ballot.b32"}[v.Sub]
	e.ins("vote.sync."+op, e.reg(v), e.inReg(v.Args[1]), e.val(v.Args[0]))
}
