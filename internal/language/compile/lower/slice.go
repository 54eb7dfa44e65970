package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// slice lowers x[low:high:max] of a slice or of an array that a pointer points to.
func (f *frame) slice(in *ssa.Slice) value {
	l := f.l
	x := f.value(in.X)
	var elem types.Type
	var length, capacity *ir.Value
	checkLow, checkHigh, checkMax := ir.CheckSliceLow, ir.CheckSliceHigh, ir.CheckSliceMax
	p := x.leaves[0]
	if p.list != nil {
		return x
	}
	switch t := in.X.Type().Underlying().(type) {
	case *types.Slice:
		elem, length, capacity = t.Elem(), x.len(), x.capa()
	case *types.Pointer:
		l.checkNil(p)
		arr := t.Elem().Underlying().(*types.Array)
		elem = arr.Elem()
		length = l.b.Int(ir.I64, arr.Len())
		capacity, checkHigh, checkMax = length, ir.CheckSliceLen, ir.CheckSliceMaxLen
	case *types.Basic: // a string
		elem, length = types.Typ[types.Uint8], x.len()
		capacity, checkHigh = length, ir.CheckSliceLen
	default:
		f.unsupported(in)
		return l.undefined(in.Type())
	}
	bound := func(v ssa.Value, otherwise *ir.Value) *ir.Value {
		if v == nil {
			return otherwise
		}
		return l.toI64(f.value(v).one(), v.Type())
	}
	zero := l.b.Int(ir.I64, 0)
	low, high, limit := bound(in.Low, zero), bound(in.High, length), bound(in.Max, capacity)
	switch {
	case in.Max != nil:
		l.checkSlice(checkMax, limit, capacity, in.Max.Type())
		l.checkSlice(ir.CheckSliceHigh3, high, limit, in.High.Type())
		checkLow = ir.CheckSliceLow3
	case in.High != nil:
		l.checkSlice(checkHigh, high, capacity, in.High.Type())
	}
	if in.Low != nil {
		l.checkSlice(checkLow, low, high, in.Low.Type())
	}
	ptr := p
	if in.Low != nil {
		ptr = leaf{v: l.elem(p.v, low, l.layout(elem).size), nonNil: p.nonNil}
	}
	if isString(in.X.Type()) {
		return value{leaves: []leaf{ptr, {v: l.b.Emit(ir.Subtract, ir.I64, high, low)}}}
	}
	if in.Low == nil {
		return sliceValue(p, high, limit)
	}
	return sliceValue(ptr, l.b.Emit(ir.Subtract, ir.I64, high, low), l.b.Emit(ir.Subtract, ir.I64, limit, low))
}

// checkSlice checks 0 <= x <= limit, where Go's type of x is t.
func (l *lowerer) checkSlice(check ir.Sub, x, limit *ir.Value, t types.Type) {
	c, ok := x.IntConst()
	n, ok2 := limit.IntConst()
	if ok && ok2 && 0 <= c && c <= n {
		return
	}
	l.checkBounds(check, x, limit, t)
}

// sliceToArray converts a slice to a pointer to an array.
func (f *frame) sliceToArray(in *ssa.SliceToArrayPointer) value {
	l := f.l
	x := f.value(in.X)
	arr := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !l.f.NoBounds && arr.Len() > 0 {
		l.b.Check(ir.CheckSliceToArr, x.len(), l.b.Int(ir.I64, arr.Len()))
	}
	p := x.ptr()
	p.nonNil = p.nonNil || arr.Len() > 0
	return value{leaves: []leaf{p}}
}
