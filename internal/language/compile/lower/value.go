package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// A value is a Go value while lowering. It has its scalars in the order of its type's layout, or
// its address in memory if it is large, or its components if it is a tuple.
type value struct {
	leaves []leaf
	mem    *ir.Value // the address of a large value, which nothing changes
	tuple  []value
}

// A leaf is a scalar, or what has no IR value.
type leaf struct {
	v      *ir.Value
	nonNil bool // a pointer that is not nil

	fn   *closure  // a function; none of these is the nil function
	cell *funcCell // the address of a variable that holds a function
	reg  *register // the address of a special register, or of all three
	list *argList  // a variadic argument, or the address of the array that it is a slice of
	arg  *argument // the address of an element of that array
}

// A closure is a function known at compile time, with what it has captured.
type closure struct {
	fn       *ssa.Function
	builtin  *ssa.Builtin
	bindings []value
}

// reported stands for a function that is not known, which is reported already.
var reported = &closure{}

// same reports whether two functions are one. Two closures are one only if the same instruction
// made them.
func (c *closure) same(d *closure) bool {
	if c == d {
		return true
	}
	return c != nil && d != nil && c.fn == d.fn && c.builtin == d.builtin && len(c.bindings) == 0 &&
		len(d.bindings) == 0
}

// A funcCell is a variable of function type that closures capture. It may be assigned once, before
// every use, so that it is known which function a call means.
type funcCell struct {
	name  string
	fn    *closure
	set   *point // its assignment
	unset bool   // it was read before that
	uses  []cellUse
}

// A point is a place in the code being made: after the first n instructions of a basic block.
type point struct {
	block *ir.Block
	n     int
}

type cellUse struct {
	at  point
	pos token.Pos
}

func (l *lowerer) point() point { return point{l.b.Block, len(l.b.Block.Instrs)} }

// A register is gpu.ThreadIdx and its like. first is its X.
type register struct {
	first ir.Sub
	field int // -1 for the whole
}

func scalarValue(v *ir.Value) value { return value{leaves: []leaf{{v: v}}} }

// one is the IR value of a scalar.
func (v value) one() *ir.Value { return v.leaves[0].v }

// The parts of a slice, or of a string, which has no capacity.
func (v value) ptr() leaf       { return v.leaves[0] }
func (v value) len() *ir.Value  { return v.leaves[1].v }
func (v value) capa() *ir.Value { return v.leaves[2].v }

func sliceValue(ptr leaf, length, capacity *ir.Value) value {
	return value{leaves: []leaf{ptr, {v: length}, {v: capacity}}}
}

// field is the part of a struct or array value that begins at scalar first and has the given type.
func (l *lowerer) part(v value, whole types.Type, index int) value {
	var t types.Type
	var off int64
	first := int64(0)
	switch u := whole.Underlying().(type) {
	case *types.Struct:
		if frontend.IsHalfPair(whole) {
			return scalarValue(l.halfOf(v.one(), index))
		}
		for i := 0; i < index && v.mem == nil; i++ {
			first += countScalars(u.Field(i).Type())
		}
		t, off = u.Field(index).Type(), l.offsets(u)[index]
	case *types.Array:
		t = u.Elem()
		if v.mem == nil {
			first = int64(index) * countScalars(t)
		} else {
			off = int64(index) * l.layout(t).size
		}
	}
	if v.mem != nil {
		return l.load(t, leaf{v: l.at(v.mem, off), nonNil: true})
	}
	return value{leaves: v.leaves[first : first+countScalars(t)]}
}

// undefined is a value of a type for code that cannot run or is in error.
func (l *lowerer) undefined(t types.Type) value { return l.zero(t) }

// zero is Go's zero value.
func (l *lowerer) zero(t types.Type) value {
	if tuple, ok := t.(*types.Tuple); ok {
		v := value{}
		for i := range tuple.Len() {
			v.tuple = append(v.tuple, l.zero(tuple.At(i).Type()))
		}
		return v
	}
	lay := l.layout(t)
	if lay.large {
		tmp := l.temp(t, "")
		l.b.MemZero(tmp, lay.size, tmp.Align)
		return value{mem: tmp}
	}
	v := value{leaves: make([]leaf, len(lay.scalars))}
	for i, s := range lay.scalars {
		v.leaves[i].v = l.zeroScalar(s.typ)
	}
	return v
}

func (l *lowerer) zeroScalar(t ir.Type) *ir.Value {
	switch t {
	case ir.Void:
		return nil
	case ir.Ptr:
		return l.b.NilPtr()
	}
	return l.b.Const(t, 0)
}
