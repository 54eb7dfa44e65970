package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Limits of Lift: the blocks between, the loads that a block gets, and the operations that an
// address is made of.
const (
	maxBetween = 16
	maxLifted  = 8
	maxAddress = 6
)

// Lift lets loads from global memory go before branches whose ways meet again before the load,
// where nothing on these ways does more than compute. Each thread makes the same accesses in the
// same order as before. So the copies of a loop's body that call a function with branches, as
// gpu.Exp has one for the ends of its range, have their loads on their way together: NVIDIA's
// assembler moves none over a branch.
func Lift(f *ir.Func) {
	dom := f.Dominators()
	remarks := newRemarker(f, nil)
	got := map[*ir.Block]int{}
	for i := len(dom.Order) - 1; i > 0; i-- { // later blocks first: what they give goes on to those before
		b := dom.Order[i]
		if d := dom.Idom(b); d.Term().Op == ir.Branch && onlyComputes(d, b) {
			l := lifter{dom: dom, to: d, got: got, remarks: remarks}
			l.block(b)
		}
	}
}

// onlyComputes reports whether all ways from the branch at the end of d lead to b, without a loop,
// through blocks that only compute, and no other ways lead there.
func onlyComputes(d, b *ir.Block) bool {
	between := []*ir.Block{d}
	for i := 0; i < len(between); i++ {
		x := between[i]
		if len(x.Succs) == 0 {
			return false
		}
		for _, s := range x.Succs {
			switch {
			case s == b:
			case s == d:
				return false
			case !slices.Contains(between, s):
				between = append(between, s)
			}
		}
		if len(between) > maxBetween {
			return false
		}
	}
	at := func(x *ir.Block) int { return slices.Index(between, x) }
	for _, x := range append(between[1:], b) {
		for _, p := range x.Preds {
			if at(p) < 0 {
				return false
			}
		}
		if x == b {
			break
		}
		for _, v := range x.Instrs[:len(x.Instrs)-1] {
			if !v.Op.Pure() && v.Op != ir.Phi {
				return false
			}
		}
	}
	return acyclic(between, b)
}

// acyclic reports whether no way through the blocks comes to one of them twice. All lead to b.
func acyclic(blocks []*ir.Block, b *ir.Block) bool {
	waits := map[*ir.Block]int{}
	for _, x := range blocks[1:] {
		waits[x] = len(x.Preds)
	}
	ready, seen := blocks[:1:1], 0
	for len(ready) > 0 {
		x := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		seen++
		for _, s := range x.Succs {
			if s == b {
				continue
			}
			if waits[s]--; waits[s] == 0 {
				ready = append(ready, s)
			}
		}
	}
	return seen == len(blocks)
}

// lifter moves loads to the end of a block.
type lifter struct {
	dom *ir.Dom
	to  *ir.Block
	got map[*ir.Block]int // how many loads a block got

	remarks *remarker
}

// remark reports what became of a load.
func (l *lifter) remark(load *ir.Value, o obstacle) {
	if l.remarks == nil {
		return
	}
	in := l.remarks.loops.Of(l.to)
	if o.blocks() {
		l.remarks.missed(in, loadLifted, load, o)
	} else {
		l.remarks.did(in, loadLifted, load, "")
	}
}

// block moves loads of b, up to an instruction that does more than compute and load.
func (l *lifter) block(b *ir.Block) {
	for _, v := range slices.Clone(b.Instrs) {
		switch {
		case v.Op == ir.Phi, v.Op.Pure():
		case v.Op != ir.Load:
			return
		case !isGlobalLoad(v):
			return
		case l.got[l.to] == maxLifted:
			l.remark(v, obstacle{why: becauseLifted, numbers: [2]int{maxLifted}})
			return
		default:
			need, ok := l.address(v.Args[0], b, nil)
			if !ok {
				l.remark(v, obstacle{why: becauseAddressBranch})
				return
			}
			l.remark(v, obstacle{})
			for _, x := range append(need, v) {
				b.Remove(x)
				l.to.InsertBeforeTerm(x)
			}
			l.got[l.to]++
		}
	}
}

// address lists the operations in b that a is computed by, each after those it needs. It fails if
// there are many, or if one needs what is not known before the branch.
func (l *lifter) address(a *ir.Value, b *ir.Block, need []*ir.Value) ([]*ir.Value, bool) {
	switch {
	case slices.Contains(need, a), l.dom.Dominates(a.Block, l.to):
		return need, true
	case a.Block != b, a.Op == ir.Phi, !a.Op.Pure(), a.Op.Costly(), a.Op.Convergent(), len(need) == maxAddress:
		return nil, false
	}
	ok := true
	for _, x := range a.Args {
		if need, ok = l.address(x, b, need); !ok {
			return nil, false
		}
	}
	return append(need, a), true
}
