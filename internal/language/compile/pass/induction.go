package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// edgeFacts holds the known facts of the arguments of phis on their edges. One walk gathers them
// and the next uses them: a fact that holds on every edge holds for the phi.
type edgeFacts struct {
	gather bool
	wanted map[*ir.Value][]edgeFact // by phi: what a back edge knows of its argument
	proved map[*ir.Value]int        // by phi: bit i says that all entry edges seen so far know wanted[i] too
	seen   map[*ir.Value]int        // how many entry edges were seen
}

// edgeFact is arg <= y + c, or with ge y <= arg + c.
type edgeFact struct {
	y  *ir.Value
	c  int64
	ge bool
}

// maxEdgeFacts bounds the facts tried for one phi.
const maxEdgeFacts = 16

// note looks at argument i of an integer phi, at the end of the predecessor.
func (e *edgeFacts) note(r *ranges, phi *ir.Value, i int) {
	if e.wanted == nil {
		e.wanted, e.proved, e.seen = map[*ir.Value][]edgeFact{}, map[*ir.Value]int{}, map[*ir.Value]int{}
	}
	arg, b := phi.Args[i], phi.Block
	back := r.dom.Dominates(b, b.Preds[i])
	if e.gather {
		if back {
			e.collect(r, phi, arg, b)
		}
		return
	}
	if back {
		return
	}
	bits := 0
	for k, w := range e.wanted[phi] {
		if w.ge && r.proveLE(w.y, arg, w.c) || !w.ge && r.proveLE(arg, w.y, w.c) {
			bits |= 1 << k
		}
	}
	if e.seen[phi] > 0 {
		bits &= e.proved[phi]
	}
	e.seen[phi]++
	e.proved[phi] = bits
}

// holds reports whether wanted[i] of the phi holds on every edge. Some edges come neither from a
// dominator nor back, for instance where a goto leads into a loop. They have not been seen in time:
// then nothing holds.
func (e *edgeFacts) holds(r *ranges, phi *ir.Value, i int) bool {
	entries := 0
	for _, p := range phi.Block.Preds {
		if r.dom.Reachable(p) && !r.dom.Dominates(phi.Block, p) {
			entries++
		}
	}
	return !e.gather && e.seen[phi] == entries && e.proved[phi]&(1<<i) != 0
}

// collect keeps the facts about arg that speak of values known where the phi is. With several back
// edges only what all say stays.
func (e *edgeFacts) collect(r *ranges, phi, arg *ir.Value, b *ir.Block) {
	var facts []edgeFact
	add := func(ds []difference, ge bool) {
		for i := len(ds) - 1; i >= 0 && len(facts) < maxEdgeFacts; i-- {
			if y := ds[i].y; y.Block != b && r.dom.Dominates(y.Block, b) {
				facts = append(facts, edgeFact{y, ds[i].c, ge})
			}
		}
	}
	add(r.le[arg.ID], false)
	add(r.ge[arg.ID], true)
	if old, ok := e.wanted[phi]; ok {
		var both []edgeFact
		for _, f := range old {
			if f.ge && r.proveLE(f.y, arg, f.c) || !f.ge && r.proveLE(arg, f.y, f.c) {
				both = append(both, f)
			}
		}
		facts = both
	}
	e.wanted[phi] = facts
}

// phiFacts notes what is known of the phis of b: what holds on all edges, and of a counter, that
// it only grows or only shrinks.
func (r *ranges) phiFacts(b *ir.Block) {
	for _, phi := range b.Phis() {
		if !phi.Type.IsInt() {
			continue
		}
		for i, w := range r.edge.wanted[phi] {
			switch {
			case !r.edge.holds(r, phi, i):
			case w.ge:
				r.assumeLE(w.y, phi, w.c)
			default:
				r.assumeLE(phi, w.y, w.c)
			}
		}
		r.monotonic(phi, b)
	}
}

// monotonic notes init <= phi or phi <= init for the phi of a loop that starts as init and only
// grows, or only shrinks.
func (r *ranges) monotonic(phi *ir.Value, b *ir.Block) {
	var init *ir.Value
	up, down := true, true
	loop := false
	for i, a := range phi.Args {
		if !r.dom.Dominates(b, b.Preds[i]) {
			if init != nil && init != a {
				return
			}
			init = a
			continue
		}
		loop = true
		up = up && r.moves(a, phi, true, 4)
		down = down && r.moves(a, phi, false, 4)
	}
	if init == nil || !loop || !r.known[init.ID] {
		return
	}
	if up {
		r.assumeLE(init, phi, 0)
	}
	if down {
		r.assumeLE(phi, init, 0)
	}
}

// moves reports whether v, a value of the loop, is phi or certainly not below it (not above it
// where up is false).
func (r *ranges) moves(v, phi *ir.Value, up bool, depth int) bool {
	if v == phi {
		return true
	}
	if depth == 0 || len(v.Args) == 0 || !r.known[v.ID] {
		return false
	}
	sign := func(a *ir.Value) bool { // a is not negative, or not positive where up is false; wherever it is defined
		if up {
			return r.known[a.ID] && r.def[a.ID].lo >= 0
		}
		return r.known[a.ID] && r.def[a.ID].hi <= 0
	}
	x := v.Args[0]
	switch v.Op {
	case ir.Add:
		y := v.Args[1]
		return r.exact[v.ID] && (sign(y) && r.moves(x, phi, up, depth-1) || sign(x) && r.moves(y, phi, up, depth-1))
	case ir.Subtract:
		d := r.def[v.Args[1].ID]
		ok := r.known[v.Args[1].ID] && (up && d.hi <= 0 || !up && d.lo >= 0)
		return r.exact[v.ID] && ok && r.moves(x, phi, up, depth-1)
	case ir.DivS, ir.DivU, ir.ShrS, ir.ShrU, ir.And:
		return !up && r.known[x.ID] && r.def[x.ID].lo >= 0 && r.moves(x, phi, up, depth-1)
	case ir.Phi:
		if v.Block == phi.Block {
			return false
		}
		for _, a := range v.Args {
			if !r.moves(a, phi, up, depth-1) {
				return false
			}
		}
		return true
	case ir.Select:
		return r.moves(v.Args[1], phi, up, depth-1) && r.moves(v.Args[2], phi, up, depth-1)
	}
	return false
}
