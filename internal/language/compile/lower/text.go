package lower

import (
	"encoding/binary"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// isString reports whether a type's values are strings: an address and a length.
func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// stringValue is a constant string.
func (l *lowerer) stringValue(s string) value {
	n := leaf{v: l.b.Int(ir.I64, int64(len(s)))}
	if s == "" {
		return value{leaves: []leaf{{v: l.b.NilPtr()}, n}}
	}
	tab := l.strings[s]
	if tab == nil {
		tab = stringTable(s)
		l.strings[s] = tab
	}
	return value{leaves: []leaf{{v: l.b.VarAddr(l.tableVar(tab)), nonNil: true}, n}}
}

// constString is the text of a string that is known when the kernel is compiled: a constant, or a
// call's constant argument.
func (f *frame) constString(x ssa.Value) (string, bool) {
	if c, ok := x.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
		return constant.StringVal(c.Value), true
	}
	if !isString(x.Type()) {
		return "", false
	}
	v := f.value(x)
	n, ok := v.len().IntConst()
	switch p := v.one(); {
	case ok && n == 0:
		return "", true
	case ok && p.Op == ir.VarAddr && p.Var.Init != nil:
		return string(p.Var.Init[:n]), true
	}
	return "", false
}

// convertString converts a constant string to a slice of its bytes or runes: a variable, made anew
// each time, that may be written to.
func (f *frame) convertString(in *ssa.Convert) value {
	l := f.l
	s, isSlice := in.Type().Underlying().(*types.Slice)
	text, known := f.constString(in.X)
	if !isSlice || !known {
		l.errorf(f.messagePos(in), "a kernel cannot make strings, or convert those that are not known when it is "+
			"compiled: there is no heap, write the bytes to an array")
		return l.undefined(in.Type())
	}
	data := []byte(text)
	if k, _ := kindOf(s.Elem()); k.bits == 32 {
		data = nil
		for _, r := range text {
			data = binary.LittleEndian.AppendUint32(data, uint32(r))
		}
	}
	size := l.layout(s.Elem()).size
	n := int64(len(data)) / size
	length := l.b.Int(ir.I64, n)
	tmp := l.temp(types.NewArray(s.Elem(), n), "")
	if n > 0 {
		tab := &table{name: "text", align: tmp.Align, elem: elemMem(s.Elem()), data: data}
		l.b.MemCopy(tmp, l.b.VarAddr(l.tableVar(tab)), int64(len(data)), tmp.Align)
		l.decls[tmp] = append(l.decls[tmp], declared{l.b.Block.Instrs[len(l.b.Block.Instrs)-1], f.messagePos(in)})
	}
	return sliceValue(leaf{v: tmp, nonNil: true}, length, length)
}

// compareStrings is x op y.
func (l *lowerer) compareStrings(op token.Token, x, y value) *ir.Value {
	zero := l.b.Int(ir.I64, 0)
	sub := signedCompare[op]
	if sub == ir.Eq || sub == ir.Ne {
		same := l.inline(&closure{fn: l.prog.TextFunc("Equal")}, []value{x, y})[0].one()
		if sub == ir.Ne {
			return l.b.Emit(ir.Not, ir.Bool, same)
		}
		return same
	}
	order := l.inline(&closure{fn: l.prog.TextFunc("Compare")}, []value{x, y})[0].one()
	return l.b.Cmp(sub, order, zero)
}

// minMaxStrings is the built-in min or max of strings.
func (f *frame) minMaxStrings(isMin bool, args []ssa.Value) value {
	l := f.l
	best := f.value(args[0])
	op := token.GTR
	if isMin {
		op = token.LSS
	}
	for _, a := range args[1:] {
		v := f.value(a)
		better := l.compareStrings(op, v, best)
		best = value{leaves: []leaf{
			{v: l.b.Select(better, v.one(), best.one())}, {v: l.b.Select(better, v.len(), best.len())},
		}}
	}
	return best
}

// indexString is s[i].
func (f *frame) indexString(in *ssa.Index) value {
	l := f.l
	s := f.value(in.X)
	i := l.toI64(f.value(in.Index).one(), in.Index.Type())
	l.checkIndex(i, s.len(), in.Index.Type())
	return scalarValue(l.b.Load(ir.I32, ir.U8, l.elem(s.one(), i, 1)))
}

// rangeString begins a loop over the runes of a string: the iterator is the string, and a variable
// that holds where the next rune begins.
func (f *frame) rangeString(in *ssa.Range) value {
	l := f.l
	s := f.value(in.X)
	at := l.temp(types.Typ[types.Int], "")
	l.b.Store(ir.B64, at, l.b.Int(ir.I64, 0))
	return value{leaves: []leaf{s.leaves[0], s.leaves[1], {v: at}}}
}

// nextRune goes on with such a loop: it returns whether a rune follows, its index, and the rune.
func (f *frame) nextRune(in *ssa.Next) value {
	l := f.l
	it := f.value(in.Iter)
	at := it.leaves[2].v
	pos := l.b.Load(ir.I64, ir.B64, at)
	ok := l.b.Cmp(ir.Lt, pos, it.len())
	before, decode, after := l.b.Block, l.f.NewBlock(), l.f.NewBlock()
	none := l.b.Int(ir.I32, 0)
	l.b.Branch(ok, decode, after)
	l.b.Block = decode
	decoded := l.inline(&closure{fn: l.prog.TextFunc("DecodeRune")}, []value{{leaves: it.leaves[:2]}, scalarValue(pos)})
	l.b.Store(ir.B64, at, decoded[1].one())
	end := l.b.Block
	l.b.Jump(after)
	l.b.Block = after
	r := l.b.Phi(ir.I32)
	r.SetIncoming(before, none)
	r.SetIncoming(end, decoded[0].one())
	return value{tuple: []value{scalarValue(ok), scalarValue(pos), scalarValue(r)}}
}
