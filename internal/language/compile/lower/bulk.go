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
	down, up, after := l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
	d, s := dst.one(), src.one()
	l.b.Branch(l.b.Cmp(ir.GtU, d, s), down, up)
	move := func(i *ir.Value) {
		v := l.load(elem, leaf{v: l.elem(s, i, size), nonNil: true})
		l.storeValue(elem, l.elem(d, i, size), v)
	}
	l.b.Block = down
	l.loop(n, true, move)
	l.b.Jump(after)
	l.b.Block = up
	l.loop(n, false, move)
	l.b.Jump(after)
	l.b.Block = after
	return n
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
