package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

var signedCompare = map[token.Token]ir.Sub{
	token.EQL: ir.Eq, token.NEQ: ir.Ne, token.LSS: ir.Lt, token.LEQ: ir.Le, token.GTR: ir.Gt, token.GEQ: ir.Ge,
}

var unsignedCompare = map[token.Token]ir.Sub{
	token.EQL: ir.Eq, token.NEQ: ir.Ne, token.LSS: ir.LtU, token.LEQ: ir.LeU, token.GTR: ir.GtU, token.GEQ: ir.GeU,
}

func (f *frame) compare(in *ssa.BinOp) *ir.Value {
	l := f.l
	if holds, known := decide(in); known {
		return l.b.Bool(holds)
	}
	if k, ok := kindOf(in.X.Type()); ok {
		x, y := f.value(in.X).one(), f.value(in.Y).one()
		if k.signed {
			return l.b.Cmp(signedCompare[in.Op], x, y)
		}
		return l.b.Cmp(unsignedCompare[in.Op], x, y)
	}
	if isString(in.X.Type()) {
		return l.compareStrings(in.Op, f.value(in.X), f.value(in.Y))
	}
	eq := f.equal(in)
	switch {
	case in.Op == token.EQL:
		return eq
	case eq.Op == ir.Cmp && eq.Sub == ir.Eq && eq.Args[0].Type == ir.Ptr:
		return l.b.Cmp(ir.Ne, eq.Args[0], eq.Args[1])
	}
	return l.b.Emit(ir.Not, ir.Bool, eq)
}

// equal is x == y for types that are not basic.
func (f *frame) equal(in *ssa.BinOp) *ir.Value {
	l := f.l
	x, y := f.value(in.X), f.value(in.Y)
	switch t := in.X.Type().Underlying().(type) {
	case *types.Pointer:
		if x.leaves[0].v == nil || y.leaves[0].v == nil {
			f.unsupported(in)
			return l.b.Bool(false)
		}
		return l.b.Cmp(ir.Eq, x.one(), y.one())
	case *types.Slice:
		return l.b.Cmp(ir.Eq, x.one(), y.one()) // with nil, the only thing a slice can be compared with
	case *types.Signature:
		return l.b.Bool((x.leaves[0].fn == nil) == (y.leaves[0].fn == nil))
	case *types.Struct, *types.Array:
		if l.layout(t).refused == "" {
			return l.equalParts(in.X.Type(), x, y)
		}
	}
	f.unsupported(in)
	return l.b.Bool(false)
}

// equalParts compares structs and arrays, part by part. Blank fields do not count.
func (l *lowerer) equalParts(t types.Type, x, y value) *ir.Value {
	lay := l.layout(t)
	if lay.large {
		return l.equalMemory(t, x.mem, y.mem)
	}
	var all *ir.Value
	for i, s := range lay.scalars {
		var eq *ir.Value
		switch {
		case s.blank, i > 0 && lay.scalars[i-1].text:
			continue
		case s.text:
			eq = l.compareStrings(token.EQL, value{leaves: x.leaves[i : i+2]}, value{leaves: y.leaves[i : i+2]})
		default:
			eq = l.b.Cmp(ir.Eq, x.leaves[i].v, y.leaves[i].v)
		}
		if all == nil {
			all = eq
		} else {
			all = l.b.Emit(ir.And, ir.Bool, all, eq)
		}
	}
	if all == nil {
		return l.b.Bool(true)
	}
	return all
}

// equalMemory compares large values: the fields of a struct one after the other, the elements of an
// array in a loop.
func (l *lowerer) equalMemory(t types.Type, x, y *ir.Value) *ir.Value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		all := l.b.Bool(true)
		for i, off := range frontend.Offsets(u) {
			if u.Field(i).Name() != "_" {
				all = l.b.Emit(ir.And, ir.Bool, all, l.equalAt(u.Field(i).Type(), l.at(x, off), l.at(y, off)))
			}
		}
		return all
	case *types.Array:
		result := l.temp(types.Typ[types.Bool], "")
		l.b.Store(ir.U8, result, l.b.Bool(true))
		size := l.layout(u.Elem()).size
		l.loop(l.b.Int(ir.I64, u.Len()), false, func(i *ir.Value) {
			off := l.scale(i, size)
			eq := l.equalAt(u.Elem(), l.b.PtrAdd(x, off), l.b.PtrAdd(y, off))
			was := l.b.Load(ir.Bool, ir.U8, result)
			l.b.Store(ir.U8, result, l.b.Emit(ir.And, ir.Bool, was, eq))
		})
		return l.b.Load(ir.Bool, ir.U8, result)
	}
	panic("BUG: a large value that is neither struct nor array")
}

func (l *lowerer) equalAt(t types.Type, x, y *ir.Value) *ir.Value {
	if l.layout(t).large {
		return l.equalMemory(t, x, y)
	}
	return l.equalParts(t, l.load(t, leaf{v: x, nonNil: true}), l.load(t, leaf{v: y, nonNil: true}))
}
