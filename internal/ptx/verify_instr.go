package ptx

import (
	"cmp"
	"fmt"
	"slices"
)

// instr checks one instruction: its guard, its opcode, what it needs, and its operands.
func (v *verifier) instr(in *Instr) {
	if in.Guard != nil {
		v.predicate(in, in.Guard.Reg, "guard")
	}
	d, err := Decode(in, v.scope)
	if err != nil {
		if !v.lenient {
			v.instrError(in, "%s", err)
		}
		return
	}
	v.needs(in.Opcode(), d.Needs(), func(format string, args ...any) { v.instrError(in, format, args...) })
	if in.Op == "call" {
		v.call(in)
		return
	}
	before := len(v.errs)
	for i, o := range d.Operands {
		v.operand(in, d, o, in.Args[i])
	}
	if len(v.errs) == before {
		v.extra(in, d)
	}
}

// extra checks the rules that are no matter of one operand.
func (v *verifier) extra(in *Instr, d *Decoded) {
	switch in.Op {
	case "mov":
		v.movVectors(in)
	case "setp":
		if p, ok := in.Args[0].(Pair); ok && p.First == Name("_") && p.Second == Name("_") {
			v.instrError(in, "setp throws away both of its results")
		}
	case "cvt":
		if d.Has("sat") && d.Type.IsInt() && holds(d.Type, d.SrcType) {
			v.instrError(in, "every .%s is a .%s: there is nothing for .sat to do", d.SrcType, d.Type)
		}
	case "cvta":
		if d.Type.Bits() != v.m.AddressSize {
			v.instrError(in, "%s: addresses have %d bits", in.Opcode(), v.m.AddressSize)
		}
	case "atom", "red":
		v.atomicSpace(in, d)
	case "st":
		if d.Space == ParamSpace {
			v.paramAccess(in, in.Args[0], v.f.Params, "written")
		}
	case "ld":
		if d.Space == ParamSpace {
			v.paramAccess(in, in.Args[1], v.f.Results, "read")
		}
	case "bar", "barrier":
		v.barrier(in, d)
	case "cp":
		v.copySize(in, d)
	case "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset":
		v.merged(in, d)
	case "mbarrier":
		v.token(in, d)
	case "mma":
		v.mmaOrder(in, d)
	case "shfl", "vote":
		if !d.Has("sync") && v.target.SM >= 70 && !v.m.Version.Less(Version{6, 4}) {
			v.instrError(in, "%s without .sync was removed for sm_70 and higher in .version 6.4", in.Op)
		}
	}
	m := cmp.Or(d.Mod("l1evict"), d.Mod("hint"), d.Mod("l2size"))
	if m != "" && in.Op != "cp" && d.Space != GlobalSpace && d.Space != GenericSpace {
		v.instrError(in, ".%s is for .global memory, not .%s", m, d.Space)
	}
	if d.Lanes > 0 && d.Lanes*d.Type.Bits() > 128 && (v.target.SM < 100 || d.Type.Bits()*d.Lanes > 256) {
		v.instrError(in, "a vector has at most 128 bits, %d × .%s has %d", d.Lanes, d.Type, d.Lanes*d.Type.Bits())
	}
}

// holds reports whether integer type t has every value of type u.
func holds(t, u Type) bool {
	if !u.IsInt() || t.Signed() == u.Signed() {
		return u.IsInt() && t.Bits() >= u.Bits()
	}
	return t.Signed() && t.Bits() > u.Bits()
}

// atomicSpace forbids atomics on a thread's own memory.
func (v *verifier) atomicSpace(in *Instr, d *Decoded) {
	for i, o := range d.Operands {
		a, _ := in.Args[i].(Addr)
		name, _ := a.Base.(Name)
		sym, _ := v.scope.Lookup(string(name))
		if o.Kind == AddressOperand && sym.Kind == VarSymbol && sym.Var.Space == LocalSpace {
			v.instrError(in, "%s is in .local space; %s works on .global and .shared memory", name, in.Opcode())
		}
	}
}

// paramAccess forbids writing to input parameters and reading results.
func (v *verifier) paramAccess(in *Instr, addr Operand, params []*Var, verb string) {
	a, _ := addr.(Addr)
	name, _ := a.Base.(Name)
	sym, ok := v.scope.Lookup(string(name))
	if ok && sym.Kind == VarSymbol && slices.Contains(params, sym.Var) {
		v.instrError(in, "parameter %s cannot be %s here", name, verb)
	}
}

// mmaOrder checks the order of a product's modifiers, in which its matrices are told apart. Only
// .satfinite may be anywhere.
func (v *verifier) mmaOrder(in *Instr, d *Decoded) {
	written := slices.DeleteFunc(slices.Clone(in.Mods), func(mod string) bool { return mod == "satfinite" })
	wanted := slices.DeleteFunc(slices.Clone(d.Modifiers), func(m Modifier) bool { return m.Value == "satfinite" })
	if !slices.EqualFunc(written, wanted, func(mod string, m Modifier) bool { return mod == m.Value }) {
		v.instrError(in, "the modifiers of mma have one order: mma%v", d.Modifiers)
	}
}

// barrier checks constant barrier numbers and thread counts.
func (v *verifier) barrier(in *Instr, d *Decoded) {
	if d.Has("warp") || d.Has("cluster") {
		return
	}
	args := in.Args
	if d.Has("red") {
		args = args[1 : len(args)-1]
	}
	if n, ok := args[0].(Int); ok && n.Bits > 15 {
		v.instrError(in, "barrier %d does not exist: they are 0 to 15", int64(n.Bits))
	}
	if len(args) > 1 {
		if n, ok := args[1].(Int); ok && (n.Bits%32 != 0 || n.Bits == 0 && d.Has("arrive")) {
			v.instrError(in, "the number of threads at a barrier is a multiple of 32, not %d", int64(n.Bits))
		}
	}
}

// copySize checks how many bytes cp.async copies.
func (v *verifier) copySize(in *Instr, d *Decoded) {
	if !d.Has("ca") && !d.Has("cg") {
		return
	}
	size := in.Args[2].(Int).Bits
	switch {
	case d.Has("cg") && size != 16:
		v.instrError(in, "cp.async.cg copies 16 bytes, not %d", size)
	case size != 4 && size != 8 && size != 16:
		v.instrError(in, "cp.async copies 4, 8 or 16 bytes, not %d", size)
	}
}

// token checks that an arrival at an mbarrier of any block of the cluster, which gives no token,
// throws its result away.
func (v *verifier) token(in *Instr, d *Decoded) {
	if name, _ := in.Args[0].(Name); d.Operands[0].Write && d.Mod("space") == "shared::cluster" && name != "_" {
		v.instrError(in, "%s gives no token: the first operand is _", in.Opcode())
	}
}

// predicate checks that a name is a predicate register.
func (v *verifier) predicate(in *Instr, name, role string) {
	sym, ok := v.lookup(in, name)
	if ok && (sym.Kind != RegisterSymbol || sym.Type != Pred) {
		v.instrError(in, "%s %s is %s, not a predicate register", role, name, describeSymbol(sym))
	}
}

// describeSymbol says what a name is, with the type of a register: "a .f32 register".
func describeSymbol(sym Symbol) string {
	switch {
	case sym.Kind == RegisterSymbol && sym.Vector > 0:
		return fmt.Sprintf("a .v%d .%s register", sym.Vector, sym.Type)
	case sym.Kind == RegisterSymbol:
		return fmt.Sprintf("a .%s register", sym.Type)
	}
	return sym.Kind.String()
}

// operand checks one operand against its form.
func (v *verifier) operand(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	switch o.Kind {
	case AddressOperand:
		v.address(in, d, o, arg)
	case TensorOperand:
		v.tensor(in, d, arg)
	case TextureOperand:
		v.texture(in, d, o, arg)
	case HandleOperand:
		v.handle(in, arg)
	case SlopesOperand:
		v.slopes(in, d, o, arg)
	case LabelOperand, TargetsOperand:
		want := LabelSymbol
		if o.Kind == TargetsOperand {
			want = TargetsSymbol
		}
		name, isName := arg.(Name)
		sym, ok := v.scope.Lookup(string(name))
		switch {
		case !isName:
			v.instrError(in, "%s is not %s", OperandString(arg), want)
		case !ok:
			v.instrError(in, "there is no label %s here", name)
		case sym.Kind != want:
			v.instrError(in, "%s is %s, not %s", name, describeSymbol(sym), want)
		}
	case ImmOperand:
		if _, ok := arg.(Int); !ok {
			v.instrError(in, "%s is not an integer constant", OperandString(arg))
		}
	case SourceOperand:
		v.source(in, d, o, arg)
	case ValueOperand:
		if o.Select != "" {
			v.selected(in, o, arg)
			return
		}
		v.value(in, d, o, arg)
	default:
		v.value(in, d, o, arg)
	}
}

// value checks a register or constant, a pair or a vector of them.
func (v *verifier) value(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	if p, ok := arg.(Pair); ok {
		if o.Second == "" {
			v.instrError(in, "%s has no second result: %s", in.Opcode(), OperandString(arg))
			return
		}
		v.scalar(in, o, p.First)
		v.scalar(in, OperandForm{Type: o.Second, Write: true, sink: true}, p.Second)
		return
	}
	if o.Second != "" && !o.secondOptional {
		v.instrError(in, "%s has a second result: %s|p", in.Opcode(), OperandString(arg))
		return
	}
	vec, isVec := arg.(Vec)
	switch {
	case isVec && len(vec) == 1 && (in.Op == "suld" || in.Op == "sust"): // as nvcc writes one
		v.value(in, d, o, vec[0])
	case o.Count > 0:
		v.fragment(in, o, arg)
	case o.Vector:
		v.vector(in, d, o, arg)
	case isVec && in.Op == "mov" && o.Write:
		v.elements(in, o, vec)
	case isVec:
		v.instrError(in, "%s takes no vector: %s", in.Opcode(), OperandString(arg))
	default:
		v.scalar(in, o, arg)
	}
}

// scalar checks one register or constant.
func (v *verifier) scalar(in *Instr, o OperandForm, arg Operand) {
	switch x := arg.(type) {
	case Name:
		v.register(in, o, string(x))
	case Not:
		if o.Type != Pred || o.Write {
			v.instrError(in, "only a predicate that is read can be negated: %s", OperandString(arg))
			return
		}
		v.predicate(in, x.Reg, "operand")
	case Int, Float:
		switch {
		case o.Write:
			v.instrError(in, "%s is a constant where %s writes its result", OperandString(arg), in.Opcode())
		case !o.Type.constant(arg):
			v.instrError(in, "constant %s is not a .%s, which %s needs here", OperandString(arg), o.Type, in.Opcode())
		}
	default:
		v.instrError(in, "%s is not a register or constant, which %s needs here", OperandString(arg), in.Opcode())
	}
}

// register checks a name that stands for a value.
func (v *verifier) register(in *Instr, o OperandForm, name string) {
	sym, ok := v.lookup(in, name)
	if !ok {
		return
	}
	switch sym.Kind {
	case RegisterSymbol:
		if sym.Vector > 0 {
			v.instrError(in, "%s is %s; one component is %s.x", name, describeSymbol(sym), name)
			return
		}
		if !o.Type.fits(sym.Type, o.Wider) {
			v.instrError(in, "%s is %s, %s needs .%s here", name, describeSymbol(sym), in.Opcode(), o.Type)
		}
	case SpecialSymbol:
		v.special(in, o, sym)
	case SinkSymbol:
		if !o.Write || !o.sink {
			v.instrError(in, "%s cannot leave out this operand", in.Opcode())
		}
	default:
		v.instrError(in, "%s is %s, %s needs a .%s register or constant here", name, sym.Kind, in.Opcode(), o.Type)
	}
}

// special checks a special register.
func (v *verifier) special(in *Instr, o OperandForm, sym Symbol) {
	switch {
	case o.Write:
		v.instrError(in, "special register %s cannot be written", sym.Name)
	case !o.special:
		v.instrError(in, "special register %s is read by mov, not by %s", sym.Name, in.Opcode())
	case sym.Vector > 0:
		v.instrError(in, "%s has components: %s.x", sym.Name, sym.Name)
	case !o.Type.fits(sym.Type, false) && !(o.Type.Bits() == 16 && sym.Special.Vector > 0 && !o.Type.IsFloat()):
		// %tid and its like were 16 bits wide once, and may still be read so.
		v.instrError(in, "%s is .%s, %s reads .%s", sym.Name, sym.Type, in.Opcode(), o.Type)
	default:
		v.needs(sym.Name, sym.Special.Needs, func(format string, args ...any) { v.instrError(in, format, args...) })
	}
}
