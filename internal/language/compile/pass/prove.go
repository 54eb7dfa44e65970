package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// proofSteps bounds the facts looked at for one question.
const proofSteps = 256

// search is a shortest-path search over facts. It finds how far every value that is reached is from
// one value at best.
type search struct {
	dist  []int64 // by value ID
	stamp []int   // by value ID: the search that dist is of
	now   int
	queue []*ir.Value
}

// run visits the values that are reached from x along facts, each with its distance, until done
// returns true. A fact may improve a distance that is already found, so a value may be visited
// again.
func (s *search) run(x *ir.Value, facts [][]difference, done func(z *ir.Value, d int64) bool) bool {
	s.now++
	s.queue = append(s.queue[:0], x)
	s.dist[x.ID], s.stamp[x.ID] = 0, s.now
	steps := proofSteps
	for i := 0; i < len(s.queue); i++ {
		z := s.queue[i]
		d := s.dist[z.ID]
		if done(z, d) {
			return true
		}
		for k := len(facts[z.ID]) - 1; k >= 0; k-- {
			f := facts[z.ID][k]
			if steps--; steps < 0 {
				return false
			}
			sum, ok := addExact(d, f.c)
			if !ok || s.stamp[f.y.ID] == s.now && s.dist[f.y.ID] <= sum {
				continue
			}
			s.dist[f.y.ID], s.stamp[f.y.ID] = sum, s.now
			s.queue = append(s.queue, f.y)
		}
	}
	return false
}

// proveLE reports whether x <= y + c is known here. That is so by a chain of facts from x to y. It
// is also so where a chain leads from x to one value and from another value to y, and the range of
// the one ends below the start of the range of the other.
func (r *ranges) proveLE(x, y *ir.Value, c int64) bool {
	lo := r.rangeOf(y).lo
	if sum, ok := addExact(lo, c); ok && r.rangeOf(x).hi <= sum || x == y && c >= 0 {
		return true
	}
	r.search.run(y, r.ge, func(z *ir.Value, d int64) bool { // z <= y + d
		if sum, ok := addExact(r.rangeOf(z).lo, -d); ok && d != math.MinInt64 {
			lo = max(lo, sum)
		}
		return false
	})
	return r.search.run(x, r.le, func(z *ir.Value, d int64) bool { // x <= z + d
		if z == y && d <= c {
			return true
		}
		sum, ok := addExact(r.rangeOf(z).hi, d)
		limit, ok2 := addExact(lo, c)
		return ok && ok2 && sum <= limit
	})
}

// proveBelowDifference reports whether the constant k is known to be at most v, which is x-y with
// 0 <= y <= x-k: so it is with what a slice has left where a test wants k elements.
func (r *ranges) proveBelowDifference(k, v *ir.Value) bool {
	c, ok := k.IntConst()
	if !ok || c < 0 || v.Op != ir.Subtract || r.rangeOf(v.Args[1]).lo < 0 {
		return false
	}
	return r.proveLE(v.Args[1], v.Args[0], -c)
}

// proveNotNegative reports whether 0 <= x is known here.
func (r *ranges) proveNotNegative(x *ir.Value) bool {
	return r.search.run(x, r.ge, func(z *ir.Value, d int64) bool { // z <= x + d
		return r.rangeOf(z).lo >= d
	})
}

// compare is the interval of the Bool v, a Cmp: one value where the comparison is decided.
func (r *ranges) compare(v *ir.Value) interval {
	x, y := v.Args[0], v.Args[1]
	both := interval{0, 1}
	if !x.Type.IsInt() {
		return both
	}
	le := func(x, y *ir.Value, c int64) bool {
		if r.relate {
			return r.proveLE(x, y, c)
		}
		lo, ok := addExact(r.rangeOf(y).lo, c)
		return ok && r.rangeOf(x).hi <= lo
	}
	sub := v.Sub
	if sub >= ir.LtU { // as signed, where both are known not to be negative
		if r.rangeOf(x).lo < 0 || r.rangeOf(y).lo < 0 {
			return both
		}
		sub = sub - ir.LtU + ir.Lt
	}
	decide := func(yes, no bool) interval {
		switch {
		case yes:
			return point(1)
		case no:
			return point(0)
		}
		return both
	}
	switch sub {
	case ir.Lt:
		return decide(le(x, y, -1), le(y, x, 0))
	case ir.Le:
		return decide(le(x, y, 0), le(y, x, -1))
	case ir.Gt:
		return decide(le(y, x, -1), le(x, y, 0))
	case ir.Ge:
		return decide(le(y, x, 0), le(x, y, -1))
	}
	apart := le(x, y, -1) || le(y, x, -1)
	same := r.rangeOf(x) == r.rangeOf(y) && r.rangeOf(x).lo == r.rangeOf(x).hi
	if sub == ir.Eq {
		return decide(same, apart)
	}
	return decide(apart, same)
}

// holds reports whether a check cannot fail here.
func (r *ranges) holds(v *ir.Value) bool {
	x := v.Args[0]
	switch v.Sub {
	case ir.CheckIndex:
		return r.proveNotNegative(x) && r.proveLE(x, v.Args[1], -1)
	case ir.CheckSliceHigh, ir.CheckSliceLen, ir.CheckSliceLow, ir.CheckSliceMax, ir.CheckSliceHigh3,
		ir.CheckSliceMaxLen, ir.CheckSliceLow3:
		return r.proveNotNegative(x) && r.proveLE(x, v.Args[1], 0)
	case ir.CheckSliceToArr:
		return r.proveLE(v.Args[1], x, 0)
	case ir.CheckShift, ir.CheckMakeLen:
		return r.proveNotNegative(x)
	case ir.CheckDivide:
		a := r.rangeOf(x)
		return a.lo > 0 || a.hi < 0 || r.non0[x]
	case ir.CheckNil:
		return r.nonNil(x)
	case ir.CheckAssert, ir.CheckOverflow:
		return r.rangeOf(x) == point(1)
	}
	return false
}

// nonNil reports whether a pointer is not nil: it is the address of a variable, or one that was
// checked, or an address inside one of these.
func (r *ranges) nonNil(p *ir.Value) bool {
	for p.Op == ir.PtrAdd && !r.non0[p] {
		p = p.Args[0]
	}
	return inVariable(p) || r.non0[p]
}
