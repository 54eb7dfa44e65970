package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxPointers bounds the pointers that one loop carries.
const maxPointers = 8

// Strength replaces an address that grows by the same amount in every iteration by a pointer of its
// own, which is bumped at the end of the loop: p + 4*i, and p + 4*(k*n+col) in a loop over k.
// (Strength reduction of induction variables: Allen, Cocke and Kennedy 1981.)
func Strength(f *ir.Func) {
	loops := f.Loops(f.Dominators())
	for _, l := range loops.All {
		if len(l.Latches) == 1 {
			preheader(f, loops, l)
		}
	}
	dom := f.Dominators()
	rep := ir.NewReplacer(f)
	for _, l := range loops.All {
		if len(l.Latches) != 1 {
			continue
		}
		s := &strength{f: f, loops: loops, l: l, rep: rep, pre: loops.Preheader(l)}
		for _, b := range l.Blocks {
			if loops.Of(b) == l && dom.Dominates(b, l.Latches[0]) {
				s.block(b)
			}
		}
	}
	rep.Apply()
	SimplifyCFG(f)
}

type strength struct {
	f     *ir.Func
	loops *ir.Loops
	l     *ir.Loop
	rep   *ir.Replacer
	pre   *ir.Block
	made  []pointerCounter
}

// pointerCounter is a pointer made for base + off.
type pointerCounter struct{ base, off, phi *ir.Value }

func (s *strength) block(b *ir.Block) {
	for _, v := range slices.Clone(b.Instrs) {
		if v.Op != ir.PtrAdd || s.rep.Get(v) != v {
			continue
		}
		base, off := v.Args[0], v.Args[1]
		if s.loops.Contains(s.l, base.Block) || !counts(s.loops, s.l, off, 6) {
			continue
		}
		i := slices.IndexFunc(s.made, func(m pointerCounter) bool { return m.base == base && m.off == off })
		if i < 0 {
			if len(s.made) == maxPointers {
				return
			}
			i = len(s.made)
			s.made = append(s.made, pointerCounter{base, off, s.pointer(v)})
		}
		s.rep.Replace(v, s.made[i].phi)
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

func (s *strength) zero(t ir.Type) *ir.Value {
	c := s.f.NewValue(ir.Const, t)
	s.f.Entry().Insert(0, c)
	return c
}
