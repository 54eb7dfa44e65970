package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/compile/frontend"
	"github.com/gridstride/gridstride/internal/compile/ir"
)

// An intrinsic lowers a call of a function that is an instruction of the device, or a few.
type intrinsic func(f *frame, in *ssa.Call, fn *ssa.Function) value

// intrinsics are the functions of package gpu that are not written in Go, and those of package
// device in frontend/_std.
var intrinsics map[string]intrinsic

func init() {
	intrinsics = map[string]intrinsic{
		"SyncThreads":       void(func(l *lowerer, _ []*ir.Value) { l.b.Emit(ir.Barrier, ir.Void) }),
		"SyncWarp":          void(func(l *lowerer, a []*ir.Value) { l.b.Emit(ir.WarpSync, ir.Void, a[0]) }),
		"ThreadFence":       void(func(l *lowerer, _ []*ir.Value) { l.b.Fence(ir.ScopeDevice) }),
		"ThreadFenceBlock":  void(func(l *lowerer, _ []*ir.Value) { l.b.Fence(ir.ScopeBlock) }),
		"ThreadFenceSystem": void(func(l *lowerer, _ []*ir.Value) { l.b.Fence(ir.ScopeSystem) }),
		"Assert":            assert,
		"Shared":            sharedVar,
		"DynamicShared":     dynamicShared,

		"LaneID": scalarFunc(func(l *lowerer, _ []*ir.Value) *ir.Value {
			return l.b.Emit(ir.Zext32, ir.I64, l.b.SReg(ir.LaneID))
		}),
		"ActiveMask": scalarFunc(func(l *lowerer, _ []*ir.Value) *ir.Value { return l.b.Emit(ir.ActiveMask, ir.I32) }),
		"BallotSync": vote(ir.VoteBallot, ir.I32),
		"AnySync":    vote(ir.VoteAny, ir.Bool),
		"AllSync":    vote(ir.VoteAll, ir.Bool),

		"ShflSync":     shuffle(ir.ShflIdx),
		"ShflUpSync":   shuffle(ir.ShflUp),
		"ShflDownSync": shuffle(ir.ShflDown),
		"ShflXorSync":  shuffle(ir.ShflXor),

		"AtomicAdd":  atomic(ir.AtomAdd, ir.AtomAdd),
		"AtomicMin":  atomic(ir.AtomMinS, ir.AtomMinU),
		"AtomicMax":  atomic(ir.AtomMaxS, ir.AtomMaxU),
		"AtomicAnd":  atomic(ir.AtomAnd, ir.AtomAnd),
		"AtomicOr":   atomic(ir.AtomOr, ir.AtomOr),
		"AtomicXor":  atomic(ir.AtomXor, ir.AtomXor),
		"AtomicExch": atomic(ir.AtomExch, ir.AtomExch),
		"AtomicCAS":  atomic(ir.AtomCAS, ir.AtomCAS),
		"AtomicInc":  atomic(ir.AtomInc, ir.AtomInc),
		"AtomicDec":  atomic(ir.AtomDec, ir.AtomDec),

		"Sqrt":     same(ir.FSqrt),
		"Abs":      same(ir.FAbs),
		"Floor":    same(ir.FFloor),
		"Ceil":     same(ir.FCeil),
		"Trunc":    same(ir.FTrunc),
		"FMA":      same(ir.FFma),
		"Copysign": same(ir.FCopysign),

		"Float32bits":     to(ir.Bitcast, ir.I32),
		"Float32frombits": to(ir.Bitcast, ir.F32),
		"Float64bits":     to(ir.Bitcast, ir.I64),
		"Float64frombits": to(ir.Bitcast, ir.F64),

		"OnesCount32":    count(ir.Popc),
		"OnesCount64":    count(ir.Popc),
		"LeadingZeros32": count(ir.Clz),
		"LeadingZeros64": count(ir.Clz),
		"Reverse32":      same(ir.Brev),
		"Reverse64":      same(ir.Brev),
		"RotateLeft32":   rotate,
		"RotateLeft64":   rotate,
		"MulHigh64":      same(ir.MulHiU),
	}
}

// intrinsicOf is the intrinsic that a function is, nil if it has a body to inline.
func intrinsicOf(fn *ssa.Function) intrinsic {
	if fn == nil || fn.Parent() != nil || fn.Signature.Recv() != nil {
		return nil
	}
	origin := fn
	if o := fn.Origin(); o != nil {
		origin = o
	}
	switch packageOf(fn) {
	case frontend.DevicePath:
		return intrinsics[origin.Name()]
	case frontend.GPUPath:
		if !frontend.InGo(origin.Name()) {
			return intrinsics[origin.Name()]
		}
	}
	return nil
}

// scalars are the arguments of a call whose arguments are all scalars.
func (f *frame) scalars(in *ssa.Call) []*ir.Value {
	var out []*ir.Value
	for _, a := range in.Call.Args {
		out = append(out, f.value(a).one())
	}
	return out
}

func void(emit func(*lowerer, []*ir.Value)) intrinsic {
	return func(f *frame, in *ssa.Call, _ *ssa.Function) value {
		emit(f.l, f.scalars(in))
		return value{}
	}
}

func scalarFunc(emit func(*lowerer, []*ir.Value) *ir.Value) intrinsic {
	return func(f *frame, in *ssa.Call, _ *ssa.Function) value { return scalarValue(emit(f.l, f.scalars(in))) }
}

// same is an operation whose result has the type of its operands.
func same(op ir.Op) intrinsic {
	return scalarFunc(func(l *lowerer, a []*ir.Value) *ir.Value { return l.b.Emit(op, a[0].Type, a...) })
}

func to(op ir.Op, t ir.Type) intrinsic {
	return scalarFunc(func(l *lowerer, a []*ir.Value) *ir.Value { return l.b.Emit(op, t, a...) })
}

// count is an operation that counts bits: 32 bits, not negative.
func count(op ir.Op) intrinsic {
	return scalarFunc(func(l *lowerer, a []*ir.Value) *ir.Value {
		return l.b.Emit(ir.Zext32, ir.I64, l.b.Emit(op, ir.I32, a...))
	})
}

func rotate(f *frame, in *ssa.Call, _ *ssa.Function) value {
	a := f.scalars(in)
	by := f.l.b.Emit(ir.Trunc, ir.I32, a[1]) // modulo the width, as Go's: -1 is a rotation to the right
	return scalarValue(f.l.b.Emit(ir.RotL, a[0].Type, a[0], by))
}

func vote(sub ir.Sub, t ir.Type) intrinsic {
	return scalarFunc(func(l *lowerer, a []*ir.Value) *ir.Value { return l.b.EmitSub(ir.Vote, sub, t, a...) })
}

func shuffle(sub ir.Sub) intrinsic {
	return scalarFunc(func(l *lowerer, a []*ir.Value) *ir.Value {
		lane := l.b.Emit(ir.Trunc, ir.I32, a[2])
		return l.b.EmitSub(ir.Shfl, sub, a[1].Type, a[0], a[1], lane)
	})
}

// atomic is an atomic operation; minimum and maximum differ for signed and unsigned integers.
func atomic(signed, unsigned ir.Sub) intrinsic {
	return func(f *frame, in *ssa.Call, _ *ssa.Function) value {
		l := f.l
		p := f.value(in.Call.Args[0]).leaves[0]
		if p.v == nil {
			l.errorf(f.pos2(in), "an atomic needs a pointer to shared memory or into a slice")
			return l.undefined(in.Type())
		}
		k, _ := kindOf(in.Type())
		sub := unsigned
		if k.signed {
			sub = signed
		}
		var args []*ir.Value
		for _, a := range in.Call.Args[1:] {
			args = append(args, f.value(a).one())
		}
		l.checkNil(p)
		return scalarValue(l.b.Atomic(sub, ir.ScopeDevice, k.mem, p.v, args...))
	}
}

func assert(f *frame, in *ssa.Call, _ *ssa.Function) value {
	l := f.l
	text, ok := constString(in.Call.Args[1])
	if !ok {
		l.errorf(f.pos2(in), "in a kernel the message of gpu.Assert must be a constant string")
	}
	l.b.Check(ir.CheckAssert, f.value(in.Call.Args[0]).one(), l.text(text))
	return value{}
}

// sharedVar is gpu.Shared: one variable for each call in the source, in each instance of its
// function.
func sharedVar(f *frame, in *ssa.Call, _ *ssa.Function) value {
	l := f.l
	t := in.Type().Underlying().(*types.Pointer).Elem()
	if why := notPlain(t); why != "" {
		l.errorf(f.pos2(in), "%s cannot lie in shared memory: %s", types.TypeString(t, types.RelativeTo(l.prog.Package)), why)
		return l.undefined(in.Type())
	}
	v := l.shared[in]
	if v == nil {
		v = l.f.AddVar(&ir.Var{
			Name: l.varName(variableName(in)), Space: ir.Shared, Size: l.layout(t).size, Align: varAlign(t), Elem: elemMem(t), Pos: l.b.Pos,
		})
		l.shared[in] = v
	}
	return value{leaves: []leaf{{v: l.b.VarAddr(v), nonNil: true}}}
}

// dynamicShared is gpu.DynamicShared: one variable for the whole kernel, as long as the launch
// says.
func dynamicShared(f *frame, in *ssa.Call, _ *ssa.Function) value {
	l := f.l
	elem := in.Type().Underlying().(*types.Slice).Elem()
	if why := notPlain(elem); why != "" {
		l.errorf(f.pos2(in), "%s cannot lie in shared memory: %s", types.TypeString(elem, types.RelativeTo(l.prog.Package)), why)
		return l.undefined(in.Type())
	}
	size := l.layout(elem).size
	if size == 0 {
		l.errorf(f.pos2(in), "the elements of gpu.DynamicShared have no size")
		return l.undefined(in.Type())
	}
	if l.dynamic == nil {
		l.dynamic = l.f.AddVar(&ir.Var{
			Name: l.varName(variableName(in)), Space: ir.Shared, Align: 16, Elem: elemMem(elem), Dynamic: true, Pos: l.b.Pos,
		})
	}
	length := l.b.Emit(ir.DivU, ir.I64, l.b.Emit(ir.DynSize, ir.I64), l.b.Int(ir.I64, size))
	return sliceValue(leaf{v: l.b.VarAddr(l.dynamic), nonNil: true}, length, length)
}

// notPlain says why values of a type cannot lie in shared memory; "" if they can.
func notPlain(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if _, ok := kinds[u.Kind()]; ok {
			return ""
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

// variableName is the name of the variable that a call's result is assigned to, where it can be
// seen.
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
