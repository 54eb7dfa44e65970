package pass

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Registers turns local memory into values (scalar replacement of aggregates and mem2reg in one).
// An Alloca whose address is only used at constant offsets is cut into slots, one for each offset
// and memory type that is accessed. Every slot becomes an SSA value with phis at the iterated
// dominance frontier of its stores (Cytron et al. 1991). MemZero and MemCopy of such an Alloca
// become one store, or load and store, for each slot in their range, so only the fields in use are
// ever copied.
//
// A pair of numbers of 16 bits is accessed whole and by its halves. It is one slot: reading a half
// takes it out of the value, and writing one puts it in.
//
// What stays in memory: an Alloca whose address goes elsewhere or is indexed by a variable, or
// whose slots overlap in another way.
func Registers(f *ir.Func) {
	ir.RemoveUnreachable(f)
	s := newSlots(f)
	if len(s.allocas) == 0 {
		return
	}
	s.collect()
	s.settle()
	if !s.any() {
		return
	}
	s.expand()
	s.promote()
}

// maxSlots bounds the values that one Alloca becomes. With more, registers would spill back to the
// memory where the array was.
const maxSlots = 1024

// slotKey names a slot of an Alloca.
type slotKey struct {
	off int64
	mem ir.Mem
	typ ir.Type
}

// alloca holds the facts about one Alloca.
type alloca struct {
	v     *ir.Value
	slots []slotKey // sorted by offset once settled
	has   map[slotKey]bool
	bad   bool // stays in memory
	index int  // of its first slot among the function's

	// Why it is bad, and the instruction that makes it so, nil if several do.
	why string
	by  *ir.Value
}

// keep leaves an Alloca in memory. The first reason is the one that is told.
func (a *alloca) keep(by *ir.Value, why string) {
	if !a.bad {
		a.bad, a.by, a.why = true, by, why
	}
}

type slots struct {
	f       *ir.Func
	allocas []*alloca
	of      map[*ir.Value]*alloca
	addr    map[*ir.Value]localAddr // pointers at constant offsets
	copies  []*ir.Value             // MemCopies and MemZeros that touch an Alloca
	total   int
}

// localAddr is the address at a constant offset in an Alloca.
type localAddr struct {
	a   *alloca
	off int64
}

func newSlots(f *ir.Func) *slots {
	s := &slots{f: f, of: map[*ir.Value]*alloca{}, addr: map[*ir.Value]localAddr{}}
	for _, v := range f.Entry().Instrs {
		if v.Op == ir.Alloca {
			a := &alloca{v: v, has: map[slotKey]bool{}}
			s.allocas = append(s.allocas, a)
			s.of[v] = a
			s.addr[v] = localAddr{a, 0}
		}
	}
	return s
}

// collect visits every use of an Alloca's address.
func (s *slots) collect() {
	for _, b := range s.f.Dominators().Order { // a PtrAdd is seen before its uses, save those in phis
		for _, v := range b.Instrs {
			switch v.Op {
			case ir.PtrAdd:
				s.ptrAdd(v)
			case ir.Load:
				s.access(v, v.Args[0], v.Type)
			case ir.Store:
				s.access(v, v.Args[0], v.Args[1].Type)
				s.escape(v, v.Args[1:], "its address is kept in memory")
			case ir.MemZero, ir.MemCopy:
				s.block(v)
			case ir.Phi, ir.Select:
				s.escape(v, v.Args, "a pointer to it may point elsewhere, too")
			case ir.Cmp:
				s.escape(v, v.Args, "its address is compared, as copy does")
			default:
				s.escape(v, v.Args, "its address is passed to a call")
			}
		}
	}
}

func (s *slots) ptrAdd(v *ir.Value) {
	p, ok := s.addr[v.Args[0]]
	if !ok {
		return
	}
	c, ok := v.Args[1].IntConst()
	if !ok {
		p.a.keep(v, "the index is not known when the kernel is compiled")
		return
	}
	s.addr[v] = localAddr{p.a, p.off + c}
}

func (s *slots) escape(v *ir.Value, args []*ir.Value, why string) {
	for _, a := range args {
		if p, ok := s.addr[a]; ok {
			p.a.keep(v, why)
		}
	}
}

func (s *slots) access(v, ptr *ir.Value, t ir.Type) {
	p, ok := s.addr[ptr]
	if !ok {
		return
	}
	for lane := range max(v.Lanes, 1) {
		s.add(p.a, slotKey{p.off + int64(lane*v.Mem.Size()), v.Mem, t})
	}
}

func (s *slots) add(a *alloca, k slotKey) {
	if !a.has[k] {
		a.has[k] = true
		a.slots = append(a.slots, k)
		if k.off < 0 || k.off+int64(k.mem.Size()) > a.v.Size {
			a.keep(nil, "an index is out of range")
		} else if len(a.slots) > maxSlots {
			a.keep(nil, fmt.Sprintf("more than %d numbers are in it", maxSlots))
		}
	}
}

func (s *slots) block(v *ir.Value) {
	touches := false
	for _, x := range v.Args {
		if p, ok := s.addr[x]; ok {
			touches = true
			if p.off < 0 || p.off+v.Size > p.a.v.Size {
				p.a.keep(v, "more is copied than it has")
			}
		}
	}
	if touches {
		s.copies = append(s.copies, v)
	}
}

// settle carries slots across copies between Allocas until nothing changes, and gives up the
// Allocas whose slots overlap.
func (s *slots) settle() {
	for again := true; again; {
		again = false
		for _, v := range s.copies {
			if v.Op == ir.MemCopy {
				again = s.carry(v, v.Args[0], v.Args[1]) || again
				again = s.carry(v, v.Args[1], v.Args[0]) || again
				again = s.fill(v) || again
			}
		}
		for _, a := range s.allocas {
			a.joinHalves()
			if !a.bad && (overlapping(a) || s.cutByCopy(a) || s.tooWide(a)) {
				a.keep(nil, "the same bytes of it are used as values of several types")
				again = true
			}
		}
	}
	for _, a := range s.allocas {
		if !a.bad {
			a.index = s.total
			s.total += len(a.slots)
		}
	}
}

// carry gives to the slots that from has in the range copied.
func (s *slots) carry(v, from, to *ir.Value) (changed bool) {
	p, ok := s.addr[from]
	q, ok2 := s.addr[to]
	if !ok || !ok2 || p.a.bad || q.a.bad {
		return false
	}
	before := len(q.a.slots)
	for _, k := range slices.Clone(p.a.slots) {
		if k.off >= p.off && k.off < p.off+v.Size {
			s.add(q.a, slotKey{k.off - p.off + q.off, k.mem, k.typ})
		}
	}
	return len(q.a.slots) > before
}

// fill gives an Alloca that is copied to memory slots for the bytes that no access of it names:
// they were zeroed, or copied from memory.
func (s *slots) fill(v *ir.Value) bool {
	p, ok := s.good(v.Args[1])
	if _, toValues := s.good(v.Args[0]); !ok || toValues {
		return false
	}
	covered := make([]bool, v.Size)
	for _, k := range p.a.slots {
		for i := range int64(k.mem.Size()) {
			if at := k.off + i - p.off; at >= 0 && at < v.Size {
				covered[at] = true
			}
		}
	}
	before, align := len(p.a.slots), s.copyAlign(p.a)
	for at := int64(0); at < v.Size; {
		m := fillerAt(covered, at, p.off, align)
		if m != ir.MemNone {
			s.add(p.a, slotKey{p.off + at, m, m.Type()})
			at += int64(m.Size())
		} else {
			at++
		}
	}
	return len(p.a.slots) > before
}

// copyAlign is the alignment that all copies from and to an Alloca have: each accesses the other
// side by the slots of this one.
func (s *slots) copyAlign(a *alloca) int {
	align := a.v.Align
	for _, v := range s.copies {
		for _, x := range v.Args {
			if p, ok := s.addr[x]; ok && p.a == a {
				align = min(align, v.Align)
			}
		}
	}
	return align
}

// fillerAt is the largest integer that starts at a byte, aligned on both sides of the copy, without
// touching a covered one.
func fillerAt(covered []bool, at, base int64, align int) ir.Mem {
	for _, m := range []ir.Mem{ir.B64, ir.B32, ir.U16, ir.U8} {
		end, size := at+int64(m.Size()), int64(m.Size())
		if m.Size() <= max(align, 1) && at%size == 0 && (base+at)%size == 0 && end <= int64(len(covered)) &&
			!slices.Contains(covered[at:end], true) {
			return m
		}
	}
	return ir.MemNone
}

// joinHalves drops the slots that are half of another.
func (a *alloca) joinHalves() {
	a.slots = slices.DeleteFunc(a.slots, func(k slotKey) bool {
		return k.mem == ir.U16 && (a.has[slotKey{k.off, ir.B32, ir.I32}] || a.has[slotKey{k.off - 2, ir.B32, ir.I32}])
	})
}

func overlapping(a *alloca) bool {
	slices.SortFunc(a.slots, func(x, y slotKey) int {
		if x.off != y.off {
			return int(x.off - y.off)
		}
		return int(x.mem)*16 + int(x.typ) - int(y.mem)*16 - int(y.typ)
	})
	for i := 1; i < len(a.slots); i++ {
		if a.slots[i-1].off+int64(a.slots[i-1].mem.Size()) > a.slots[i].off {
			return true
		}
	}
	return false
}

// cutByCopy reports whether a MemZero or MemCopy covers a part of a slot only.
func (s *slots) cutByCopy(a *alloca) bool {
	for _, v := range s.copies {
		for _, x := range v.Args {
			p, ok := s.addr[x]
			if !ok || p.a != a {
				continue
			}
			for _, k := range a.slots {
				lo, hi := k.off, k.off+int64(k.mem.Size())
				if lo < p.off && hi > p.off || lo < p.off+v.Size && hi > p.off+v.Size {
					return true
				}
			}
		}
	}
	return false
}

// tooWide reports whether a copy of a has an alignment that is less than a slot it copies needs: a
// filler that came by another copy.
func (s *slots) tooWide(a *alloca) bool {
	align := s.copyAlign(a)
	return slices.ContainsFunc(a.slots, func(k slotKey) bool { return k.mem.Size() > max(align, 1) })
}

func (s *slots) any() bool {
	for _, a := range s.allocas {
		if !a.bad {
			return true
		}
	}
	return false
}

// good is the address that ptr holds, in an Alloca that becomes values.
func (s *slots) good(ptr *ir.Value) (localAddr, bool) {
	p, ok := s.addr[ptr]
	return p, ok && !p.a.bad
}

// expand replaces MemZero and MemCopy of good Allocas by accesses of their slots.
func (s *slots) expand() {
	if len(s.copies) == 0 {
		return
	}
	r := newRewriter(s.f)
	r.run(s.f.Dominators().Order, func(v *ir.Value) *ir.Value {
		if v.Op != ir.MemZero && v.Op != ir.MemCopy {
			return v
		}
		p, ok := s.good(v.Args[0])
		var q localAddr
		ok2 := false
		if v.Op == ir.MemCopy {
			q, ok2 = s.good(v.Args[1])
		}
		if !ok && !ok2 {
			return v
		}
		s.expandOne(r, v, p, q, ok, ok2)
		return nil
	})
}

// expandOne writes the slots of one MemZero or MemCopy. dst and src are its addresses where dstGood
// and srcGood.
func (s *slots) expandOne(r *rewriter, v *ir.Value, dst, src localAddr, dstGood, srcGood bool) {
	guide := dst
	if !dstGood {
		guide = src
	}
	access := func(ptr *ir.Value, at localAddr, good bool, k slotKey) (*ir.Value, int) {
		off := k.off - guide.off
		p := r.emit(ir.PtrAdd, ir.Ptr, ptr, r.int(ir.I64, off))
		if good {
			s.addr[p] = localAddr{at.a, at.off + off}
		}
		return p, accessAlign(v.Align, off, k.mem)
	}
	var values []*ir.Value
	var keys []slotKey
	for _, k := range guide.a.slots {
		if k.off < guide.off || k.off >= guide.off+v.Size {
			continue
		}
		x := r.constantOf(k.typ)
		if v.Op == ir.MemCopy {
			p, align := access(v.Args[1], src, srcGood, k)
			x = r.emit(ir.Load, k.typ, p)
			x.Mem, x.Align = k.mem, align
		}
		values, keys = append(values, x), append(keys, k)
	}
	for i, k := range keys { // after all loads: the two sides may be one
		p, align := access(v.Args[0], dst, dstGood, k)
		st := r.emit(ir.Store, ir.Void, p, values[i])
		st.Mem, st.Align = k.mem, align
	}
}

// accessAlign is the alignment known off bytes after an address aligned to align; 0 where that is
// no more than natural.
func accessAlign(align int, off int64, m ir.Mem) int {
	for align > m.Size() && off%int64(align) != 0 {
		align /= 2
	}
	if align <= m.Size() {
		return 0
	}
	return align
}

// constantOf is the zero value of type t.
func (r *rewriter) constantOf(t ir.Type) *ir.Value {
	if t == ir.Ptr {
		return r.emit(ir.NilPtr, ir.Ptr)
	}
	return r.constant(t, 0)
}
