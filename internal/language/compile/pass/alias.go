package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// aliases answers whether two accesses may touch the same memory.
//
// Two slices that a kernel is given may overlap, so pointers into global memory are told apart only
// by offsets from the same pointer. Spaces do not overlap, nor do variables. Constant data overlaps
// with nothing that is written.
type aliases struct {
	local map[*ir.Value]bool // Allocas whose address stays in PtrAdds, loads and stores
}

func newAliases(f *ir.Func) *aliases {
	a := &aliases{local: map[*ir.Value]bool{}}
	for _, v := range f.Entry().Instrs {
		if v.Op == ir.Alloca {
			a.local[v] = true
		}
	}
	if len(a.local) == 0 {
		return a
	}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			for i, x := range v.Args {
				if x.Type != ir.Ptr || v.Op == ir.PtrAdd || i == 0 && (v.Accesses() || v.Op == ir.Check) ||
					v.Op == ir.MemCopy {
					continue
				}
				delete(a.local, addressRoot(x))
			}
		}
	}
	return a
}

// private reports whether the memory that p points to is reached only by the thread's own loads and
// stores through pointers derived from it, or is written by nobody.
func (a *aliases) private(p *ir.Value) bool { return a.local[addressRoot(p)] || p.Constant() }

// may reports whether n bytes at p and m bytes at q may overlap.
func (a *aliases) may(p *ir.Value, n int64, q *ir.Value, m int64) bool {
	if p.Constant() || q.Constant() {
		return false
	}
	if p == q {
		return true
	}
	sp, sq := p.PointsTo(), q.PointsTo()
	if sp != sq && sp != ir.Generic && sq != ir.Generic {
		return false
	}
	bp, op := constOffset(p)
	bq, oq := constOffset(q)
	if bp == bq {
		return op < oq+m && oq < op+n
	}
	rp, rq := addressRoot(p), addressRoot(q)
	if rp != rq {
		if a.local[rp] || a.local[rq] {
			return false
		}
		if object(rp) && object(rq) && !sameObject(rp, rq) {
			return false
		}
	}
	return true
}

// constOffset takes constant offsets off a pointer.
func constOffset(p *ir.Value) (base *ir.Value, off int64) {
	for p.Op == ir.PtrAdd {
		c, isConst := p.Args[1].IntConst()
		if !isConst {
			break
		}
		off += c
		p = p.Args[0]
	}
	return p, off
}

// object reports whether p is the address of a variable, which no other variable overlaps.
func object(p *ir.Value) bool { return p.Op == ir.Alloca || p.Op == ir.VarAddr }

func sameObject(p, q *ir.Value) bool {
	return p == q || p.Op == ir.VarAddr && q.Op == ir.VarAddr && (p.Var == q.Var || p.Var.Dynamic && q.Var.Dynamic)
}
