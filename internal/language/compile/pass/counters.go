package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// counter takes apart a phi of the loop's header that is init before the loop and grows by step,
// which the loop does not change, in every iteration.
func counter(loops *ir.Loops, l *ir.Loop, phi *ir.Value) (init, step *ir.Value, ok bool) {
	if phi.Op != ir.Phi || phi.Block != l.Header || len(phi.Args) != 2 {
		return nil, nil, false
	}
	in := 0 // the argument of the back edge
	if !loops.Contains(l, l.Header.Preds[0]) {
		in = 1
	}
	if loops.Contains(l, l.Header.Preds[1-in]) {
		return nil, nil, false
	}
	next := phi.Args[in]
	if next.Op != ir.Add {
		return nil, nil, false
	}
	for i, x := range next.Args {
		if x == phi && !loops.Contains(l, next.Args[1-i].Block) {
			return phi.Args[1-in], next.Args[1-i], true
		}
	}
	return nil, nil, false
}

// counts reports whether v grows by the same amount in every iteration of l: it is a counter, or a
// sum, product or shift of one with what the loop does not change.
func counts(loops *ir.Loops, l *ir.Loop, v *ir.Value, depth int) bool {
	if depth == 0 || !v.Type.IsInt() {
		return false
	}
	fixed := func(x *ir.Value) bool { return !loops.Contains(l, x.Block) }
	down := func(x *ir.Value) bool { return counts(loops, l, x, depth-1) }
	switch v.Op {
	case ir.Phi:
		_, _, ok := counter(loops, l, v)
		return ok
	case ir.Add, ir.Subtract:
		x, y := v.Args[0], v.Args[1]
		return down(x) && (fixed(y) || down(y)) || fixed(x) && down(y)
	case ir.Mul:
		x, y := v.Args[0], v.Args[1]
		return fixed(y) && down(x) || fixed(x) && down(y)
	case ir.Shl:
		return fixed(v.Args[1]) && down(v.Args[0])
	case ir.Neg:
		return down(v.Args[0])
	}
	return false
}

// entryValue returns the value with which a phi of the loop's header enters the loop, and nil if
// several ways in have different values.
func entryValue(loops *ir.Loops, l *ir.Loop, phi *ir.Value) (init *ir.Value) {
	for i, p := range l.Header.Preds {
		switch a := phi.Args[i]; {
		case loops.Contains(l, p):
		case init != nil && init != a:
			return nil
		default:
			init = a
		}
	}
	return init
}

// counting is a loop that goes on while tested, which is phi+add, is below bound. The loop does not
// change bound.
type counting struct {
	phi    *ir.Value
	add    int64
	tested *ir.Value
	bound  *ir.Value
	stay   int // the successor of the header that stays in the loop
}

// countingTest recognises a loop whose header does nothing but make that test. For another loop it
// says what is in the way.
func countingTest(loops *ir.Loops, l *ir.Loop) (*counting, obstacle) {
	h := l.Header
	term := h.Term()
	if term.Op != ir.Branch {
		return nil, obstacle{why: becauseEnd}
	}
	in := [2]bool{loops.Contains(l, h.Succs[0]), loops.Contains(l, h.Succs[1])}
	if in[0] == in[1] {
		return nil, obstacle{why: becauseEnd}
	}
	for _, v := range h.Instrs[:len(h.Instrs)-1] {
		if !v.Op.Pure() {
			return nil, obstacle{why: becauseEffect, at: v}
		}
	}
	none := obstacle{why: becauseTest, at: term}
	if term.Args[0].Op != ir.Cmp || term.Args[0].Block != h {
		return nil, none
	}
	c := &counting{}
	test := term.Args[0]
	sub, x, y := test.Sub, test.Args[0], test.Args[1]
	if in[1] {
		c.stay = 1
		sub = negated(sub)
	}
	if sub == ir.Gt {
		sub, x, y = ir.Lt, y, x
	}
	p, ok := affine(x, h)
	if sub != ir.Lt || x.Type != ir.I64 || !ok {
		return nil, none
	}
	if loops.Contains(l, y.Block) {
		return nil, obstacle{why: becauseBound, at: term}
	}
	c.phi, c.add, c.tested, c.bound = p.phi, p.add, x, y
	return c, obstacle{}
}
