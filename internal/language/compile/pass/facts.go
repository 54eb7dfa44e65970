package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// assume adds, until the scope ends, the fact that the Bool c is truth.
func (r *ranges) assume(c *ir.Value, truth bool) {
	r.refine(c, point(int64(b2i(truth))))
	switch {
	case c.Op == ir.Not:
		r.assume(c.Args[0], !truth)
	case c.Op == ir.And && truth, c.Op == ir.Or && !truth:
		r.assume(c.Args[0], truth)
		r.assume(c.Args[1], truth)
	case c.Op == ir.Cmp:
		sub := c.Sub
		if !truth {
			if c.Args[0].Type.IsFloat() {
				return
			}
			sub = negated(sub)
		}
		r.assumeCmp(sub, c.Args[0], c.Args[1])
	}
}

// assumeCmp assumes x sub y.
func (r *ranges) assumeCmp(sub ir.Sub, x, y *ir.Value) {
	if x.Type == ir.Ptr {
		if sub == ir.Ne && y.Op == ir.NilPtr {
			r.setNon0(x)
		} else if sub == ir.Ne && x.Op == ir.NilPtr {
			r.setNon0(y)
		}
		return
	}
	if !x.Type.IsInt() {
		return
	}
	switch sub {
	case ir.Eq:
		r.assumeLE(x, y, 0)
		r.assumeLE(y, x, 0)
	case ir.Ne:
		r.assumeNe(x, y)
		r.assumeNe(y, x)
	case ir.Lt:
		r.assumeLE(x, y, -1)
	case ir.Le:
		r.assumeLE(x, y, 0)
	case ir.Gt:
		r.assumeLE(y, x, -1)
	case ir.Ge:
		r.assumeLE(y, x, 0)
	case ir.LtU, ir.LeU:
		r.assumeUnsigned(sub, x, y)
	case ir.GtU:
		r.assumeUnsigned(ir.LtU, y, x)
	case ir.GeU:
		r.assumeUnsigned(ir.LeU, y, x)
	}
}

// assumeUnsigned is x < y or x <= y unsigned: a signed fact where y is not negative.
func (r *ranges) assumeUnsigned(sub ir.Sub, x, y *ir.Value) {
	if r.rangeOf(y).lo >= 0 && x.Op == ir.Or { // neither part of x has bits that x has not
		r.assumeUnsigned(ir.LeU, x.Args[0], y)
		r.assumeUnsigned(ir.LeU, x.Args[1], y)
	}
	if r.rangeOf(y).lo < 0 {
		if sub == ir.LtU && r.rangeOf(x).lo == 0 { // 0 <= x < y: y is not 0
			r.setNon0(y)
		}
		return
	}
	r.refine(x, interval{0, math.MaxInt64})
	c := int64(0)
	if sub == ir.LtU {
		c = -1
	}
	r.assumeLE(x, y, c)
}

// assumeNe cuts a value off the end of a range, where the range's value is known not to be it.
func (r *ranges) assumeNe(x, y *ir.Value) {
	a, b := r.rangeOf(x), r.rangeOf(y)
	if b.lo != b.hi {
		return
	}
	switch {
	case a.lo == b.lo && a.lo < math.MaxInt64:
		r.refine(x, interval{a.lo + 1, math.MaxInt64})
	case a.hi == b.lo && a.hi > math.MinInt64:
		r.refine(x, interval{math.MinInt64, a.hi - 1})
	case b.lo == 0:
		r.setNon0(x)
	}
}

func (r *ranges) setNon0(v *ir.Value) {
	if !r.non0[v] {
		r.non0[v] = true
		r.undo = append(r.undo, undo{v: v, kind: undoNon0})
	}
}

// assumeLE assumes x <= y + c.
func (r *ranges) assumeLE(x, y *ir.Value, c int64) {
	if hi, ok := addExact(r.rangeOf(y).hi, c); ok {
		r.refine(x, interval{math.MinInt64, hi})
	}
	if lo, ok := addExact(r.rangeOf(x).lo, -c); ok && c != math.MinInt64 {
		r.refine(y, interval{lo, math.MaxInt64})
	}
	if r.relate {
		r.relation(x, y, c)
	}
}

// relation notes x <= y + c, unless that says next to nothing. Facts about constants are
// intervals.
func (r *ranges) relation(x, y *ir.Value, c int64) {
	if x == y || x.Op == ir.Const || y.Op == ir.Const || c > 2*maxLen || c < -2*maxLen {
		return
	}
	r.le[x.ID] = append(r.le[x.ID], difference{y, c})
	r.ge[y.ID] = append(r.ge[y.ID], difference{x, c})
	r.undo = append(r.undo, undo{v: x, kind: undoLE}, undo{v: y, kind: undoGE})
}

// refine narrows the interval of v here, and of what v is made from where that follows.
func (r *ranges) refine(v *ir.Value, x interval) {
	if !r.known[v.ID] || v.Op == ir.Const {
		return
	}
	old := r.cur[v.ID]
	x = old.meet(x)
	if x == old || x.empty() { // empty: this place cannot be reached; nothing need be known
		return
	}
	r.undo = append(r.undo, undo{v: v, old: old, kind: undoCur})
	r.cur[v.ID] = x
	switch v.Op {
	case ir.ParamVal:
		r.refineBelow(v, x.hi)
	case ir.Sext32:
		r.refine(v.Args[0], x)
	case ir.Zext32, ir.Trunc, ir.Sext8, ir.Sext16, ir.Zext8, ir.Zext16:
		if r.exact[v.ID] {
			r.refine(v.Args[0], x)
		}
	case ir.Add:
		if c, ok := v.Args[1].IntConst(); ok && r.exact[v.ID] {
			if y, ok := x.sumOf(point(-c)); ok && c != math.MinInt64 {
				r.refine(v.Args[0], y)
			}
		}
	}
}

// refineBelow narrows the intervals of what is known not to be above v and a constant, if v is at most
// hi: in x < width, and then width < 1000, x is below 1000 as well.
func (r *ranges) refineBelow(v *ir.Value, hi int64) {
	if r.spreads { // facts that cannot all hold, of code that cannot run, would go round in a circle
		return
	}
	r.spreads = true
	defer func() { r.spreads = false }()
	for _, d := range r.ge[v.ID] {
		if most, ok := addExact(hi, d.c); ok {
			r.refine(d.y, interval{math.MinInt64, most})
		}
	}
}

// assumeCheck adds the facts that hold after a check.
func (r *ranges) assumeCheck(v *ir.Value) {
	x := v.Args[0]
	atLeast0 := func() { r.refine(x, interval{0, math.MaxInt64}) }
	switch v.Sub {
	case ir.CheckIndex:
		atLeast0()
		r.assumeLE(x, v.Args[1], -1)
	case ir.CheckSliceHigh, ir.CheckSliceLen, ir.CheckSliceLow, ir.CheckSliceMax, ir.CheckSliceHigh3,
		ir.CheckSliceMaxLen, ir.CheckSliceLow3:
		atLeast0()
		r.assumeLE(x, v.Args[1], 0)
		r.assumePart(x, v.Args[1])
	case ir.CheckSliceToArr:
		r.assumeLE(v.Args[1], x, 0)
	case ir.CheckShift, ir.CheckMakeLen:
		atLeast0()
	case ir.CheckDivide:
		switch a := r.rangeOf(x); {
		case a.lo == 0:
			r.refine(x, interval{1, math.MaxInt64})
		case a.hi == 0:
			r.refine(x, interval{math.MinInt64, -1})
		default:
			r.setNon0(x)
		}
	case ir.CheckNil:
		r.setNon0(x)
	case ir.CheckAssert, ir.CheckOverflow:
		r.assume(x, true)
	}
}

// assumePart assumes what low <= high says of n, where high is low + n, as in x[low:low+n]: n is
// their difference, which is no larger than high.
func (r *ranges) assumePart(low, high *ir.Value) {
	if high.Op != ir.Add || high.Type != low.Type {
		return
	}
	part := interval{0, r.rangeOf(high).hi}
	for i, x := range high.Args {
		if x == low {
			r.refine(high.Args[1-i], part)
		}
	}
}

// defineFacts notes the differences that the operation of v makes known.
func (r *ranges) defineFacts(v *ir.Value) {
	equal := func(x, y *ir.Value) {
		r.relation(x, y, 0)
		r.relation(y, x, 0)
	}
	switch v.Op {
	case ir.Sext32, ir.Zext32, ir.Trunc, ir.Sext8, ir.Sext16, ir.Zext8, ir.Zext16:
		if r.exact[v.ID] {
			equal(v, v.Args[0])
		}
	case ir.Add:
		if r.exact[v.ID] {
			r.sumFacts(v, v.Args[0], v.Args[1])
		}
	case ir.Subtract:
		x, y := v.Args[0], v.Args[1]
		if b := r.rangeOf(y); r.exact[v.ID] && b.lo != math.MinInt64 {
			r.relation(v, x, -b.lo)
			r.relation(x, v, b.hi)
		}
	case ir.MinS, ir.MinU:
		for i, a := range v.Args {
			if v.Op == ir.MinS || r.rangeOf(v.Args[i]).lo >= 0 {
				r.relation(v, a, 0)
			}
		}
	case ir.MaxS:
		r.relation(v.Args[0], v, 0)
		r.relation(v.Args[1], v, 0)
	case ir.And:
		for _, a := range v.Args {
			if r.rangeOf(a).lo >= 0 {
				r.relation(v, a, 0)
			}
		}
	case ir.RemS, ir.RemU, ir.DivS, ir.DivU, ir.ShrS, ir.ShrU:
		r.quotientFacts(v, v.Args[0], v.Args[1])
	case ir.SReg: // tid < ntid, ctaid < nctaid
		r.sregFacts(v)
	}
}

// sumFacts is for v = x + y.
func (r *ranges) sumFacts(v, x, y *ir.Value) {
	for range 2 {
		if b := r.rangeOf(y); b.lo != math.MinInt64 {
			r.relation(v, x, b.hi)
			r.relation(x, v, -b.lo)
		}
		x, y = y, x
	}
}

// quotientFacts is for v = x / y, x % y, x >> y.
func (r *ranges) quotientFacts(v, x, y *ir.Value) {
	if r.rangeOf(x).lo >= 0 {
		r.relation(v, x, 0)
	}
	if (v.Op == ir.RemS || v.Op == ir.RemU) && r.rangeOf(y).lo > 0 {
		r.relation(v, y, -1)
	}
}

func (r *ranges) sregFacts(v *ir.Value) {
	for _, w := range r.f.Entry().Instrs {
		if w.Op != ir.SReg || !r.known[w.ID] {
			continue
		}
		for _, p := range [...][2]ir.Sub{{ir.TidX, ir.NTidX}, {ir.CTAIdX, ir.NCTAIdX}, {ir.CTAInClusterX, ir.NCTAInClusterX}} {
			for k := range ir.Sub(3) {
				if v.Sub == p[0]+k && w.Sub == p[1]+k {
					r.relation(v, w, -1)
				} else if v.Sub == p[1]+k && w.Sub == p[0]+k {
					r.relation(w, v, -1)
				}
			}
		}
	}
}
