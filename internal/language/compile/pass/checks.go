package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Checks uses ranges of integers to remove what cannot fail and what does nothing. It removes
// checks that hold, by a loop condition, an earlier check, b = b[:len(a)], a mask or a fixed block
// size. It removes comparisons and branches that are decided, normalisations of numbers that are in
// range, and remainders of numbers below the divisor. Signed division of numbers that are not
// negative becomes unsigned, which is cheaper.
//
// A fact that holds at one point is used at that point only: a check that passed says something
// about the code after it.
func Checks(f *ir.Func) {
	c := &checker{drop: map[*ir.Value]bool{}, constant: map[*ir.Value]int64{}, branch: map[*ir.Value]bool{},
		same: map[*ir.Value]*ir.Value{}}
	analyse(f, c.visit)
	rw := newRewriter(f)
	rw.run(f.Dominators().Order, func(v *ir.Value) *ir.Value {
		if c.drop[v] {
			return nil
		}
		if x, ok := c.constant[v]; ok {
			return rw.constant(v.Type, uint64(x))
		}
		if truth, ok := c.branch[v]; ok {
			v.Args[0] = rw.bool(truth)
		}
		if w := c.same[v]; w != nil {
			return w
		}
		return v
	})
}

type checker struct {
	drop     map[*ir.Value]bool      // checks that hold
	constant map[*ir.Value]int64     // values that can only be one
	branch   map[*ir.Value]bool      // branches and selects whose condition is known
	same     map[*ir.Value]*ir.Value // values equal to another
}

func (c *checker) visit(r *ranges, v *ir.Value) {
	switch {
	case v.Op == ir.Check:
		if r.holds(v) {
			c.drop[v] = true
		}
	case v.Op == ir.Branch, v.Op == ir.Select:
		if x := r.rangeOf(v.Args[0]); v.Args[0].Op != ir.Const && x.lo == x.hi {
			c.branch[v] = x.lo == 1
		}
	case (v.Type.IsInt() || v.Type == ir.Bool) && v.Op.Pure() && v.Op != ir.Const:
		c.pure(r, v)
	}
}

// pure looks at an integer or Bool operation before its own range is noted.
func (c *checker) pure(r *ranges, v *ir.Value) {
	if v.Op == ir.Phi {
		if x := r.rangeOf(v); x.lo == x.hi {
			c.constant[v] = x.lo
		}
		return
	}
	if x, _ := leafRange(r.f, v); len(v.Args) == 0 && x.lo == x.hi {
		c.constant[v] = x.lo
	}
	if len(v.Args) == 0 || v.Op == ir.Extract {
		return
	}
	if v.Op == ir.Cmp {
		if x := r.compare(v); x.lo == x.hi {
			c.constant[v] = x.lo
		}
		return
	}
	if x, _ := transfer(v, func(i int) interval { return r.rangeOf(v.Args[i]) }); x.lo == x.hi {
		c.constant[v] = x.lo
		return
	}
	c.equal(r, v)
}

// equal looks for an argument that v is equal to.
func (c *checker) equal(r *ranges, v *ir.Value) {
	x := r.rangeOf(v.Args[0])
	var y interval
	if len(v.Args) > 1 {
		y = r.rangeOf(v.Args[1])
	}
	switch v.Op {
	case ir.Sext8, ir.Zext8, ir.Sext16, ir.Zext16:
		if _, exact := convert(v.Op, x); exact {
			c.same[v] = v.Args[0]
		}
	case ir.Zext32:
		if x.lo >= 0 {
			v.Op = ir.Sext32 // one form for both if they agree
		}
	case ir.And:
		if y.lo == y.hi && y.lo >= 0 && y.lo == onesAbove(y.lo) && x.lo >= 0 && x.hi <= y.lo {
			c.same[v] = v.Args[0]
		}
	case ir.MinS, ir.MaxS:
		small, large := v.Args[0], v.Args[1]
		if v.Op == ir.MaxS {
			small, large = large, small
		}
		if r.proveLE(v.Args[0], v.Args[1], 0) || r.proveBelowDifference(v.Args[0], v.Args[1]) {
			c.same[v] = small
		} else if r.proveLE(v.Args[1], v.Args[0], 0) || r.proveBelowDifference(v.Args[1], v.Args[0]) {
			c.same[v] = large
		}
	case ir.DivS, ir.RemS, ir.DivU, ir.RemU:
		c.division(r, v, x, y)
	}
}

// division makes signed division unsigned, and finds the remainder of what is below the divisor.
func (c *checker) division(r *ranges, v *ir.Value, x, y interval) {
	if x.lo < 0 || y.lo <= 0 {
		return
	}
	small := r.proveLE(v.Args[0], v.Args[1], -1)
	switch v.Op {
	case ir.DivS, ir.DivU:
		v.Op = ir.DivU
		if small {
			c.constant[v] = 0
		}
	default:
		v.Op = ir.RemU
		if small {
			c.same[v] = v.Args[0]
		}
	}
}
