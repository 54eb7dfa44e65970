package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/ptx"
)

// variables gives the module's global and constant variables memory, and then their initial values,
// which may be addresses of each other.
func (p *Program) variables() error {
	var vars []*ptx.Var
	var errs LoadErrors
	for _, d := range p.mod.Decls {
		v, ok := d.(*ptx.Var)
		if !ok || !takesMemory(v) {
			continue
		}
		s, err := p.m.Reserve(v.Size(), p, v.Name)
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Name, err)
		}
		s.ReadOnly = v.Space == ptx.ConstSpace
		p.globals[v.Name] = s
		vars = append(vars, v)
	}
	for _, v := range vars {
		if v.Init == nil {
			continue
		}
		if err := p.initialize(v, p.globals[v.Name].Mem); err != nil {
			errs = append(errs, &LoadError{File: p.mod.Source.Name, Pos: v.Pos, Text: v.Name, Msg: err.Error()})
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// takesMemory reports whether a variable of a module has memory of the device from the beginning.
func takesMemory(v *ptx.Var) bool {
	return (v.Space == ptx.GlobalSpace || v.Space == ptx.ConstSpace) && v.Linkage != ptx.Extern
}

// initialize writes a variable's initial value.
func (p *Program) initialize(v *ptx.Var, mem []byte) error {
	dims := v.Dims
	if v.Vector > 0 {
		dims = append(dims[:len(dims):len(dims)], v.Vector)
	}
	return p.fillArray(v.Type, dims, v.Init, mem)
}

// fillArray writes an initialiser of an array. Missing elements are zero. A flat list may stand for
// a nested one.
func (p *Program) fillArray(t ptx.Type, dims []int, init ptx.Operand, mem []byte) error {
	list, ok := init.(ptx.List)
	if !ok {
		return p.fillElement(t, init, mem)
	}
	step := int(t.Bytes())
	if len(dims) > 1 && hasList(list) {
		for _, n := range dims[1:] {
			step *= n
		}
		dims = dims[1:]
	} else {
		dims = nil
	}
	for i, x := range list {
		if (i+1)*step > len(mem) {
			return fmt.Errorf("initialiser has more elements than the variable")
		}
		if err := p.fillArray(t, dims, x, mem[i*step:(i+1)*step]); err != nil {
			return err
		}
	}
	return nil
}

func hasList(l ptx.List) bool {
	for _, x := range l {
		if _, ok := x.(ptx.List); ok {
			return true
		}
	}
	return false
}

// fillElement writes one scalar.
func (p *Program) fillElement(t ptx.Type, o ptx.Operand, mem []byte) error {
	var bits uint64
	switch o := o.(type) {
	case ptx.Int:
		bits = o.Bits
		if t == ptx.F32 || t == ptx.F64 {
			return fmt.Errorf("an integer initialises a variable of type %s", t)
		}
	case ptx.Float:
		bits = o.As(t)
	case ptx.Name:
		a, err := p.symbolAddress(string(o))
		if err != nil {
			return err
		}
		bits = a
	case ptx.Offset:
		a, err := p.symbolAddress(o.Name)
		if err != nil {
			return err
		}
		bits = a + uint64(o.Offset)
	default:
		return fmt.Errorf("%s is no initial value", ptx.OperandString(o))
	}
	for i := range min(len(mem), t.Bytes()) {
		mem[i] = byte(bits >> (8 * i))
	}
	return nil
}

// symbolAddress is the address of a variable or function. Global and constant addresses are generic
// ones too.
func (p *Program) symbolAddress(name string) (uint64, error) {
	if s, ok := p.globals[name]; ok {
		return s.Base, nil
	}
	if sym, ok := ptx.NewScope(p.mod).Lookup(name); ok && sym.Kind == ptx.FuncSymbol {
		return decode.Address(p.mod, sym.Func), nil
	}
	return 0, fmt.Errorf("%s has no address in global memory", name)
}
