package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// variables gives the module's global and constant variables memory, and then their initial values,
// which may be addresses of each other.
func (l *loader) variables() error {
	var vars []*ptx.Var
	for _, d := range l.mod.Decls {
		v, ok := d.(*ptx.Var)
		if !ok || v.Space != ptx.GlobalSpace && v.Space != ptx.ConstSpace || v.Linkage == ptx.Extern {
			continue
		}
		s, err := l.m.reserve(v.Size(), l.prog, v.Name)
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Name, err)
		}
		s.readOnly = v.Space == ptx.ConstSpace
		l.prog.globals[v.Name] = s
		vars = append(vars, v)
	}
	for _, v := range vars {
		if v.Init == nil {
			continue
		}
		if err := l.initialize(v, l.prog.globals[v.Name].mem); err != nil {
			l.errs = append(l.errs, &LoadError{File: l.mod.Source.Name, Pos: v.Pos, Text: v.Name, Msg: err.Error()})
		}
	}
	return nil
}

// initialize writes a variable's initial value.
func (l *loader) initialize(v *ptx.Var, mem []byte) error {
	dims := v.Dims
	if v.Vector > 0 {
		dims = append(dims[:len(dims):len(dims)], v.Vector)
	}
	return l.fillArray(v.Type, dims, v.Init, mem)
}

// fillArray writes an initialiser of an array, missing elements of which are zero. A flat list may
// stand for a nested one.
func (l *loader) fillArray(t ptx.Type, dims []int, init ptx.Operand, mem []byte) error {
	list, ok := init.(ptx.List)
	if !ok {
		return l.fillElement(t, init, mem)
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
		if err := l.fillArray(t, dims, x, mem[i*step:(i+1)*step]); err != nil {
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
func (l *loader) fillElement(t ptx.Type, o ptx.Operand, mem []byte) error {
	var bits uint64
	switch o := o.(type) {
	case ptx.Int:
		bits = o.Bits
		if t == ptx.F32 || t == ptx.F64 {
			return fmt.Errorf("an integer initialises a variable of type %s", t)
		}
	case ptx.Float:
		bits = floatBits(o, t)
	case ptx.Name:
		a, err := l.symbolAddress(string(o), false)
		if err != nil {
			return err
		}
		bits = a
	case ptx.Offset:
		a, err := l.symbolAddress(o.Name, o.Generic)
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
func (l *loader) symbolAddress(name string, _ bool) (uint64, error) {
	if s, ok := l.prog.globals[name]; ok {
		return s.base, nil
	}
	if sym, ok := l.scope.Lookup(name); ok && sym.Kind == ptx.FuncSymbol {
		l.prog.inTables = append(l.prog.inTables, sym.Func)
		return l.codeAddress(sym.Func), nil
	}
	return 0, fmt.Errorf("%s has no address in global memory", name)
}
