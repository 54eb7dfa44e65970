package lower

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// atomic lowers an atomic operation, which all threads of its scope see as one step.
func (f *frame) atomic(in *ssa.Call, how intrinsic) value {
	l := f.l
	operands := in.Call.Args[1 : len(in.Call.Args)-1]
	p := f.value(in.Call.Args[0]).leaves[0]
	if p.v == nil {
		l.errorf(f.messagePos(in), "an atomic needs a pointer to shared memory or into a slice")
		return l.undefined(in.Type())
	}
	var args []*ir.Value
	for _, x := range operands {
		for _, lf := range f.value(x).leaves {
			args = append(args, lf.v)
		}
	}
	t := in.Call.Args[0].Type().Underlying().(*types.Pointer).Elem()
	a := &atomic{lowerer: l, how: f.ordering(in, how), p: p.v, args: args}
	l.checkNil(p)
	k, scalar := kindOf(t)
	if isHalf := a.halves(t); isHalf {
		k = a.kind
	} else if !scalar {
		v := value{}
		for _, half := range l.b.Atomic128(how.sub, a.how, a.p, a.args...) {
			v.leaves = append(v.leaves, leaf{v: half})
		}
		return v
	}
	a.kind, a.sub = k, how.unsigned
	if k.signed {
		a.sub = how.sub
	}
	if a.format != ir.SubNone && a.sub == ir.AtomAdd && a.target.Has(abi.Target{SM: 90}) {
		a.sub = map[ir.Sub]ir.Sub{ir.F16: ir.AtomAddF16, ir.BF16: ir.AtomAddBF16}[a.format]
	}
	switch {
	case how.op == ir.AtomicLoad:
		return scalarValue(a.aligned(l.b.AtomicLoad(k.typ, a.how, k.mem, a.p)))
	case how.op == ir.AtomicStore:
		a.aligned(l.b.AtomicStore(a.how, k.mem, a.p, args[0]))
		return value{}
	case a.native():
		return scalarValue(a.aligned(l.b.Atomic(a.sub, a.how, k.mem, a.p, args...)))
	}
	return scalarValue(a.loop())
}

// aligned notes what the address must be a multiple of, where that is more than Go aligns the type
// for.
func (a *atomic) aligned(v *ir.Value) *ir.Value {
	if a.pair {
		v.Align = a.kind.mem.Size()
	}
	return v
}

// atomic is an atomic on a number.
type atomic struct {
	*lowerer
	kind kind
	sub  ir.Sub
	how  ir.How
	p    *ir.Value
	args []*ir.Value

	format ir.Sub // of numbers of 16 bits, F16 or BF16, or of a pair of them
	pair   bool
}

// native reports whether PTX has the operation. For 8 and 16 bits it has compare-and-swap alone
// (for 8 bits emission makes it). For floating-point numbers it has neither minimum nor maximum.
// Sums of 16-bit numbers are native from sm_90 on. There they have the loop's bits, also for NaN
// (measured on an H200, docs/measurements/2026-11-23-h200-halves-atomics.json). PTX has sums of
// float16 before sm_90, but nobody has measured their NaN.
func (a *atomic) native() bool {
	switch {
	case a.sub == ir.AtomCAS, a.sub == ir.AtomAddF16, a.sub == ir.AtomAddBF16:
		return true
	case a.pair:
		return a.sub == ir.AtomExch
	}
	return a.kind.bits >= 32 && !(a.kind.float() && a.extremum())
}

// extremum reports whether the operation is a minimum or a maximum.
func (a *atomic) extremum() bool { return a.sub >= ir.AtomMinS && a.sub <= ir.AtomMaxU }

// loop makes the operation of a compare-and-swap that is tried until no other thread has come
// between. It gives the old value. Where an extremum changes nothing, it need not write: that is
// seen only by those who acquire what it releases.
func (a *atomic) loop() *ir.Value {
	b, k := a.b, a.kind
	load := ir.How{Scope: a.how.Scope}
	if a.how.Order.Acquires() {
		load.Order = ir.Acquire
	}
	first := a.aligned(b.AtomicLoad(k.typ, load, k.mem, a.p))
	before, head, try, after := b.Block, a.f.NewBlock(), a.f.NewBlock(), a.f.NewBlock()
	a.ownLoop(head, try)
	b.Jump(head)
	b.Block = head
	old := b.Phi(k.typ)
	next := a.update(old)
	if a.extremum() && !a.how.Order.Releases() {
		b.Branch(b.Cmp(ir.Eq, a.bits(old), a.bits(next)), after, try)
	} else {
		b.Jump(try)
	}
	b.Block = try
	mem := k.mem
	if k.float() {
		mem = map[int]ir.Mem{32: ir.B32, 64: ir.B64}[k.bits]
	}
	found := a.aligned(b.Atomic(ir.AtomCAS, a.how, mem, a.p, a.bits(old), a.bits(next)))
	again := found
	if k.float() {
		again = b.Emit(ir.Bitcast, k.typ, found)
	}
	b.Branch(b.Cmp(ir.Eq, found, a.bits(old)), after, head)
	old.SetIncoming(before, first)
	old.SetIncoming(try, again)
	b.Block = after
	return old
}

// bits is a number as compare-and-swap takes it.
func (a *atomic) bits(v *ir.Value) *ir.Value {
	if !a.kind.float() {
		return v
	}
	return a.b.Emit(ir.Bitcast, map[int]ir.Type{32: ir.I32, 64: ir.I64}[a.kind.bits], v)
}

// update is the operation's new value, computed from the old value.
func (a *atomic) update(old *ir.Value) *ir.Value {
	x, k := a.args[0], a.kind
	if a.format != ir.SubNone && a.sub != ir.AtomExch {
		return a.updateHalf(old, x)
	}
	switch a.sub {
	case ir.AtomAdd:
		return a.intOp(token.ADD, k, old, x)
	case ir.AtomAnd:
		return a.intOp(token.AND, k, old, x)
	case ir.AtomOr:
		return a.intOp(token.OR, k, old, x)
	case ir.AtomXor:
		return a.intOp(token.XOR, k, old, x)
	case ir.AtomExch:
		return x
	}
	if k.float() {
		return a.floatExtremum(old, x)
	}
	ops := map[ir.Sub]ir.Op{ir.AtomMinS: ir.MinS, ir.AtomMinU: ir.MinU, ir.AtomMaxS: ir.MaxS, ir.AtomMaxU: ir.MaxU}
	return a.b.Emit(ops[a.sub], k.typ, old, x)
}

// floatExtremum is the smaller or the larger of two numbers. A NaN that is there stays as it is,
// and one that comes is the quiet one without payload: so the order of the threads does not matter.
func (a *atomic) floatExtremum(old, x *ir.Value) *ir.Value {
	b, op := a.b, ir.FMin
	if a.sub == ir.AtomMaxS {
		op = ir.FMax
	}
	nan := b.Const(a.kind.typ, map[int]uint64{32: 0x7fc00000, 64: 0x7ff8000000000000}[a.kind.bits])
	best := b.Select(b.Cmp(ir.Ne, x, x), nan, b.Emit(op, a.kind.typ, old, x))
	return b.Select(b.Cmp(ir.Ne, old, old), old, best)
}

// isQualifier reports whether a type is one of package gpu whose constants are part of an
// instruction.
func isQualifier(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && slices.Contains([]string{"Ordering", "CacheOp", "WGMMAOption"}, named.Obj().Name()) &&
		named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == frontend.GPUPath
}

// orderings are the constants of gpu.Ordering, which abi numbers.
var orderings = [...]struct {
	isScope bool
	order   ir.Order
	scope   ir.Scope
}{
	abi.Relaxed:     {order: ir.Relaxed},
	abi.Acquire:     {order: ir.Acquire},
	abi.Release:     {order: ir.Release},
	abi.AcqRel:      {order: ir.AcqRel},
	abi.BlockScope:  {isScope: true, scope: ir.ScopeBlock},
	abi.DeviceScope: {isScope: true, scope: ir.ScopeDevice},
	abi.SystemScope: {isScope: true, scope: ir.ScopeSystem},
}

// ordering reads the order and the scope of an atomic, its last argument.
func (f *frame) ordering(in *ssa.Call, how intrinsic) ir.How {
	l := f.l
	got := ir.How{Scope: ir.ScopeDevice}
	refuse := func(format string, args ...any) ir.How {
		l.errorf(f.messagePos(in), format, args...)
		return got
	}
	const notConstant = "the order and the scope of an atomic must be constants, such as gpu.Acquire and gpu.BlockScope"
	list, ok := f.qualifiers(in.Call.Args[len(in.Call.Args)-1])
	if !ok {
		return refuse(notConstant)
	}
	var given [2]abi.Ordering // the order, the scope
	for _, n := range list {
		if n <= 0 || int(n) >= len(orderings) {
			return refuse(notConstant)
		}
		which, o := 0, orderings[n]
		if o.isScope {
			which, got.Scope = 1, o.scope
		} else {
			got.Order = o.order
		}
		if given[which] != 0 {
			return refuse("gpu.%v and gpu.%v: an atomic has one order and one scope", given[which], abi.Ordering(n))
		}
		given[which] = abi.Ordering(n)
	}
	switch {
	case how.op == ir.AtomicLoad && got.Order.Releases():
		return refuse("a load cannot be gpu.%v: gpu.Relaxed and gpu.Acquire are its orders", given[0])
	case how.op == ir.AtomicStore && got.Order.Acquires():
		return refuse("a store cannot be gpu.%v: gpu.Relaxed and gpu.Release are its orders", given[0])
	}
	return got
}

// qualifiers are the constants of a variadic argument. ok is false where one is not known.
func (f *frame) qualifiers(arg ssa.Value) (list []int64, ok bool) {
	if isNil(arg) {
		return nil, true
	}
	last := f.value(arg).leaves[0]
	if last.list == nil { // handed on by a function that was given none
		_, none := last.v.IsConst()
		return nil, none
	}
	for _, arg := range last.list.args {
		n, ok := arg.v.one().IntConst()
		if !ok {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}
