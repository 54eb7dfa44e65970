package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// choice takes apart a select of two constants, such as a condition that became 0 or 1. The
// condition is nil where v is none.
func choice(v *ir.Value) (c *ir.Value, yes, no uint64) {
	if v.Op != ir.Select {
		return nil, 0, 0
	}
	yes, ok := v.Args[1].IsConst()
	no, also := v.Args[2].IsConst()
	if !ok || !also {
		return nil, 0, 0
	}
	return v.Args[0], yes, no
}

// foldChoice computes an operation whose arguments are constants except one select of two
// constants: it is the select of the two results. So a condition that indexes a table selects among
// its elements (foldLoad), and one that is compared with 0 is itself.
func (r *rewriter) foldChoice(v *ir.Value) *ir.Value {
	var c *ir.Value
	var yes, no [3]uint64
	for i, a := range v.Args {
		if x, ok := a.IsConst(); ok {
			yes[i], no[i] = x, x
			continue
		}
		of, x, y := choice(a)
		if of == nil || c != nil && c != of {
			return nil
		}
		c, yes[i], no[i] = of, x, y
	}
	if c == nil || v.Type == ir.Ptr {
		return nil
	}
	x, ok := ir.Eval(v, yes[:len(v.Args)])
	y, also := ir.Eval(v, no[:len(v.Args)])
	if !ok || !also {
		return nil
	}
	return r.foldAgain(r.emit(ir.Select, v.Type, c, r.constant(v.Type, x), r.constant(v.Type, y)))
}
