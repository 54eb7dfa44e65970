package emit

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// liveness is where each value with a register is defined and used.
type liveness struct {
	dom     *ir.Dom
	def     []point     // by value ID: its definition
	value   []*ir.Value // by value ID
	uses    [][]point   // by value ID
	liveOut [][]int     // by block ID: the values needed after the block, in order of their IDs
	across  [][]int     // by value ID: the blocks after which it is needed
	blockOf []*ir.Block // by block ID
}

// point is an instruction: the basic block's ID and the index in it. Phis are at -1, the copies
// into the successors' phis at atEnd.
type point struct{ block, index int }

const atEnd = math.MaxInt

// liveness computes e.live.
func (e *emitter) liveness() {
	n := e.f.NumValues()
	l := &liveness{
		dom: e.f.Dominators(), def: make([]point, n), value: make([]*ir.Value, n), uses: make([][]point, n),
		liveOut: make([][]int, e.f.NumBlocks()), across: make([][]int, n), blockOf: make([]*ir.Block, e.f.NumBlocks()),
	}
	e.live = l
	for _, b := range e.f.Blocks {
		l.blockOf[b.ID] = b
		for i, v := range b.Instrs {
			if e.needed[v.ID] && v.Op != ir.Extract {
				e.locate(v, b, i)
			}
		}
	}
	for id := range l.uses {
		for _, u := range l.uses[id] {
			l.reach(id, u)
		}
	}
}

// locate notes where v is defined and where its operands are used.
func (e *emitter) locate(v *ir.Value, b *ir.Block, i int) {
	l := e.live
	l.value[v.ID] = v
	if v.Op == ir.Phi {
		l.def[v.ID] = point{b.ID, -1}
		for k, pred := range b.Preds {
			for _, a := range e.registers(v.Args[k]) {
				l.uses[a.ID] = append(l.uses[a.ID], point{pred.ID, atEnd})
			}
		}
		return
	}
	l.def[v.ID] = point{b.ID, i}
	for _, lane := range e.lanes[v] {
		if lane != nil {
			l.value[lane.ID] = lane
			l.def[lane.ID] = point{b.ID, i}
		}
	}
	for _, a := range e.operands(v) {
		l.uses[a.ID] = append(l.uses[a.ID], point{b.ID, i})
	}
}

// reach marks the value live out of every block between its definition and the use u. Values come
// in order of their IDs.
func (l *liveness) reach(id int, u point) {
	def := l.def[id]
	if u.block == def.block && u.index > def.index {
		return
	}
	work := []*ir.Block{l.blockOf[u.block]}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range b.Preds {
			if out := l.liveOut[p.ID]; len(out) > 0 && out[len(out)-1] == id {
				continue
			}
			l.liveOut[p.ID] = append(l.liveOut[p.ID], id)
			l.across[id] = append(l.across[id], p.ID)
			if p.ID != def.block {
				work = append(work, p)
			}
		}
	}
}

// interfere reports whether two values are needed at once, so that they cannot share a register.
func (l *liveness) interfere(a, b int) bool {
	pa, pb := l.def[a], l.def[b]
	if pa == pb {
		return true
	}
	if l.before(pa, pb) {
		return l.liveAfter(a, pb)
	}
	if l.before(pb, pa) {
		return l.liveAfter(b, pa)
	}
	return false
}

// before reports whether everything that reaches q has passed p.
func (l *liveness) before(p, q point) bool {
	if p.block == q.block {
		return p.index < q.index
	}
	return l.dom.Dominates(l.blockOf[p.block], l.blockOf[q.block])
}

// isLiveOut reports whether the value is needed after a block.
func (l *liveness) isLiveOut(id, block int) bool {
	_, ok := slices.BinarySearch(l.liveOut[block], id)
	return ok
}

// liveAfter reports whether the value, which is defined before p, is still needed once the
// instruction at p has read its operands.
func (l *liveness) liveAfter(id int, p point) bool {
	if l.isLiveOut(id, p.block) {
		return true
	}
	for _, u := range l.uses[id] {
		if u.block == p.block && u.index > p.index {
			return true
		}
	}
	return false
}

// liveInto reports whether the value is needed in block s or after it, and is defined before s.
func (l *liveness) liveInto(id int, s *ir.Block) bool {
	if l.def[id].block == s.ID {
		return false
	}
	if l.isLiveOut(id, s.ID) {
		return true
	}
	for _, u := range l.uses[id] {
		if u.block == s.ID {
			return true
		}
	}
	return false
}
