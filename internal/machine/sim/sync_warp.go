package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// syncOp is an operation for which the lanes of a mask wait for each other:
// bar.warp.sync, shfl, vote, match, redux, elect, setmaxnreg, mma, wgmma, wmma, ldmatrix, stmatrix,
// tensormap.cp_fenceproxy. All lanes that the mask names and that have not exited must reach an
// operation of the same kind, qualifiers and mask before any goes on.
type syncOp struct {
	op     string                  // "bar", "shfl", …, for events
	mode   code.Mode               // of shfl; else ""
	key    string                  // kind and qualifiers: what the lanes' instructions must agree in
	mask   uint32                  // slot of the mask
	all    bool                    // no mask: whichever lanes are here
	whole  bool                    // it needs all 32 lanes, and none may have ended
	do     lanes.Op                // performs it for w.exec, when all its lanes are at this instruction
	group  func(w *warp, in *inst) // of wgmma
	access func(w *warp)           // of ldmatrix, stmatrix, and wmma's loads and stores
	// registers is of setmaxnreg, at which a warp may have to wait.
	registers *registerOp
	// products is of a wait for products, which may have to wait for warps to come to them.
	products bool
	inputs   []code.Slot // operands and results, for lanes that meet from different instructions
	outputs  []code.Slot
}

// run is the end of a block that is such an operation.
func (op *syncOp) run(w *warp, in *inst) {
	w.Exec = w.mask
	if op.all {
		w.syncHere(in, op, w.mask, w.mask)
		w.at = w.at.next
		return
	}
	masks := reg[uint32](w, op.mask)
	member := masks[bits.TrailingZeros32(w.mask)&31]
	here := w.lanesNaming(op, member)
	if here == w.mask && member&w.live == here { // everybody is here: the usual case
		if w.syncHere(in, op, here, member) {
			w.at = w.at.next
		}
		return
	}
	next := w.at.next
	w.wait(atSync)
	for rest := w.mask; rest != 0; rest &^= here {
		member = masks[bits.TrailingZeros32(rest)&31]
		here = w.lanesNaming(op, member) & rest
		if bad := here &^ member; bad != 0 {
			lane := bits.TrailingZeros32(bad)
			w.wk.raise(w.fault(in, lane, event.BadMask, fmt.Sprintf("lane %d is not in its own mask %#08x", lane, member)))
			w.pass(bad, next)
			continue
		}
		if w.meet(in, op, here, member) {
			w.pass(here, next)
		}
	}
}

// lanesNaming are the running group's lanes whose mask operand is member.
func (w *warp) lanesNaming(op *syncOp, member uint32) uint32 {
	masks := reg[uint32](w, op.mask)
	var naming uint32
	for m := w.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		naming |= lanes.Bit(masks[i] == member) << i
	}
	return naming
}

// syncHere performs the operation for lanes that are all at this instruction. It returns false if
// they must wait for other warps.
func (w *warp) syncHere(in *inst, op *syncOp, lanes, member uint32) bool {
	w.Exec = lanes
	if op.registers != nil && !op.registers.take(w, in) {
		w.wait(atRegisters)
		return false
	}
	if op.products && !w.reached(in.Imm) {
		w.wait(atProducts)
		return false
	}
	if op.whole {
		w.needWhole(in, op)
	}
	if w.wk.obs != nil {
		w.sendWarpSync(in, op, lanes, member, nil)
	}
	w.together(in, op)
	return true
}

// together performs the operation.
func (w *warp) together(in *inst, op *syncOp) {
	switch {
	case op.access != nil:
		op.access(w)
		return
	case op.group != nil:
		op.group(w, in)
		return
	}
	op.do(&w.Warp, &in.Inst)
}

// needWhole raises a fault where lanes of the warp are missing. One that failed has said so itself:
// compiled kernels end it with exit, which nothing else of them does.
func (w *warp) needWhole(in *inst, op *syncOp) {
	for m := ^w.live; m != 0; m &= m - 1 {
		lane, what := bits.TrailingZeros32(m)&31, "has ended"
		switch {
		case w.exist>>lane&1 == 0:
			what = "is not in the block"
		case w.endOf(lane) != nil && w.endOf(lane).Does.Kind == ptx.Exits:
			continue
		}
		here := bits.TrailingZeros32(w.Exec)
		w.wk.raise(w.fault(in, here, event.PartOfWarp, fmt.Sprintf("lane %d %s, and all 32 come to %s together", lane, what, op.op)))
		return
	}
}

// pass sends lanes of the running group on while the rest waits.
func (w *warp) pass(lanes uint32, to *bblock) {
	if lanes == w.mask {
		w.at = to
		w.groups[w.cur].state = ready
		return
	}
	w.split(lanes, to)
}

// meet performs the operation when all living lanes of member wait at an instruction like it. here
// has the lanes of the running group. The lanes of other groups go on from where they are.
func (w *warp) meet(in *inst, op *syncOp, here, member uint32) bool {
	need := member & w.live
	if need == here {
		return w.syncHere(in, op, here, member)
	}
	found := here
	var others []int
	for i := range w.groups {
		if i == w.cur {
			continue
		}
		if lanes := w.groups[i].waitsLike(op, member); lanes != 0 {
			found |= lanes
			others = append(others, i)
		}
	}
	if found != need {
		return false
	}
	w.exchange(in, op, here, member, others)
	return true
}

// waitsLike are the group's lanes that wait for member at an operation like op.
func (g *group) waitsLike(op *syncOp, member uint32) uint32 {
	if g.state != atSync {
		return 0
	}
	o := g.at.sync
	if o.key != op.key {
		return 0
	}
	masks := (*[abi.WarpSize]uint32)(g.fr.slot(o.mask))
	var naming uint32
	for m := g.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		naming |= lanes.Bit(masks[i] == member) << i
	}
	return naming
}

// exchange performs an operation for lanes at different instructions. It copies the operands of the
// others into this instruction's slots for the time being, and the results to the slots of their
// instructions.
func (w *warp) exchange(in *inst, op *syncOp, here, member uint32, others []int) {
	fr := w.fr
	var saved [][]uint64
	for _, s := range slices.Concat(op.inputs, op.outputs) {
		saved = append(saved, fr.copySlot(s))
	}
	lanes := here
	sites := [abi.WarpSize]*event.Site{}
	for _, i := range others {
		g := &w.groups[i]
		o := g.at.sync
		m := g.waitsLike(op, member)
		for k, s := range o.inputs {
			moveLanes(fr, op.inputs[k], g.fr, s, m)
		}
		lanes |= m
		for l := range sites {
			if m>>l&1 != 0 {
				sites[l] = g.at.op.site
			}
		}
	}
	for l := range sites {
		if here>>l&1 != 0 {
			sites[l] = in.site
		}
	}
	w.Exec = lanes
	if w.wk.obs != nil {
		w.sendWarpSync(in, op, lanes, member, &sites)
	}
	w.together(in, op)
	var results [][]uint64 // before the slots of lanes that are not here get their own values back
	for _, s := range op.outputs {
		results = append(results, fr.copySlot(s))
	}
	for k, s := range slices.Concat(op.inputs, op.outputs) {
		fr.restoreSlot(s, saved[k], ^here)
	}
	for _, i := range others {
		w.deliver(i, op, member, results)
	}
}

// deliver gives the lanes of another group their results and sends them on.
func (w *warp) deliver(i int, op *syncOp, member uint32, results [][]uint64) {
	g := &w.groups[i]
	o := g.at.sync
	m := g.waitsLike(op, member)
	for k, s := range o.outputs {
		g.fr.restoreSlot(s, results[k], m)
	}
	if g.mask == m {
		g.state, g.at = ready, g.at.next
		return
	}
	g.mask &^= m
	w.groups = append(w.groups, group{mask: m, at: g.at.next, fr: g.fr, ran: w.instrs})
}
