package lower

// A call recurses if it is made within a call of the same function with the same functions as
// arguments and bindings: which calls follow depends on them alone, since a branch does not tell
// how often. Functions are the same if they have the same code and have captured the same
// functions, in turn. apply(f, x) within the f given to apply does not recurse, and neither does
// compose(f, compose(g, h)).

// funcsOf are the functions among what a call of c has as arguments and bindings, in order.
func funcsOf(c *closure, args []value) []*closure {
	var funcs []*closure
	for _, vs := range [2][]value{args, c.bindings} {
		for _, v := range vs {
			for _, lf := range v.leaves {
				switch {
				case lf.fn != nil:
					funcs = append(funcs, lf.fn)
				case lf.cell != nil:
					funcs = append(funcs, lf.cell.fn)
				}
			}
		}
	}
	return funcs
}

// sameFuncs reports whether two lists hold the same functions.
func sameFuncs(x, y []*closure) bool {
	type pair struct{ a, b *closure }
	seen := map[pair]bool{} // compared already, or being compared: functions can hold themselves
	work := []pair{}
	add := func(x, y []*closure) bool {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if p := (pair{x[i], y[i]}); p.a != p.b && !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
		return true
	}
	same := add(x, y)
	for same && len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if p.a == nil || p.b == nil || p.a.fn != p.b.fn || p.a.builtin != p.b.builtin {
			return false
		}
		same = add(funcsOf(p.a, nil), funcsOf(p.b, nil))
	}
	return same
}

// sizeOfFuncs counts the functions of a list and those that they have captured.
func sizeOfFuncs(funcs []*closure) int {
	seen := map[*closure]bool{}
	work := funcs
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if c != nil && !seen[c] {
			seen[c] = true
			work = append(work[:len(work):len(work)], funcsOf(c, nil)...)
		}
	}
	return len(seen)
}
