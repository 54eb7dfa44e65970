package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Bypass divides integers of 64 bits in 32 bits where both are below 2^32, which a branch asks. Go's
// int has 64 bits, and what it counts seldom needs them. NVIDIA's assembler calls a function for a
// division of 64 bits, which takes several times as long. LLVM's pass BypassSlowDivision does this
// for nvcc.
//
// It runs after Narrow and Divide, which need no branch.
func Bypass(f *ir.Func) {
	done := map[*ir.Value]bool{}
	for i := 0; i < len(f.Blocks); i++ { // new blocks come to the end
		b := f.Blocks[i]
		for k, v := range b.Instrs {
			if isWideDivision(v) && !done[v] {
				d := &bypass{f: f, v: v, other: otherResult(b.Instrs[k+1:], v)}
				done[d.run(b, k)] = true
				break
			}
		}
	}
}

// bypass is a division, and the one of the same numbers that gives its other result, or nil.
type bypass struct {
	f        *ir.Func
	v, other *ir.Value
	b        *ir.Block // where instructions are put
}

func isWideDivision(v *ir.Value) bool {
	return isDivision(v.Op) && v.Type == ir.I64 && v.Args[1].Op != ir.Const
}

func isDivision(op ir.Op) bool {
	return op == ir.DivS || op == ir.RemS || op == ir.DivU || op == ir.RemU
}

// otherResult finds the remainder that belongs to a quotient, or the quotient.
func otherResult(instrs []*ir.Value, v *ir.Value) *ir.Value {
	other := map[ir.Op]ir.Op{ir.DivS: ir.RemS, ir.RemS: ir.DivS, ir.DivU: ir.RemU, ir.RemU: ir.DivU}[v.Op]
	for _, w := range instrs {
		if w.Op == other && w.Type == v.Type && w.Args[0] == v.Args[0] && w.Args[1] == v.Args[1] {
			return w
		}
	}
	return nil
}

// run makes the branch before instruction k of b. It returns the division of 64 bits that remains.
func (d *bypass) run(b *ir.Block, k int) *ir.Value {
	x, y := d.v.Args[0], d.v.Args[1]
	rest := d.f.SplitBlock(b, k)
	slow, fast := d.f.NewBlock(), d.f.NewBlock()
	d.b = b
	high := d.emit(ir.Trunc, ir.I32, d.emit(ir.ShrU, ir.I64, d.emit(ir.Or, ir.I64, x, y), d.constant(32)))
	small := d.emit(ir.Cmp, ir.Bool, high, d.constant(0))
	small.Sub = ir.Eq
	d.emit(ir.Branch, ir.Void, small)
	ir.AddEdge(b, fast)
	ir.AddEdge(b, slow)

	d.b = fast
	quotient, remainder := d.divide(ir.DivU, ir.RemU, d.emit(ir.Trunc, ir.I32, x), d.emit(ir.Trunc, ir.I32, y))
	results := [2]*ir.Value{d.wide(quotient), d.wide(remainder)}
	d.jump(rest)

	d.b = slow
	div, rem := ir.DivU, ir.RemU
	if d.v.Op == ir.DivS || d.v.Op == ir.RemS {
		div, rem = ir.DivS, ir.RemS
	}
	quotient, remainder = d.divide(div, rem, x, y)
	d.jump(rest)

	rep := ir.NewReplacer(d.f)
	for i, slowly := range []*ir.Value{quotient, remainder} {
		for _, old := range []*ir.Value{d.v, d.other} {
			if old != nil && slowly != nil && (old.Op == rem) == (i == 1) {
				phi := d.f.NewValue(ir.Phi, ir.I64, results[i], slowly)
				phi.Pos = old.Pos
				rest.Remove(old)
				rest.Insert(0, phi)
				rep.Replace(old, phi)
			}
		}
	}
	rep.Apply()
	return slow.Instrs[0]
}

// divide makes the quotient and the remainder, each nil if it is not asked for.
func (d *bypass) divide(div, rem ir.Op, x, y *ir.Value) (quotient, remainder *ir.Value) {
	if d.other != nil {
		quotient = d.emit(div, x.Type, x, y)
		return quotient, d.emit(ir.Subtract, x.Type, x, d.emit(ir.Mul, x.Type, quotient, y))
	}
	if d.v.Op == ir.DivS || d.v.Op == ir.DivU {
		return d.emit(div, x.Type, x, y), nil
	}
	return nil, d.emit(rem, x.Type, x, y)
}

func (d *bypass) wide(v *ir.Value) *ir.Value {
	if v == nil {
		return nil
	}
	return d.emit(ir.Zext32, ir.I64, v)
}

func (d *bypass) emit(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := d.f.NewValue(op, t, args...)
	v.Pos = d.v.Pos
	d.b.Append(v)
	return v
}

func (d *bypass) jump(to *ir.Block) {
	d.emit(ir.Jump, ir.Void)
	ir.AddEdge(d.b, to)
}

func (d *bypass) constant(x uint64) *ir.Value {
	c := d.f.NewValue(ir.Const, ir.I32)
	c.Int = x
	d.f.Entry().Insert(0, c)
	return c
}
