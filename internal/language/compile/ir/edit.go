package ir

import (
	"fmt"
	"slices"
)

// AddEdge makes to a successor of from. Phis of to get no argument for it. The caller adds one.
//
// If a branch names one block twice, there are two edges: the first and the second occurrence of
// from in to.Preds belong to the first and the second occurrence of to in from.Succs.
func AddEdge(from, to *Block) {
	from.Succs = append(from.Succs, to)
	to.Preds = append(to.Preds, from)
}

// PredIndex is the position in to.Preds of the edge that leaves b as b.Succs[succ].
func (b *Block) PredIndex(succ int) int {
	to := b.Succs[succ]
	nth := 0
	for _, s := range b.Succs[:succ] {
		if s == to {
			nth++
		}
	}
	for i, p := range to.Preds {
		if p == b {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	panic(fmt.Sprintf("BUG: edge b%d to b%d has no counterpart", b.ID, to.ID))
}

// RemoveEdge removes the edge b.Succs[succ], with the phi arguments that belong to it. The caller
// mends the terminator.
func (b *Block) RemoveEdge(succ int) {
	to := b.Succs[succ]
	i := b.PredIndex(succ)
	to.Preds = slices.Delete(to.Preds, i, i+1)
	for _, phi := range to.Phis() {
		phi.Args = slices.Delete(phi.Args, i, i+1)
	}
	b.Succs = slices.Delete(b.Succs, succ, succ+1)
}

// RedirectEdge makes the edge b.Succs[succ] lead to another block. args are the arguments of the
// phis there on the new edge.
func (b *Block) RedirectEdge(succ int, to *Block, args []*Value) {
	old := b.Succs[succ]
	i := b.PredIndex(succ)
	old.Preds = slices.Delete(old.Preds, i, i+1)
	for _, phi := range old.Phis() {
		phi.Args = slices.Delete(phi.Args, i, i+1)
	}
	b.Succs[succ] = to
	// Keep the order of double edges: the new edge's place among b's edges to that block is the
	// same on both sides.
	at := len(to.Preds)
	for k, s := range b.Succs {
		if k > succ && s == to {
			at = b.predIndexBefore(to)
			break
		}
	}
	to.Preds = slices.Insert(to.Preds, at, b)
	for k, phi := range to.Phis() {
		phi.Args = slices.Insert(phi.Args, at, args[k])
	}
}

func (b *Block) predIndexBefore(to *Block) int { return slices.Index(to.Preds, b) }

// SplitEdge puts a new block, which only jumps, on the edge b.Succs[succ] and returns it. The new
// block is appended to f.Blocks.
func (f *Func) SplitEdge(b *Block, succ int) *Block {
	to := b.Succs[succ]
	i := b.PredIndex(succ)
	mid := f.NewBlock()
	jump := f.NewValue(Jump, Void)
	jump.Pos = b.Term().Pos
	mid.Append(jump)
	mid.Preds = []*Block{b}
	mid.Succs = []*Block{to}
	to.Preds[i] = mid
	b.Succs[succ] = mid
	return mid
}

// SplitBlock cuts b before instruction i: a new block gets the instructions from i on, with b's
// successors. Then b has no terminator. The new block is appended to f.Blocks.
func (f *Func) SplitBlock(b *Block, i int) *Block {
	rest := f.NewBlock()
	rest.From = b.From
	rest.Instrs = slices.Clone(b.Instrs[i:])
	b.Instrs = slices.Clip(b.Instrs[:i])
	for _, v := range rest.Instrs {
		v.Block = rest
	}
	rest.Succs = b.Succs
	b.Succs = nil
	for k, s := range rest.Succs {
		if slices.Contains(rest.Succs[:k], s) {
			continue
		}
		for j, p := range s.Preds {
			if p == b {
				s.Preds[j] = rest
			}
		}
	}
	return rest
}

// RemoveUnreachable drops the blocks that the entry does not reach, and their edges.
func RemoveUnreachable(f *Func) {
	d := f.Dominators()
	if len(d.Order) == len(f.Blocks) {
		return
	}
	for _, b := range f.Blocks {
		if d.Reachable(b) {
			continue
		}
		for len(b.Succs) > 0 {
			b.RemoveEdge(len(b.Succs) - 1)
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *Block) bool { return !d.Reachable(b) })
}

// Insert puts v into the block, before instruction i.
func (b *Block) Insert(i int, v *Value) {
	v.Block = b
	b.Instrs = slices.Insert(b.Instrs, i, v)
}

// Append puts v at the end of the block.
func (b *Block) Append(v *Value) {
	v.Block = b
	b.Instrs = append(b.Instrs, v)
}

// InsertBeforeTerm puts v before the block's terminator.
func (b *Block) InsertBeforeTerm(v *Value) { b.Insert(len(b.Instrs)-1, v) }

// Remove takes v out of its block. Nothing may use it any more.
func (b *Block) Remove(v *Value) {
	i := slices.Index(b.Instrs, v)
	b.Instrs = slices.Delete(b.Instrs, i, i+1)
	v.Block = nil
}

// SetTerm replaces the block's terminator, if it has one, by v. The caller keeps the edges in
// order.
func (b *Block) SetTerm(v *Value) {
	if t := b.Term(); t != nil {
		t.Block = nil
		b.Instrs = b.Instrs[:len(b.Instrs)-1]
	}
	b.Append(v)
}

// Accesses reports whether v accesses memory, so that its Space is the space of its pointer.
func (v *Value) Accesses() bool {
	switch v.Op {
	case Load, Store, Atomic, AtomicLoad, AtomicStore, MemZero, MemCopy:
		return true
	}
	return false
}

// PointsTo is the space that the pointer v points into. A pointer loaded from memory is generic:
// the Space of a Load is the space of its address.
func (v *Value) PointsTo() Space {
	if v.Accesses() || v.Space == Unknown {
		return Generic
	}
	return v.Space
}

// IsConst reports whether v is a constant and returns its bits. NilPtr counts as 0.
func (v *Value) IsConst() (uint64, bool) {
	switch v.Op {
	case Const:
		return v.Int, true
	case NilPtr:
		return 0, true
	}
	return 0, false
}

// IntConst reports whether v is an integer constant and returns it, sign-extended.
func (v *Value) IntConst() (int64, bool) {
	if v.Op != Const {
		return 0, false
	}
	switch v.Type {
	case I32:
		return int64(int32(v.Int)), true
	case I64:
		return int64(v.Int), true
	}
	return 0, false
}

// Uses lists, by the ID of a value, the instructions that have it as an argument, once for each
// such argument.
func (f *Func) Uses() [][]*Value {
	counts := make([]int, f.nextID)
	total := 0
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			for _, a := range v.Args {
				counts[a.ID]++
				total++
			}
		}
	}
	backing := make([]*Value, total)
	uses := make([][]*Value, f.nextID)
	for id, n := range counts {
		uses[id], backing = backing[:0:n], backing[n:]
	}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			for _, a := range v.Args {
				uses[a.ID] = append(uses[a.ID], v)
			}
		}
	}
	return uses
}

// UseCounts counts, by the ID of a value, the arguments that are that value.
func (f *Func) UseCounts() []int {
	counts := make([]int, f.nextID)
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			for _, a := range v.Args {
				counts[a.ID]++
			}
		}
	}
	return counts
}

// Replacer gathers replacements of values and applies them in one sweep over the function, which
// keeps a pass linear.
type Replacer struct {
	f  *Func
	by []*Value
	n  int
}

// NewReplacer makes an empty Replacer for f.
func NewReplacer(f *Func) *Replacer { return &Replacer{f: f} }

// Replace replaces x by y from now on. x must not be y, and y must not be replaced by x.
func (r *Replacer) Replace(x, y *Value) {
	if x == y {
		panic(fmt.Sprintf("BUG: v%d replaced by itself", x.ID))
	}
	for len(r.by) <= x.ID {
		r.by = append(r.by, make([]*Value, r.f.nextID+1-len(r.by))...)
	}
	r.by[x.ID] = y
	r.n++
}

// Get is the replacement of x, or x itself if it was not replaced.
func (r *Replacer) Get(x *Value) *Value {
	if x == nil || x.ID >= len(r.by) || r.by[x.ID] == nil {
		return x
	}
	y := r.Get(r.by[x.ID])
	r.by[x.ID] = y
	return y
}

// Empty reports whether nothing was replaced.
func (r *Replacer) Empty() bool { return r.n == 0 }

// Apply rewrites every argument in the function and removes the replaced values from their blocks.
func (r *Replacer) Apply() {
	if r.n == 0 {
		return
	}
	for _, b := range r.f.Blocks {
		kept := b.Instrs[:0]
		for _, v := range b.Instrs {
			if v.ID < len(r.by) && r.by[v.ID] != nil {
				v.Block = nil
				continue
			}
			for i, a := range v.Args {
				v.Args[i] = r.Get(a)
			}
			kept = append(kept, v)
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
	}
	r.by, r.n = nil, 0
}
