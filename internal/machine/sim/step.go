package sim

import (
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
)

// interpret runs the instructions of a block from the first-th on, for the lanes of the running
// group.
func (w *warp) interpret(b *bblock, first int) { w.interpretPart(b.code[first:]) }

// interpretPart runs instructions, for the lanes of the running group.
func (w *warp) interpretPart(instrs []inst) {
	w.Exec = w.mask
	switch {
	case w.wk.obs != nil:
		w.watched(instrs)
	case w.fr.lanes == w.mask:
		w.full(instrs)
	default:
		w.part(instrs)
	}
}

// full runs instructions when every live lane of the frame takes part, so that the values of the
// other lanes' registers do not matter.
func (w *warp) full(code []inst) {
	for i := range code {
		if in := &code[i]; in.lane != nil {
			in.lane(&w.Warp, &in.Inst)
		} else {
			in.run(w, in)
		}
	}
}

// part runs instructions for the lanes of w.Exec only.
func (w *warp) part(code []inst) {
	for i := range code {
		w.step(&code[i])
	}
}

// step runs one instruction for the lanes of w.Exec. An operation that computes all lanes gets a
// scratch slot when only some run, and theirs are copied. So each operation is written once.
func (w *warp) step(in *inst) {
	switch m := in.masked; {
	case in.lane == nil:
		in.run(w, in)
	case m == nil || w.fr.lanes&^w.Exec == 0:
		in.lane(&w.Warp, &in.Inst)
	case in.wide:
		in.lane(&w.Warp, m)
		lanes.Blend[uint64](&w.Warp, in.D, m.D)
	default:
		in.lane(&w.Warp, m)
		lanes.Blend[uint32](&w.Warp, in.D, m.D)
	}
}

// watched runs instructions with an observer.
func (w *warp) watched(code []inst) {
	for i := range code {
		w.watch(&code[i])
	}
}

// watch runs one instruction with an observer.
func (w *warp) watch(in *inst) {
	if in.observed != nil {
		in.observed(w, in)
		return
	}
	if !in.follows {
		w.sendStep(in.site)
	}
	w.step(in)
}

// guard is a guarded instruction: in runs for the lanes whose predicate in slot pred says so.
type guard struct {
	pred, neg uint32
	in        inst
}

func (g *guard) run(w *warp, _ *inst) {
	all := w.Exec
	w.Exec = all & (*predicate(w, g.pred) ^ g.neg)
	if w.Exec != 0 {
		w.step(&g.in)
	}
	w.Exec = all
}

func (g *guard) watch(w *warp, in *inst) {
	all := w.Exec
	w.Exec = all & (*predicate(w, g.pred) ^ g.neg)
	if !g.in.follows {
		w.sendSkip(in.site, all&^w.Exec)
	}
	if w.Exec != 0 {
		w.watch(&g.in)
	}
	w.Exec = all
}
