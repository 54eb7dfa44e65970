package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// DeadCode removes instructions whose results nothing needs, also phis that need only each other.
// It marks from the effects and drops the rest (Cytron et al. 1991). A local array that is only
// stored to goes, together with its stores.
func DeadCode(f *ir.Func) {
	live := make([]bool, f.NumValues())
	var work []*ir.Value
	mark := func(v *ir.Value) {
		if !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	written := onlyWritten(f)
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if !v.Op.Removable() && !writesOnly(v, written) {
				mark(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
	}
	for _, b := range f.Blocks {
		kept := b.Instrs[:0]
		for _, v := range b.Instrs {
			if live[v.ID] {
				kept = append(kept, v)
			} else {
				v.Block = nil
			}
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
	}
}

// writesOnly reports whether v does nothing but write to an Alloca that is never read.
func writesOnly(v *ir.Value, written map[*ir.Value]bool) bool {
	switch v.Op {
	case ir.Store, ir.MemZero, ir.MemCopy:
		return written[addressRoot(v.Args[0])]
	}
	return false
}

// addressRoot follows PtrAdds back to the origin of an address.
func addressRoot(p *ir.Value) *ir.Value {
	for p.Op == ir.PtrAdd {
		p = p.Args[0]
	}
	return p
}

// onlyWritten finds the Allocas whose address is used for nothing but writing to them.
func onlyWritten(f *ir.Func) map[*ir.Value]bool {
	written := map[*ir.Value]bool{}
	for _, v := range f.Entry().Instrs {
		if v.Op == ir.Alloca {
			written[v] = true
		}
	}
	if len(written) == 0 {
		return nil
	}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			for i, a := range v.Args {
				if a.Type != ir.Ptr || v.Op == ir.PtrAdd {
					continue
				}
				if i > 0 || v.Op != ir.Store && v.Op != ir.MemZero && v.Op != ir.MemCopy {
					delete(written, addressRoot(a))
				}
			}
		}
	}
	return written
}
