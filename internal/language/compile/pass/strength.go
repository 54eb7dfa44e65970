package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxPointers bounds the pointers that one loop carries.
const maxPointers = 8

// Strength replaces an address that grows by the same amount in every iteration by a pointer of its
// own, which is bumped at the end of the loop: p + 4*i, and p + 4*(k*n+col) in a loop over k.
// (Strength reduction of induction variables: Allen, Cocke and Kennedy 1981.) Addresses of one
// object share a pointer where this takes fewer registers, or where the pointers would be too many:
// see sharing.
func Strength(f *ir.Func) {
	loops := f.Loops(f.Dominators())
	for _, l := range loops.All {
		if len(l.Latches) == 1 {
			preheader(f, loops, l)
		}
	}
	dom := f.Dominators()
	rep, remarks := ir.NewReplacer(f), newRemarker(f, loops)
	for _, l := range loops.All {
		if len(l.Latches) != 1 {
			continue
		}
		s := &strength{f: f, loops: loops, dom: dom, l: l, rep: rep, pre: loops.Preheader(l), remarks: remarks}
		all := s.addresses()
		if x, n := s.sharing(all), s.distinct(all); n > maxPointers || x.pointers+len(x.distances) < n {
			s.share(x, n)
		} else {
			s.each(all)
		}
	}
	rep.Apply()
	SimplifyCFG(f)
}

type strength struct {
	f     *ir.Func
	loops *ir.Loops
	dom   *ir.Dom
	l     *ir.Loop
	rep   *ir.Replacer
	pre   *ir.Block
	made  []pointerCounter

	remarks *remarker
}

// pointerCounter is a pointer made for base + off.
type pointerCounter struct{ base, off, phi *ir.Value }

// addresses lists the addresses that every iteration computes and that grow by the same amount in
// each, in the order of the program.
func (s *strength) addresses() (all []*ir.Value) {
	for _, b := range s.l.Blocks {
		if s.loops.Of(b) != s.l || !s.dom.Dominates(b, s.l.Latches[0]) {
			continue
		}
		for _, v := range b.Instrs {
			if v.Op == ir.PtrAdd && s.rep.Get(v) == v && !s.loops.Contains(s.l, v.Args[0].Block) &&
				counts(s.loops, s.l, v.Args[1], 6) {
				all = append(all, v)
			}
		}
	}
	return all
}

// distinct counts different addresses.
func (s *strength) distinct(all []*ir.Value) int {
	type address struct{ base, off *ir.Value }
	seen := map[address]bool{}
	for _, v := range all {
		seen[address{v.Args[0], v.Args[1]}] = true
	}
	return len(seen)
}

// each gives each address a pointer.
func (s *strength) each(all []*ir.Value) {
	for _, v := range all {
		base, off := v.Args[0], v.Args[1]
		i := slices.IndexFunc(s.made, func(m pointerCounter) bool { return m.base == base && m.off == off })
		if i < 0 {
			i = len(s.made)
			s.made = append(s.made, pointerCounter{base, off, s.pointer(v)})
		}
		s.rep.Replace(v, s.made[i].phi)
	}
	if len(s.made) > 0 {
		s.remarks.did(s.l, loopPointers, nil, pointersDetail, len(s.made))
	}
}

// pointer makes the phi that is v in every iteration.
func (s *strength) pointer(v *ir.Value) *ir.Value {
	latch := s.l.Latches[0]
	phi := s.f.NewValue(ir.Phi, ir.Ptr)
	first := s.emit(s.pre, v, ir.PtrAdd, ir.Ptr, v.Args[0], s.start(v.Args[1], v))
	next := s.f.NewValue(ir.PtrAdd, ir.Ptr, phi, s.step(v.Args[1], v))
	next.Pos = latch.Term().Pos
	latch.InsertBeforeTerm(next)
	phi.Pos, phi.Name, phi.Align = v.Pos, v.Name, v.Align
	phi.Space, first.Space, next.Space = v.Space, v.Space, v.Space
	phi.Block = s.l.Header
	s.l.Header.Insert(len(s.l.Header.Phis()), phi)
	phi.SetIncoming(s.pre, first)
	phi.SetIncoming(latch, next)
	return phi
}

// emit makes an instruction before the loop.
func (s *strength) emit(b *ir.Block, at *ir.Value, op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := s.f.NewValue(op, t, args...)
	v.Pos = at.Pos
	b.InsertBeforeTerm(v)
	return v
}

// start is the counting value v as it is when the loop is entered, computed before the loop.
func (s *strength) start(v, at *ir.Value) *ir.Value {
	if !s.loops.Contains(s.l, v.Block) {
		return v
	}
	if init, _, ok := counter(s.loops, s.l, v); ok {
		return init
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = s.start(a, at)
	}
	return s.emit(s.pre, at, v.Op, v.Type, args...)
}

// step is by how much the counting value v grows in an iteration.
func (s *strength) step(v, at *ir.Value) *ir.Value {
	if !s.loops.Contains(s.l, v.Block) {
		return s.zero(v.Type)
	}
	if _, step, ok := counter(s.loops, s.l, v); ok {
		return step
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		fixed := !s.loops.Contains(s.l, a.Block)
		if fixed && (v.Op == ir.Mul || v.Op == ir.Shl) {
			args[i] = a // (x + s) * a is x*a + s*a
		} else {
			args[i] = s.step(a, at)
		}
	}
	return s.emit(s.pre, at, v.Op, v.Type, args...)
}

func (s *strength) zero(t ir.Type) *ir.Value { return s.constant(t, 0) }

func (s *strength) number(c int64) *ir.Value { return s.constant(ir.I64, c) }

func (s *strength) constant(t ir.Type, n int64) *ir.Value {
	c := s.f.NewValue(ir.Const, t)
	c.Int = wrap(t, n)
	s.f.Entry().Insert(0, c)
	return c
}
