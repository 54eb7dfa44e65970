package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// promote renames the loads and stores of good slots to values.
func (s *slots) promote() {
	dom := s.f.Dominators()
	pr := &promoter{s: s, dom: dom, phis: map[*ir.Value]int{}, rep: ir.NewReplacer(s.f), zero: map[ir.Type]*ir.Value{}}
	pr.keys = make([]slotKey, s.total)
	pr.names = make([]string, s.total)
	for _, a := range s.allocas {
		if !a.bad {
			copy(pr.keys[a.index:], a.slots)
			for i := range a.slots {
				pr.names[a.index+i] = a.v.Name
			}
		}
	}
	pr.placePhis()
	pr.rename()
	pr.sweep()
}

// promoter carries out the renaming of the slots of one function, numbered through.
type promoter struct {
	s     *slots
	dom   *ir.Dom
	keys  []slotKey
	names []string
	phis  map[*ir.Value]int // new phis and the slot each is for
	rep   *ir.Replacer
	zero  map[ir.Type]*ir.Value // values of slots read before they are written
	made  []*ir.Value           // the same and other constants, in the order made; sweep puts them into the entry
	dead  []*ir.Value
}

// part is how much of its slot an access takes.
type part uint8

const (
	whole part = iota
	lowHalf
	highHalf
)

// slot is the number of the slot that ptr and lane name, or -1, and how much of it they name.
func (pr *promoter) slot(v, ptr *ir.Value, lane int) (int, part) {
	p, ok := pr.s.good(ptr)
	if !ok {
		return -1, whole
	}
	off := p.off + int64(lane*v.Mem.Size())
	i, found := slices.BinarySearchFunc(p.a.slots, off, func(k slotKey, off int64) int { return int(k.off - off) })
	of := whole
	switch {
	case found && p.a.slots[i].mem == ir.B32 && v.Mem == ir.U16:
		of = lowHalf
	case !found && i > 0 && p.a.slots[i-1].mem == ir.B32 && v.Mem == ir.U16:
		i, of = i-1, highHalf
	case !found:
		panic("BUG: access to a slot that was not collected")
	}
	return p.a.index + i, of
}

// placePhis puts a phi for a slot at every block where two of its values can meet.
func (pr *promoter) placePhis() {
	stores := make([][]*ir.Block, len(pr.keys))
	for _, b := range pr.dom.Order {
		for _, v := range b.Instrs {
			if v.Op != ir.Store {
				continue
			}
			for lane := range len(v.Args) - 1 {
				if i, _ := pr.slot(v, v.Args[0], lane); i >= 0 && !slices.Contains(stores[i], b) {
					stores[i] = append(stores[i], b)
				}
			}
		}
	}
	frontier := dominanceFrontier(pr.s.f, pr.dom)
	for i, work := range stores {
		has := map[*ir.Block]bool{}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, join := range frontier[b.ID] {
				if has[join] {
					continue
				}
				has[join] = true
				work = append(work, join)
				phi := pr.s.f.NewValue(ir.Phi, pr.keys[i].typ)
				phi.Name = pr.names[i]
				phi.Args = make([]*ir.Value, len(join.Preds))
				join.Insert(len(join.Phis()), phi)
				pr.phis[phi] = i
			}
		}
	}
}

// dominanceFrontier lists, by block ID, the blocks where a block's dominance ends (Cooper, Harvey
// and Kennedy 2001).
func dominanceFrontier(f *ir.Func, d *ir.Dom) [][]*ir.Block {
	df := make([][]*ir.Block, f.NumBlocks())
	for _, b := range d.Order {
		if len(b.Preds) < 2 {
			continue
		}
		for _, p := range b.Preds {
			if !d.Reachable(p) {
				continue
			}
			for r := p; r != d.Idom(b); r = d.Idom(r) {
				if !slices.Contains(df[r.ID], b) {
					df[r.ID] = append(df[r.ID], b)
				}
			}
		}
	}
	return df
}

// rename walks the dominator tree with the current value of each slot.
func (pr *promoter) rename() {
	type frame struct {
		b    *ir.Block
		next int
		cur  []*ir.Value
	}
	entry := pr.s.f.Entry()
	cur := make([]*ir.Value, len(pr.keys))
	pr.block(entry, cur)
	stack := []frame{{b: entry, cur: cur}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		kids := pr.dom.Children(top.b)
		if top.next == len(kids) {
			stack = stack[:len(stack)-1]
			continue
		}
		kid := kids[top.next]
		top.next++
		cur := top.cur
		if top.next < len(kids) { // the last child may use up its parent's values
			cur = slices.Clone(cur)
		}
		pr.block(kid, cur)
		stack = append(stack, frame{b: kid, cur: cur})
	}
}

// block renames one block. cur is changed to the values at its end.
func (pr *promoter) block(b *ir.Block, cur []*ir.Value) {
	for _, v := range b.Instrs {
		switch v.Op {
		case ir.Phi:
			if i, ok := pr.phis[v]; ok {
				cur[i] = v
			}
		case ir.Load:
			if i, of := pr.slot(v, v.Args[0], 0); i >= 0 && v.Lanes == 0 {
				pr.load(v, pr.value(cur, i), of)
			}
		case ir.Extract:
			load := v.Args[0]
			if i, _ := pr.slot(load, load.Args[0], int(v.Int)); i >= 0 {
				pr.rep.Replace(v, pr.value(cur, i))
				pr.dead = append(pr.dead, load)
			}
		case ir.Store:
			for lane := range len(v.Args) - 1 {
				if i, of := pr.slot(v, v.Args[0], lane); i >= 0 {
					cur[i] = pr.store(v, pr.rep.Get(v.Args[1+lane]), func() *ir.Value { return pr.value(cur, i) }, of)
				}
			}
		}
	}
	for k, s := range b.Succs {
		at := b.PredIndex(k)
		for _, phi := range s.Phis() {
			if i, ok := pr.phis[phi]; ok {
				phi.Args[at] = pr.value(cur, i)
			}
		}
	}
}

// load makes of the load v what it reads of a slot's value.
func (pr *promoter) load(v, slot *ir.Value, of part) {
	switch of {
	case whole:
		pr.rep.Replace(v, slot)
	case lowHalf:
		become(v, ir.Zext16, slot)
	case highHalf:
		become(v, ir.ShrU, slot, pr.constant(16))
	}
}

// store is the value of a slot after the store v of x.
func (pr *promoter) store(v, x *ir.Value, old func() *ir.Value, of part) *ir.Value {
	switch of {
	case lowHalf:
		return become(v, ir.Prmt, x, old(), pr.constant(0x7610))
	case highHalf:
		return become(v, ir.Prmt, old(), x, pr.constant(ir.LowHalves))
	}
	return x
}

// become makes an operation on I32 of an access.
func become(v *ir.Value, op ir.Op, args ...*ir.Value) *ir.Value {
	v.Op, v.Type, v.Args, v.Mem, v.Align, v.Space = op, ir.I32, args, ir.MemNone, 0, ir.Unknown
	return v
}

// constant is an I32.
func (pr *promoter) constant(x uint64) *ir.Value {
	c := pr.s.f.NewValue(ir.Const, ir.I32)
	c.Int = x
	pr.made = append(pr.made, c)
	return c
}

// value is the contents of slot i: zero if the slot was never written.
func (pr *promoter) value(cur []*ir.Value, i int) *ir.Value {
	if cur[i] == nil {
		cur[i] = pr.undefined(pr.keys[i].typ)
	}
	return cur[i]
}

func (pr *promoter) undefined(t ir.Type) *ir.Value {
	z := pr.zero[t]
	if z == nil {
		op := ir.Const
		if t == ir.Ptr {
			op = ir.NilPtr
		}
		z = pr.s.f.NewValue(op, t)
		pr.made = append(pr.made, z)
		pr.zero[t] = z
	}
	return z
}

// sweep removes the stores, the loads, and the Allocas that became values, with the addresses into
// them.
func (pr *promoter) sweep() {
	pr.rep.Apply()
	for _, c := range pr.made {
		pr.s.f.Entry().Insert(0, c)
	}
	drop := map[*ir.Value]bool{}
	for _, v := range pr.dead {
		drop[v] = true
	}
	for p, at := range pr.s.addr {
		if !at.a.bad {
			drop[p] = true
		}
	}
	for _, b := range pr.s.f.Blocks {
		b.Instrs = slices.DeleteFunc(b.Instrs, func(v *ir.Value) bool {
			return drop[v] || v.Op == ir.Store && drop[v.Args[0]] || v.Op == ir.Load && drop[v.Args[0]]
		})
	}
}
