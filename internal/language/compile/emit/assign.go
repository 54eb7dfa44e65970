package emit

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// assign gives every needed value a register. A phi shares its register with the values that flow
// into it, unless two of them are needed at once (Budimlić et al., "Fast Copy Coalescing and
// Live-Range Identification", 2002). Where it cannot share, the edge gets a copy. Registers are
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
	reg     string
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
	for _, x := range ga.members {
		for _, y := range gb.members {
			if e.live.interfere(x.ID, y.ID) {
				return
			}
		}
	}
	ga.members = append(ga.members, gb.members...)
	for _, y := range gb.members {
		e.group[y.ID] = ga
	}
}

// form is the space of an address that is kept in 64 bits and is not generic: a copy to a generic
// one converts it. It is Generic for all other values.
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
	for _, b := range slices.Clone(e.f.Blocks) {
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
			e.f.Blocks = slices.DeleteFunc(e.f.Blocks, func(x *ir.Block) bool { return x == mid })
			e.f.Blocks = slices.Insert(e.f.Blocks, slices.Index(e.f.Blocks, b)+1, mid)
		}
	}
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

// emitCopies makes parallel assignments one after the other. First come those whose target no other
// assignment still reads. Cycles follow, through a register of their own.
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
