package gen

import (
	"fmt"
	"slices"
	"strings"
)

type kind uint8

const (
	kBool kind = iota
	kInt       // signed integers of bits bits
	kUint      // unsigned integers
	kFloat
	kComplex
	kArray
	kStruct
	kHalf // a floating-point number of 16 bits
	kSlice
	kPointer
	kFunc
)

// typ is a Go type as the generator sees it. Types are equal when their names are.
type typ struct {
	kind kind
	bits int    // scalars; of a type parameter the fewest bits it can have
	name string // as the program spells it

	elem   *typ   // array, slice, pointer; the result of a function
	params []*typ // of a function
	n      int    // array
	fields []field

	// base is the predeclared type below a named one, itself for the rest.
	base *typ
	// holds marks a struct with a slice and a pointer in it: of variables and parameters of
	// functions only, never compared.
	holds bool
	// param marks a type parameter of the function being generated.
	param bool
}

type field struct {
	name     string
	t        *typ
	embedded bool
}

func scalar(k kind, bits int, name string) *typ {
	t := &typ{kind: k, bits: bits, name: name}
	t.base = t
	return t
}

var (
	tBool    = scalar(kBool, 8, "bool")
	tInt8    = scalar(kInt, 8, "int8")
	tInt16   = scalar(kInt, 16, "int16")
	tInt32   = scalar(kInt, 32, "int32")
	tInt64   = scalar(kInt, 64, "int64")
	tInt     = scalar(kInt, 64, "int")
	tUint8   = scalar(kUint, 8, "uint8")
	tUint16  = scalar(kUint, 16, "uint16")
	tUint32  = scalar(kUint, 32, "uint32")
	tUint64  = scalar(kUint, 64, "uint64")
	tUint    = scalar(kUint, 64, "uint")
	tFloat32 = scalar(kFloat, 32, "float32")
	tFloat64 = scalar(kFloat, 64, "float64")

	tUint64x2 = vector("gpu.Uint64x2", tUint64, 2)

	tComplex64  = scalar(kComplex, 64, "complex64")
	tComplex128 = scalar(kComplex, 128, "complex128")

	integers = []*typ{tInt8, tInt16, tInt32, tInt64, tInt, tUint8, tUint16, tUint32, tUint64, tUint}
	floats   = []*typ{tFloat32, tFloat64}
	scalars  = append(append([]*typ{tBool}, integers...), floats...)
)

func (t *typ) integer() bool { return t.kind == kInt || t.kind == kUint }
func (t *typ) float() bool   { return t.kind == kFloat }
func (t *typ) scalar() bool  { return t.kind <= kFloat }
func (t *typ) is(u *typ) bool {
	return t.name == u.name
}

func named(name string, base *typ) *typ {
	return &typ{kind: base.kind, bits: base.bits, name: name, base: base}
}

func arrayOf(n int, elem *typ) *typ {
	t := &typ{kind: kArray, name: fmt.Sprintf("[%d]%s", n, elem.name), elem: elem, n: n}
	t.base = t
	return t
}

func sliceOf(elem *typ) *typ {
	t := &typ{kind: kSlice, name: "[]" + elem.name, elem: elem}
	t.base = t
	return t
}

// funcOf is the type of a function of one parameter and one result.
func funcOf(param, result *typ) *typ {
	t := &typ{kind: kFunc, name: fmt.Sprintf("func(%s) %s", param.name, result.name), params: []*typ{param}, elem: result}
	t.base = t
	return t
}

func pointerTo(elem *typ) *typ {
	t := &typ{kind: kPointer, name: "*" + elem.name, elem: elem}
	t.base = t
	return t
}

// leaves counts the scalars of a value of t.
func (t *typ) leaves() int {
	switch t.kind {
	case kArray:
		return t.n * t.elem.leaves()
	case kStruct:
		n := 0
		for _, f := range t.fields {
			n += f.t.leaves()
		}
		return n
	case kComplex:
		return 2
	}
	return 1
}

// size is the size and the alignment of a scalar, an array or a struct in bytes.
func (t *typ) size() (size, align int) {
	switch t.kind {
	case kArray:
		size, align = t.elem.size()
		return t.n * size, align
	case kStruct:
		align = 1
		for _, f := range t.fields {
			s, a := f.t.size()
			size = (size+a-1)/a*a + s
			align = max(align, a)
		}
		return (size + align - 1) / align * align, align
	}
	return t.bits / 8, t.bits / 8
}

// anyFloat reports whether a value of t has a floating-point number in it.
func (t *typ) anyFloat() bool {
	switch t.kind {
	case kArray:
		return t.elem.anyFloat()
	case kStruct:
		return slices.ContainsFunc(t.fields, func(f field) bool { return f.t.anyFloat() })
	}
	return t.float() || t.kind == kComplex || t.kind == kHalf
}

// reaches reports whether a value of type want can be read out of one of type t by selectors,
// indexing and dereference.
func (t *typ) reaches(want *typ) bool {
	if t.is(want) {
		return true
	}
	switch t.kind {
	case kArray, kSlice, kPointer:
		return t.elem.reaches(want)
	case kStruct:
		for _, f := range t.fields {
			if f.t.reaches(want) {
				return true
			}
		}
	}
	return false
}

// subst replaces the type parameter called T by arg in t.
func (t *typ) subst(arg *typ) *typ {
	switch {
	case arg == nil || !t.mentions():
		return t
	case t.param:
		return arg
	case t.kind == kArray:
		return arrayOf(t.n, t.elem.subst(arg))
	case t.kind == kSlice:
		return sliceOf(t.elem.subst(arg))
	case t.kind == kPointer:
		return pointerTo(t.elem.subst(arg))
	}
	return t
}

// mentions reports whether the type parameter occurs in t.
func (t *typ) mentions() bool {
	return t.param || t.elem != nil && t.elem.mentions()
}

// structDecl is the declaration of a struct type.
func structDecl(t *typ) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", t.name)
	for _, f := range t.fields {
		if f.embedded {
			fmt.Fprintf(&b, "\t%s\n", f.t.name)
		} else {
			fmt.Fprintf(&b, "\t%s %s\n", f.name, f.t.name)
		}
	}
	b.WriteString("}")
	return b.String()
}
