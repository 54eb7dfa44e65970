package tool

import (
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/ptx"
)

// shaped gives an object the type that its source has, if the declaration v says it: the element is
// shown as Go writes it. low and high are the first and the last byte of all sightings.
func (b *Book) shaped(o *report.Object, v *ptx.Var, low, high int64) {
	if v == nil || v.Shape == nil || o.From < 0 || o.From >= o.Size || v.Shape.Len >= 0 && v.Shape.Size != o.Size {
		return
	}
	path, number := v.Shape.At(o.From, o.To-o.From+1)
	if number == nil {
		return
	}
	o.Type = number.Number
	b.numbers[o] = NumberType(number.Number)
	switch {
	case v.Shape.Elem == number:
		o.Index, o.First, o.Last = o.From/number.Size, low/number.Size, high/number.Size
	case path != "":
		size := o.To - o.From + 1
		first, _ := v.Shape.At(low, size)
		last, _ := v.Shape.At(max(low, high-size+1), size)
		o.Path, o.PathFirst, o.PathLast = o.Name+path, o.Name+first, o.Name+last
	}
}

// NumberType returns PTX's name of a type of numbers, and for a complex type the name of its parts.
func NumberType(name string) ptx.Type {
	switch name {
	case "bool", "byte":
		return ptx.U8
	case "int":
		return ptx.S64
	case "uint":
		return ptx.U64
	case "complex64":
		return ptx.F32
	case "complex128":
		return ptx.F64
	}
	for kind, prefix := range map[string]string{"s": "int", "u": "uint", "f": "float"} {
		if bits, ok := strings.CutPrefix(name, prefix); ok {
			return ptx.Type(kind + bits)
		}
	}
	panic("BUG: no number is a " + name)
}

// ValueType is the type of an object's numbers; "" if it is not known.
func (b *Book) ValueType(o *report.Object) ptx.Type { return b.numbers[o] }
