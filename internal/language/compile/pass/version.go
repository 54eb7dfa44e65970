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
	maxVersionConst   = 4096      // the largest index that no parameter bounds
	maxVersionLength  = 1<<30 - 1 // of a slice whose indices become narrow
	maxVersionOffset  = 1 << 29   // the largest distance of an index of 32 bits from another value
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
// In the first version the parameters are small and the slices not too long, so that Narrow computes
// indices in 32 bits. The second has all checks, and fails where the kernel would. Bounds are sums of
// products of parameters (see spanner), as in symbolic range analysis: Blume and Eigenmann, "Symbolic range
// propagation", IPPS 1995.
//
// The grid's sizes are parameters here, so that a kernel needs no test of its block's number.
//
// Checks that Split takes out of their loop count for nothing. Barriers and other convergent operations
// are copied as well: all threads of a grid run the same version, so that threads which met at one of
// them meet at the same copy of it.
func Version(f *ir.Func) {
	if !worthVersions(f) {
		return
	}
	addGridSizes(f)
	p := &versioning{f: f, conds: map[*ir.Value]*versionCond{}, params: map[*ir.Value]bool{}}
	p.r = analyse(f, p.visit)
	if p.never || p.weight < minVersionWeight || !p.choosePart() {
		return
	}
	if needed := p.needed(); 2*len(needed) <= min(p.weight, 2*maxVersionConds) && len(needed)+len(p.params) > 0 {
		p.split(needed)
	}
}

// worthVersions reports, before ranges are known, whether enough checks may go.
func worthVersions(f *ir.Func) bool {
	checks := 0
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if _, _, ok := versionCheck(v); ok {
				checks++
			}
		}
	}
	return checks*versionLoopWeight >= minVersionWeight
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
	never  bool      // a condition cannot hold: its bound is the length itself, or more
	top    *ir.Block // dominates the checks; the part begins in it
	at     int       // with this instruction
	part   []*ir.Block
}

// versionCond makes a check hold: 0 <= lo, and hi < length.
type versionCond struct {
	lo, hi polynomial
	length *ir.Value
	narrow bool                   // the index is shown to have 32 bits, which its range does not say
	known  map[*ir.Value]interval // the ranges of the parameters where the check is
}

// visit looks at a check, with the facts known there. The grid's sizes are no bounds where others are:
// grids are often a little larger than what the kernel's own tests let pass.
func (p *versioning) visit(r *ranges, v *ir.Value) {
	for _, grid := range []bool{false, true} {
		if p.bound(r, v, grid) {
			p.checks = append(p.checks, v)
			p.weight += p.weighs(r, v)
			return
		}
	}
}

// bound finds the condition of a check, with the sizes of the grid or without. It reports whether there
// is one.
func (p *versioning) bound(r *ranges, v *ir.Value, grid bool) bool {
	length, more, ok := versionCheck(v)
	if !ok {
		return false
	}
	most, fixed := length.IntConst()
	s := &spanner{r: r, known: r.rangeOf, fixed: fixed, grid: grid, memo: map[*ir.Value]*span{}}
	b := s.of(v.Args[0], maxSpanDepth)
	if b == nil {
		return false
	}
	c := &versionCond{lo: b.lo, hi: b.hi.with(product{by: -more}), length: length}
	c.narrow = r.loops.Of(v.Block) == nil && !int32Range.contains(r.rangeOf(v.Args[0])) && (!fixed || most <= maxVersionLength)
	if s.atLeast(c.lo, 0) {
		c.lo = nil
	}
	if lo, ok := c.lo.number(); ok && lo < 0 && c.lo != nil {
		return false // it may fail, whatever the parameters are
	}
	if hi, ok := c.hi.number(); ok && (fixed && hi >= most || !fixed && hi > maxVersionConst) {
		return false
	} else if ok && fixed {
		c.hi = nil
	}
	if itself := (polynomial{{of: []*ir.Value{length}, by: 1}}); !fixed && s.atLeast(c.hi.plus(itself, -1), 0) {
		p.never = true
	}
	c.known = map[*ir.Value]interval{}
	for _, b := range s.memo {
		b.eachParam(func(v *ir.Value) { p.params[v], c.known[v] = true, r.rangeOf(v) })
	}
	p.conds[v] = c
	return true
}

// weighs returns the weight of a check, which is more in an innermost loop. Split does well where an
// index in such a loop is the counter plus something.
func (p *versioning) weighs(r *ranges, v *ir.Value) int {
	l := r.loops.Of(v.Block)
	if l == nil {
		return 1
	}
	if len(l.Children) > 0 {
		return 1 // the time goes into the loops inside
	}
	c, _ := countingTest(r.loops, l)
	if _, convergent := loopSize(l); c == nil || convergent {
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
		p.at = slices.IndexFunc(p.top.Instrs, func(v *ir.Value) bool { return v.Op != ir.Phi && !isEntryOp(v) && !isGridSize(v) })
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
		if b != p.f.Entry() && slices.ContainsFunc(instrs, func(v *ir.Value) bool { return isEntryOp(v) && v.Op != ir.Const }) {
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
	for i, v := range slices.Clone(top.Instrs) {
		if i >= p.at && isEntryOp(v) { // it needs nothing, and the copies follow it
			top.Instrs = slices.Insert(slices.Delete(top.Instrs, i, i+1), p.at, v)
			p.at++
		}
	}
	uses := p.uses()
	rest := f.SplitBlock(top, p.at)
	f.Blocks = f.Blocks[:len(f.Blocks)-1]
	l := &ir.Loop{Header: rest, Blocks: append([]*ir.Block{rest}, p.part...)}
	t := newTemplate(l)
	values := map[*ir.Value]*ir.Value{}
	made := t.copy(f, values)
	for _, c := range p.checks {
		copied := values[c]
		if p.conds[c].narrow {
			p.narrow(copied, values, uses[c])
		}
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
	if lengths := p.lengths(e); lengths != nil {
		compare(ir.LeU, lengths, e.constant(ir.I64, maxVersionLength))
	}
	if small != nil {
		compare(ir.LeU, small, e.constant(ir.I64, maxVersionParam))
	}
	low := lowHalves(e, p.params)
	for _, c := range needed {
		if c.lo != nil {
			compare(ir.Ge, e.value(c.lo.of(low).expr()), e.constant(ir.I64, 0))
		}
		if c.hi != nil {
			compare(ir.Lt, e.value(c.hi.of(low).expr()), c.length)
		}
	}
	return all
}

// lowHalves extends the low halves of parameters, which are the parameters where the test finds them
// small: so their products are single instructions. Nothing depends on the rest of the test elsewhere.
func lowHalves(e *exprEmitter, params map[*ir.Value]bool) map[*ir.Value]*ir.Value {
	low := map[*ir.Value]*ir.Value{}
	for _, v := range slices.SortedFunc(maps.Keys(params), func(v, w *ir.Value) int { return cmp.Compare(v.ID, w.ID) }) {
		if v.Op == ir.ParamVal {
			low[v] = e.emit(ir.Sext32, ir.I64, e.emit(ir.Trunc, ir.I32, v))
		}
	}
	return low
}

// of is x with other values in place of some.
func (x polynomial) of(values map[*ir.Value]*ir.Value) polynomial {
	out := polynomial{}
	for _, p := range x {
		y := polynomial{{by: p.by}}
		for _, v := range p.of {
			y = y.times(polynomial{{of: []*ir.Value{get(values, v)}, by: 1}})
		}
		out = out.plus(y, 1)
	}
	return out
}

// versionUse is a use of an index, or of the value that the index is a constant away from, where the
// index's check has passed.
type versionUse struct {
	v    *ir.Value
	arg  int
	root bool
}

// uses finds the uses of the indices that become narrow, by check.
func (p *versioning) uses() map[*ir.Value][]versionUse {
	out := map[*ir.Value][]versionUse{}
	all := p.f.Uses()
	for _, c := range p.checks {
		if !p.conds[c].narrow {
			continue
		}
		at := slices.Index(c.Block.Instrs, c)
		find := func(x *ir.Value, root bool) {
			for _, u := range all[x.ID] {
				after := u.Block != c.Block && p.r.dom.Dominates(c.Block, u.Block) ||
					u.Block == c.Block && slices.Index(u.Block.Instrs, u) > at
				if after && u.Op != ir.Phi {
					out[c] = append(out[c], versionUse{u, slices.Index(u.Args, x), root})
				}
			}
		}
		find(c.Args[0], false)
		if root, offset := awayFrom(c.Args[0]); offset != 0 {
			find(root, true)
		}
	}
	return out
}

// awayFrom takes an index apart: neighbours are a constant away from one value.
func awayFrom(index *ir.Value) (root *ir.Value, offset int64) {
	if index.Op == ir.Add {
		if c, ok := index.Args[1].IntConst(); ok && -maxVersionOffset <= c && c <= maxVersionOffset {
			return index.Args[0], c
		}
	}
	return index, 0
}

// narrow lets uses of an index, in the version without its check, take the low half of the index,
// extended. Where the index is a constant away from a value, this is the value's low half, and the
// constant is added in 64 bits: addresses differ by it.
func (p *versioning) narrow(check *ir.Value, values map[*ir.Value]*ir.Value, uses []versionUse) {
	root, offset := awayFrom(check.Args[0])
	emit := func(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
		v := p.f.NewValue(op, t, args...)
		v.Pos = check.Pos
		check.Block.Insert(slices.Index(check.Block.Instrs, check), v)
		return v
	}
	low := emit(ir.Sext32, ir.I64, emit(ir.Trunc, ir.I32, root))
	index := low
	if offset != 0 {
		c := emit(ir.Const, ir.I64)
		c.Int = wrap(ir.I64, offset)
		index = emit(ir.Add, ir.I64, low, c)
	}
	for _, u := range uses {
		values[u.v].Args[u.arg] = index
		if u.root {
			values[u.v].Args[u.arg] = low
		}
	}
}

// lengths is an expression that is not above maxVersionLength if the lengths of slices with narrow
// indices are not, nil if there are none.
func (p *versioning) lengths(e *exprEmitter) (all *ir.Value) {
	seen := map[*ir.Value]bool{}
	for _, v := range p.checks {
		c := p.conds[v]
		if _, fixed := c.length.IntConst(); fixed || !c.narrow || seen[c.length] {
			continue
		}
		seen[c.length] = true
		if all == nil {
			all = c.length
		} else {
			all = e.emit(ir.Or, ir.I64, all, c.length)
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
