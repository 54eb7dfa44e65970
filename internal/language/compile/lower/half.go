package lower

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Numbers of 16 bits are structs of one uint16: an I32 whose upper half is 0. A pair of them is an
// I32, too, and so is a number of 8 bits. The instructions for pairs serve for both, because what
// they make of two zeros is zero.

// hardware is an operation that takes the place of a function's body where the target has it, and
// where its operand is a float64, the target that has it then.
type hardware struct {
	intrinsic
	need, double abi.Target
}

// hardwareOps are the functions of package half, and the methods of pairs in package gpu, that are
// an operation on some targets: "F16Add", "Float16x2.Add". The operations on BF16 that came with
// sm_90 are emitted as others on sm_80.
var hardwareOps = func() map[string]hardware {
	m := map[string]hardware{}
	add := func(name, op string, need, double int) {
		m[name] = hardware{resolve(op, ""), abi.Target{SM: need}, abi.Target{SM: double}}
	}
	oldest := abi.OldestTarget.SM
	for op, sm := range map[string][2]int{"Add": {oldest, 80}, "Sub": {oldest, 80}, "Mul": {oldest, 80}, "FMA": {oldest, 80},
		"Min": {80, 80}, "Max": {80, 80}} {
		for i, format := range []string{"F16", "BF16"} {
			operation := "H" + strings.Replace(op, "FMA", "Fma", 1) + "." + format
			add(format+op, operation, sm[i], 0)
			add([]string{"Float16x2.", "BFloat16x2."}[i]+op, operation, sm[i], 0)
		}
	}
	for _, rounding := range []string{"Nearest", "Zero", "Down", "Up"} {
		add("F16"+rounding, "FToH.F16"+rounding, oldest, oldest)
		add("BF16"+rounding, "FToH.BF16"+rounding, 80, 90)
	}
	add("F16ToF32", "F16ToF", oldest, 0)
	add("e4m3", "FTo8.E4M3", 89, 0)
	add("e5m2", "FTo8.E5M2", 89, 0)
	for _, pair := range []string{"Float16x2.", "BFloat16x2."} {
		add(pair+"Neg", "HNeg", oldest, 0)
		add(pair+"Abs", "HAbs", oldest, 0)
	}
	return m
}()

// hardwareOf is the operation that takes the place of a function's body on the target.
func (l *lowerer) hardwareOf(fn *ssa.Function) (intrinsic, bool) {
	if fn.Parent() != nil {
		return intrinsic{}, false
	}
	name := fn.Name()
	if o := fn.Origin(); o != nil {
		name = o.Name()
	}
	switch path := packageOf(fn); {
	case path == frontend.HalfPath:
	case path == frontend.GPUPath && fn.Signature.Recv() != nil:
		name = types.TypeString(fn.Signature.Recv().Type(), func(*types.Package) string { return "" }) + "." + name
	default:
		return intrinsic{}, false
	}
	how, ok := hardwareOps[name]
	if !ok {
		return intrinsic{}, false
	}
	need := how.need
	if k, _ := kindOf(fn.Params[0].Type()); k.typ == ir.F64 {
		need = how.double
	}
	return how.intrinsic, l.target.Has(need)
}

// prmt picks bytes of x and y.
func (l *lowerer) prmt(x, y *ir.Value, selector int64) *ir.Value {
	return l.b.Emit(ir.Prmt, ir.I32, x, y, l.b.Int(ir.I32, selector))
}

// halfOf is lane 0 or 1 of a pair.
func (l *lowerer) halfOf(pair *ir.Value, lane int) *ir.Value {
	if lane == 0 {
		return l.b.Emit(ir.Zext16, ir.I32, pair)
	}
	return l.b.Emit(ir.ShrU, ir.I32, pair, l.b.Int(ir.I32, 16))
}

// readScalar reads a scalar at a known multiple of align. part reads a value at an offset into it.
// A pair that may cross a word boundary is read in halves.
func (l *lowerer) readScalar(s scalar, align int, part func(m ir.Mem, off int64, lane string) *ir.Value) *ir.Value {
	if !s.pair || align >= s.mem.Size() {
		return part(s.mem, 0, "")
	}
	return l.prmt(part(ir.U16, 0, ".X"), part(ir.U16, 2, ".Y"), ir.LowHalves)
}

func (l *lowerer) loadScalar(s scalar, p *ir.Value) *ir.Value {
	return l.readScalar(s, p.Align, func(m ir.Mem, off int64, _ string) *ir.Value { return l.b.Load(s.typ, m, l.at(p, off)) })
}

func (l *lowerer) storeScalar(s scalar, p, x *ir.Value) {
	if !s.pair || p.Align >= s.mem.Size() {
		l.b.Store(s.mem, p, x)
		return
	}
	l.b.Store(ir.U16, p, l.halfOf(x, 0))
	l.b.Store(ir.U16, l.at(p, 2), l.halfOf(x, 1))
}

// question lowers calls that the compiler answers: device.HasRedux, device.Is, which asks whether
// two type arguments are one or have one predeclared underlying type, and device.As, which code
// that runs calls only if they do.
func (f *frame) question(in *ssa.Call, callee *ssa.Function) value {
	args := callee.TypeArgs()
	switch {
	case len(args) == 0:
		return scalarValue(f.l.b.Bool(f.l.target.Has(targetRedux)))
	case len(in.Call.Args) == 0:
		t, isBasic := args[0].Underlying().(*types.Basic)
		u, _ := args[1].Underlying().(*types.Basic)
		return scalarValue(f.l.b.Bool(types.Identical(args[0], args[1]) || isBasic && u != nil && t.Kind() == u.Kind()))
	}
	x, undefined := f.value(in.Call.Args[0]), f.l.undefined(in.Type())
	if len(x.leaves) != 1 || len(undefined.leaves) != 1 || x.one().Type != undefined.one().Type {
		return undefined
	}
	return x
}
