package sim

import (
	"fmt"
	"math/bits"
	"slices"
)

// syncOp is the ext of an operation for which the lanes of a mask wait for each other:
// bar.warp.sync, shfl, vote, match, redux, elect. All lanes that the mask names and that have not
// exited must reach an operation of the same kind, qualifiers and mask before any goes on.
type syncOp struct {
	op      string // "bar", "shfl", …, for events
	mode    string // of shfl
	key     string // kind and qualifiers: what the lanes' instructions must agree in
	mask    uint32 // slot of the mask
	all     bool   // no mask: whichever lanes are here
	do      exec   // performs it for w.exec, all lanes of which stand here
	inputs  []slot // operands and results, for lanes that meet from different instructions
	outputs []slot
	next    *bblock
}

// syncLanes is the end of a block that is such an operation.
func syncLanes(w *warp, in *inst) {
	op := in.ext.(*syncOp)
	w.exec = w.mask
	if op.all {
		w.syncHere(in, op, w.mask, w.mask)
		w.at = op.next
		return
	}
	masks := reg[uint32](w, op.mask)
	member := masks[bits.TrailingZeros32(w.mask)&31]
	here := w.lanesNaming(op, member)
	if here == w.mask && member&w.live == here { // everybody is here: the usual case
		w.syncHere(in, op, here, member)
		w.at = op.next
		return
	}
	w.wait(atSync)
	for rest := w.mask; rest != 0; rest &^= here {
		member = masks[bits.TrailingZeros32(rest)&31]
		here = w.lanesNaming(op, member) & rest
		if bad := here &^ member; bad != 0 {
			lane := bits.TrailingZeros32(bad)
			w.wk.raise(w.fault(in, lane, BadMask, fmt.Sprintf("lane %d is not in its own mask %#08x", lane, member)))
			w.pass(bad, op.next)
			continue
		}
		if w.meet(in, op, here, member) {
			w.pass(here, op.next)
		}
	}
}

// lanesNaming are the running group's lanes whose mask operand is member.
func (w *warp) lanesNaming(op *syncOp, member uint32) uint32 {
	masks := reg[uint32](w, op.mask)
	var lanes uint32
	for m := w.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		lanes |= bit(masks[i] == member) << i
	}
	return lanes
}

// syncHere performs the operation for lanes that all stand here.
func (w *warp) syncHere(in *inst, op *syncOp, lanes, member uint32) {
	w.exec = lanes
	if w.wk.obs != nil {
		w.sendWarpSync(in, op, lanes, member, nil)
	}
	op.do(w, in)
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

// meet performs the operation when all lanes of member that live wait at one like it, those of the
// running group given by here. The lanes of other groups go on from where they are.
func (w *warp) meet(in *inst, op *syncOp, here, member uint32) bool {
	need := member & w.live
	if need == here {
		w.syncHere(in, op, here, member)
		return true
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
	o := g.at.op.ext.(*syncOp)
	if o.key != op.key {
		return 0
	}
	masks := (*[WarpSize]uint32)(g.fr.slot(o.mask))
	var lanes uint32
	for m := g.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		lanes |= bit(masks[i] == member) << i
	}
	return lanes
}

// exchange performs an operation for lanes at different instructions. The operands of the others
// are brought into this instruction's slots for the time being, and the results to where they want
// them.
func (w *warp) exchange(in *inst, op *syncOp, here, member uint32, others []int) {
	fr := w.fr
	var saved [][]uint64
	for _, s := range slices.Concat(op.inputs, op.outputs) {
		saved = append(saved, fr.copySlot(s))
	}
	lanes := here
	sites := [WarpSize]*Site{}
	for _, i := range others {
		g := &w.groups[i]
		o := g.at.op.ext.(*syncOp)
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
	w.exec = lanes
	if w.wk.obs != nil {
		w.sendWarpSync(in, op, lanes, member, &sites)
	}
	op.do(w, in)
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
	o := g.at.op.ext.(*syncOp)
	m := g.waitsLike(op, member)
	for k, s := range o.outputs {
		g.fr.restoreSlot(s, results[k], m)
	}
	if g.mask == m {
		g.state, g.at = ready, o.next
		return
	}
	g.mask &^= m
	w.groups = append(w.groups, group{mask: m, at: o.next, fr: g.fr, ran: w.instrs})
}

// shuffle makes shfl of a mode: source in slot a, lane operand in b, clamp and segment mask in c,
// result in d, in range in e.
func shuffle(mode string) exec {
	return func(w *warp, in *inst) {
		d, a := reg[uint32](w, in.d), *reg[uint32](w, in.a)
		b, c := reg[uint32](w, in.b), reg[uint32](w, in.c)
		var ok uint32
		for m := w.exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			j, valid := shuffleSource(mode, i, b[i], c[i])
			ok |= bit(valid) << i
			d[i] = a[j&31] * (w.exec >> (j & 31) & 1) // a lane that takes no part gives 0, as on the H200
		}
		w.setPredicate(in.e, ok)
	}
}

// shuffleSource is the lane that a lane reads from, and whether it is in range (PTX ISA,
// shfl.sync).
func shuffleSource(mode string, lane int, b, c uint32) (int, bool) {
	l, bval, cval, seg := uint32(lane), b&31, c&31, c>>8&31
	limit := l&seg | cval&^seg
	var j int
	var valid bool
	switch mode {
	case "up":
		j = lane - int(bval)
		valid = j >= int(limit)
	case "down":
		j = lane + int(bval)
		valid = j <= int(limit)
	case "bfly":
		j = int(l ^ bval)
		valid = j <= int(limit)
	case "idx":
		j = int(l&seg | bval&^seg)
		valid = j <= int(limit)
	}
	if !valid {
		j = lane
	}
	return j, valid
}

// vote makes vote of an operation, over the predicate in slot a.
func vote(op string) exec {
	return func(w *warp, in *inst) {
		p := *predicate(w, in.a) & w.exec
		switch op {
		case "all":
			w.setPredicate(in.d, -bit(p == w.exec))
		case "any":
			w.setPredicate(in.d, -bit(p != 0))
		case "uni":
			w.setPredicate(in.d, -bit(p == 0 || p == w.exec))
		default:
			w.spread(in.d, p)
		}
	}
}

// spread writes one value to the running lanes of a 32-bit slot.
func (w *warp) spread(slot, v uint32) {
	d := reg[uint32](w, slot)
	for m := w.exec; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = v
	}
}

// matchAny gives each lane the mask of the lanes with its value.
func matchAny[T uint32 | uint64](w *warp, in *inst) {
	a, d := *reg[T](w, in.a), reg[uint32](w, in.d)
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var same uint32
		for n := w.exec; n != 0; n &= n - 1 {
			j := bits.TrailingZeros32(n) & 31
			same |= bit(a[j] == a[i]) << j
		}
		d[i] = same
	}
}

// matchAll gives all lanes their mask when all have one value, else 0, and says which in predicate
// e.
func matchAll[T uint32 | uint64](w *warp, in *inst) {
	a := reg[T](w, in.a)
	first := a[bits.TrailingZeros32(w.exec)&31]
	same := w.exec
	for m := w.exec; m != 0; m &= m - 1 {
		if a[bits.TrailingZeros32(m)&31] != first {
			same = 0
		}
	}
	w.spread(in.d, same)
	w.setPredicate(in.e, -bit(same != 0))
}

// redux reduces the values of slot a over the lanes.
func redux[T uint32 | int32](f func(a, b T) T) exec {
	return func(w *warp, in *inst) {
		a := reg[T](w, in.a)
		m := w.exec
		r := a[bits.TrailingZeros32(m)&31]
		for m &= m - 1; m != 0; m &= m - 1 {
			r = f(r, a[bits.TrailingZeros32(m)&31])
		}
		w.spread(in.d, uint32(r))
	}
}

// elect names the lowest lane, in slot d to all and in predicate e to itself.
func elect(w *warp, in *inst) {
	leader := bits.TrailingZeros32(w.exec)
	w.spread(in.d, uint32(leader))
	w.setPredicate(in.e, 1<<(leader&31))
}
