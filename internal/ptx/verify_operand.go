package ptx

// fragment checks the operand of an instruction whose vectors have a number of elements of their
// own.
func (v *verifier) fragment(in *Instr, o OperandForm, arg Operand) {
	vec, ok := arg.(Vec)
	if !ok || len(vec) != o.Count {
		v.instrError(in, "%s needs {…} with %d registers here, not %s", in.Opcode(), o.Count, OperandString(arg))
		return
	}
	for _, x := range vec {
		v.scalar(in, o, x)
	}
}

// vector checks the operand of an instruction with .v2, .v4 or .v8: a list of elements, a vector
// register, or "_" for a result that is thrown away.
func (v *verifier) vector(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	if name, ok := arg.(Name); ok {
		sym, ok := v.lookup(in, string(name))
		if ok && sym.Kind == SinkSymbol && o.sink {
			return
		}
		if ok && (sym.Kind != RegisterSymbol || sym.Vector != d.Lanes || !o.Type.fits(sym.Type, o.Wider)) {
			v.instrError(in, "%s is %s, %s needs %d of .%s", name, describeSymbol(sym), in.Opcode(), d.Lanes, o.Type)
		}
		return
	}
	vec, ok := arg.(Vec)
	if !ok {
		v.instrError(in, "%s needs a vector of %d here, not %s", in.Opcode(), d.Lanes, OperandString(arg))
		return
	}
	if len(vec) != d.Lanes {
		v.instrError(in, "%s needs %d elements, %s has %d", in.Opcode(), d.Lanes, OperandString(arg), len(vec))
		return
	}
	o.sink = o.Write
	for _, x := range vec {
		v.scalar(in, o, x)
	}
	v.sameSize(in, vec)
}

// sameSize checks that the registers of a vector are of one size.
func (v *verifier) sameSize(in *Instr, vec Vec) {
	size := 0
	for _, x := range vec {
		name, _ := x.(Name)
		sym, ok := v.scope.Lookup(string(name))
		if !ok || sym.Kind != RegisterSymbol {
			continue
		}
		if size == 0 {
			size = sym.Type.Bits()
		}
		if sym.Type.Bits() != size {
			v.instrError(in, "the elements of %s are not of one size", OperandString(vec))
			return
		}
	}
}

// elements checks the vector that mov packs into, or unpacks from, one register of type o.Type.
func (v *verifier) elements(in *Instr, o OperandForm, vec Vec) {
	n := len(vec)
	if n != 2 && n != 4 || typeInfo[o.Type].class != bitsClass || o.Type.Bits()/n < 8 {
		v.instrError(in, "%s cannot pack %d elements", in.Opcode(), n)
		return
	}
	o.Type, o.sink = bitTypes[o.Type.Bits()/n], o.Write
	for _, x := range vec {
		v.scalar(in, o, x)
	}
}

// bitTypes are the bit types by size.
var bitTypes = map[int]Type{8: B8, 16: B16, 32: B32, 64: B64}

// movVectors checks that mov packs or unpacks, not both.
func (v *verifier) movVectors(in *Instr) {
	_, a := in.Args[0].(Vec)
	_, b := in.Args[1].(Vec)
	if a && b {
		v.instrError(in, "mov copies a vector to or from one register, not to another vector")
	}
}

// source checks what mov and cvta copy: a value, a vector to pack, or an address.
func (v *verifier) source(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	o.special = in.Op == "mov" && !o.Type.IsFloat()
	switch x := arg.(type) {
	case Vec:
		if in.Op != "mov" {
			v.instrError(in, "%s takes no vector: %s", in.Opcode(), OperandString(arg))
			return
		}
		v.elements(in, o, x)
	case Offset:
		v.symbolAddress(in, d, o, x.Name)
	case Name:
		sym, ok := v.scope.Lookup(string(x))
		if ok && (sym.Kind == VarSymbol || sym.Kind == FuncSymbol) {
			v.symbolAddress(in, d, o, string(x))
			return
		}
		v.scalar(in, o, arg)
	default:
		v.scalar(in, o, arg)
	}
}

// symbolAddress checks a use of the address of a variable or function.
func (v *verifier) symbolAddress(in *Instr, d *Decoded, o OperandForm, name string) {
	sym, ok := v.lookup(in, name)
	if !ok {
		return
	}
	switch {
	case sym.Kind != VarSymbol && sym.Kind != FuncSymbol:
		v.instrError(in, "%s is %s; only variables and functions have addresses", name, describeSymbol(sym))
	case o.Type == Pred || o.Type.IsFloat() || !v.addressBits(o.Type.Bits(), symbolSpace(sym)):
		v.instrError(in, "the address of %s is not a .%s", name, o.Type)
	}
}

// symbolSpace is the space of a variable or function. Code addresses are as wide as generic ones.
func symbolSpace(sym Symbol) Space {
	if sym.Kind == VarSymbol {
		return sym.Var.Space
	}
	return GenericSpace
}

// addressBits reports whether an address in a space may have the given number of bits. 32
// bits are enough for an address that is neither global nor generic.
func (v *verifier) addressBits(bits int, space Space) bool {
	return bits == v.m.AddressSize || bits == 64 || bits == 32 && space != GenericSpace && space != GlobalSpace
}

// address checks a memory operand.
func (v *verifier) address(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	a, ok := arg.(Addr)
	if !ok {
		v.instrError(in, "%s needs an address in brackets, not %s", in.Opcode(), OperandString(arg))
		return
	}
	name, ok := a.Base.(Name)
	if !ok {
		if o.Space != LocalSpace {
			v.instrError(in, "a constant address is possible in .local space only: %s", OperandString(arg))
		}
		return
	}
	sym, ok := v.lookup(in, string(name))
	if !ok {
		return
	}
	switch sym.Kind {
	case RegisterSymbol:
		t := sym.Type
		if sym.Vector > 0 || t.IsFloat() || t == Pred || !v.addressBits(t.Bits(), o.Space) {
			v.instrError(in, "%s is %s, which holds no address of %s", name, describeSymbol(sym), spaceName(o.Space))
		}
	case VarSymbol:
		if !accessible(o.Space, sym.Var.Space) {
			v.instrError(in, "%s is in .%s space, %s accesses %s", name, sym.Var.Space, in.Opcode(), spaceName(o.Space))
		}
	default:
		v.instrError(in, "%s is %s, not an address", name, describeSymbol(sym))
	}
}

// tensor checks the address of a tensor map, which is generic, and the coordinates.
func (v *verifier) tensor(in *Instr, d *Decoded, arg Operand) {
	t, _ := arg.(Texel)
	if len(t) != 2 || !isVec(t[1]) {
		v.instrError(in, "%s needs a tensor map and coordinates, [%%rd1, {%%r1}], not %s", in.Opcode(), OperandString(arg))
		return
	}
	v.scalar(in, OperandForm{Type: U64}, t[0])
	coordinates := t[1].(Vec)
	if want := int(d.Mod("dim")[0] - '0'); len(coordinates) != want {
		v.instrError(in, "%s has %d coordinates, not %d", in.Opcode(), want, len(coordinates))
		return
	}
	for _, x := range coordinates {
		v.scalar(in, OperandForm{Type: S32}, x)
	}
}

// accessible reports whether an instruction's space holds a variable's. Generic accesses reach no
// .param and .const variables by name.
func accessible(space, of Space) bool {
	if space == GenericSpace {
		return of == GlobalSpace || of == SharedSpace || of == LocalSpace
	}
	return space == of
}

func spaceName(s Space) string {
	if s == GenericSpace {
		return "generic memory"
	}
	return "." + string(s) + " memory"
}

// call checks a call's function and the agreement of its arguments.
func (v *verifier) call(in *Instr) {
	c, err := in.Call()
	if err != nil {
		v.instrError(in, "%s", err)
		return
	}
	results, params, ok := v.callee(in, c)
	if !ok {
		return
	}
	if len(c.Results) != len(results) {
		v.instrError(in, "%s returns %d values, not %d", OperandString(c.Target), len(results), len(c.Results))
		return
	}
	if len(c.Args) != len(params) {
		v.instrError(in, "%s takes %d arguments, not %d", OperandString(c.Target), len(params), len(c.Args))
		return
	}
	for i, p := range results {
		v.argument(in, p, c.Results[i], true)
	}
	for i, p := range params {
		v.argument(in, p, c.Args[i], false)
	}
}

// callee finds the signature of what is called.
func (v *verifier) callee(in *Instr, c Call) (results, params []*Var, ok bool) {
	name := string(c.Target.(Name))
	sym, ok := v.lookup(in, name)
	switch {
	case !ok:
		return nil, nil, false
	case sym.Kind == FuncSymbol && sym.Func.Entry:
		v.instrError(in, "%s is a kernel: kernels are launched, not called", name)
		return nil, nil, false
	case sym.Kind == FuncSymbol:
		return sym.Func.Results, sym.Func.Params, true
	case sym.Kind != RegisterSymbol || !(B64).fits(sym.Type, false):
		v.instrError(in, "%s is %s, not a function or the address of one", name, describeSymbol(sym))
		return nil, nil, false
	}
	table, ok := v.scope.Lookup(c.Table)
	switch {
	case ok && table.Kind == PrototypeSymbol:
		return table.Prototype.Results, table.Prototype.Params, true
	case ok && table.Kind == CallsSymbol && len(table.Calls.Funcs) > 0:
		if f, ok := v.scope.Lookup(table.Calls.Funcs[0]); ok && f.Kind == FuncSymbol {
			return f.Func.Results, f.Func.Params, true
		}
		return nil, nil, false
	}
	v.instrError(in, "a call through a register ends with the name of a .callprototype or .calltargets")
	return nil, nil, false
}

// argument checks one result or argument of a call: a .param variable of the same size, or a
// register or constant for a parameter that is no array.
func (v *verifier) argument(in *Instr, p *Var, arg Operand, result bool) {
	name, _ := arg.(Name)
	sym, ok := v.scope.Lookup(string(name))
	if ok && sym.Kind == VarSymbol {
		switch {
		case sym.Var.Space != ParamSpace:
			v.instrError(in, "%s is in .%s space; arguments are passed in .param space", name, sym.Var.Space)
		case sym.Var.Size() != p.Size():
			v.instrError(in, "%s has %d bytes, parameter %s %d", name, sym.Var.Size(), p.Name, p.Size())
		case sym.Var.Alignment() != p.Alignment():
			v.instrError(in, "%s is aligned to %d, parameter %s to %d", name, sym.Var.Alignment(), p.Name,
				p.Alignment())
		case len(p.Dims) == 0 && !p.Type.fits(sym.Type, false):
			v.instrError(in, "%s is .%s, parameter %s .%s", name, sym.Type, p.Name, p.Type)
		}
		return
	}
	if len(p.Dims) > 0 {
		v.instrError(in, "%s is no .param array, which parameter %s needs", OperandString(arg), p.Name)
		return
	}
	v.scalar(in, OperandForm{Type: p.Type, Write: result, sink: true}, arg)
}
