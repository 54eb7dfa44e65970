package sim

import (
	"math"

	"github.com/gridstride/gridstride/internal/ptx"
)

// slotBits is how wide a slot a type needs.
func slotBits(t ptx.Type) int {
	if n := t.Bits(); n > 1 && n < 32 {
		return 32
	}
	return t.Bits()
}

func (d *decoder) lookup(name string) ptx.Symbol {
	sym, ok := d.scope.Lookup(name)
	if !ok {
		d.failf("%s is not declared", name)
	}
	return sym
}

// register returns the slot of a register, and makes one when it is met first.
func (d *decoder) register(sym ptx.Symbol) slot {
	if sym.Kind != ptx.RegisterSymbol {
		d.failf("%s is not a register", sym.Name)
	}
	s, ok := d.slots[sym.Reg]
	if !ok {
		s = d.fn.file.alloc(slotBits(sym.Type))
		d.slots[sym.Reg] = s
		if s.bits == 1 {
			d.fn.predicates[sym.Reg] = s.off
		}
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

// source returns a slot that holds an operand of type t.
func (d *decoder) source(o ptx.Operand, t ptx.Type) slot {
	switch o := o.(type) {
	case ptx.Int:
		if t.IsFloat() && t != ptx.F16 && t != ptx.BF16 {
			d.failf("%s is no constant of type %s", ptx.OperandString(o), t)
		}
		return d.constant(t, o.Bits)
	case ptx.Float:
		return d.constant(t, floatBits(o, t))
	case ptx.Not:
		sym := d.lookup(o.Reg)
		d.reads(sym)
		tmp := d.fn.file.alloc(1)
		d.emit(inst{run: notPred, d: tmp.off, a: d.register(sym).off})
		return tmp
	case ptx.Name:
		return d.narrowed(d.named(d.lookup(string(o))), t)
	case ptx.Offset:
		return d.address(d.lookup(o.Name).Var, o.Offset)
	}
	d.failf("%s cannot stand here", ptx.OperandString(o))
	return slot{}
}

// constant returns a slot with a constant of type t; types below 32 bits are zero-extended.
func (d *decoder) constant(t ptx.Type, bits uint64) slot {
	if n := t.Bits(); n > 1 && n < 64 {
		bits &= 1<<n - 1
	}
	return d.fn.file.constant(slotBits(t), bits)
}

// floatBits are the bits of a constant used as type t: its own width for untyped bits.
func floatBits(f ptx.Float, t ptx.Type) uint64 {
	switch {
	case f.Single && t.Bits() == 64:
		return math.Float64bits(float64(math.Float32frombits(uint32(f.Bits))))
	case !f.Single && t.Bits() == 32:
		return uint64(math.Float32bits(float32(math.Float64frombits(f.Bits))))
	}
	return f.Bits
}

// named returns a slot that holds what a name denotes.
func (d *decoder) named(sym ptx.Symbol) slot {
	switch sym.Kind {
	case ptx.RegisterSymbol:
		d.reads(sym)
		return d.register(sym)
	case ptx.SpecialSymbol:
		return d.special(sym)
	case ptx.ConstSymbol:
		return d.constant(sym.Type, sym.Value)
	case ptx.VarSymbol:
		return d.address(sym.Var, 0)
	case ptx.FuncSymbol:
		return d.constant(ptx.U64, d.codeAddress(sym.Func))
	}
	d.failf("%s cannot stand here", sym.Name)
	return slot{}
}

// narrowed returns a slot of type t's width that holds s; a special register or address may have
// another.
func (d *decoder) narrowed(s slot, t ptx.Type) slot {
	want := slotBits(t)
	if s.bits == want {
		return s
	}
	for c, at := range d.fn.file.constants {
		if at == s && want > 1 {
			return d.fn.file.constant(want, c.value)
		}
	}
	tmp := d.fn.file.alloc(want)
	switch {
	case want == 32 && s.bits == 64:
		d.compute(inst{run: convert[uint32, uint64], a: s.off}, tmp)
	case want == 64 && s.bits == 32:
		d.compute(inst{run: convert[uint64, uint32], a: s.off}, tmp)
	default:
		d.failf("operand of %d bits where %d are needed", s.bits, want)
	}
	return tmp
}

// dest returns the slot of a written operand; "_" gets one that nothing reads.
func (d *decoder) dest(o ptx.Operand, t ptx.Type) slot {
	name, ok := o.(ptx.Name)
	if !ok {
		d.failf("%s cannot be written", ptx.OperandString(o))
	}
	sym := d.lookup(string(name))
	if sym.Kind == ptx.SinkSymbol {
		return d.fn.file.alloc(slotBits(t))
	}
	d.writes(sym)
	s := d.register(sym)
	if s.bits != slotBits(t) {
		d.failf("%s has %d bits, the result has %d", name, s.bits, slotBits(t))
	}
	return s
}

// destPair returns the slots of "d|p"; a missing second one is a slot that nothing reads.
func (d *decoder) destPair(o ptx.Operand, first, second ptx.Type) (slot, slot) {
	if p, ok := o.(ptx.Pair); ok {
		return d.dest(p.First, first), d.dest(p.Second, second)
	}
	return d.dest(o, first), d.fn.file.alloc(slotBits(second))
}

// registers returns the elements of a vector operand, or the one register of a scalar.
func (d *decoder) registers(o ptx.Operand, t ptx.Type, write bool) []slot {
	one := func(x ptx.Operand) slot {
		name, ok := x.(ptx.Name)
		if !ok {
			return d.source(x, t)
		}
		sym := d.lookup(string(name))
		switch {
		case sym.Kind == ptx.SinkSymbol:
			return slot{d.fn.file.scratch, slotBits(t)}
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
		var list []slot
		for _, x := range o {
			list = append(list, one(x))
		}
		return list
	case ptx.Name:
		if sym := d.lookup(string(o)); sym.Vector > 0 && sym.Kind == ptx.RegisterSymbol {
			var list []slot
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
	return []slot{one(o)}
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
