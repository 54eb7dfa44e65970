package emit

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// assign gives every needed value a register. A phi shares its register with the values that flow
// into it, unless two of them are needed at once (Budimlić et al., "Fast Copy Coalescing and
// Live-Range Identification", 2002). If it cannot share, the edge gets a copy. Registers are
// virtual, so sharing them has no other use.
func (e *emitter) assign() {
	e.group = make([]*group, e.f.NumValues())
	for _, b := range e.live.dom.Order {
		e.uniteTied(b)
	}
	for _, b := range e.live.dom.Order {
		for _, phi := range b.Phis() {
			if !e.needed[phi.ID] {
				continue
			}
			for _, a := range phi.Args {
				for _, a := range e.registers(a) {
					e.unite(phi, a)
				}
			}
		}
	}
	e.splitForCopies()
}

// group is a set of values that share a register.
type group struct {
	members []*ir.Value
	at      map[int][]int // of a large group, by block ID: the members that are defined or used there
	reg     string
}

// largeGroup is from how many members on a group is looked through by blocks.
const largeGroup = 32

// variables are the variables that registers hold, for debuggers.
func (e *emitter) variables() map[string]string {
	named := map[string]string{}
	for _, g := range e.group {
		if g == nil || g.reg == "" || named[g.reg] != "" {
			continue
		}
		for _, v := range g.members {
			if v.Name != "" {
				named[g.reg] = v.Name
				break
			}
		}
	}
	return named
}

// join adds the members of another group.
func (g *group) join(o *group, l *liveness) {
	g.members = append(g.members, o.members...)
	added := o.members
	if g.at == nil && len(g.members) >= largeGroup {
		g.at, added = map[int][]int{}, g.members
	}
	if g.at == nil {
		return
	}
	for _, v := range added {
		g.at[l.def[v.ID].block] = append(g.at[l.def[v.ID].block], v.ID)
		for _, u := range l.uses[v.ID] {
			if in := g.at[u.block]; len(in) == 0 || in[len(in)-1] != v.ID {
				g.at[u.block] = append(in, v.ID)
			}
		}
	}
}

func (e *emitter) groupOf(v *ir.Value) *group {
	if e.group[v.ID] == nil {
		e.group[v.ID] = &group{members: []*ir.Value{v}}
	}
	return e.group[v.ID]
}

// unite puts a and b into one group if no two members are needed at once.
func (e *emitter) unite(a, b *ir.Value) {
	ga, gb := e.groupOf(a), e.groupOf(b)
	if ga == gb || classOf(a) != classOf(b) || form(a) != form(b) {
		return
	}
	large, small := ga, gb
	if len(ga.members) < len(gb.members) {
		large, small = gb, ga
	}
	for _, x := range small.members {
		if e.interferes(x.ID, large) {
			return
		}
	}
	large.join(small, e.live)
	for _, y := range small.members {
		e.group[y.ID] = large
	}
}

// interferes reports whether a value and a member of a group are needed at once. Of a large group
// it looks only at the members for which that is possible: those needed after the block of the
// value's definition, and those defined or used in a block in which the value is needed.
func (e *emitter) interferes(x int, g *group) bool {
	l := e.live
	if g.at == nil {
		return slices.ContainsFunc(g.members, func(y *ir.Value) bool { return l.interfere(x, y.ID) })
	}
	with := func(y int) bool { return l.interfere(x, y) }
	for _, y := range l.liveOut[l.def[x].block] {
		if e.group[y] == g && with(y) {
			return true
		}
	}
	if slices.ContainsFunc(g.at[l.def[x].block], with) {
		return true
	}
	for _, b := range l.across[x] {
		if slices.ContainsFunc(g.at[b], with) {
			return true
		}
	}
	for _, u := range l.uses[x] {
		if slices.ContainsFunc(g.at[u.block], with) {
			return true
		}
	}
	return false
}

// form is the space of an address that has 64 bits and is not generic. A copy to a generic address
// converts it. It is Generic for all other values.
func form(v *ir.Value) ir.Space {
	if v.Type == ir.Ptr && (v.PointsTo() == ir.Local || v.PointsTo() == ir.Constant) {
		return v.PointsTo()
	}
	return ir.Generic
}

// reg is the register of v, which has one. It is named when it is first mentioned, so that numbers
// rise through the text.
func (e *emitter) reg(v *ir.Value) ptx.Name {
	if v.Op == ir.Extract {
		v = e.lane(v)
	}
	g := e.groupOf(v)
	if g.reg == "" {
		g.reg = string(e.temp(classOf(v)))
	}
	return ptx.Name(g.reg)
}

// temp makes a new register.
func (e *emitter) temp(c class) ptx.Name {
	e.counts[c.prefix]++
	return ptx.Name(fmt.Sprintf("%s%d", c.prefix, e.counts[c.prefix]))
}

// splitForCopies puts a block on each edge that needs copies and leaves a block with other ways
// out, unless all copies can be made before the branch.
func (e *emitter) splitForCopies() {
	e.early = map[*ir.Block][]phiCopy{}
	var blocks []*ir.Block
	for _, b := range slices.Clone(e.f.Blocks) {
		at := len(blocks) + 1
		blocks = append(blocks, b)
		if len(b.Succs) < 2 {
			continue
		}
		if copies, ok := e.copiesBefore(b); ok {
			e.early[b] = copies
			continue
		}
		for i := range b.Succs {
			if e.copies(b, i) == nil {
				continue
			}
			mid := e.f.SplitEdge(b, i)
			e.needed = append(e.needed, true) // the jump that SplitEdge has made
			e.fused = append(e.fused, nil)
			blocks = slices.Insert(blocks, at, mid)
		}
	}
	e.f.Blocks = blocks
}

// copiesBefore gathers the copies of all edges that leave b, if they may be made before the branch:
// then they overwrite no register that the branch or another way still needs.
func (e *emitter) copiesBefore(b *ir.Block) ([]phiCopy, bool) {
	var all []phiCopy
	for i := range b.Succs {
		for _, c := range e.copies(b, i) {
			g := e.groupOf(c.phi)
			if cond := b.Term().Args[0]; !inline(cond) && e.groupOf(cond) == g {
				return nil, false
			}
			for j := range b.Succs {
				if j != i && !e.harmless(c, g, b, j) {
					return nil, false
				}
			}
			if !slices.ContainsFunc(all, func(o phiCopy) bool { return e.groupOf(o.phi) == g }) {
				all = append(all, c)
			}
		}
	}
	return all, true
}

// harmless reports whether the copy c may overwrite the register of g before the edge b.Succs[j] is
// taken: the old value is not needed there, or the edge needs the same copy.
func (e *emitter) harmless(c phiCopy, g *group, b *ir.Block, j int) bool {
	s := b.Succs[j]
	for _, phi := range s.Phis() {
		if e.needed[phi.ID] && e.groupOf(phi) == g {
			return slices.ContainsFunc(e.copies(b, j), func(o phiCopy) bool {
				return o.phi == phi && e.sameValue(o.from, c.from)
			})
		}
	}
	return !slices.ContainsFunc(g.members, func(m *ir.Value) bool { return e.live.liveInto(m.ID, s) })
}

// sameValue reports whether x and y are the same constant or share a register.
func (e *emitter) sameValue(x, y *ir.Value) bool {
	switch {
	case x == y:
		return true
	case inline(x) || inline(y):
		return x.Op == ir.Const && y.Op == ir.Const && x.Type == y.Type && x.Int == y.Int
	}
	return e.groupOf(x) == e.groupOf(y)
}

// phiCopy is an assignment on an edge.
type phiCopy struct{ phi, from *ir.Value }

// copies are the assignments that the edge b.Succs[succ] needs, all at once. Those made before b's
// branch are not among them.
func (e *emitter) copies(b *ir.Block, succ int) []phiCopy {
	if e.early[b] != nil {
		return nil
	}
	var out []phiCopy
	k := b.PredIndex(succ)
	for _, phi := range b.Succs[succ].Phis() {
		if !e.needed[phi.ID] {
			continue
		}
		from := phi.Args[k]
		if from.Op == ir.Extract {
			from = e.lane(from)
		}
		if inline(from) || e.groupOf(phi) != e.groupOf(from) {
			out = append(out, phiCopy{phi, from})
		}
	}
	return out
}

// emitCopies makes parallel assignments one after the other. Assignments whose target no other
// assignment still reads are first. Cycles follow. Each uses an extra register.
func (e *emitter) emitCopies(copies []phiCopy) {
	var moves []move
	for _, c := range copies {
		src := e.as(c.from, c.phi)
		if dst := e.reg(c.phi); src != ptx.Operand(dst) {
			moves = append(moves, move{dst, src, classOf(c.phi)})
		}
	}
	e.emitMoves(moves)
}

// move is an assignment to a register.
type move struct {
	dst ptx.Name
	src ptx.Operand
	c   class
}

// emitMoves makes assignments that happen at once.
func (e *emitter) emitMoves(moves []move) {
	for len(moves) > 0 {
		free := slices.IndexFunc(moves, func(m move) bool {
			return !slices.ContainsFunc(moves, func(o move) bool { return o != m && o.src == ptx.Operand(m.dst) })
		})
		if free < 0 {
			saved := e.temp(moves[0].c)
			e.mov(moves[0].c, saved, moves[0].dst)
			for i := range moves {
				if moves[i].src == ptx.Operand(moves[0].dst) {
					moves[i].src = saved
				}
			}
			continue
		}
		e.mov(moves[free].c, moves[free].dst, moves[free].src)
		moves = slices.Delete(moves, free, free+1)
	}
}
