package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// An intrinsic says how a call becomes an operation of the IR: the call of a row of abi.Intrinsics,
// or of a function of package device.
type intrinsic struct {
	op            ir.Op
	sub, unsigned ir.Sub // unsigned takes the place of sub where the result is unsigned
	scope         ir.Scope

	name  string     // of the function of package gpu
	needs abi.Target // the oldest that has it, zero where all have
}

// intrinsics are the functions of package gpu that are not written in Go, and the functions of
// package device, by name.
var intrinsics = func() map[string]intrinsic {
	m := map[string]intrinsic{}
	for _, row := range abi.Intrinsics {
		if row.Op != "" {
			how := resolve(row.Op, row.OpUnsigned)
			how.name, how.needs = row.Name, row.Needs
			m[row.Name] = how
		}
	}
	for name, op := range deviceOps {
		m[name] = resolve(op, "")
	}
	return m
}()

// deviceOps are the functions of package device in frontend/_std that package gpu does not have.
var deviceOps = map[string]string{
	"Float32bits": "Bitcast", "Float32frombits": "Bitcast", "Float64bits": "Bitcast", "Float64frombits": "Bitcast",
	"OnesCount32": "Popc", "OnesCount64": "Popc",
	"LeadingZeros32": "Clz", "LeadingZeros64": "Clz",
	"Reverse32": "Brev", "Reverse64": "Brev",
	"RotateLeft32": "RotL", "RotateLeft64": "RotL",
	"CheckDivisor": "Check.Divide", "CheckQuotient": "Check.Overflow",
	"MulHigh64": "MulHiU",
	"FMADown":   "FFmaDown", "FMAUp": "FFmaUp",
	"NearInverse": "NearRcp", "NearInverseRoot": "NearRsqrt",
	"NearExp2": "NearExp2", "NearLog2": "NearLog2", "NearSin": "NearSin", "NearCos": "NearCos",
	"Is": "Const", "As": "Const", "Negate": "FNeg",
	"Sleep": "Nanosleep", "SharedAddress": "SharedAddr", "HasRedux": "Const",
	"MatrixOffset": "Const", "MatrixSwizzle": "Const",
	"ReduxAdd": "Redux.Add", "ReduxMinS": "Redux.MinS", "ReduxMinU": "Redux.MinU", "ReduxMaxS": "Redux.MaxS",
	"ReduxMaxU": "Redux.MaxU", "ReduxAnd": "Redux.And", "ReduxOr": "Redux.Or", "ReduxXor": "Redux.Xor",
}

// targetRedux is the oldest target with redux.sync.
var targetRedux = abi.Target{SM: 80}

func resolve(op, unsigned string) intrinsic {
	var in intrinsic
	var err error
	if unsigned != "" {
		if _, in.unsigned, _, err = ir.ParseOp(unsigned); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	if in.op, in.sub, in.scope, err = ir.ParseOp(op); err != nil {
		panic("BUG: " + err.Error())
	}
	if unsigned == "" {
		in.unsigned = in.sub
	}
	return in
}

// intrinsicOf finds the intrinsic that a function is. A function with a body to inline is none.
func intrinsicOf(fn *ssa.Function) (in intrinsic, ok bool) {
	if fn == nil || fn.Parent() != nil || fn.Signature.Recv() != nil {
		return in, false
	}
	origin := fn
	if o := fn.Origin(); o != nil {
		origin = o
	}
	switch packageOf(fn) {
	case frontend.DevicePath, frontend.GPUPath:
		in, ok = intrinsics[origin.Name()]
	}
	return in, ok
}

// intrinsic lowers a call of an intrinsic. Operations that do more than compute with scalars have
// separate functions.
func (f *frame) intrinsic(in *ssa.Call, callee *ssa.Function, how intrinsic) value {
	if f.lacks(in, how, how.needs) {
		return f.l.undefined(in.Type())
	}
	switch how.op {
	case ir.Const:
		if name := callee.Name(); name == "MatrixOffset" || name == "MatrixSwizzle" {
			return f.matrixPart(in, name)
		}
		return f.question(in, callee)
	case ir.Atomic, ir.AtomicLoad, ir.AtomicStore:
		return f.atomic(in, how)
	case ir.FNeg:
		return f.negate(in)
	case ir.Shfl, ir.Match:
		return f.exchange(in, how)
	case ir.MMA:
		return f.product(in, how)
	case ir.SetMaxNReg:
		return f.setMaxNReg(in, how)
	case ir.WGMMA:
		return f.wgmma(in, how)
	case ir.SharedAddr:
		return f.sharedAddress(in)
	case ir.Machine:
		return f.machine(in, how)
	case ir.NamedBarrier:
		return f.namedBarrier(in, how)
	case ir.Check:
		if how.sub == ir.CheckAssert {
			return f.assert(in)
		}
		f.l.b.Check(how.sub, f.value(in.Call.Args[0]).one())
		return value{}
	case ir.Print:
		return f.print(in)
	case ir.VarAddr:
		return f.sharedVar(in)
	case ir.DynSize:
		return f.dynamicShared(in)
	case ir.MapShared:
		return f.mapShared(in)
	}
	return f.operation(in, how)
}

// lacks reports whether the target has not what a call needs, as an error.
func (f *frame) lacks(in *ssa.Call, how intrinsic, need abi.Target) bool {
	if f.l.target.Has(need) {
		return false
	}
	if need.Suffix == 'a' {
		f.l.errorf(f.messagePos(in), "gpu.%s needs %v: write //gpu:kernel target=%v", how.name, need, need)
	} else {
		f.l.errorf(f.messagePos(in), "gpu.%s needs %v or newer: write //gpu:kernel target=%v", how.name, need, need)
	}
	return true
}

// operation lowers a call whose operands and result are scalars. The operation counts in 32 bits
// where Go has an int: lanes, shifts, numbers of bits, which are not negative as results.
func (f *frame) operation(in *ssa.Call, how intrinsic) value {
	l := f.l
	var args []*ir.Value
	for i, a := range in.Call.Args {
		x := f.value(a).one()
		if t, fixed := how.op.ArgType(i); fixed && t == ir.I32 && x.Type == ir.I64 {
			x = l.b.Emit(ir.Trunc, ir.I32, x)
		}
		args = append(args, x)
	}
	k, _ := kindOf(in.Type())
	t, fixed := how.op.ResultType()
	switch {
	case how.sub == ir.BarCount:
		t = ir.I32
	case !fixed:
		t = k.typ
	}
	v := l.b.EmitSub(how.op, how.sub, t, args...)
	v.Scope = how.scope
	switch {
	case t == ir.Void:
		return value{}
	case t == ir.I32 && k.typ == ir.I64:
		v = l.b.Emit(ir.Zext32, ir.I64, v)
	}
	return scalarValue(v)
}

// sharedVar lowers gpu.Shared: one variable for each call in the source, in each instance of its
// function.
func (f *frame) sharedVar(in *ssa.Call) value {
	l := f.l
	t := in.Type().Underlying().(*types.Pointer).Elem()
	if why := notPlain(t); why != "" {
		l.errorf(f.messagePos(in), "%s cannot be in shared memory: %s",
			l.typeName(t), why)
		return l.undefined(in.Type())
	}
	v := l.shared[in]
	if v == nil {
		v = l.f.AddVar(&ir.Var{
			Name: l.f.VarName(variableName(in)), Space: ir.Shared, Size: l.layout(t).size, Align: varAlign(t),
			Elem: elemMem(t), Type: shapeOf(t), Pos: l.b.Pos,
		})
		l.shared[in] = v
	}
	return value{leaves: []leaf{{v: l.b.VarAddr(v), nonNil: true}}}
}

// dynamicShared lowers gpu.DynamicShared: one variable for the whole kernel, as long as the launch
// says.
func (f *frame) dynamicShared(in *ssa.Call) value {
	l := f.l
	elem := in.Type().Underlying().(*types.Slice).Elem()
	if why := notPlain(elem); why != "" {
		l.errorf(f.messagePos(in), "%s cannot be in shared memory: %s",
			l.typeName(elem), why)
		return l.undefined(in.Type())
	}
	size := l.layout(elem).size
	if size == 0 {
		l.errorf(f.messagePos(in), "the elements of gpu.DynamicShared have no size")
		return l.undefined(in.Type())
	}
	if l.dynamic == nil {
		l.dynamic = l.f.AddVar(&ir.Var{
			Name: l.f.VarName(variableName(in)), Space: ir.Shared, Align: 16, Elem: elemMem(elem), Dynamic: true,
			Pos: l.b.Pos,
		})
	}
	length := l.b.Emit(ir.DivU, ir.I64, l.b.Emit(ir.DynSize, ir.I64), l.b.Int(ir.I64, size))
	return sliceValue(leaf{v: l.b.VarAddr(l.dynamic), nonNil: true}, length, length)
}

// typeName is a type as the kernels' package writes it.
func (l *lowerer) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == l.prog.Package {
			return ""
		}
		return p.Name()
	})
}

// notPlain says why values of a type cannot be in shared memory, or "" if they can.
func notPlain(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if _, ok := kinds[u.Kind()]; ok {
			return ""
		}
		if _, ok := complexPart(u); ok {
			return ""
		}
		if isString(u) {
			return "it holds addresses, keep indices instead"
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if why := notPlain(u.Field(i).Type()); why != "" {
				return why
			}
		}
		return ""
	case *types.Array:
		return notPlain(u.Elem())
	case *types.Slice, *types.Pointer:
		return "it holds addresses, keep indices instead"
	}
	return "it holds more than numbers, bools, structs and arrays"
}

// elemMem is the memory type of an array's elements, bytes for a mixture.
func elemMem(t types.Type) ir.Mem {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return elemMem(u.Elem())
	case *types.Basic:
		if k, ok := complexPart(u); ok {
			return k.mem
		}
		return kinds[u.Kind()].mem
	case *types.Struct:
		mem := ir.MemNone
		for i := range u.NumFields() {
			m := elemMem(u.Field(i).Type())
			if i > 0 && m != mem {
				return ir.U8
			}
			mem = m
		}
		return mem
	}
	return ir.U8
}

// variableName is the name of the variable that a call's result is assigned to, if known.
func variableName(in *ssa.Call) string {
	for _, ref := range *in.Referrers() {
		if d, ok := ref.(*ssa.DebugRef); ok && !d.IsAddr && d.Object() != nil {
			return frontend.Mangle(d.Object().Name())
		}
		if s, ok := ref.(*ssa.Store); ok && s.Val == in {
			if a, ok := s.Addr.(*ssa.Alloc); ok {
				return frontend.Mangle(a.Comment)
			}
		}
	}
	return "shared"
}
