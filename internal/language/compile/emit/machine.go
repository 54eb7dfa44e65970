package emit

import (
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// machine prints an instruction that stands for itself.
func (e *emitter) machine(v *ir.Value) {
	opcode, operands := ir.MachineFormOf(v.Sub).Operands()
	var args []ptx.Operand
	for _, o := range operands {
		args = append(args, e.machineOperand(v, o))
	}
	e.ins(ptx.OpcodeOf(opcode), args...)
}

// machineOperand is an operand as ir.MachineForm writes it.
func (e *emitter) machineOperand(v *ir.Value, o string) ptx.Operand {
	if space, arg, ok := ir.AddressOperand(o); ok {
		return e.locationIn(v.Args[arg], space)
	}
	if tensor, at, ok := ir.TensorOperand(o); ok {
		return ptx.Texel{e.inReg(v.Args[tensor]), e.vectorOf(v.Args[at:])}
	}
	if arg, ok := strings.CutPrefix(o, "[cluster "); ok {
		t := e.temp(longClass)
		e.ins(ptx.OpCvta.Of(ptx.ModTo, ptx.ModSharedCluster, ptx.U64), t, e.generic(v.Args[arg[0]-'0']))
		return ptx.Addr{Base: t}
	}
	if arg, ok := strings.CutPrefix(o, "["); ok {
		return ptx.Addr{Base: e.inReg(v.Args[arg[0]-'0'])}
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			panic("BUG: emit: the operand " + o + " of a form of Machine")
		}
		return n
	}
	from, isVector := strings.CutSuffix(o, "...}")
	half, isHalf := strings.CutSuffix(o, ".u16")
	constant, isConstant := strings.CutPrefix(o, "#")
	switch {
	case o == "_":
		return ptx.Name(o)
	case o == "r":
		return e.reg(v)
	case o == "{r}" && v.Lanes == 0:
		return ptx.Vec{e.reg(v)}
	case o == "{r}":
		return e.vector(v)
	case isVector:
		return e.vectorOf(v.Args[number(from[1:]):])
	case isHalf:
		t := e.temp(halfClass)
		e.ins(ptx.OpCvt.Of(ptx.U16, ptx.U32), t, e.inReg(v.Args[number(half)]))
		return t
	case isConstant:
		return ptx.Int{Bits: uint64(number(constant))}
	}
	return e.val(v.Args[number(o)])
}

// vectorOf is arguments as a vector of registers.
func (e *emitter) vectorOf(args []*ir.Value) (vec ptx.Vec) {
	for _, a := range args {
		vec = append(vec, e.inReg(a))
	}
	return vec
}

// locationIn is the address operand for a pointer into a state space, which not every generic
// pointer is known to be.
func (e *emitter) locationIn(p *ir.Value, space ir.Space) ptx.Addr {
	if p.PointsTo() == space {
		return e.location(p)
	}
	t := e.temp(longClass)
	e.ins(ptx.OpCvta.Of(ptx.ModTo, spaces[space], ptx.U64), t, e.generic(p))
	return ptx.Addr{Base: t}
}

// machineOperands are the values whose registers the instruction reads.
func (e *emitter) machineOperands(v *ir.Value) []*ir.Value {
	form := ir.MachineFormOf(v.Sub)
	var list []*ir.Value
	for i, a := range v.Args {
		if space := form.SpaceOf(i); space == a.PointsTo() {
			a = e.address(a).base
		}
		list = append(list, a)
	}
	return e.registers(list...)
}
