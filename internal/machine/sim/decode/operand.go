package decode

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

func (d *decoder) lookup(name string) ptx.Symbol {
	sym, ok := d.scope.Lookup(name)
	if !ok {
		d.failf("%s is not declared", name)
	}
	return sym
}

// register returns the slot of a register, and makes one when it is met first.
func (d *decoder) register(sym ptx.Symbol) code.Slot {
	if sym.Kind != ptx.RegisterSymbol {
		d.failf("%s is not a register", sym.Name)
	}
	s, ok := d.fn.Slots[sym.Reg]
	if !ok {
		s = d.fn.File.Alloc(code.SlotBits(sym.Type))
		d.fn.Slots[sym.Reg] = s
	}
	return s
}

// component is the i-th register of a vector register.
func component(sym ptx.Symbol, i int) ptx.Symbol {
	sym.Vector = 0
	sym.Reg += i
	return sym
}

// reads and writes note registers in the instruction's Site.
func (d *decoder) reads(sym ptx.Symbol)  { d.site.Reads = noteRegister(d.site.Reads, sym.Reg) }
func (d *decoder) writes(sym ptx.Symbol) { d.site.Writes = noteRegister(d.site.Writes, sym.Reg) }

func noteRegister(list []int, reg int) []int {
	for _, r := range list {
		if r == reg {
			return list
		}
	}
	return append(list, reg)
}

// operand returns a slot that holds an operand of type t.
func (d *decoder) operand(o ptx.Operand, t ptx.Type) code.Slot {
	switch o := o.(type) {
	case ptx.Int:
		if t.IsFloat() && t != ptx.F16 && t != ptx.BF16 {
			d.failf("%s is no constant of type %s", ptx.OperandString(o), t)
		}
		return d.constant(t, o.Bits)
	case ptx.Float:
		return d.constant(t, o.As(t))
	case ptx.Not:
		sym := d.lookup(o.Reg)
		d.reads(sym)
		tmp := d.fn.File.Alloc(1)
		d.emit(step(ptx.OpNot, ptx.Pred), to(tmp), d.register(sym))
		return tmp
	case ptx.Name:
		return d.narrowed(d.named(d.lookup(string(o))), t)
	case ptx.Offset:
		return d.addressOf(d.lookup(o.Name).Var, o.Offset)
	}
	d.failf("%s is not allowed here", ptx.OperandString(o))
	return code.Slot{}
}

// constant returns a slot with a constant of type t. Types below 32 bits are zero-extended.
func (d *decoder) constant(t ptx.Type, bits uint64) code.Slot {
	if n := t.Bits(); n > 1 && n < 64 {
		bits &= 1<<n - 1
	}
	return d.fn.File.Constant(code.SlotBits(t), bits)
}

// named returns a slot that holds what a name denotes.
func (d *decoder) named(sym ptx.Symbol) code.Slot {
	switch sym.Kind {
	case ptx.RegisterSymbol:
		d.reads(sym)
		return d.register(sym)
	case ptx.SpecialSymbol:
		return d.special(sym)
	case ptx.VarSymbol:
		return d.addressOf(sym.Var, 0)
	case ptx.FuncSymbol:
		return d.constant(ptx.U64, Address(d.mod, sym.Func))
	}
	d.failf("%s is not allowed here", sym.Name)
	return code.Slot{}
}

// narrowed returns a slot of type t's width that holds s. A special register or address may have
// another.
func (d *decoder) narrowed(s code.Slot, t ptx.Type) code.Slot {
	want := code.SlotBits(t)
	if s.Bits == want {
		return s
	}
	if value, ok := d.fn.File.Value(s); ok && want > 1 {
		return d.fn.File.Constant(want, value)
	}
	tmp := d.fn.File.Alloc(want)
	switch {
	case want == 32 && s.Bits == 64:
		d.emit(step(ptx.OpCvt, ptx.U32, ptx.U64), to(tmp), s)
	case want == 64 && s.Bits == 32:
		d.emit(step(ptx.OpCvt, ptx.U64, ptx.U32), to(tmp), s)
	default:
		d.failf("operand of %d bits where %d are needed", s.Bits, want)
	}
	return tmp
}

// dest returns the slot of a written operand. "_" gets one that nothing reads.
func (d *decoder) dest(o ptx.Operand, t ptx.Type) code.Slot {
	name, ok := o.(ptx.Name)
	if !ok {
		d.failf("%s cannot be written", ptx.OperandString(o))
	}
	sym := d.lookup(string(name))
	if sym.Kind == ptx.SinkSymbol {
		return d.fn.File.Alloc(code.SlotBits(t))
	}
	d.writes(sym)
	s := d.register(sym)
	if s.Bits != code.SlotBits(t) {
		d.failf("%s has %d bits, the result has %d", name, s.Bits, code.SlotBits(t))
	}
	return s
}

// destPair returns the slots of "d|p". If the second is missing, it is a slot that nothing reads.
func (d *decoder) destPair(o ptx.Operand, first, second ptx.Type) (code.Slot, code.Slot) {
	if p, ok := o.(ptx.Pair); ok {
		return d.dest(p.First, first), d.dest(p.Second, second)
	}
	return d.dest(o, first), d.fn.File.Alloc(code.SlotBits(second))
}

// registers returns the elements of a vector operand, or the one register of a scalar.
func (d *decoder) registers(o ptx.Operand, t ptx.Type, write bool) []code.Slot {
	one := func(x ptx.Operand) code.Slot {
		name, ok := x.(ptx.Name)
		if !ok {
			return d.operand(x, t)
		}
		sym := d.lookup(string(name))
		switch {
		case sym.Kind == ptx.SinkSymbol:
			return code.Slot{Off: d.fn.File.Scratch.Off, Bits: code.SlotBits(t)}
		case sym.Kind != ptx.RegisterSymbol:
			return d.narrowed(d.named(sym), t)
		case write:
			d.writes(sym)
		default:
			d.reads(sym)
		}
		return d.register(sym)
	}
	switch o := o.(type) {
	case ptx.Vec:
		var list []code.Slot
		for _, x := range o {
			list = append(list, one(x))
		}
		return list
	case ptx.Name:
		if sym := d.lookup(string(o)); sym.Vector > 0 && sym.Kind == ptx.RegisterSymbol {
			var list []code.Slot
			for i := range sym.Vector {
				c := component(sym, i)
				if write {
					d.writes(c)
				} else {
					d.reads(c)
				}
				list = append(list, d.register(c))
			}
			return list
		}
	}
	return []code.Slot{one(o)}
}

// registerBits is the declared width of a register operand: 16 for a 16-bit register, though its
// slot has 32. It is 0 for what is no register.
func (d *decoder) registerBits(o ptx.Operand) int {
	if v, ok := o.(ptx.Vec); ok {
		for _, x := range v {
			if n := d.registerBits(x); n > 0 {
				return n
			}
		}
		return 0
	}
	if name, ok := o.(ptx.Name); ok {
		if sym := d.lookup(string(name)); sym.Kind == ptx.RegisterSymbol {
			return sym.Type.Bits()
		}
	}
	return 0
}

// special returns the slot of a special register.
func (d *decoder) special(sym ptx.Symbol) code.Slot {
	if sym.Vector > 0 {
		d.failf("%s is a vector; name one of its components", sym.Name)
	}
	if changing[sym.Name] {
		tmp := d.fn.File.Alloc(code.SlotBits(sym.Type))
		d.emit(code.Inst{Op: code.Op(sym.Name)}, to(tmp))
		return tmp
	}
	return d.filled(code.Fill{Name: sym.Name}, code.SlotBits(sym.Type))
}

// changing are the special registers that change while a thread runs. The others get their values
// when a call begins.
var changing = map[string]bool{
	"%clock": true, "%clock_hi": true, "%clock64": true,
	"%globaltimer": true, "%globaltimer_lo": true, "%globaltimer_hi": true,
}

// filled returns the slot of a value that is there when a call begins, one for each value.
func (d *decoder) filled(what code.Fill, bits int) code.Slot {
	s, ok := d.fills[what]
	if !ok {
		s = d.fn.File.Alloc(bits)
		d.fills[what] = s
		what.Slot = s
		d.fn.Fills = append(d.fn.Fills, what)
	}
	return s
}
