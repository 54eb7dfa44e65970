package pass

import (
	"encoding/binary"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Tables turns local arrays that are only read, once constants have been written to them, into
// constant data: one table for all threads, and not a copy in the local memory of each. All writes
// are in one basic block, and every read follows it. The block may run again, because it writes the
// same again.
//
// A copy of a table is the table itself under the same conditions.
func Tables(f *ir.Func) {
	for makeTable(f) {
	}
}

// makeTable makes one variable a table, if there is one that can be.
func makeTable(f *ir.Func) bool {
	isAlloca := func(v *ir.Value) bool { return v.Op == ir.Alloca }
	if !slices.ContainsFunc(f.Entry().Instrs, isAlloca) {
		return false
	}
	uses, dom := f.Uses(), f.Dominators()
	for _, v := range f.Entry().Instrs {
		if !isAlloca(v) {
			continue
		}
		t := &localTable{f: f, alloca: v, data: make([]byte, v.Size)}
		if t.collect(uses) && t.inOrder(dom) && t.write() {
			t.replace()
			return true
		}
	}
	return false
}

// A localTable is an Alloca that may be constant data.
type localTable struct {
	f             *ir.Func
	alloca        *ir.Value
	writes, reads []*ir.Value
	data          []byte
	refs          []ir.Ref
	elem          ir.Mem // of the stores, if it is one
}

// collect finds what reads and writes the variable. It is false where its address goes elsewhere,
// or something that is not constant is written, or not to a constant offset.
func (t *localTable) collect(uses [][]*ir.Value) bool {
	seen := map[*ir.Value]bool{t.alloca: true}
	work := []*ir.Value{t.alloca}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range uses[p.ID] {
			switch {
			case u.Op == ir.PtrAdd, u.Op == ir.Phi, u.Op == ir.Select:
				if !seen[u] {
					seen[u] = true
					work = append(work, u)
				}
			case u.Op == ir.Load, u.Op == ir.MemCopy && u.Args[1] == p && u.Args[0] != p:
				t.reads = append(t.reads, u)
			case u.Accesses() && u.Args[0] == p && t.constant(u):
				t.writes = append(t.writes, u)
			case u.Op == ir.Check && u.Sub == ir.CheckNil:
			default:
				return false
			}
		}
	}
	return len(t.writes) > 0 && len(t.reads) > 0
}

// constant reports whether v writes constants to a constant offset of the variable.
func (t *localTable) constant(v *ir.Value) bool {
	base, off := constOffset(v.Args[0])
	if base != t.alloca || off < 0 {
		return false
	}
	switch v.Op {
	case ir.MemZero:
		return off+v.Size <= t.alloca.Size
	case ir.MemCopy:
		from, at := constOffset(v.Args[1])
		return off+v.Size <= t.alloca.Size && from.Op == ir.VarAddr && at >= 0 && at+v.Size <= int64(len(from.Var.Init))
	case ir.Store:
		for _, x := range v.Args[1:] {
			if base, _ := constOffset(x); x.Op != ir.Const && x.Op != ir.NilPtr && (base.Op != ir.VarAddr || base.Var.Init == nil) {
				return false
			}
		}
		return off+size8(v) <= t.alloca.Size
	}
	return false
}

// inOrder puts the writes in their order, and reports whether all are in one block and every read
// follows them.
func (t *localTable) inOrder(dom *ir.Dom) bool {
	b := t.writes[0].Block
	isWrite := map[*ir.Value]bool{}
	for _, w := range t.writes {
		if w.Block != b {
			return false
		}
		isWrite[w] = true
	}
	early := map[*ir.Value]bool{} // instructions before the last write
	t.writes = t.writes[:0]
	for _, v := range b.Instrs {
		if len(t.writes) < len(isWrite) {
			early[v] = true
		}
		if isWrite[v] {
			t.writes = append(t.writes, v)
		}
	}
	return !slices.ContainsFunc(t.reads, func(r *ir.Value) bool {
		return early[r] || r.Block != b && !dom.Dominates(b, r.Block)
	})
}

// write carries out the writes. It is false where an address is written over in part.
func (t *localTable) write() bool {
	for _, w := range t.writes {
		_, off := constOffset(w.Args[0])
		switch w.Op {
		case ir.MemZero:
			if !t.drop(off, w.Size) {
				return false
			}
			clear(t.data[off : off+w.Size])
		case ir.MemCopy:
			from, at := constOffset(w.Args[1])
			if !t.drop(off, w.Size) || !t.copyRefs(from.Var, at, off, w.Size) {
				return false
			}
			copy(t.data[off:off+w.Size], from.Var.Init[at:])
			t.hold(from.Var.Elem)
		case ir.Store:
			for _, x := range w.Args[1:] {
				size := int64(w.Mem.Size())
				if !t.drop(off, size) {
					return false
				}
				t.store(off, size, x)
				off += size
			}
			t.hold(w.Mem)
		}
	}
	return true
}

// store writes one constant, or the address of one.
func (t *localTable) store(off, size int64, x *ir.Value) {
	bits, isConst := x.IsConst()
	if !isConst {
		base, add := constOffset(x)
		t.refs = append(t.refs, ir.Ref{Off: off, Var: base.Var})
		bits = uint64(add)
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(t.data[off:off+size], word[:])
}

// drop forgets the addresses in a range that is written over. It is false if that cuts one.
func (t *localTable) drop(off, size int64) bool {
	cut := false
	t.refs = slices.DeleteFunc(t.refs, func(r ir.Ref) bool {
		inside := r.Off >= off && r.Off+8 <= off+size
		cut = cut || !inside && r.Off < off+size && off < r.Off+8
		return inside
	})
	return !cut
}

// copyRefs takes over the addresses in a range of constant data.
func (t *localTable) copyRefs(from *ir.Var, at, off, size int64) bool {
	for _, r := range from.Refs {
		switch {
		case r.Off+8 <= at || at+size <= r.Off:
		case r.Off < at || at+size < r.Off+8:
			return false
		default:
			t.refs = append(t.refs, ir.Ref{Off: r.Off - at + off, Var: r.Var})
		}
	}
	return true
}

// hold notes that elements of a memory type are written.
func (t *localTable) hold(m ir.Mem) {
	if t.elem != ir.MemNone && t.elem != m {
		m = ir.U8
	}
	t.elem = m
}

// replace makes the variable constant data.
func (t *localTable) replace() {
	x, at := t.copied()
	if x == nil {
		x = t.variable()
	}
	for _, w := range t.writes {
		w.Block.Remove(w)
	}
	entry := t.f.Entry()
	i := slices.IndexFunc(entry.Instrs, func(v *ir.Value) bool { return v.Op != ir.Alloca })
	insert := func(op ir.Op, typ ir.Type, args ...*ir.Value) *ir.Value {
		v := t.f.NewValue(op, typ, args...)
		v.Pos = t.alloca.Pos
		entry.Insert(i, v)
		i++
		return v
	}
	v := insert(ir.VarAddr, ir.Ptr)
	v.Var, v.Space, v.Align = x, x.Space, x.Align
	if at > 0 {
		off := insert(ir.Const, ir.I64)
		off.Int = uint64(at)
		v = insert(ir.PtrAdd, ir.Ptr, v, off)
		v.Space, v.Align = x.Space, t.alloca.Align
	}
	r := ir.NewReplacer(t.f)
	r.Replace(t.alloca, v)
	r.Apply()
}

// copied is the constant data, and where in it, that the whole variable is a copy of; nil if it is
// none, or of less alignment.
func (t *localTable) copied() (*ir.Var, int64) {
	w := t.writes[len(t.writes)-1]
	if w.Op != ir.MemCopy || w.Size != t.alloca.Size {
		return nil, 0
	}
	from, at := constOffset(w.Args[1])
	if align := int64(max(t.alloca.Align, 1)); int64(from.Var.Align) < align || at%align != 0 {
		return nil, 0
	}
	return from.Var, at
}

// variable makes a variable of the data.
func (t *localTable) variable() *ir.Var {
	name := t.alloca.Name
	if name == "" {
		name = "table"
	}
	return t.f.AddVar(&ir.Var{
		Name: t.f.VarName(name), Space: ir.Constant, Size: t.alloca.Size, Align: t.alloca.Align, Elem: t.elem,
		Init: t.data, Refs: t.refs, Pos: t.alloca.Pos,
	})
}
