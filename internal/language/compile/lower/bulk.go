package lower

import (
	"go/types"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// loop runs body for 0 <= i < n, or from n-1 down to 0. The builder ends up after the loop.
func (l *lowerer) loop(n *ir.Value, down bool, body func(i *ir.Value)) {
	before, head, inside, after := l.b.Block, l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
	l.ownLoop(head, inside)
	zero, one := l.b.Int(ir.I64, 0), l.b.Int(ir.I64, 1)
	l.b.Jump(head)
	l.b.Block = head
	i := l.b.Phi(ir.I64)
	if down { // i is one above the index
		l.b.Branch(l.b.Cmp(ir.Gt, i, zero), inside, after)
	} else {
		l.b.Branch(l.b.Cmp(ir.Lt, i, n), inside, after)
	}
	l.b.Block = inside
	var next *ir.Value
	if down {
		next = l.b.Emit(ir.Subtract, ir.I64, i, one)
		body(next)
	} else {
		body(i)
		next = l.b.Emit(ir.Add, ir.I64, i, one)
	}
	end := l.b.Block
	l.b.Jump(head)
	if down {
		i.SetIncoming(before, n)
	} else {
		i.SetIncoming(before, zero)
	}
	i.SetIncoming(end, next)
	l.b.Block = after
}

// copySlice is the built-in copy: it copies as many elements as both slices have, and is right if
// they overlap.
func (l *lowerer) copySlice(elem types.Type, dst, src value) *ir.Value {
	n := l.b.Emit(ir.MinS, ir.I64, dst.len(), src.len())
	size := l.layout(elem).size
	if size == 0 {
		return n
	}
	for _, of := range [][2]value{{dst, src}, {src, dst}} {
		if most, ok := of[0].len().IntConst(); ok && most <= maxCopied && l.ownArray(of[0].one(), of[1].one()) {
			l.copyFew(elem, dst, src, n, most)
			return n
		}
	}
	down, up, after := l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
	l.b.Branch(l.b.Cmp(ir.GtU, dst.one(), src.one()), down, up)
	move := func(i *ir.Value) { l.copyOne(elem, dst, src, i) }
	l.b.Block = down
	l.loop(n, true, move)
	l.b.Jump(after)
	l.b.Block = up
	l.loop(n, false, move)
	l.b.Jump(after)
	l.b.Block = after
	return n
}

// copyOne copies the element i.
func (l *lowerer) copyOne(elem types.Type, dst, src value, i *ir.Value) {
	size := l.layout(elem).size
	v := l.load(elem, leaf{v: l.elem(src.one(), i, size), nonNil: true})
	l.storeValue(elem, l.elem(dst.one(), i, size), v)
}

// maxCopied is the number of elements that are copied without a loop.
const maxCopied = 16

// ownArray reports whether p is the address of an array of the thread's own, into which q does not
// point.
func (l *lowerer) ownArray(p, q *ir.Value) bool {
	for q.Op == ir.PtrAdd {
		q = q.Args[0]
	}
	return p.Op == ir.Alloca && p != q && (q.Op == ir.ParamVal || q.Op == ir.Alloca || q.Op == ir.VarAddr)
}

// copyFew copies the n elements, of most that there may be, without a loop, so that constants index
// the array of the thread's own, and it becomes registers. Mostly n is most.
func (l *lowerer) copyFew(elem types.Type, dst, src value, n *ir.Value, most int64) {
	all, some, done := l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
	l.b.Branch(l.b.Cmp(ir.Eq, n, l.b.Int(ir.I64, most)), all, some)
	l.b.Block = all
	for i := range most {
		l.copyOne(elem, dst, src, l.b.Int(ir.I64, i))
	}
	l.b.Jump(done)
	l.b.Block = some
	for i := range most - 1 {
		at := l.b.Int(ir.I64, i)
		then, after := l.f.NewBlock(), l.f.NewBlock()
		l.b.Branch(l.b.Cmp(ir.Lt, at, n), then, after)
		l.b.Block = then
		l.copyOne(elem, dst, src, at)
		l.b.Jump(after)
		l.b.Block = after
	}
	l.b.Jump(done)
	l.b.Block = done
}

// clearSlice is the built-in clear.
func (l *lowerer) clearSlice(elem types.Type, s value) {
	size := l.layout(elem).size
	if size == 0 {
		return
	}
	l.loop(s.len(), false, func(i *ir.Value) {
		p := l.elem(s.one(), i, size)
		if l.layout(elem).large {
			l.b.MemZero(p, size, max(p.Align, l.layout(elem).align))
			return
		}
		l.storeValue(elem, p, l.zero(elem))
	})
}
