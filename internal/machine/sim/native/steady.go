package native

import (
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file finds the registers of a kernel that hold the same in all blocks that a warp runs in a launch:
// parameters, indices of threads, and what is computed of those. They keep their values when the warp begins
// another block (Series), so it need not compute them again.

// findSteady lists the registers, by offset: those that only one instruction of the first block writes, of
// operands that are steady.
func (p *plan) findSteady() {
	p.steady = map[uint32]bool{}
	still := p.still()
	writes, used := p.writes(), map[uint32]bool{}
	bp := p.blocks[0]
	for i := range bp.Insts {
		in := &bp.Insts[i]
		if bp.known[i] && steadyKind(in) && allSlots(in.Args, still) && (len(in.Mem) == 0 || p.fixed[in.Mem[0].Base.Off]) {
			alone := true
			for _, d := range in.Dst {
				alone = alone && d.Bits >= 32 && d.Bits <= 64 && writes[d.Off] == 1 && !used[d.Off]
			}
			for _, d := range in.Dst {
				if alone {
					p.steady[d.Off], still[d.Off] = true, true
				}
			}
		}
		eachSlot(in, func(s code.Slot) { used[s.Off] = true })
	}
}

// still are the slots that no instruction writes and that differ between no blocks.
func (p *plan) still() map[uint32]bool {
	still := map[uint32]bool{}
	for off := range p.fixed {
		still[off] = true
	}
	for _, f := range p.fn.Fills {
		if !strings.HasPrefix(f.Name, "%cta") && !strings.HasPrefix(f.Name, "%cluster") {
			still[f.Off] = true
		}
	}
	return still
}

// writes counts the instructions that write each slot.
func (p *plan) writes() map[uint32]int {
	n := map[uint32]int{}
	count := func(in *code.Inst) {
		for _, d := range in.Dst {
			n[d.Off]++
			if d.Bits == 128 {
				n[d.Half(1).Off]++
			}
		}
		if in.Call != nil {
			params(in.Call.Results, func(s code.Slot) { n[s.Off]++ })
		}
	}
	for _, bp := range p.blocks {
		for i := range bp.Insts {
			count(&bp.Insts[i])
		}
		if bp.Op != nil {
			count(bp.Op)
		}
	}
	return n
}

// steadyKind reports whether an instruction has the same results for the same operands in a launch.
func steadyKind(in *code.Inst) bool {
	switch kindOf(in) {
	case compute, lanewise:
		return in.Op != ptx.OpSetp
	case access:
		return in.Op == ptx.OpLd && in.Mem[0].Space == ptx.ParamSpace
	}
	return false
}

func allSlots(list []code.Slot, in map[uint32]bool) bool {
	for _, s := range list {
		if !in[s.Off] {
			return false
		}
	}
	return true
}

// isSteady reports whether a warp that begins another block has the results of an instruction already.
func (p *plan) isSteady(in *code.Inst) bool { return len(in.Dst) > 0 && p.steady[in.Dst[0].Off] }

// again is the kernel's first block as a warp runs it that has run it before in the launch: without the
// instructions whose results are steady, up to the first unknown one, whose number it returns.
func (p *plan) again() (steps []step, end int) {
	bp := p.blocks[0]
	for end = 0; end < len(bp.Insts) && bp.known[end]; end++ {
		in := &bp.Insts[end]
		if p.isSteady(in) {
			continue
		}
		k := kindOf(in)
		if n := len(steps); n > 0 && k == compute && steps[n-1].takes(in) {
			s := &steps[n-1]
			s.insts = append(s.insts, *in)
			s.last = end
			continue
		}
		steps = append(steps, step{kind: k, from: end, last: end, insts: []code.Inst{*in}, shape: noShape})
	}
	bp.setDue(steps, p.live)
	return steps, end
}
