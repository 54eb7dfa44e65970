package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxStraight is how many accesses a MemZero or MemCopy becomes without a loop.
const maxStraight = 16

// ExpandMem turns the remaining MemZeros and MemCopies into loads and stores. A small variable gets
// straight-line code, a large one a loop. The accesses are as wide as the alignment allows, 16
// bytes at most.
func ExpandMem(f *ir.Func) {
	for i := 0; i < len(f.Blocks); i++ { // instructions after a bulk instruction go into a new block at the end
		b := f.Blocks[i]
		k := slices.IndexFunc(b.Instrs, func(v *ir.Value) bool { return v.Op == ir.MemZero || v.Op == ir.MemCopy })
		if k >= 0 {
			expandAt(f, b, k)
		}
	}
}

// bulk expands one instruction.
type bulk struct {
	*ir.Builder
	v    *ir.Value
	unit unit
}

// unit is one access: lanes values of type mem.
type unit struct {
	mem   ir.Mem
	lanes int
}

func (u unit) size() int64 { return int64(u.mem.Size() * max(u.lanes, 1)) }

// widest is the largest access for the alignment and size.
func widest(align int, size int64) unit {
	for _, u := range []unit{{ir.B64, 2}, {ir.B64, 0}, {ir.B32, 0}, {ir.U16, 0}} {
		if int64(align)%u.size() == 0 && align > 0 && size >= u.size() {
			return u
		}
	}
	return unit{ir.U8, 0}
}

// expandAt replaces instruction k of b.
func expandAt(f *ir.Func, b *ir.Block, k int) {
	v := b.Instrs[k]
	rest := f.SplitBlock(b, k+1)
	b.Instrs = b.Instrs[:k]
	e := &bulk{Builder: &ir.Builder{Func: f, Block: b, Pos: v.Pos}, v: v, unit: widest(v.Align, v.Size)}
	done := int64(0)
	if n := v.Size / e.unit.size(); n > maxStraight {
		done = n * e.unit.size()
		e.loop(done)
	}
	for done < v.Size {
		e.unit = widest(gcdAlign(v.Align, done), v.Size-done)
		e.one(e.Int(ir.I64, done))
		done += e.unit.size()
	}
	e.Jump(rest)
}

// gcdAlign is the alignment off bytes after an address of the given alignment.
func gcdAlign(align int, off int64) int {
	for align > 1 && off%int64(align) != 0 {
		align /= 2
	}
	return align
}

// loop moves the bytes up to end, a unit in each round.
func (e *bulk) loop(end int64) {
	pre := e.Block
	body, after := e.Func.NewBlock(), e.Func.NewBlock()
	zero := e.Int(ir.I64, 0)
	e.Jump(body)
	e.Block = body
	off := e.Phi(ir.I64)
	e.one(off)
	next := e.Emit(ir.Add, ir.I64, off, e.Int(ir.I64, e.unit.size()))
	e.Branch(e.Cmp(ir.Lt, next, e.Int(ir.I64, end)), body, after)
	off.SetIncoming(pre, zero)
	off.SetIncoming(body, next)
	e.Block = after
}

// one moves a unit at offset off.
func (e *bulk) one(off *ir.Value) {
	at := func(p *ir.Value) *ir.Value {
		q := e.PtrAdd(p, off)
		q.Space = p.PointsTo()
		return q
	}
	u := e.unit
	n := max(u.lanes, 1)
	values := make([]*ir.Value, n)
	switch {
	case e.v.Op == ir.MemZero:
		zero := e.Int(u.mem.Type(), 0)
		for i := range values {
			values[i] = zero
		}
	case u.lanes > 0:
		values = e.LoadVector(u.mem.Type(), u.mem, at(e.v.Args[1]), u.lanes)
	default:
		values[0] = e.Load(u.mem.Type(), u.mem, at(e.v.Args[1]))
	}
	e.Store(u.mem, at(e.v.Args[0]), values...)
}
