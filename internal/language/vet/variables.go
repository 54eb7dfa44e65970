package vet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// write adds to a variable what is stored in it, or in a part of it.
func (u *uniformity) write(addr ssa.Value, p parts) {
	root, field := rootOf(addr)
	n := partCount(root.Type())
	if field >= 0 && field < n {
		one := make(parts, n)
		one[field] = p.whole()
		p = one
	}
	p = p.fit(n)
	switch root.(type) {
	case *ssa.Alloc:
		u.set(root, p)
	case *ssa.Parameter, *ssa.FreeVar:
		for i, d := range p {
			if field < 0 || i == field {
				u.store(u.number(root)+i, d)
			}
		}
		if _, shared := root.(*ssa.FreeVar); shared {
			u.set(root, p)
		}
	}
}

// store notes what is written through a part of a parameter, for the callers.
func (u *uniformity) store(number int, d Dependence) {
	old, known := u.stores[number]
	if sum := old.or(d); sum != old || !known {
		u.stores[number] = sum
		u.changed = true
	}
}

// number is the number of the first part of a parameter.
func (u *uniformity) number(p ssa.Value) int {
	n := 0
	for _, q := range parameters(u.fn) {
		if q == p {
			break
		}
		n += partCount(q.Type())
	}
	return n
}

// rootOf is the variable or value that an address, or a slice, is part of, and the field that has
// it. The field is -1 for all of the variable, or if it has no fields.
func rootOf(v ssa.Value) (root ssa.Value, field int) {
	field = -1
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v, field = x.X, x.Field
		case *ssa.IndexAddr:
			v, field = x.X, -1
		case *ssa.Slice:
			v, field = x.X, -1
		case *ssa.ChangeType:
			v = x.X
		case *ssa.SliceToArrayPointer:
			v = x.X
		default:
			return v, field
		}
	}
}

// address is the dependence of the address of a part of a variable: whether the choice of the
// written element differs.
func (u *uniformity) address(addr ssa.Value) Dependence {
	switch x := addr.(type) {
	case *ssa.IndexAddr:
		return u.of(x.Index).or(u.address(x.X))
	case *ssa.FieldAddr:
		return u.address(x.X)
	case *ssa.Slice:
		return u.address(x.X)
	}
	return Dependence{}
}

// call looks at a call: its results, and what it writes through its arguments.
func (u *uniformity) call(in ssa.CallInstruction, control Dependence) {
	call := in.Common()
	args := u.arguments(call)
	var whole []Dependence
	for _, a := range args {
		whole = append(whole, a.whole())
	}
	all := anyOf(whole)
	results := []parts{{all.or(u.of(call.Value))}} // of a function that nothing is known of
	callee := call.StaticCallee()
	if in := gpuFunc(call); in != nil {
		results = []parts{{gpuResult(in, whole)}}
	} else if sum := u.sums.of(callee); sum != nil {
		row := flatten(args, parameterTypes(callee))
		for _, s := range sum.Stores {
			u.writeParameter(call, s.Part, s.Dependence.with(row).or(control))
		}
		var returned []Dependence
		for _, d := range sum.Results {
			returned = append(returned, d.with(row))
		}
		results = unflatten(returned, resultTypes(callee))
	} else if b, ok := call.Value.(*ssa.Builtin); ok && b.Name() == "copy" {
		u.write(call.Args[0], parts{all.or(control)})
	} else if ok && (b.Name() == "len" || b.Name() == "cap") && isArray(call.Args[0].Type()) {
		results = []parts{{Dependence{}}}
	}
	if v := in.Value(); v != nil {
		u.results(v, results)
	}
}

// isArray reports whether a type is an array, or a type parameter all of whose types are arrays. The
// length of an array does not depend on its elements.
func isArray(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Interface: // has the types that all it embeds have
		return slices.ContainsFunc(slices.Collect(t.EmbeddedTypes()), isArray)
	case *types.Union:
		return !slices.ContainsFunc(slices.Collect(t.Terms()), func(term *types.Term) bool { return !isArray(term.Type()) })
	}
	return false
}

// writeParameter adds what a callee writes through a part of a parameter to the variable that it
// was given.
func (u *uniformity) writeParameter(call *ssa.CallCommon, number int, d Dependence) {
	values := operandsOf(call)
	for i, t := range parameterTypes(call.StaticCallee()) {
		n := partCount(t)
		if number >= n {
			number -= n
			continue
		}
		p := make(parts, n)
		p[number] = d
		u.write(values[i], p)
		return
	}
}

// results sets the value of a call.
func (u *uniformity) results(v *ssa.Call, results []parts) {
	if len(results) > 1 {
		if !slices.EqualFunc(u.tuples[v], results, func(p, q parts) bool { return slices.Equal(p, q) }) {
			u.tuples[v] = results
			u.changed = true
		}
		return
	}
	for _, r := range results {
		u.set(v, r)
	}
}

// operandsOf are the arguments of a call, and the variables shared with a function literal that is
// called.
func operandsOf(call *ssa.CallCommon) []ssa.Value {
	if literal, ok := call.Value.(*ssa.MakeClosure); ok {
		return append(slices.Clone(call.Args), literal.Bindings...)
	}
	return call.Args
}

func (u *uniformity) arguments(call *ssa.CallCommon) []parts {
	var args []parts
	for _, v := range operandsOf(call) {
		args = append(args, u.parts(v))
	}
	return args
}
