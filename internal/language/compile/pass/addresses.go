package pass

import (
	"cmp"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Addresses writes every address as a chain: the object, plus what is constant in the outermost
// loop, plus what varies in it, …, plus a constant. Then the steps that do not vary can be hoisted
// and shared, the step that counts can become a pointer that is bumped, and the constant goes into
// the instruction. Offsets are sums modulo 2^64, so a sum may be taken apart freely. A product is
// multiplied out where a part of it varies less than the rest.
//
// It reassociates address expressions by loop level, as Briggs and Cooper rank expressions
// ("Effective Partial Redundancy Elimination", 1994).
func Addresses(f *ir.Func) {
	a := &addresses{f: f, loops: f.Loops(f.Dominators())}
	a.info = analyse(f, func(*ranges, *ir.Value) {})
	a.rewriter = newRewriter(f)
	uses := f.Uses()
	a.run(a.info.dom.Order, func(v *ir.Value) *ir.Value {
		if v.Op != ir.PtrAdd || onlyChain(uses[v.ID]) {
			return v
		}
		return a.chain(v)
	})
}

// onlyChain reports whether a pointer is used for nothing but further PtrAdds, which will take it
// apart.
func onlyChain(uses []*ir.Value) bool {
	for _, u := range uses {
		if u.Op != ir.PtrAdd {
			return false
		}
	}
	return true
}

type addresses struct {
	*rewriter
	f     *ir.Func
	loops *ir.Loops
	info  *ranges
}

// maxTerms bounds the parts of an address. A longer one stays as it is.
const maxTerms = 10

// term is v * factor * by, factor nil for none.
type term struct {
	v, factor *ir.Value
	by        int64
	rank      int // twice the depth of the loop in which it varies, plus one if it is not its counter
}

// chain rebuilds the address v.
func (a *addresses) chain(v *ir.Value) *ir.Value {
	root := v
	var terms []term
	constant := int64(0)
	for root.Op == ir.PtrAdd {
		a.split(root.Args[1], nil, 1, &terms, &constant, 0)
		root = root.Args[0]
	}
	if len(terms) > maxTerms {
		return v
	}
	terms = merged(terms)
	slices.SortFunc(terms, inOrder)
	p := root
	step := func(off *ir.Value) {
		p = a.emit(ir.PtrAdd, ir.Ptr, p, off)
		p.Space = v.Space
	}
	for _, t := range terms {
		step(a.offset(t))
	}
	if constant != 0 {
		step(a.int(ir.I64, constant))
	}
	if p != root {
		p.Align = v.Align
	}
	return p
}

// inOrder sorts terms by rank, and terms of one rank in the same order in all addresses. Then equal
// sums are equal chains, and neighbours differ in the constant only.
func inOrder(x, y term) int {
	id := func(v *ir.Value) int {
		if v == nil {
			return -1
		}
		return v.ID
	}
	return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.v.ID, y.v.ID), cmp.Compare(id(x.factor), id(y.factor)))
}

// merged adds up the terms of the same value.
func merged(terms []term) []term {
	var out []term
next:
	for _, t := range terms {
		for i := range out {
			if out[i].v == t.v && out[i].factor == t.factor {
				out[i].by += t.by
				continue next
			}
		}
		out = append(out, t)
	}
	return slices.DeleteFunc(out, func(t term) bool { return t.by == 0 })
}

// offset is a term as a value.
func (a *addresses) offset(t term) *ir.Value {
	v := t.v
	if t.factor != nil {
		v = a.emit(ir.Mul, ir.I64, v, t.factor)
	}
	if t.by == 1 {
		return v
	}
	return a.foldAgain(a.emit(ir.Mul, ir.I64, v, a.int(ir.I64, t.by)))
}

// maxSplit bounds the depth to which split takes a sum apart.
const maxSplit = 8

// split adds v*factor*by to the terms. It splits a sum if its parts differ in rank or one is
// constant.
func (a *addresses) split(v, factor *ir.Value, by int64, terms *[]term, constant *int64, depth int) {
	if c, ok := v.IntConst(); ok {
		if factor == nil {
			*constant += c * by
			return
		}
		v, factor, by = factor, nil, by*c // a constant times a value
	}
	leaf := func() {
		rank := a.rank(v)
		if factor != nil {
			rank = max(rank, a.rank(factor))
		}
		*terms = append(*terms, term{v, factor, by, rank})
	}
	if depth == maxSplit || len(*terms) > maxTerms {
		leaf()
		return
	}
	down := func(v, factor *ir.Value, by int64) { a.split(v, factor, by, terms, constant, depth+1) }
	switch v.Op {
	case ir.Add, ir.Subtract:
		if a.mixed(v) {
			down(v.Args[0], factor, by)
			if v.Op == ir.Subtract {
				by = -by
			}
			down(v.Args[1], factor, by)
			return
		}
	case ir.Mul, ir.Shl:
		c, ok := v.Args[1].IntConst()
		if v.Op == ir.Shl {
			ok = ok && c >= 0 && c < 63
			c = 1 << (c & 63)
		}
		switch {
		case ok && c >= 0:
			down(v.Args[0], factor, by*c)
			return
		case v.Op == ir.Mul && factor == nil:
			x, y := v.Args[0], v.Args[1]
			if a.rank(x) < a.rank(y) {
				x, y = y, x
			}
			if a.mixed(x) && a.rank(y) < a.rank(x) {
				down(x, y, by)
				return
			}
		}
	case ir.Sext32:
		if x := v.Args[0]; a.exactSum(x) && a.mixed(x) {
			down(a.extended(x.Args[0]), factor, by)
			if x.Op == ir.Subtract {
				by = -by
			}
			down(a.extended(x.Args[1]), factor, by)
			return
		}
	}
	leaf()
}

// exactSum reports whether x, an I32, is a sum or difference that does not wrap, so that it can be
// extended part by part.
func (a *addresses) exactSum(x *ir.Value) bool {
	return (x.Op == ir.Add || x.Op == ir.Subtract) && x.ID < len(a.info.exact) && a.info.exact[x.ID]
}

// extended is the I32 x in 64 bits.
func (a *addresses) extended(x *ir.Value) *ir.Value {
	if c, ok := x.IntConst(); ok {
		return a.int(ir.I64, c)
	}
	return a.emit(ir.Sext32, ir.I64, x)
}

// mixed reports whether the parts of the sum v differ in rank, or one is constant, here or further
// down.
func (a *addresses) mixed(v *ir.Value) bool { return a.mixedDeep(v, maxSplit) }

func (a *addresses) mixedDeep(v *ir.Value, depth int) bool {
	switch {
	case depth == 0:
		return false
	case v.Op == ir.Sext32 && a.exactSum(v.Args[0]):
		return a.mixedDeep(v.Args[0], depth-1)
	case v.Op == ir.Add || v.Op == ir.Subtract:
		x, y := v.Args[0], v.Args[1]
		return x.Op == ir.Const || y.Op == ir.Const || a.rank(x) != a.rank(y) || a.mixedDeep(x, depth-1) ||
			a.mixedDeep(y, depth-1)
	case v.Op == ir.Mul || v.Op == ir.Shl:
		return a.mixedDeep(v.Args[0], depth-1) || v.Op == ir.Mul && a.rank(v.Args[0]) != a.rank(v.Args[1]) &&
			a.mixedDeep(v.Args[1], depth-1)
	}
	return false
}

// rank is twice the depth of the loop in which v varies, plus one if v is not a counter of its
// loop, so that counters are first.
func (a *addresses) rank(v *ir.Value) int {
	l := a.levelLoop(v, 6)
	if l == nil {
		return 0
	}
	if counts(a.loops, l, v, 6) {
		return 2 * l.Depth
	}
	return 2*l.Depth + 1
}

// levelLoop is the innermost loop in which v varies: for a pure operation its arguments' loop.
func (a *addresses) levelLoop(v *ir.Value, depth int) *ir.Loop {
	if v.Op == ir.Const || v.Block == nil {
		return nil
	}
	here := a.loops.Of(v.Block)
	if here == nil || v.Op == ir.Phi || !v.Op.Pure() || depth == 0 {
		return here
	}
	var most *ir.Loop
	for _, x := range v.Args {
		if l := a.levelLoop(x, depth-1); l != nil && (most == nil || l.Depth > most.Depth) {
			most = l
		}
	}
	return most
}
