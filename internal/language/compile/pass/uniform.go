package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Uniform marks the branches that all threads of a block take the same way whenever they run them:
// their conditions depend on parameters, block and grid indices and constants only, and are chosen
// by such conditions only. They become bra.uni. It also says which values are the same in all threads
// of a block (ir.Func.Alike).
//
// A value differs between threads if it depends on a thread's index, on memory or on communication,
// if it is a phi of differing ways, or if it leaves a loop that threads leave in different
// iterations. (Divergence analysis: Coutinho et al., PACT 2011; Rosemann, Moll and Hack, POPL
// 2021.) A counter of a loop that threads leave at different times counts as different inside as
// well.
func Uniform(f *ir.Func) {
	u := divergence(f)
	for _, b := range u.dom.Order {
		if t := b.Term(); t.Op == ir.Branch {
			t.Uniform = !u.split[b.ID]
		}
	}
	f.Alike = make([]bool, len(u.varies))
	for id, varies := range u.varies {
		f.Alike[id] = !varies
	}
}

// divergence finds what differs between the threads of a block.
func divergence(f *ir.Func) *uniform {
	u := &uniform{dom: f.Dominators(), post: f.PostDominators(), varies: make([]bool, f.NumValues()),
		split: make([]bool, f.NumBlocks()),
		joins: make([]bool, f.NumBlocks()), spreads: make([]bool, f.NumBlocks()),
		apart: map[*ir.Loop]bool{}, asked: map[*ir.Loop]int{}}
	u.loops = f.Loops(u.dom)
	for u.changed = true; u.changed; {
		u.changed = false
		for _, b := range u.dom.Order {
			for _, v := range b.Instrs {
				u.value(v)
			}
		}
	}
	return u
}

type uniform struct {
	dom     *ir.Dom
	post    *ir.PostDom
	loops   *ir.Loops
	varies  []bool // by value ID
	split   []bool // by block ID: its branch goes different ways
	joins   []bool // by block ID: different ways come together in it, so its phis vary
	spreads []bool // by block ID: ways from a branch pass it before they come together
	apart   map[*ir.Loop]bool
	splits  int // how many blocks are split
	asked   map[*ir.Loop]int
	changed bool
}

func (u *uniform) value(v *ir.Value) {
	if v.Op == ir.Branch {
		if !u.split[v.Block.ID] && u.varies[v.Args[0].ID] {
			u.split[v.Block.ID], u.changed = true, true
			u.splits++
			u.spread(v.Block)
		}
		return
	}
	if u.varies[v.ID] || v.Type == ir.Void {
		return
	}
	if u.origin(v) || v.Op == ir.Phi && u.joins[v.Block.ID] || u.fromArgs(v) {
		u.varies[v.ID], u.changed = true, true
	}
}

// origin reports whether v differs by itself.
func (u *uniform) origin(v *ir.Value) bool {
	switch v.Op {
	case ir.SReg:
		return v.Sub >= ir.TidX && v.Sub <= ir.TidZ || v.Sub == ir.LaneID
	case ir.Load:
		return !v.Args[0].Constant() // another thread may write in between
	case ir.Alloca:
		return true
	case ir.BarrierRed:
		return false // all threads get what they brought together
	}
	return !v.Op.Pure()
}

// fromArgs reports whether an argument differs, or comes out of a loop that threads leave in
// different iterations.
func (u *uniform) fromArgs(v *ir.Value) bool {
	for i, a := range v.Args {
		if u.varies[a.ID] {
			return true
		}
		at := v.Block
		if v.Op == ir.Phi {
			at = v.Block.Preds[i]
		}
		for l := u.loops.Of(a.Block); l != nil && !u.loops.Contains(l, at); l = l.Parent {
			if u.leavesApart(l) {
				return true
			}
		}
	}
	return false
}

// leavesApart reports whether threads may leave l in different iterations, as far as is known. It
// looks again only after another branch was split.
func (u *uniform) leavesApart(l *ir.Loop) bool {
	if n, ok := u.asked[l]; !u.apart[l] && (!ok || n != u.splits) {
		u.apart[l], u.asked[l] = u.divides(l), u.splits
	}
	return u.apart[l]
}

// divides reports whether a branch that is split leaves l, or has its ways come together outside.
func (u *uniform) divides(l *ir.Loop) bool {
	for _, b := range l.Blocks {
		if !u.split[b.ID] {
			continue
		}
		for _, s := range b.Succs {
			if !u.loops.Contains(l, s) {
				return true
			}
		}
		if p := u.post.Ipdom(b); p == nil || !u.loops.Contains(l, p) {
			return true
		}
	}
	return false
}

// spread marks the blocks that can be reached from b's branch before its ways have all come
// together, where some of them may. Where ways from another branch pass b before they come together,
// so do all ways from b, and the blocks are marked.
func (u *uniform) spread(b *ir.Block) {
	if u.spreads[b.ID] {
		return
	}
	end := u.post.Ipdom(b)
	seen := map[*ir.Block]bool{}
	work := append([]*ir.Block(nil), b.Succs...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		if len(x.Preds) > 1 {
			u.joins[x.ID] = true
		}
		if x != end {
			u.spreads[x.ID] = true
			work = append(work, x.Succs...)
		}
	}
}
