package emit

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// fusion says that a value and others that only it uses are one instruction, and names the operands
// that remain.
type fusion struct {
	op      ptx.Opcode
	a, b, c *ir.Value
	imm     int64 // stands for b where b is nil
	without bool  // a without the bits of b: see logic
}

// choose finds the values that need a register, starting from those with an effect. It also finds
// the values that are fused into their user: constants into operands, constant offsets into
// addresses, a multiplication into the addition that follows it.
func (e *emitter) choose() {
	e.uses = e.f.UseCounts()
	e.needed = make([]bool, e.f.NumValues())
	e.fused = make([]*fusion, e.f.NumValues())
	e.lanes = map[*ir.Value][]*ir.Value{}
	var work []*ir.Value
	need := func(v *ir.Value) {
		if !e.needed[v.ID] && !inline(v) {
			e.needed[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range e.f.Blocks {
		for _, v := range b.Instrs {
			if v.Op == ir.Extract {
				e.addLane(v)
			}
			if !v.Op.Removable() && v.Op != ir.Alloca {
				need(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		e.fused[v.ID] = e.fuse(v)
		for _, a := range e.operands(v) {
			need(a)
		}
	}
}

// inline reports whether v is written into its users and never has a register.
func inline(v *ir.Value) bool { return v.Op == ir.Const || v.Op == ir.NilPtr }

// addLane makes v, or an equal value before it, the one that stands for its lane of a vector load.
func (e *emitter) addLane(v *ir.Value) {
	load := v.Args[0]
	lanes := e.lanes[load]
	if lanes == nil {
		lanes = make([]*ir.Value, load.Lanes)
		e.lanes[load] = lanes
	}
	if lanes[v.Int] == nil {
		lanes[v.Int] = v
	}
}

// lane is the value whose register holds what v, an Extract, extracts.
func (e *emitter) lane(v *ir.Value) *ir.Value { return e.lanes[v.Args[0]][v.Int] }

// operands are the values whose registers the instruction v reads. A phi reads nothing: the copies
// before it do.
func (e *emitter) operands(v *ir.Value) []*ir.Value {
	if f := e.fused[v.ID]; f != nil {
		return e.registers(f.a, f.b, f.c)
	}
	switch v.Op {
	case ir.Phi:
		return e.registers(v.Args...)
	case ir.Extract:
		return []*ir.Value{v.Args[0]}
	case ir.Check, ir.Panic:
		return e.registers(append(slices.Clone(checkArgs(v)), e.asserted(v)...)...)
	case ir.Machine:
		return e.machineOperands(v)
	case ir.Print:
		return e.registers(v.Args[1:]...)
	case ir.Load, ir.Store, ir.Atomic, ir.AtomicLoad, ir.AtomicStore:
		ops := e.registers(v.Args[1:]...)
		if base := e.address(v.Args[0]).base; base != nil {
			ops = append(ops, base)
		}
		return ops
	}
	return e.registers(v.Args...)
}

// checked is how many arguments of a check are tested or written to the fault record. A message
// after them is a symbol that only the code of the failure names.
func checked(sub ir.Sub) int {
	switch sub {
	case ir.CheckIndex, ir.CheckSliceHigh, ir.CheckSliceLen, ir.CheckSliceLow, ir.CheckSliceMax, ir.CheckSliceHigh3,
		ir.CheckSliceMaxLen, ir.CheckSliceLow3, ir.CheckSliceToArr:
		return 2
	case ir.CheckPanic, ir.CheckType:
		return 0
	}
	return 1
}

// registers are the values among vs that have a register. A lane of a vector load is replaced by
// the value that stands for it.
func (e *emitter) registers(vs ...*ir.Value) []*ir.Value {
	var out []*ir.Value
	for _, v := range vs {
		if v == nil || inline(v) {
			continue
		}
		if v.Op == ir.Extract {
			v = e.lane(v)
		}
		out = append(out, v)
	}
	return out
}

// address is an operand of a memory instruction: a register or a symbol, and a constant.
type address struct {
	base   *ir.Value // nil for a symbol or an absolute address
	symbol string
	offset int64
}

// address takes a pointer apart as far as an address operand can express it.
func (e *emitter) address(p *ir.Value) address {
	var a address
	for p.Op == ir.PtrAdd {
		off, ok := p.Args[1].IntConst()
		if sum := a.offset + off; !ok || sum != int64(int32(sum)) || p.PointsTo() != p.Args[0].PointsTo() {
			break
		}
		a.offset += off
		p = p.Args[0]
	}
	switch p.Op {
	case ir.VarAddr, ir.Alloca:
		a.symbol = e.symbol(p)
		a.offset += e.inSymbol(p)
	case ir.NilPtr:
	default:
		a.base = p
	}
	return a
}

// fuseExtremes sees v as a choice between the minimum and the maximum of two numbers, of float32 and
// exact, before sm_80: as in a sorting network. One test of NaN is enough for both.
func (e *emitter) fuseExtremes(v *ir.Value) *fusion {
	x, y := v.Args[1], v.Args[2]
	both := x.Op == ir.FMin && y.Op == ir.FMax || x.Op == ir.FMax && y.Op == ir.FMin
	if !both || v.Type != ir.F32 || x.Fast || y.Fast || e.uses[x.ID] != 1 || e.uses[y.ID] != 1 || e.m.target.Has(abi.Target{SM: 80}) {
		return nil
	}
	a, b := x.Args[0], x.Args[1]
	if !(y.Args[0] == a && y.Args[1] == b) && !(y.Args[0] == b && y.Args[1] == a) {
		return nil
	}
	return &fusion{op: ptx.OpSelp.Of(ptx.F32), a: v.Args[0], b: a, c: b}
}

// fuse finds the operation, mostly a multiplication, that v can take in.
func (e *emitter) fuse(v *ir.Value) *fusion {
	switch v.Op {
	case ir.Select:
		return e.fuseExtremes(v)
	case ir.Mul, ir.Shl:
		if w := wideMul(v); w != nil {
			return w
		}
	case ir.And:
		for i, x := range v.Args {
			if x.Op == ir.Not && v.Type != ir.Bool && e.uses[x.ID] == 1 {
				return &fusion{op: ptx.OpXor.Of(untyped(v.Type)), a: v.Args[1-i], b: x.Args[0], without: true}
			}
		}
	case ir.Add:
		for i, x := range v.Args {
			if (x.Op == ir.Mul || wideMul(x) != nil) && e.uses[x.ID] == 1 && !inline(v.Args[1-i]) &&
				x.Block == v.Block {
				return e.fuseMul(v, x, v.Args[1-i])
			}
		}
	case ir.PtrAdd:
		x := v.Args[1]
		if w := constantIndex(v); w != nil {
			return w
		}
		if e.uses[x.ID] != 1 || e.address(v).offset != 0 || v.Args[0].PointsTo() != v.PointsTo() {
			return nil
		}
		if v.Space == ir.Shared {
			if x.Op == ir.Mul {
				return &fusion{op: ptx.OpMad.Of(ptx.ModLo, ptx.S32), a: x.Args[0], b: x.Args[1], c: v.Args[0]}
			}
			return nil
		}
		if w := wideMul(x); w != nil {
			w.op = w.op.As(ptx.OpMad)
			w.c = v.Args[0]
			return w
		}
	}
	return nil
}

// constantIndex adds an extended 32-bit index to an address in constant memory as its product with
// 1. The two plain instructions must not reach ptxas where the index is a condition as 0 or 1, or
// an and, or, xor or phi of such:
//
//	selp.b32 %r1, 1, 0, %p1;
//	cvt.s64.s32 %rd2, %r1;
//	add.s64 %rd3, %rd1, %rd2;
//	ld.const.u8 %r2, [%rd3];
//
// In many kernels with a loop, ptxas 12.4 ends with a segmentation fault on them, for sm_90 and
// sm_90a from -O1 on. So does the driver, with the user's process. It takes no other instruction
// for a condition (x & 1, x % 2, x >> 31, min), and no select of 64 bits, nor does it fault for
// sm_70, sm_80 and sm_89, or where the index is scaled. The fuzzer's program 22002011 showed it.
func constantIndex(v *ir.Value) *fusion {
	base, x := v.Args[0], v.Args[1]
	if v.Space != ir.Constant || base.PointsTo() != v.PointsTo() {
		return nil
	}
	switch x.Op {
	case ir.Sext32:
		return &fusion{op: ptx.OpMad.Of(ptx.ModWide, ptx.S32), a: x.Args[0], imm: 1, c: base}
	case ir.Zext32:
		return &fusion{op: ptx.OpMad.Of(ptx.ModWide, ptx.U32), a: x.Args[0], imm: 1, c: base}
	}
	return nil
}

// fuseMul fuses the product x and the addend c into v.
func (e *emitter) fuseMul(v, x, c *ir.Value) *fusion {
	if w := wideMul(x); w != nil {
		w.op, w.c = w.op.As(ptx.OpMad), c
		return w
	}
	return &fusion{op: ptx.OpMad.Of(ptx.ModLo, signed(v.Type)), a: x.Args[0], b: x.Args[1], c: c}
}

// wideMul matches the 64-bit product of an extended 32-bit value and another or a constant, or the
// same as a shift.
func wideMul(v *ir.Value) *fusion {
	if v.Type != ir.I64 || v.Op != ir.Mul && v.Op != ir.Shl {
		return nil
	}
	x, y := v.Args[0], v.Args[1]
	if v.Op == ir.Mul && x.Op == y.Op {
		switch x.Op {
		case ir.Sext32:
			return &fusion{op: ptx.OpMul.Of(ptx.ModWide, ptx.S32), a: x.Args[0], b: y.Args[0]}
		case ir.Zext32:
			return &fusion{op: ptx.OpMul.Of(ptx.ModWide, ptx.U32), a: x.Args[0], b: y.Args[0]}
		}
	}
	c, ok := y.IntConst()
	if ok && v.Op == ir.Shl {
		if c < 0 || c > 30 {
			return nil
		}
		c = 1 << c
	}
	switch {
	case !ok:
	case x.Op == ir.Sext32 && c == int64(int32(c)):
		return &fusion{op: ptx.OpMul.Of(ptx.ModWide, ptx.S32), a: x.Args[0], imm: c}
	case x.Op == ir.Zext32 && c >= 0 && c <= math.MaxUint32:
		return &fusion{op: ptx.OpMul.Of(ptx.ModWide, ptx.U32), a: x.Args[0], imm: c}
	}
	return nil
}

// narrowShared makes the offsets of pointers to shared memory 32 bits wide, as addresses there are.
// Where nothing else uses a 64-bit sum or product, it is computed again in 32 bits. Where something
// does, it is cut.
func narrowShared(f *ir.Func) {
	uses := f.UseCounts()
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Instrs); i++ {
			v := b.Instrs[i]
			if v.Op != ir.PtrAdd || v.Space != ir.Shared || v.Args[1].Type != ir.I64 {
				continue
			}
			n := narrower{f: f, uses: uses, block: b, at: i, pos: v.Pos}
			v.Args[1] = n.low(v.Args[1], 0)
			i = n.at
		}
	}
}

type narrower struct {
	f     *ir.Func
	uses  []int
	block *ir.Block
	at    int // where new instructions go: before the pointer
	pos   ir.Pos
}

// low is the low half of v.
func (n *narrower) low(v *ir.Value, depth int) *ir.Value {
	const deepest = 8
	switch {
	case v.Op == ir.Const:
		c := n.f.NewValue(ir.Const, ir.I32)
		c.Int = uint64(uint32(v.Int))
		return n.insert(c)
	case v.Op == ir.Sext32 || v.Op == ir.Zext32:
		return v.Args[0]
	case depth < deepest && n.uses[v.ID] == 1 && (v.Op == ir.Add || v.Op == ir.Subtract || v.Op == ir.Mul):
		x, y := n.low(v.Args[0], depth+1), n.low(v.Args[1], depth+1)
		return n.insert(n.f.NewValue(v.Op, ir.I32, x, y))
	case depth < deepest && n.uses[v.ID] == 1 && v.Op == ir.Shl:
		if k, ok := v.Args[1].IntConst(); ok && k < 32 && k >= 0 {
			by := n.f.NewValue(ir.Const, ir.I32)
			by.Int = 1 << k
			return n.insert(n.f.NewValue(ir.Mul, ir.I32, n.low(v.Args[0], depth+1), n.insert(by)))
		}
	}
	return n.insert(n.f.NewValue(ir.Trunc, ir.I32, v))
}

func (n *narrower) insert(v *ir.Value) *ir.Value {
	v.Pos = n.pos
	n.block.Insert(n.at, v)
	n.at++
	return v
}
