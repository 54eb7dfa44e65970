package lower

import (
	"github.com/gridstride/gridstride/internal/compile/ir"
)

// checkEscapes refuses variables whose address is still used when their declaration is executed again. In Go each execution makes a new
// variable; here, where there is no heap, it is the same memory again.
//
// An address derived from a variable without phis is never used after the next execution: its definition lies between. So only two things can
// keep an old one: a phi, and another variable in memory.
func (l *lowerer) checkEscapes() {
	e := &escapes{l: l, uses: l.f.Uses(), dom: l.f.Dominators(), reach: map[*ir.Block]map[*ir.Block]bool{}}
	for v, decl := range l.decls {
		if b := decl.zeroed.Block; e.dom.Reachable(b) && e.reaches(b, b) {
			e.variable(v, decl)
		}
	}
}

type escapes struct {
	l     *lowerer
	uses  [][]*ir.Value
	dom   *ir.Dom
	reach map[*ir.Block]map[*ir.Block]bool
}

// variable follows the address of a variable whose declaration stands in a loop.
func (e *escapes) variable(v *ir.Value, d declared) {
	decl := d.zeroed
	seen := map[*ir.Value]bool{}
	work := []*ir.Value{v}
	add := func(x *ir.Value) {
		if !seen[x] {
			seen[x] = true
			work = append(work, x)
		}
	}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range e.uses[p.ID] {
			switch u.Op {
			case ir.PtrAdd, ir.Select:
				add(u)
			case ir.Phi:
				after := u.Block != decl.Block && e.dom.Dominates(decl.Block, u.Block)
				if !after && e.reaches(u.Block, decl.Block) {
					e.report(v, d)
					return
				}
				add(u)
			case ir.Store:
				if !e.holds(u, p) {
					continue
				}
				holder := root(u.Args[0])
				if holder == nil || !e.renewed(holder, decl) {
					e.report(v, d)
					return
				}
				loads, ok := e.loads(holder)
				if !ok {
					e.report(v, d)
					return
				}
				for _, x := range loads {
					add(x)
				}
			}
		}
	}
}

// holds reports whether a store keeps p as a value, not only as the address it writes to.
func (e *escapes) holds(store, p *ir.Value) bool {
	for _, x := range store.Args[1:] {
		if x == p {
			return true
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

// renewed reports whether a variable that holds an address is made anew between any two executions of decl.
func (e *escapes) renewed(holder, decl *ir.Value) bool {
	d := e.l.decls[holder].zeroed
	if d == nil {
		return true // a temporary of the compiler, written before each use
	}
	if d.Block == decl.Block {
		return true
	}
	// Every cycle through decl passes d: without d's block decl cannot be reached from itself.
	seen := map[*ir.Block]bool{d.Block: true}
	work := append([]*ir.Block(nil), decl.Block.Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == decl.Block {
			return false
		}
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return true
}

// loads are the pointers read from a variable; not ok if it is copied as a whole, which is not followed.
func (e *escapes) loads(holder *ir.Value) (out []*ir.Value, ok bool) {
	work := []*ir.Value{holder}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range e.uses[p.ID] {
			switch {
			case u.Op == ir.PtrAdd:
				work = append(work, u)
			case u.Op == ir.Load && u.Type == ir.Ptr:
				out = append(out, u)
			case u.Op == ir.MemCopy && u.Args[1] == p:
				return nil, false
			}
		}
	}
	return out, true
}

// reaches reports whether there is a path of at least one edge.
func (e *escapes) reaches(from, to *ir.Block) bool {
	set := e.reach[from]
	if set == nil {
		set = map[*ir.Block]bool{}
		e.reach[from] = set
		work := append([]*ir.Block(nil), from.Succs...)
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !set[b] {
				set[b] = true
				work = append(work, b.Succs...)
			}
		}
	}
	return set[to]
}

func (e *escapes) report(v *ir.Value, d declared) {
	name := v.Name
	if name == "" {
		name = "this"
	}
	e.l.errorf(d.pos, "%s is a new variable in each iteration, and the address of an earlier one is kept: "+
		"there is no heap to keep them on, declare an array outside the loop", name)
}
