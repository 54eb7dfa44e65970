package pass

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Limits of Version: the instructions that are copied, and what the checks weigh that a copy does
// without, those in loops more.
const (
	maxVersionSize    = 700
	minVersionWeight  = 3
	versionLoopWeight = 4
	maxVersionConds   = 8
	maxVersionConst   = 4096 // what an index may be that no parameter bounds
)

// Version makes two versions of a part of a kernel whose indices are bounded by its parameters: one
// without the checks of these indices, and the part as it was. A test of the parameters, which is the
// same in all threads, chooses.
//
//	if x >= width || y >= height { return }
//	check y*width+x < len(a); check y*width+x+1 < len(b); …
//
//	if x >= width || y >= height { return }
//	if width|height < 1<<29 && width*height-1 < len(a) && width*height < len(b) { … }
//	else { check y*width+x < len(a); check y*width+x+1 < len(b); … }
//
// In the first version the parameters are small, so that Narrow computes what it makes of them in 32
// bits. The second has all checks, and fails where the kernel would. Bounds are sums of products of
// parameters (see spanner), as in symbolic range analysis: Blume and Eigenmann, "Symbolic range
// propagation", IPPS 1995.
//
// Checks that Split takes out of their loop count for nothing. Version copies no convergent operation.
func Version(f *ir.Func) {
	if !worthVersions(f) {
		return
	}
	p := &versioning{f: f, conds: map[*ir.Value]*versionCond{}, params: map[*ir.Value]bool{}}
	p.r = analyse(f, p.visit)
	if p.weight < minVersionWeight || !p.choosePart() {
		return
	}
	if needed := p.needed(); 2*len(needed) <= min(p.weight, 2*maxVersionConds) && len(needed)+len(p.params) > 0 {
		p.split(needed)
	}
}

// worthVersions reports, before ranges are known, whether enough checks may go, and whether no
// operation that cannot be copied comes after the first of them.
func worthVersions(f *ir.Func) bool {
	dom := f.Dominators()
	var top *ir.Block
	checks := 0
	for _, b := range dom.Order {
		for _, v := range b.Instrs {
			if _, _, ok := versionCheck(v); !ok {
				continue
			}
			if checks++; top == nil {
				top = b
			}
			for !dom.Dominates(top, b) {
				top = dom.Idom(top)
			}
		}
	}
	if checks*versionLoopWeight < minVersionWeight {
		return false
	}
	return !slices.ContainsFunc(dom.Order, func(b *ir.Block) bool {
		return b != top && dom.Dominates(top, b) && slices.ContainsFunc(b.Instrs, together)
	})
}

// versionCheck returns the length of a check that Version knows. The index must be below length+more.
func versionCheck(v *ir.Value) (length *ir.Value, more int64, ok bool) {
	if v.Op != ir.Check || len(v.Args) < 2 || v.Args[0].Type != ir.I64 {
		return nil, 0, false
	}
	switch v.Sub {
	case ir.CheckIndex:
	case ir.CheckSliceHigh, ir.CheckSliceLen:
		more = 1
	default:
		return nil, 0, false
	}
	_, fixed := v.Args[1].IntConst()
	return v.Args[1], more, fixed || isSizeParam(v.Args[1])
}

// versioning is the part of a function to be copied.
type versioning struct {
	f      *ir.Func
	r      *ranges
	conds  map[*ir.Value]*versionCond // by check
	checks []*ir.Value                // the same, in the order of the text
	params map[*ir.Value]bool         // those that must be small
	weight int
	top    *ir.Block // dominates the checks; the part begins in it
	at     int       // with this instruction
	part   []*ir.Block
}

// versionCond makes a check hold: 0 <= lo, and hi < length.
type versionCond struct {
	lo, hi polynomial
	length *ir.Value
	known  map[*ir.Value]interval // the ranges of the parameters where the check is
}

// visit looks at a check, with the facts known there.
func (p *versioning) visit(r *ranges, v *ir.Value) {
	length, more, ok := versionCheck(v)
	if !ok {
		return
	}
	most, fixed := length.IntConst()
	s := &spanner{r: r, known: r.rangeOf, fixed: fixed, memo: map[*ir.Value]*span{}}
	b := s.of(v.Args[0], maxSpanDepth)
	if b == nil {
		return
	}
	c := &versionCond{lo: b.lo, hi: b.hi.with(product{by: -more}), length: length}
	if s.atLeast(c.lo, 0) {
		c.lo = nil
	}
	if lo, ok := c.lo.number(); ok && lo < 0 && c.lo != nil {
		return // it may fail, whatever the parameters are
	}
	if hi, ok := c.hi.number(); ok && (fixed && hi >= most || !fixed && hi > maxVersionConst) {
		return
	} else if ok && fixed {
		c.hi = nil
	}
	c.known = map[*ir.Value]interval{}
	for _, b := range s.memo {
		b.eachParam(func(v *ir.Value) { p.params[v], c.known[v] = true, r.rangeOf(v) })
	}
	p.conds[v] = c
	p.checks = append(p.checks, v)
	p.weight += p.weighs(r, v)
}

// weighs returns the weight of a check. Split does well where an index in a loop is the
// counter plus something.
func (p *versioning) weighs(r *ranges, v *ir.Value) int {
	l := r.loops.Of(v.Block)
	if l == nil {
		return 1
	}
	c, _ := countingTest(r.loops, l)
	if c == nil || len(l.Children) > 0 {
		return versionLoopWeight
	}
	d := &decomposer{loops: r.loops, l: l, phi: c.phi}
	if x := d.linear(v.Args[0], maxSplit); x != nil {
		if a, ok := x.a.number(); ok && 0 <= a && a <= 1 {
			return 0
		}
	}
	return versionLoopWeight
}

// choosePart finds the part: from a place in no loop that dominates all checks to the ends of what it
// dominates. It reports whether the part may be copied.
func (p *versioning) choosePart() bool {
	dom, loops := p.r.dom, p.r.loops
	p.top = p.checks[0].Block
	for _, v := range p.checks {
		for !dom.Dominates(p.top, v.Block) {
			p.top = dom.Idom(p.top)
		}
	}
	for l := loops.Of(p.top); l != nil; l = loops.Of(p.top) {
		if p.top = dom.Idom(l.Header); p.top == nil {
			return false
		}
	}
	p.at = len(p.top.Instrs) - 1
	if slices.ContainsFunc(p.top.Instrs, func(v *ir.Value) bool { return p.conds[v] != nil }) {
		p.at = slices.IndexFunc(p.top.Instrs, func(v *ir.Value) bool { return v.Op != ir.Phi && !isEntryOp(v) })
	}
	size := 0
	for _, b := range dom.Order {
		if !dom.Dominates(p.top, b) {
			continue
		}
		instrs := b.Instrs
		if b == p.top {
			instrs = instrs[p.at:]
		} else {
			p.part = append(p.part, b)
		}
		size += len(instrs)
		if slices.ContainsFunc(instrs, func(v *ir.Value) bool { return together(v) || isEntryOp(v) && v.Op != ir.Const }) {
			return false
		}
	}
	return size <= maxVersionSize && p.entered()
}

// entered reports whether an edge leads into the part nowhere but at its top.
func (p *versioning) entered() bool {
	for _, b := range p.part {
		for _, q := range b.Preds {
			if p.r.dom.Reachable(q) && q != p.top && !slices.Contains(p.part, q) {
				return false
			}
		}
	}
	return true
}

// isEntryOp reports whether v is of the instructions at the beginning of a function, which are not
// copied.
func isEntryOp(v *ir.Value) bool {
	switch v.Op {
	case ir.Const, ir.ParamVal, ir.SReg, ir.Alloca, ir.DynSize:
		return true
	}
	return false
}

// split makes the versions.
func (p *versioning) split(needed []*versionCond) {
	f, top := p.f, p.top
	rest := f.SplitBlock(top, p.at)
	f.Blocks = f.Blocks[:len(f.Blocks)-1]
	l := &ir.Loop{Header: rest, Blocks: append([]*ir.Block{rest}, p.part...)}
	t := newTemplate(l)
	values := map[*ir.Value]*ir.Value{}
	made := t.copy(f, values)
	for _, c := range p.checks {
		copied := values[c]
		copied.Block.Remove(copied)
		c.Name = splitOff
	}
	ok := p.test(&exprEmitter{f: f, b: top, pos: rest.Term().Pos}, needed)
	branch := f.NewValue(ir.Branch, ir.Void, ok)
	branch.Pos = rest.Term().Pos
	top.Append(branch)
	ir.AddEdge(top, made[rest])
	ir.AddEdge(top, rest)
	var blocks []*ir.Block
	for _, b := range t.blocks {
		blocks = append(blocks, made[b])
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return slices.Contains(blocks, b) })
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, top)+1, append(blocks, rest)...)
}

// test computes whether the checks hold.
func (p *versioning) test(e *exprEmitter, needed []*versionCond) *ir.Value {
	var all, small *ir.Value
	both := func(op ir.Op, t ir.Type, x, y *ir.Value) *ir.Value {
		if x == nil {
			return y
		}
		return e.emit(op, t, x, y)
	}
	compare := func(sub ir.Sub, x, y *ir.Value) {
		c := e.emit(ir.Cmp, ir.Bool, x, y)
		c.Sub = sub
		all = both(ir.And, ir.Bool, all, c)
	}
	for _, v := range slices.SortedFunc(maps.Keys(p.params), func(v, w *ir.Value) int { return cmp.Compare(v.ID, w.ID) }) {
		small = both(ir.Or, ir.I64, small, v)
	}
	if small != nil {
		compare(ir.LeU, small, e.constant(ir.I64, maxVersionParam))
	}
	for _, c := range needed {
		if c.lo != nil {
			compare(ir.Ge, e.value(c.lo.expr()), e.constant(ir.I64, 0))
		}
		if c.hi != nil {
			compare(ir.Lt, e.value(c.hi.expr()), c.length)
		}
	}
	return all
}

// needed lists the conditions of the checks, without those that follow from another.
func (p *versioning) needed() (out []*versionCond) {
	for _, v := range p.checks {
		c := p.conds[v]
		if c.lo == nil && c.hi == nil || slices.ContainsFunc(out, func(d *versionCond) bool { return c.follows(d) }) {
			continue
		}
		out = slices.DeleteFunc(out, func(d *versionCond) bool { return d.follows(c) })
		out = append(out, c)
	}
	return out
}

// follows reports whether c holds at its check if d holds.
func (c *versionCond) follows(d *versionCond) bool {
	s := &spanner{known: func(v *ir.Value) interval {
		if x, ok := c.known[v]; ok {
			return x
		}
		return typeRange(v.Type)
	}}
	low := c.lo == nil || d.lo != nil && s.atLeast(c.lo.plus(d.lo, -1), 0)
	return low && (c.hi == nil || d.hi != nil && d.length == c.length && s.atLeast(d.hi.plus(c.hi, -1), 0))
}
