package lower

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// checkEscapes refuses variables whose address is still used when their declaration is executed
// again. In Go each execution makes a new variable. Here it is the same memory again, because there
// is no heap.
//
// A use of an address is stale if a declaration is between it and the point at which the address
// became known. An address that is derived from the variable directly becomes known at the
// declaration, so its uses are never stale. There are two other ways. A phi may hold an address
// from before the declaration until the phi is executed again. A load from another variable may
// give one until that variable is declared again.
func (l *lowerer) checkEscapes() {
	e := &escapes{l: l, uses: l.f.Uses()}
	dom := l.f.Dominators()
	cyclic := l.f.InCycles()
	for v, decls := range l.decls {
		for _, d := range decls {
			if b := d.zeroed.Block; dom.Reachable(b) && cyclic[b.ID] {
				e.variable(v, d)
			}
		}
	}
	l.removeTrivialPhis()
}

type escapes struct {
	l    *lowerer
	uses [][]*ir.Value
}

// An address is a pointer derived from a variable, and the last phi or load on the way to it.
type address struct{ p, known *ir.Value }

// variable follows the address of a variable whose declaration is in a loop.
func (e *escapes) variable(v *ir.Value, d declared) {
	seen := map[address]bool{}
	work := []address{{v, nil}}
	add := func(a address) {
		if !seen[a] {
			seen[a] = true
			work = append(work, a)
		}
	}
	for len(work) > 0 {
		a := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range e.uses[a.p.ID] {
			if e.stale(a, u, d) {
				e.report(v, d)
				return
			}
			switch u.Op {
			case ir.PtrAdd, ir.Select:
				add(address{u, a.known})
			case ir.Phi:
				add(address{u, u})
			case ir.Store:
				if !slices.Contains(u.Args[1:], a.p) {
					continue
				}
				loads, ok := e.loads(root(u.Args[0]), d)
				if !ok {
					e.report(v, d)
					return
				}
				for _, x := range loads {
					add(address{x, x})
				}
			}
		}
	}
}

// stale reports whether the declaration can be executed, and then the use, without passing the
// point at which the address became known.
func (e *escapes) stale(a address, use *ir.Value, d declared) bool {
	if a.known == nil {
		return false
	}
	if use.Op != ir.Phi {
		return e.reaches(d.zeroed, use, a.known)
	}
	for i, x := range use.Args { // the use is at the end of the predecessor
		if x == a.p && e.reaches(d.zeroed, use.Block.Preds[i].Term(), a.known) {
			return true
		}
	}
	return false
}

// reaches reports whether there is a path from the end of one instruction to another that does not
// pass any of some others.
func (e *escapes) reaches(from, to *ir.Value, avoid ...*ir.Value) bool {
	// within looks at a block from an index on: is the goal in it, and does the path get to its
	// end?
	within := func(b *ir.Block, start int) (found, through bool) {
		for _, v := range b.Instrs[start:] {
			if v == to {
				return true, false
			}
			if slices.Contains(avoid, v) {
				return false, false
			}
		}
		return false, true
	}
	found, through := within(from.Block, slices.Index(from.Block.Instrs, from)+1)
	if found || !through {
		return found
	}
	seen := map[*ir.Block]bool{}
	work := slices.Clone(from.Block.Succs)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		found, through := within(b, 0)
		if found {
			return true
		}
		if through {
			work = append(work, b.Succs...)
		}
	}
	return false
}

// root is the variable that an address is derived from, nil if that is not plain.
func root(p *ir.Value) *ir.Value {
	for p.Op == ir.PtrAdd {
		p = p.Args[0]
	}
	if p.Op == ir.Alloca {
		return p
	}
	return nil
}

// loads are the pointers that are read from a variable which holds an address. ok is false if one
// may be read after the declaration d and before the holder is declared again or gets another
// address, or if that is unknown. A temporary of the compiler is written before each use.
func (e *escapes) loads(holder *ir.Value, d declared) (out []*ir.Value, ok bool) {
	if holder == nil {
		return nil, false
	}
	var made []*ir.Value
	for _, h := range e.l.decls[holder] {
		made = append(made, h.zeroed)
	}
	stores := e.stores(holder)
	work := []*ir.Value{holder}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range e.uses[p.ID] {
			switch {
			case u.Op == ir.PtrAdd:
				work = append(work, u)
			case u.Op == ir.Load && u.Type == ir.Ptr:
				renewed := made
				if off, ok := constOffset(p); ok {
					renewed = append(slices.Clip(made), stores[off]...)
				}
				if len(made) > 0 && e.reaches(d.zeroed, u, renewed...) {
					return nil, false
				}
				out = append(out, u)
			case u.Op == ir.MemCopy && u.Args[1] == p, u.Op == ir.Phi, u.Op == ir.Select:
				return nil, false
			}
		}
	}
	return out, true
}

// stores are the addresses that the kernel puts into a variable, by their constant offsets.
func (e *escapes) stores(holder *ir.Value) map[int64][]*ir.Value {
	byOffset := map[int64][]*ir.Value{}
	work := []*ir.Value{holder}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		off, ok := constOffset(p)
		for _, u := range e.uses[p.ID] {
			switch {
			case u.Op == ir.PtrAdd:
				work = append(work, u)
			case u.Op == ir.Store && u.Args[0] == p && u.Mem == ir.MPtr && ok:
				byOffset[off] = append(byOffset[off], u)
			}
		}
	}
	return byOffset
}

// constOffset is the offset of an address from its root in bytes, if constant.
func constOffset(p *ir.Value) (off int64, ok bool) {
	for p.Op == ir.PtrAdd {
		c, isConst := p.Args[1].IntConst()
		if !isConst {
			return 0, false
		}
		off += c
		p = p.Args[0]
	}
	return off, true
}

func (e *escapes) report(v *ir.Value, d declared) {
	name := v.Name
	if name == "" {
		name = "this"
	}
	e.l.errorf(d.pos, "%s is a new variable in each iteration, and the address of an earlier one is kept: "+
		"there is no heap to keep them on, declare an array outside the loop", name)
}

// removeTrivialPhis replaces the phis of loop variables whose arguments are all one address by that
// address.
func (l *lowerer) removeTrivialPhis() {
	r := ir.NewReplacer(l.f)
	for _, b := range l.f.Blocks {
		for _, phi := range b.Phis() {
			if phi.Type == ir.Ptr && phi.Args[0].Op == ir.Alloca &&
				!slices.ContainsFunc(phi.Args, func(a *ir.Value) bool { return a != phi.Args[0] }) {
				r.Replace(phi, phi.Args[0])
			}
		}
	}
	if !r.Empty() {
		r.Apply()
	}
}
