package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// span is two sums of products of a kernel's parameters, between which a value is where a spanner
// found it, if each parameter is from 0 to maxVersionParam. These sums, and all values between, are
// far from the ends of 64 bits.
type span struct{ lo, hi polynomial }

// Limits of spans: what a parameter is at most, the factors of a product, the sum of the absolute
// factors of products of that many parameters, the factor of one parameter, the constant, and the
// constant by which a bound is widened to be one of two sums.
const (
	maxVersionParam = 1<<29 - 1
	maxSpanFactors  = 2
	maxSpanProducts = 16
	maxSpanOfOne    = 1 << 16
	maxSpanConstant = 1 << 40
	maxSpanFactor   = 1 << 58 // of one of few products, whose sum does not wrap
	maxSpanWidening = 64
	maxSpanDepth    = 12
)

// spanner finds the spans of values at one place, with the facts that are known there.
type spanner struct {
	r     *ranges
	known func(v *ir.Value) interval // of a parameter
	fixed bool                       // a constant bound is better than one by a parameter
	grid  bool                       // sizes of the grid are parameters
	memo  map[*ir.Value]*span
}

// of is the span of an integer, nil if none is found.
func (s *spanner) of(v *ir.Value, depth int) *span {
	if x, ok := s.memo[v]; ok {
		return x
	}
	s.memo[v] = nil
	x := s.find(v, depth)
	if x != nil && !(x.lo.isSpanBound() && x.hi.isSpanBound()) {
		x = nil
	}
	s.memo[v] = x
	return x
}

// find is of for a value that is not in the memo.
func (s *spanner) find(v *ir.Value, depth int) *span {
	if c, ok := v.IntConst(); ok {
		return &span{numberSum(c), numberSum(c)}
	}
	if s.isSize(v) {
		x := polynomial{{of: []*ir.Value{v}, by: 1}}
		return &span{x, x}
	}
	var x *span
	if depth > 0 {
		x = s.computed(v, depth-1)
	}
	known := s.r.rangeOf(v)
	if x == nil {
		if known.lo < -maxSpanConstant {
			return nil
		}
		x = &span{numberSum(known.lo), numberSum(known.hi)}
	}
	if c, ok := x.lo.number(); ok {
		x.lo = numberSum(max(c, known.lo))
	} else if known.lo >= 0 && !s.atLeast(x.lo, 0) {
		x.lo = numberSum(known.lo)
	}
	if c, ok := x.hi.number(); ok {
		c = min(c, known.hi)
		x.hi = numberSum(c)
	}
	if _, ok := x.hi.number(); !ok || !s.fixed {
		if p := s.below(v); p != nil && (ok || p.simplerThan(x.hi) || p.surerThan(x.hi) || s.atLeast(x.hi.plus(p, -1), 0)) {
			x.hi = p
		}
	}
	return x
}

// below is a sum of parameters that v is known not to be above, nil if there is none.
func (s *spanner) below(v *ir.Value) (best polynomial) {
	s.r.search.run(v, s.r.le, func(z *ir.Value, d int64) bool {
		p := polynomialOf(z, 2)
		if slices.ContainsFunc(p, func(p product) bool { return !s.isSizes(p) }) || len(p) == 0 || len(p[len(p)-1].of) == 0 {
			return false
		}
		p = p.with(product{by: d})
		if p.isSpanBound() && (best == nil || p.surerThan(best) || !best.surerThan(p) && s.atLeast(best.plus(p, -1), 0)) {
			best = p
		}
		return false
	})
	return best
}

// computed finds the span of a value from its arguments' spans. The spans of arguments say that the
// operation does not wrap.
func (s *spanner) computed(v *ir.Value, depth int) *span {
	if !v.Op.Pure() || v.Op == ir.Phi || len(v.Args) == 0 || len(v.Args) > 2 || !v.Args[0].Type.IsInt() {
		return nil
	}
	x := s.of(v.Args[0], depth)
	if len(v.Args) == 1 {
		if x != nil && (v.Op == ir.Sext32 || v.Op == ir.Zext32 && s.atLeast(x.lo, 0)) {
			return &span{x.lo, x.hi}
		}
		return nil
	}
	if v.Type != ir.I64 {
		return nil // 32 bits may wrap
	}
	y := s.of(v.Args[1], depth)
	if x == nil || y == nil {
		return s.choice(v, x, y)
	}
	switch v.Op {
	case ir.Add:
		return &span{x.lo.plus(y.lo, 1), x.hi.plus(y.hi, 1)}
	case ir.Subtract:
		return &span{x.lo.plus(y.hi, -1), x.hi.plus(y.lo, -1)}
	case ir.Mul:
		return s.times(x, y)
	case ir.Shl:
		if k, ok := y.lo.number(); ok && v.Args[1].Op == ir.Const && 0 <= k && k < 32 {
			return s.times(x, &span{numberSum(1 << k), numberSum(1 << k)})
		}
	case ir.RemS, ir.RemU:
		if s.atLeast(x.lo, 0) && s.atLeast(y.lo, 1) {
			return &span{numberSum(0), y.hi.with(product{by: -1})}
		}
	}
	return s.choice(v, x, y)
}

// times is the span of a product of numbers that are not negative, or of a constant that is not.
func (s *spanner) times(x, y *span) *span {
	if _, ok := x.lo.number(); ok && x.lo.equalTo(x.hi) {
		x, y = y, x
	}
	c, ok := y.lo.number()
	ok = ok && c >= 0 && y.lo.equalTo(y.hi)
	if !ok && !(s.atLeast(x.lo, 0) && s.atLeast(y.lo, 0)) || slices.Max([]int{len(x.lo), len(x.hi), len(y.lo), len(y.hi)}) > maxProducts {
		return nil
	}
	for _, p := range slices.Concat(x.lo, x.hi) {
		for _, q := range slices.Concat(y.lo, y.hi) {
			if by, ok := mulExact(p.by, q.by); !ok || max(by, -by) > maxSpanFactor {
				return nil
			}
		}
	}
	return &span{x.lo.times(y.lo), x.hi.times(y.hi)}
}

// choice is the span of a minimum or maximum. One of x and y may be nil.
func (s *spanner) choice(v *ir.Value, x, y *span) *span {
	if v.Op != ir.MinS && v.Op != ir.MaxS || x == nil && y == nil {
		return nil
	}
	known := s.r.rangeOf(v)
	switch {
	case x != nil && y != nil && v.Op == ir.MinS:
		return s.bounded(s.outside(x.lo, y.lo, -1), s.tighter(x.hi, y.hi, 1))
	case x != nil && y != nil:
		return s.bounded(s.tighter(x.lo, y.lo, -1), s.outside(x.hi, y.hi, 1))
	case x == nil:
		x = y
	}
	if v.Op == ir.MinS && known.lo >= -maxSpanConstant { // it is at most the one that is known
		return &span{numberSum(known.lo), x.hi}
	}
	return nil
}

func (s *spanner) bounded(lo, hi polynomial) *span {
	if lo == nil || hi == nil {
		return nil
	}
	return &span{lo, hi}
}

// tighter is the one of two upper bounds (sign 1) or lower bounds (-1) that says more, the second where
// that is not known.
func (s *spanner) tighter(p, q polynomial, sign int64) polynomial {
	if s.atLeast(q.plus(p, -1).scaled(sign), 0) {
		return p
	}
	return q
}

// outside is not below (sign 1) or not above (-1) p and q: one of them, or one and a small constant.
func (s *spanner) outside(p, q polynomial, sign int64) polynomial {
	for range 2 {
		if least, ok := s.least(p.plus(q, -1).scaled(sign)); ok && least >= -maxSpanWidening {
			return p.with(product{by: -sign * min(least, 0)})
		}
		p, q = q, p
	}
	return nil
}

// atLeast reports whether p is c or more for all values of the parameters.
func (s *spanner) atLeast(p polynomial, c int64) bool {
	least, ok := s.least(p)
	return ok && least >= c
}

// least is a number that p is not below.
func (s *spanner) least(p polynomial) (int64, bool) {
	x, ok := s.leastOfTerms(p)
	if y, ok2 := s.leastOfTerms(s.lowered(p)); ok2 && (!ok || y > x) {
		return y, true
	}
	return x, ok
}

// lowered is not above p: a product u*w becomes u's least number times w where w is subtracted, as in
// u*w - w, which is not negative if u is not 0.
func (s *spanner) lowered(p polynomial) polynomial {
	subtracted := func(v *ir.Value) bool {
		return slices.ContainsFunc(p, func(x product) bool { return x.by < 0 && len(x.of) == 1 && x.of[0] == v })
	}
	var out polynomial
	for _, x := range p {
		if len(x.of) == 2 && x.by > 0 {
			u, w := x.of[0], x.of[1]
			if !subtracted(w) {
				u, w = w, u
			}
			x = product{[]*ir.Value{w}, x.by * min(max(s.known(u).lo, 0), maxVersionParam)}
		}
		out = out.with(x)
	}
	return out
}

// leastOfTerms adds up numbers that the terms of p are not below.
func (s *spanner) leastOfTerms(p polynomial) (sum int64, ok bool) {
	ok = true
	for _, x := range p {
		term := x.by
		for _, v := range x.of {
			known := s.known(v).meet(interval{0, maxVersionParam})
			if known.empty() {
				return 0, false
			}
			by := known.lo
			if x.by < 0 {
				by = known.hi
			}
			if term, ok = mulExact(term, by); !ok {
				return 0, false
			}
		}
		if sum, ok = addExact(sum, term); !ok {
			return 0, false
		}
	}
	return sum, true
}

// isSize reports whether v is a parameter here.
func (s *spanner) isSize(v *ir.Value) bool { return isSizeParam(v) || s.grid && isGridSize(v) }

// isSizes reports whether all values of a product are parameters.
func (s *spanner) isSizes(p product) bool {
	return !slices.ContainsFunc(p.of, func(v *ir.Value) bool { return !s.isSize(v) })
}

// isSizeParam reports whether v is a parameter of 64 bits, such as the length of a slice.
func isSizeParam(v *ir.Value) bool { return v.Op == ir.ParamVal && v.Type == ir.I64 }

// isGridSize reports whether v is one of the values that addGridSizes has made.
func isGridSize(v *ir.Value) bool {
	return v.Op == ir.Zext32 && v.Args[0].Op == ir.SReg && ir.NCTAIdX <= v.Args[0].Sub && v.Args[0].Sub <= ir.NCTAIdZ
}

// addGridSizes reads the grid's sizes at f's entry, in 64 bits: those in whose direction f asks for the
// number of its block. What nothing uses then goes with other dead code.
func addGridSizes(f *ir.Func) {
	for k := range ir.Sub(3) {
		asks := func(v *ir.Value) bool { return v.Op == ir.SReg && v.Sub == ir.CTAIdX+k }
		if at := slices.IndexFunc(f.Entry().Instrs, asks); at >= 0 {
			blocks := f.NewValue(ir.SReg, ir.I32)
			blocks.Sub, blocks.Pos = ir.NCTAIdX+k, f.Entry().Instrs[at].Pos
			size := f.NewValue(ir.Zext32, ir.I64, blocks)
			size.Pos = blocks.Pos
			f.Entry().Insert(0, size)
			f.Entry().Insert(0, blocks)
		}
	}
}

// numberSum is a constant as a sum.
func numberSum(c int64) polynomial { return polynomial{}.with(product{by: c}) }

// number is the value of a sum without parameters.
func (x polynomial) number() (int64, bool) {
	switch {
	case len(x) == 0:
		return 0, true
	case len(x) == 1 && len(x[0].of) == 0:
		return x[0].by, true
	}
	return 0, false
}

// simplerThan reports whether x has parameters of y alone, and less of them: of two bounds whose order
// depends on the parameters, this one is mostly the better one. Of y = 8*block+thread below n, each
// part is below n, too, and 2*n is not below n.
func (x polynomial) simplerThan(y polynomial) bool {
	factors := func(x polynomial) (sum int64) {
		for _, p := range x {
			if len(p.of) > 0 {
				sum += max(p.by, -p.by)
			}
		}
		return sum
	}
	return factors(x) < factors(y) && !slices.ContainsFunc(x, func(p product) bool {
		return len(p.of) > 0 && !slices.ContainsFunc(y, func(q product) bool { return p.compare(q) == 0 })
	})
}

// surerThan reports whether y alone has sizes of the grid. Where both are bounds, x is from a test in
// the kernel, and the grid is often a little larger than what that lets pass.
func (x polynomial) surerThan(y polynomial) bool { return y.ofGrid() && !x.ofGrid() }

func (x polynomial) ofGrid() bool {
	return slices.ContainsFunc(x, func(p product) bool { return slices.ContainsFunc(p.of, isGridSize) })
}

func (x polynomial) equalTo(y polynomial) bool { return slices.EqualFunc(x, y, product.equal) }

func (x polynomial) scaled(by int64) polynomial { return polynomial{}.plus(x, by) }

// isSpanBound reports whether a sum is within the limits of spans.
func (x polynomial) isSpanBound() bool {
	total := int64(0)
	for _, p := range x {
		by := max(p.by, -p.by)
		switch {
		case p.by == math.MinInt64 || len(p.of) > maxSpanFactors || len(p.of) == 0 && by > maxSpanConstant:
			return false
		case len(p.of) == 1 && by > maxSpanOfOne:
			return false
		case len(p.of) == maxSpanFactors:
			if total += min(by, maxSpanProducts+1); total > maxSpanProducts {
				return false
			}
		}
	}
	return len(x) <= maxProducts
}

// expr is a sum as an expression.
func (x polynomial) expr() *expr {
	sum := constExpr(ir.I64, 0)
	for _, p := range x {
		term := constExpr(ir.I64, p.by)
		for _, v := range p.of {
			term = mulExpr(term, invariant(v))
		}
		sum = sumExpr(sum, term)
	}
	return sum
}

// eachParam calls do for the parameters that a span is made of.
func (x *span) eachParam(do func(v *ir.Value)) {
	if x == nil {
		return
	}
	for _, p := range slices.Concat(x.lo, x.hi) {
		for _, v := range p.of {
			do(v)
		}
	}
}
