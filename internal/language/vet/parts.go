package vet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// parts are the dependences of a value: one for each field of a struct, or of the struct that an
// address points to, and one for a value of any other type. This way an index and a size may be
// kept in one struct.
type parts []Dependence

// partCount is the number of parts of a value of a type.
func partCount(t types.Type) int {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && s.NumFields() > 0 {
		return s.NumFields()
	}
	return 1
}

// whole is the dependence of a value whose parts are all used.
func (p parts) whole() Dependence {
	var d Dependence
	for _, part := range p {
		d = d.or(part)
	}
	return d
}

// field is the dependence of a field.
func (p parts) field(i int) Dependence {
	if i < len(p) {
		return p[i]
	}
	return p.whole() // of a type parameter that is a struct
}

// alike are n parts with the same dependence.
func alike(d Dependence, n int) parts { return slices.Repeat(parts{d}, n) }

// fit gives the parts of a value as n parts. The same value may have another number of parts in
// another function, where its type is a type parameter.
func (p parts) fit(n int) parts {
	if len(p) == n {
		return p
	}
	return alike(p.whole(), n)
}

func (p parts) or(q parts) parts {
	sum := slices.Clone(p)
	for i := range sum {
		sum[i] = sum[i].or(q[i])
	}
	return sum
}

// plus adds a dependence to every part.
func (p parts) plus(d Dependence) parts { return p.or(alike(d, len(p))) }

// parameterTypes are the types of a function's parameters, its receiver first, and of the variables
// that a function literal shares with the function around it, which count as further parameters.
func parameterTypes(fn *ssa.Function) []types.Type {
	fn = origin(fn)
	var list []types.Type
	if recv := fn.Signature.Recv(); recv != nil {
		list = append(list, recv.Type())
	}
	for p := range fn.Signature.Params().Variables() {
		list = append(list, p.Type())
	}
	for _, v := range fn.FreeVars {
		list = append(list, v.Type())
	}
	return list
}

// resultTypes are the types of a function's results.
func resultTypes(fn *ssa.Function) []types.Type {
	var list []types.Type
	for r := range origin(fn).Signature.Results().Variables() {
		list = append(list, r.Type())
	}
	return list
}

// flatten puts the parts of values into one row, as many of each as its type has.
func flatten(values []parts, as []types.Type) []Dependence {
	var row []Dependence
	for i, t := range as {
		if i < len(values) {
			row = append(row, values[i].fit(partCount(t))...)
		}
	}
	return row
}

// unflatten is the reverse of flatten.
func unflatten(row []Dependence, as []types.Type) []parts {
	var values []parts
	for _, t := range as {
		n := min(partCount(t), len(row))
		values = append(values, row[:n])
		row = row[n:]
	}
	return values
}
