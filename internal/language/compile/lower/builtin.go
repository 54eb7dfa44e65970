package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// builtin lowers a call of a built-in function.
func (f *frame) builtin(in *ssa.Call, b *ssa.Builtin) value {
	l := f.l
	args := in.Call.Args
	switch b.Name() {
	case "len", "cap":
		return scalarValue(f.length(in, b.Name(), args[0]))
	case "min", "max":
		if isString(args[0].Type()) {
			return f.minMaxStrings(b.Name() == "min", args)
		}
		return scalarValue(f.minMax(b.Name() == "min", args))
	case "copy":
		dst, ok := args[0].Type().Underlying().(*types.Slice)
		if _, ok2 := args[1].Type().Underlying().(*types.Slice); ok && (ok2 || isString(args[1].Type())) {
			return scalarValue(l.copySlice(dst.Elem(), f.value(args[0]), f.value(args[1])))
		}
	case "clear":
		if s, ok := args[0].Type().Underlying().(*types.Slice); ok {
			l.clearSlice(s.Elem(), f.value(args[0]))
			return value{}
		}
	case "complex", "real", "imag":
		return f.complexBuiltin(in, b.Name())
	case "Sizeof":
		return scalarValue(l.b.Int(ir.I64, l.layout(args[0].Type()).size))
	case "Alignof":
		return scalarValue(l.b.Int(ir.I64, frontend.Sizes.Alignof(args[0].Type())))
	case "ssa:wrapnilchk": // in the wrapper of a promoted method
		p := f.value(args[0])
		l.checkNil(p.leaves[0])
		return p
	}
	l.errorf(f.messagePos(in), "a kernel cannot call %s", b.Name())
	return l.undefined(in.Type())
}

func (f *frame) length(in *ssa.Call, name string, x ssa.Value) *ir.Value {
	l := f.l
	t := x.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Array:
		return l.b.Int(ir.I64, t.Len())
	case *types.Slice:
		if name == "len" {
			return f.value(x).len()
		}
		return f.value(x).capa()
	}
	if isString(t) {
		return f.value(x).len()
	}
	f.unsupported(in)
	return l.b.Int(ir.I64, 0)
}

func (f *frame) minMax(isMin bool, args []ssa.Value) *ir.Value {
	k, _ := kindOf(args[0].Type())
	result := f.value(args[0]).one()
	var op ir.Op
	switch {
	case k.float() && isMin:
		op = ir.FMin
	case k.float():
		op = ir.FMax
	case k.signed && isMin:
		op = ir.MinS
	case k.signed:
		op = ir.MaxS
	case isMin:
		op = ir.MinU
	default:
		op = ir.MaxU
	}
	for _, a := range args[1:] {
		result = f.l.b.Emit(op, k.typ, result, f.value(a).one())
	}
	return result
}
