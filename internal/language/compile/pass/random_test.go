package pass

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// generator builds random functions that end, and whose accesses are checked: arithmetic on every
// type, branches, nested loops with constant and variable bounds, early exits, local arrays, shared
// memory, struct copies, checks that hold and checks that fail.
type generator struct {
	*ir.Builder
	rng    *rand.Rand
	scope  []*ir.Value // values that may be used here
	arrays []*ir.Value // Allocas of arrayLen elements of B32
	locals []*ir.Value // Allocas of one B64 or a struct of three fields
	pairs  []*ir.Value // Allocas of a B32 that is accessed as two U16, too
	buf    *ir.Value   // global memory
	bufLen *ir.Value
	shared *ir.Value
	budget int // instructions left
	depth  int
	line   int32
	conv   bool // whether convergent operations are made
}

const (
	arrayLen  = 8
	bufElems  = 64 // of B32
	sharedLen = 32 // of B32
)

// randomFunc makes a function from a seed.
func randomFunc(seed uint64) *ir.Func {
	rng := rand.New(rand.NewPCG(seed, 7))
	f := ir.NewFunc("random")
	if rng.IntN(3) == 0 {
		f.BlockDim = [3]int{256, 1, 1}
	}
	f.AddParam(&ir.Param{Name: "buf", Mem: ir.MPtr, Space: ir.Global, Align: 4, Role: "ptr"})
	f.AddParam(&ir.Param{Name: "buf_len", Mem: ir.B64, Role: "len"})
	for i, m := range []ir.Mem{ir.B64, ir.B32, ir.MF32, ir.MF64, ir.U8} {
		f.AddParam(&ir.Param{Name: string(rune('p' + i)), Mem: m})
	}
	cache := f.AddVar(&ir.Var{Name: "cache", Space: ir.Shared, Size: 4 * sharedLen, Align: 16, Elem: ir.B32})
	g := &generator{Builder: ir.NewBuilder(f), rng: rng, budget: 20 + rng.IntN(150), conv: rng.IntN(3) == 0}
	g.buf, g.bufLen = g.Param(ir.Ptr, 0), g.Param(ir.I64, 1)
	g.shared = g.VarAddr(cache)
	for i := 2; i < 7; i++ {
		g.use(g.Param(f.Params[i].Mem.Type(), i))
	}
	for _, s := range []ir.Sub{ir.TidX, ir.CTAIdX, ir.NTidX} {
		g.use(g.Emit(ir.Sext32, ir.I64, g.SReg(s)))
	}
	g.use(g.bufLen)
	g.makeLocals()
	g.body()
	g.results()
	g.Return()
	return f
}

func (g *generator) use(v *ir.Value) *ir.Value {
	g.scope = append(g.scope, v)
	return v
}

func (g *generator) makeLocals() {
	for range g.rng.IntN(3) {
		a := g.Alloca(4*arrayLen, 4, "arr")
		g.MemZero(a, 4*arrayLen, 4)
		g.arrays = append(g.arrays, a)
	}
	for range g.rng.IntN(3) {
		a := g.Alloca(24, 8, "local")
		g.MemZero(a, 24, 8)
		g.locals = append(g.locals, a)
	}
	for range g.rng.IntN(4) {
		a := g.Alloca(4, 4, "pair")
		g.MemZero(a, 4, 4)
		g.pairs = append(g.pairs, a)
	}
}

// value is some value of type t in scope, or a constant.
func (g *generator) value(t ir.Type) *ir.Value {
	if g.rng.IntN(5) > 0 {
		for range 8 {
			v := g.scope[g.rng.IntN(len(g.scope))]
			if g.rng.IntN(2) == 0 { // rather a recent one
				v = g.scope[len(g.scope)-1-g.rng.IntN(min(6, len(g.scope)))]
			}
			if v.Type == t {
				return v
			}
		}
	}
	switch t {
	case ir.Bool:
		if g.rng.IntN(2) == 0 {
			return g.condition()
		}
		return g.Bool(g.rng.IntN(2) == 0)
	case ir.I32, ir.I64:
		return g.Int(t, g.integer())
	}
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3.25, -7, 1e30, 1e-40, math.Inf(1), 1e9}
	return g.Float(t, floats[g.rng.IntN(len(floats))])
}

func (g *generator) integer() int64 {
	switch g.rng.IntN(6) {
	case 0:
		return []int64{math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxInt32, 1 << 31, -1}[g.rng.IntN(6)]
	case 1:
		return 1 << g.rng.IntN(10)
	case 2:
		return -int64(g.rng.IntN(20))
	}
	return int64(g.rng.IntN(20))
}

func (g *generator) condition() *ir.Value {
	t := []ir.Type{ir.I64, ir.I64, ir.I32, ir.F32}[g.rng.IntN(4)]
	sub := ir.Eq + ir.Sub(g.rng.IntN(6))
	if t.IsInt() && g.rng.IntN(3) == 0 {
		sub = ir.LtU + ir.Sub(g.rng.IntN(4))
	}
	return g.Cmp(sub, g.value(t), g.value(t))
}

// body makes statements until the budget is used up.
func (g *generator) body() {
	for range 1 + g.rng.IntN(8) {
		if g.budget <= 0 {
			return
		}
		g.statement()
	}
}

func (g *generator) statement() {
	g.line++
	g.Pos = ir.Pos{Line: g.line}
	g.budget -= 2
	switch k := g.rng.IntN(20); {
	case k < 7:
		g.use(g.arithmetic())
	case k < 9:
		g.access(g.buf, g.bufLen, bufElems)
	case k < 10:
		g.access(g.shared, g.Int(ir.I64, sharedLen), sharedLen)
	case k < 12 && len(g.arrays) > 0:
		a := g.arrays[g.rng.IntN(len(g.arrays))]
		g.access(a, g.Int(ir.I64, arrayLen), arrayLen)
	case k < 13 && len(g.pairs) > 0:
		g.pair()
	case k < 14 && len(g.locals) > 0:
		g.local()
	case k < 15 && g.rng.IntN(3) == 0:
		g.adjacentHalves()
	case k < 15:
		g.adjacent()
	case k < 16 && g.depth < 4 && g.rng.IntN(3) == 0:
		g.meetings()
	case k < 16 && g.depth < 4:
		g.ifElse()
	case k < 18 && g.depth < 3:
		switch g.rng.IntN(9) {
		case 0:
			g.wrapping()
		case 8:
			g.wandering()
		case 1, 2, 3:
			g.rangeLoop()
		default:
			g.loop()
		}
	case k < 19 && g.rng.IntN(4) == 0 && g.depth < 3:
		g.tangle()
	case k < 19:
		g.check()
	case g.conv:
		g.use(g.convergent())
	default:
		g.use(g.condition())
	}
}

func (g *generator) arithmetic() *ir.Value {
	intOps := []ir.Op{ir.Add, ir.Add, ir.Subtract, ir.Mul, ir.And, ir.Or, ir.Xor, ir.MinS, ir.MaxS, ir.MinU, ir.MaxU,
		ir.MulHiS, ir.MulHiU}
	floatOps := []ir.Op{ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FMin, ir.FMax, ir.FCopysign}
	widths := []ir.Op{ir.Sext8, ir.Zext8, ir.Sext16, ir.Zext16}
	t := []ir.Type{ir.I64, ir.I64, ir.I32}[g.rng.IntN(3)]
	ft := []ir.Type{ir.F32, ir.F64}[g.rng.IntN(2)]
	switch g.rng.IntN(14) {
	case 12, 13:
		return g.half()
	case 0, 1, 2:
		return g.Emit(intOps[g.rng.IntN(len(intOps))], t, g.value(t), g.value(t))
	case 3:
		op := []ir.Op{ir.Shl, ir.ShrS, ir.ShrU, ir.RotL}[g.rng.IntN(4)]
		return g.Emit(op, t, g.value(t), g.value(ir.I32))
	case 4:
		op := []ir.Op{ir.DivS, ir.DivU, ir.RemS, ir.RemU}[g.rng.IntN(4)]
		y := g.value(t)
		if y.Op != ir.Const || y.Int == 0 {
			g.EmitSub(ir.Check, ir.CheckDivide, ir.Void, y)
		}
		return g.Emit(op, t, g.value(t), y)
	case 5:
		return g.Emit([]ir.Op{ir.Neg, ir.Not, ir.Brev}[g.rng.IntN(3)], t, g.value(t))
	case 6:
		return g.Emit([]ir.Op{ir.Popc, ir.Clz}[g.rng.IntN(2)], ir.I32, g.value(t))
	case 7:
		if g.rng.IntN(3) == 0 {
			return g.Emit(ir.Sext32, ir.I64, g.Emit(ir.And, ir.I32, g.value(ir.I32),
				g.Int(ir.I32, 1<<g.rng.IntN(16)-1)))
		}
		return g.Emit(widths[g.rng.IntN(4)], ir.I32, g.value(ir.I32))
	case 8:
		if g.rng.IntN(2) == 0 {
			return g.Emit(ir.Trunc, ir.I32, g.value(ir.I64))
		}
		return g.Emit([]ir.Op{ir.Sext32, ir.Zext32}[g.rng.IntN(2)], ir.I64, g.value(ir.I32))
	case 9:
		return g.Emit(floatOps[g.rng.IntN(len(floatOps))], ft, g.value(ft), g.value(ft))
	case 10:
		switch g.rng.IntN(4) {
		case 0:
			return g.Emit(ir.SToF, ft, g.value(t))
		case 1:
			return g.Emit(ir.FToS, t, g.value(ft))
		case 2:
			return g.Emit(ir.FNeg, ft, g.value(ft))
		}
		return g.Emit(ir.Bitcast, ir.I32, g.value(ir.F32))
	}
	c := g.value(ir.Bool)
	return g.Select(c, g.value(t), g.value(t))
}

// index is an I64 below n, often provably, often not.
func (g *generator) index(n int64, length *ir.Value) *ir.Value {
	v := g.value(ir.I64)
	switch g.rng.IntN(6) {
	case 4: // a little more or less than something, perhaps under a condition that is about it
		v = g.Emit(ir.Add, ir.I64, v, g.Int(ir.I64, int64(g.rng.IntN(7))-3))
	case 5:
		v = g.Emit(ir.Subtract, ir.I64, v, g.value(ir.I64))
	case 0:
		v = g.Emit(ir.And, ir.I64, v, g.Int(ir.I64, n-1))
	case 1:
		v = g.Emit(ir.RemU, ir.I64, v, g.Int(ir.I64, n))
	case 2:
		v = g.Int(ir.I64, g.rng.Int64N(n))
	default:
		if g.rng.IntN(3) > 0 { // rarely fail for sure
			v = g.Emit(ir.MinU, ir.I64, v, g.Int(ir.I64, n-1))
		}
	}
	g.Check(ir.CheckIndex, v, length)
	return v
}

// access loads or stores an element of an array of n 32-bit elements.
func (g *generator) access(base, length *ir.Value, n int64) {
	i := g.index(n, length)
	p := g.PtrAdd(base, g.Emit(ir.Shl, ir.I64, i, g.Int(ir.I32, 2)))
	m, t := ir.B32, ir.I32
	if g.rng.IntN(2) == 0 {
		m, t = ir.MF32, ir.F32
	}
	switch g.rng.IntN(5) {
	case 0, 1:
		g.use(g.Load(t, m, p))
	case 2:
		g.Store(m, p, g.Emit(map[ir.Type]ir.Op{ir.I32: ir.Add, ir.F32: ir.FAdd}[t], t, g.Load(t, m, p), g.value(t)))
	case 3:
		if base == g.buf {
			g.use(g.Atomic(ir.AtomAdd, ir.How{Scope: ir.ScopeDevice}, m, p, g.value(t)))
			return
		}
		fallthrough
	default:
		g.Store(m, p, g.value(t))
	}
}

// adjacent loads or stores a few neighbours in shared or global memory, in some order, with other
// accesses between them at times: of another type, wider, atomic.
func (g *generator) adjacent() {
	first := g.Emit(ir.And, ir.I64, g.value(ir.I64), g.Int(ir.I64, sharedLen-8))
	if g.rng.IntN(2) == 0 {
		first = g.Int(ir.I64, int64(4*g.rng.IntN(4)))
	}
	object := g.shared
	if g.rng.IntN(2) == 0 {
		object = g.buf
	}
	base := g.PtrAdd(object, g.Emit(ir.Shl, ir.I64, first, g.Int(ir.I32, 2)))
	store := g.rng.IntN(3) == 0
	near := func() *ir.Value { return g.PtrAddConst(base, int64(4*g.rng.IntN(6))) }
	for _, k := range g.rng.Perm(2 + g.rng.IntN(4)) {
		p := g.PtrAddConst(base, int64(4*k))
		switch how := (ir.How{Scope: ir.ScopeBlock}); g.rng.IntN(14) {
		case 0, 1:
			g.Store(ir.MF32, near(), g.value(ir.F32))
		case 2:
			g.Store(ir.B64, near(), g.value(ir.I64))
		case 3:
			g.use(g.Load(ir.I64, ir.B64, near()))
		case 4:
			g.Atomic(ir.AtomAdd, how, ir.B32, near(), g.value(ir.I32))
		case 5:
			g.Store(ir.B32, g.PtrAddConst(g.buf, int64(4*g.rng.IntN(bufElems))), g.value(ir.I32))
		case 6:
			g.use(g.AtomicLoad(ir.I32, how, ir.B32, near()))
		case 7:
			g.AtomicStore(how, ir.MF32, near(), g.value(ir.F32))
		}
		if store {
			g.Store(ir.B32, p, g.value(ir.I32))
		} else {
			g.use(g.Load(ir.I32, ir.B32, p))
		}
	}
}

// local accesses a field of a local struct, or copies one. No field is a float: the interpreter
// would not copy a NaN bit for bit.
func (g *generator) local() {
	a := g.locals[g.rng.IntN(len(g.locals))]
	fields := []struct {
		off int64
		m   ir.Mem
		t   ir.Type
	}{{0, ir.B64, ir.I64}, {8, ir.B32, ir.I32}, {8, ir.U16, ir.I32}, {10, ir.U16, ir.I32}, {12, ir.U8, ir.Bool},
		{14, ir.S16, ir.I32}, {16, ir.B64, ir.I64}}
	fd := fields[g.rng.IntN(len(fields))]
	p := g.PtrAddConst(a, fd.off)
	switch g.rng.IntN(6) {
	case 0:
		g.MemCopy(a, g.locals[g.rng.IntN(len(g.locals))], 24, 8)
	case 1:
		if g.rng.IntN(4) == 0 {
			g.MemZero(g.PtrAddConst(a, 4), 8, 4) // half of one field and another
		} else {
			g.MemZero(g.PtrAddConst(a, 8), 16, 8)
		}
	case 2:
		if g.rng.IntN(2) == 0 {
			g.MemCopy(a, g.buf, 24, 4)
		} else {
			g.MemCopy(g.buf, a, 24, 4)
		}
	case 3:
		x := g.value(fd.t)
		if op, ok := map[ir.Mem]ir.Op{ir.U16: ir.Zext16, ir.S16: ir.Sext16}[fd.m]; ok {
			x = g.Emit(op, ir.I32, x) // package lower stores numbers that are in range
		}
		g.Store(fd.m, p, x)
	default:
		g.use(g.Load(fd.t, fd.m, p))
	}
}

func (g *generator) check() {
	switch g.rng.IntN(4) {
	case 0:
		g.Check(ir.CheckSliceHigh, g.index(8, g.Int(ir.I64, 8)), g.bufLen)
	case 1:
		g.Check(ir.CheckShift, g.Emit(ir.Zext8, ir.I32, g.value(ir.I32)))
	case 2:
		if g.rng.IntN(4) == 0 {
			g.Check(ir.CheckAssert, g.condition(), g.NilPtr())
		}
	case 3:
		if g.rng.IntN(4) == 0 {
			g.Check(ir.CheckIndex, g.value(ir.I64), g.value(ir.I64)).Unsigned = g.rng.IntN(2) == 0
		}
	}
}

func (g *generator) convergent() *ir.Value {
	mask := g.Int(ir.I32, -1)
	switch g.rng.IntN(3) {
	case 0:
		g.Emit(ir.Barrier, ir.Void)
		return g.Emit(ir.ActiveMask, ir.I32)
	case 1:
		return g.EmitSub(ir.Shfl, ir.ShflXor, ir.I32, mask, g.value(ir.I32), g.Int(ir.I32, 1))
	}
	return g.EmitSub(ir.Vote, ir.VoteAny, ir.Bool, mask, g.value(ir.Bool))
}

// nested runs a part of the program in a deeper scope.
func (g *generator) nested(do func()) {
	n := len(g.scope)
	g.depth++
	do()
	g.depth--
	g.scope = g.scope[:n]
}

// ifElse makes a conditional. A phi joins a value of each way.
func (g *generator) ifElse() {
	c := g.value(ir.Bool)
	yes, no, join := g.Func.NewBlock(), g.Func.NewBlock(), g.Func.NewBlock()
	g.Branch(c, yes, no)
	t := []ir.Type{ir.I64, ir.I32, ir.F32, ir.Bool}[g.rng.IntN(4)]
	var x, y *ir.Value
	one := func(b *ir.Block, out **ir.Value) *ir.Block {
		g.Block = b
		g.nested(func() {
			if g.rng.IntN(3) > 0 {
				g.body()
			}
			*out = g.value(t)
		})
		return g.Block
	}
	endYes := one(yes, &x)
	if g.rng.IntN(12) == 0 {
		g.Return()
		endYes = nil
	} else {
		g.Jump(join)
	}
	endNo := one(no, &y)
	g.Jump(join)
	g.Block = join
	phi := g.Phi(t)
	if endYes != nil {
		phi.SetIncoming(endYes, x)
	}
	phi.SetIncoming(endNo, y)
	g.use(phi)
}

// results stores what is in scope, so that it matters.
func (g *generator) results() {
	off := int64(4 * bufElems)
	for _, v := range g.scope {
		m := map[ir.Type]ir.Mem{ir.Bool: ir.U8, ir.I32: ir.B32, ir.I64: ir.B64, ir.F32: ir.MF32,
			ir.F64: ir.MF64}[v.Type]
		if off+8 > 4*bufElems+512 {
			break
		}
		g.Store(m, g.PtrAddConst(g.buf, off), v)
		off += 8
	}
	for _, a := range g.arrays {
		g.MemCopy(g.PtrAddConst(g.buf, 4*bufElems+512), a, 4*arrayLen, 4)
	}
}

// randomInput makes arguments for a function of randomFunc.
func randomInput(seed uint64) input {
	rng := rand.New(rand.NewPCG(seed, 11))
	mem := make([]byte, 4*bufElems+512+4*arrayLen)
	for i := 0; i+4 <= len(mem); i += 4 {
		x := rng.Uint32()
		switch rng.IntN(3) {
		case 0:
			x = uint32(rng.IntN(9)) - 2
		case 1:
			x = math.Float32bits(float32(rng.IntN(100)) / 4)
		}
		binary.LittleEndian.PutUint32(mem[i:], x)
	}
	small := func() uint64 {
		xs := []int64{0, 1, 2, 3, 5, 7, 8, 31, 64, -1, -2, math.MaxInt64, math.MinInt64, 1 << 31, -1 << 31, rng.Int64()}
		return uint64(xs[rng.IntN(len(xs))])
	}
	return input{
		args: []uint64{memBase, bufElems, small(), uint64(uint32(small())),
			canonical(ir.F32, uint64(rng.Uint32())), canonical(ir.F64, rng.Uint64()), uint64(rng.IntN(2))},
		sreg: randomThread(rng, 256, 100),
		mem:  mem,
	}
}
