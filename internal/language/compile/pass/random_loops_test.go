package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// loop makes "for i := from; i < to; i += step" with an accumulator and sometimes a break. Bounds
// are constant or small values.
func (g *generator) loop() {
	from, step := g.Int(ir.I64, int64(g.rng.IntN(3))), g.Int(ir.I64, int64(1+g.rng.IntN(3)))
	to := g.Int(ir.I64, int64(g.rng.IntN(arrayLen+2)))
	switch g.rng.IntN(3) {
	case 0:
		to = g.Emit(ir.And, ir.I64, g.value(ir.I64), g.Int(ir.I64, 7))
	case 1:
		if g.depth == 0 {
			to = g.bufLen
		}
	}
	down := g.rng.IntN(4) == 0
	t := []ir.Type{ir.I64, ir.I32, ir.F32}[g.rng.IntN(3)]
	start := g.value(t)
	if down {
		from, to = to, from
	}
	head, body, exit := g.Func.NewBlock(), g.Func.NewBlock(), g.Func.NewBlock()
	pre := g.Block
	var other *ir.Block // a second way into the loop
	from2 := from
	if g.rng.IntN(2) == 0 {
		from2 = g.Int(ir.I64, int64(g.rng.IntN(14)))
	}
	if g.rng.IntN(4) == 0 {
		other = g.Func.NewBlock()
		g.Branch(g.condition(), head, other)
		g.Block = other
	}
	g.Jump(head)
	g.Block = head
	i, acc := g.Phi(ir.I64), g.Phi(t)
	if down {
		g.Branch(g.Cmp(ir.Gt, i, to), body, exit)
	} else {
		g.Branch(g.Cmp(ir.Lt, i, to), body, exit)
	}
	g.Block = body
	var result *ir.Value
	g.nested(func() {
		g.use(i)
		g.use(acc)
		g.body()
		if g.rng.IntN(4) == 0 { // break
			rest := g.Func.NewBlock()
			g.Branch(g.condition(), rest, exit)
			g.Block = rest
			g.body()
		}
		result = g.value(t)
	})
	op := ir.Add
	if down {
		op = ir.Subtract
	}
	next := g.Emit(op, ir.I64, i, step)
	latch := g.Block
	g.Jump(head)
	i.SetIncoming(pre, from)
	i.SetIncoming(latch, next)
	acc.SetIncoming(pre, start)
	if other != nil {
		i.SetIncoming(other, from2)
		acc.SetIncoming(other, start)
	}
	acc.SetIncoming(latch, result)
	g.Block = exit
	g.use(acc)
	g.use(i)
}

// rangeLoop makes "for i := range n" as go/ssa does, with the test after the body, and sometimes a
// break. Indices in it are often sums and products with the counter.
func (g *generator) rangeLoop() {
	zero, one := g.Int(ir.I64, int64(g.rng.IntN(2))), g.Int(ir.I64, 1)
	n := g.Emit(ir.And, ir.I64, g.value(ir.I64), g.Int(ir.I64, 7))
	if g.rng.IntN(3) == 0 {
		n = g.Int(ir.I64, int64(g.rng.IntN(6)))
	}
	t := []ir.Type{ir.I64, ir.I32}[g.rng.IntN(2)]
	start, scale, base := g.value(t), g.value(ir.I64), g.value(ir.I64)
	if g.rng.IntN(2) == 0 {
		scale, base = g.Int(ir.I64, int64(g.rng.IntN(4))), g.Emit(ir.And, ir.I64, base, g.Int(ir.I64, 15))
	}
	length := g.bufLen
	switch g.rng.IntN(3) {
	case 0:
		length = g.Int(ir.I64, int64(g.rng.IntN(24)))
	case 1:
		length = g.Emit(ir.And, ir.I64, g.value(ir.I64), g.Int(ir.I64, 31))
	}
	body, exit := g.Func.NewBlock(), g.Func.NewBlock()
	pre := g.Block
	var broke *ir.Block
	var brokeWith *ir.Value
	zero, guarded := g.enterRange(zero, n, body, exit)
	g.Block = body
	i, acc := g.Phi(ir.I64), g.Phi(t)
	var result *ir.Value
	g.nested(func() {
		g.use(i)
		g.use(acc)
		if g.rng.IntN(4) == 0 {
			g.Check(ir.CheckDivide, scale)
		}
		g.rangeAccess(i, scale, base, length)
		g.body()
		if g.rng.IntN(4) == 0 {
			rest := g.Func.NewBlock()
			brokeWith = g.value(t)
			broke = g.Block
			g.Branch(g.condition(), rest, exit)
			g.Block = rest
		}
		result = g.value(t)
	})
	next := g.Emit(ir.Add, ir.I64, i, one)
	latch := g.Block
	g.Branch(g.Cmp(ir.Lt, next, n), body, exit)
	i.SetIncoming(pre, zero)
	i.SetIncoming(latch, next)
	acc.SetIncoming(pre, start)
	acc.SetIncoming(latch, result)
	g.Block = exit
	out := g.Phi(t)
	if guarded {
		out.SetIncoming(pre, start)
	}
	out.SetIncoming(latch, result)
	if broke != nil {
		out.SetIncoming(broke, brokeWith)
	}
	g.use(out)
}

// enterRange enters the body of a rangeLoop: under its test, as go/ssa does, under another, or
// without. It returns the counter's first value.
func (g *generator) enterRange(zero, n *ir.Value, body, exit *ir.Block) (first *ir.Value, guarded bool) {
	switch g.rng.IntN(8) {
	case 0: // do … while
		zero = g.Emit(ir.And, ir.I64, g.value(ir.I64), g.Int(ir.I64, 3))
		g.Jump(body)
		return zero, false
	case 1:
		g.Branch(g.Cmp(ir.Lt, zero, g.Int(ir.I64, int64(g.rng.IntN(4)))), body, exit)
	case 2:
		g.Branch(g.Cmp(ir.Gt, n, zero), body, exit)
	default:
		g.Branch(g.Cmp(ir.Lt, zero, n), body, exit)
	}
	return zero, true
}

// rangeAccess stores to global memory at indices that are linear in i.
func (g *generator) rangeAccess(i, scale, base, length *ir.Value) {
	for range 1 + g.rng.IntN(2) {
		index := g.Emit(ir.Add, ir.I64, g.Emit(ir.Mul, ir.I64, i, scale), base)
		if g.rng.IntN(3) == 0 {
			index = g.Emit(ir.Add, ir.I64, i, base)
		}
		g.Pos.Line++
		g.Check(ir.CheckIndex, index, length)
		g.Store(ir.B32, g.PtrAdd(g.buf, g.Emit(ir.Shl, ir.I64, index, g.Int(ir.I32, 2))), g.value(ir.I32))
	}
}

// wrapping makes a loop of four rounds whose counter wraps round.
func (g *generator) wrapping() {
	t := []ir.Type{ir.I32, ir.I64}[g.rng.IntN(2)]
	zero, step := g.Int(t, 0), g.Int(t, 1<<(t.Bits()-2))
	head, exit := g.Func.NewBlock(), g.Func.NewBlock()
	pre := g.Block
	g.Jump(head)
	g.Block = head
	i := g.Phi(t)
	g.nested(func() {
		g.use(i)
		g.body()
	})
	next := g.Emit(ir.Add, t, i, step)
	latch := g.Block
	g.Branch(g.Cmp(ir.Ne, next, zero), head, exit)
	i.SetIncoming(pre, zero)
	i.SetIncoming(latch, next)
	g.Block = exit
	g.use(i)
}

// tangle makes a loop with two entries, as goto can: two blocks that jump to each other, and a
// counter that ends it.
func (g *generator) tangle() {
	a, b, exit := g.Func.NewBlock(), g.Func.NewBlock(), g.Func.NewBlock()
	pre := g.Block
	zero, one, limit := g.Int(ir.I64, 0), g.Int(ir.I64, 1), g.Int(ir.I64, int64(2+g.rng.IntN(6)))
	x := g.value(ir.I64)
	g.Branch(g.condition(), a, b)
	var counts, accs, nexts, results [2]*ir.Value
	for k, block := range []*ir.Block{a, b} {
		g.Block = block
		counts[k], accs[k] = g.Phi(ir.I64), g.Phi(ir.I64)
		n := len(g.scope)
		g.use(counts[k])
		g.use(accs[k])
		g.access(g.shared, g.Int(ir.I64, sharedLen), sharedLen)
		results[k] = g.arithmetic()
		if results[k].Type != ir.I64 {
			results[k] = accs[k]
		}
		nexts[k] = g.Emit(ir.Add, ir.I64, counts[k], one)
		g.scope = g.scope[:n]
		g.Branch(g.Cmp(ir.Lt, nexts[k], limit), []*ir.Block{b, a}[k], exit)
	}
	for k, from := range []*ir.Block{b, a} {
		counts[k].SetIncoming(pre, zero)
		accs[k].SetIncoming(pre, x)
		counts[k].SetIncoming(from, nexts[1-k])
		accs[k].SetIncoming(from, results[1-k])
	}
	g.Block = exit
	out := g.Phi(ir.I64)
	out.SetIncoming(a, results[0])
	out.SetIncoming(b, results[1])
	g.use(out)
}

// wandering makes "for i := from; i < n; i = next" whose counter grows or shrinks, by a condition,
// and is never negative, with checks on indices that are linear in it. It ends after a few rounds.
func (g *generator) wandering() {
	from, n := g.Int(ir.I64, int64(g.rng.IntN(9))), g.Int(ir.I64, int64(4+g.rng.IntN(12)))
	zero, one, rounds := g.Int(ir.I64, 0), g.Int(ir.I64, 1), g.Int(ir.I64, int64(1+g.rng.IntN(7)))
	up, down := g.Int(ir.I64, int64(g.rng.IntN(4))), g.Int(ir.I64, -int64(g.rng.IntN(5)))
	scale, base := g.Int(ir.I64, int64(1+g.rng.IntN(2))), g.Int(ir.I64, -int64(g.rng.IntN(6)))
	head, body, rest, exit := g.Func.NewBlock(), g.Func.NewBlock(), g.Func.NewBlock(), g.Func.NewBlock()
	pre := g.Block
	g.Jump(head)
	g.Block = head
	i, round := g.Phi(ir.I64), g.Phi(ir.I64)
	g.Branch(g.Cmp(ir.Lt, i, n), body, exit)
	g.Block = body
	var next *ir.Value
	g.nested(func() {
		g.use(i)
		g.rangeAccess(i, scale, base, g.bufLen)
		g.body()
		next = g.Emit(ir.MaxS, ir.I64, g.Emit(ir.Add, ir.I64, i, down), zero)
		if g.rng.IntN(2) == 0 {
			next = g.Emit(ir.Select, ir.I64, g.condition(), g.Emit(ir.Add, ir.I64, i, up), next)
		}
	})
	passed := g.Emit(ir.Add, ir.I64, round, one)
	g.Branch(g.Cmp(ir.Lt, passed, rounds), rest, exit)
	g.Block = rest
	g.Jump(head)
	i.SetIncoming(pre, from)
	i.SetIncoming(rest, next)
	round.SetIncoming(pre, zero)
	round.SetIncoming(rest, passed)
	g.Block = exit
	g.use(i)
}

// meetings makes branches whose ways meet again at loads from global memory, and sometimes a way
// stores there, has a choice or a loop of its own, or leaves.
func (g *generator) meetings() {
	at := g.PtrAddConst(g.buf, int64(4*g.rng.IntN(bufElems)))
	for range 1 + g.rng.IntN(4) {
		yes, join := g.Func.NewBlock(), g.Func.NewBlock()
		x := g.value(ir.I32)
		before, no, five := g.Block, join, g.Int(ir.I32, 5)
		if g.rng.IntN(2) == 0 {
			no = g.Func.NewBlock()
		}
		g.Branch(g.condition(), yes, no)
		g.Block = yes
		g.nested(func() {
			x = g.Emit(ir.Mul, ir.I32, g.value(ir.I32), x)
			switch g.rng.IntN(6) {
			case 0:
				g.Store(ir.B32, at, x)
			case 1:
				g.body()
			}
			for range g.rng.IntN(8) { // too many for IfConvert
				x = g.Emit(ir.Xor, ir.I32, g.Emit(ir.Add, ir.I32, x, g.value(ir.I32)), g.value(ir.I32))
			}
		})
		end := g.Block
		g.Jump(join)
		if no != join {
			g.Block, before = no, no
			g.Jump(join)
		}
		g.Block = join
		phi := g.Phi(ir.I32)
		phi.SetIncoming(end, x)
		phi.SetIncoming(before, five)
		g.use(phi)
		p := at
		if g.rng.IntN(2) == 0 {
			p = g.PtrAddConst(g.buf, int64(4*g.rng.IntN(bufElems)))
		}
		g.use(g.Load(ir.I32, ir.B32, p))
	}
}
