package ptx

import "github.com/gridstride/gridstride/internal/abi"

// moduleVar checks a variable of module scope.
func (v *verifier) moduleVar(d *Var) {
	switch d.Space {
	case GlobalSpace, ConstSpace, SharedSpace:
	default:
		v.varError(d, "variable %s of a module is in .global, .const or .shared space, not .%s", d.Name, d.Space)
	}
	v.checkVar(d)
	if len(d.Dims) > 0 && d.Dims[0] < 0 && d.Init == nil && d.Linkage != Extern {
		v.varError(d, "array %s needs a size: only an .extern one may leave it out", d.Name)
	}
	if d.Init != nil {
		v.initializer(d, d.Init, d.Dims)
	}
}

// constant checks that the .const variables of the module are not too large with d.
func (v *verifier) constant(d *Var) {
	limit := int64(abi.LimitsOf(v.target.SM).Const)
	if d.Space != ConstSpace || v.constants > limit {
		return
	}
	align := int64(max(d.Alignment(), 1))
	v.constants = (v.constants+align-1)/align*align + d.Size()
	if v.constants > limit {
		v.varError(d, "the .const variables take %d bytes with %s, the limit is %d: use .global", v.constants,
			d.Name, limit)
	}
}

// localVar checks a variable of a function.
func (v *verifier) localVar(d *Var) {
	v.checkVar(d)
	if len(d.Dims) > 0 && d.Dims[0] < 0 {
		v.varError(d, "array %s needs a size: only an .extern one may leave it out", d.Name)
	}
	if d.Init != nil {
		v.initializer(d, d.Init, d.Dims)
	}
}

// checkVar checks what holds for variables and parameters everywhere.
func (v *verifier) checkVar(d *Var) {
	info, ok := typeInfo[d.Type]
	switch {
	case !ok:
		v.varError(d, "variables of type .%s are not supported: give the kernel the handle of a texture or surface object as a parameter", d.Type)
	case info.class == predClass && d.Space != RegSpace:
		v.varError(d, "predicate %s must be a register", d.Name)
	case d.Align < 0 || d.Align&(d.Align-1) != 0:
		v.varError(d, "an alignment is a power of two, not %d", d.Align)
	}
	if d.Init != nil && d.Space != GlobalSpace && d.Space != ConstSpace {
		v.varError(d, "variable %s in .%s space cannot have an initial value", d.Name, d.Space)
	}
}

// initializer checks an initial value, or the list of a dimension, against the remaining
// dimensions.
func (v *verifier) initializer(d *Var, init Operand, dims []int) {
	list, ok := init.(List)
	if !ok {
		if len(dims) > 0 {
			v.varError(d, "array %s needs a list of initial values in braces", d.Name)
			return
		}
		v.initialValue(d, init)
		return
	}
	room := d.Vector // a vector's components are in braces
	if len(dims) > 0 {
		room, dims = dims[0], dims[1:]
	} else if d.Vector == 0 {
		v.varError(d, "initial value of %s has more braces than dimensions", d.Name)
		return
	}
	if room >= 0 && len(list) > room {
		v.varError(d, "%d initial values for %d elements of %s", len(list), room, d.Name)
	}
	for _, x := range list {
		v.initializer(d, x, dims)
	}
}

// initialValue checks one constant or address.
func (v *verifier) initialValue(d *Var, init Operand) {
	name := ""
	switch x := init.(type) {
	case Int, Float:
		if !d.Type.constant(init) {
			v.varError(d, "%s is no initial value of a .%s", OperandString(init), d.Type)
		}
		return
	case Name:
		name = string(x)
	case Offset:
		name = x.Name
	}
	sym, ok := v.scope.Lookup(name)
	switch {
	case !ok:
		v.varError(d, "%s is not declared", OperandString(init))
	case sym.Kind != VarSymbol && sym.Kind != FuncSymbol:
		v.varError(d, "%s in an initial value is %s, not a variable or function", name, sym.Kind)
	case sym.global && sym.order > v.at:
		v.varError(d, "%s is used before its declaration", name)
	case d.Type.Bits() < 32 || d.Type.IsFloat():
		v.varError(d, "a .%s cannot hold the address of %s", d.Type, name)
	}
}

// sameSignature reports whether a prototype and a definition agree.
func sameSignature(f, g *Func) bool {
	return f.Entry == g.Entry && sameParams(f.Results, g.Results) && sameParams(f.Params, g.Params)
}

func sameParams(a, b []*Var) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Space != b[i].Space || a[i].Type.Bits() != b[i].Type.Bits() || a[i].Size() != b[i].Size() {
			return false
		}
	}
	return true
}
