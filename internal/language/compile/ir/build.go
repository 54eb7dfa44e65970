package ir

import (
	"fmt"
	"math"
)

// NewFunc makes a kernel with an empty entry block.
func NewFunc(name string) *Func {
	f := &Func{Name: name, GoName: name}
	f.NewBlock()
	return f
}

// Entry is the block in which the kernel starts.
func (f *Func) Entry() *Block { return f.Blocks[0] }

// NewBlock appends an empty block without edges.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: f.nextBlock}
	f.nextBlock++
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewValue makes an instruction that is in no block yet.
func (f *Func) NewValue(op Op, t Type, args ...*Value) *Value {
	v := &Value{ID: f.nextID, Op: op, Type: t, Args: args}
	f.nextID++
	return v
}

// NumValues is one more than the largest ID of a value, for slices indexed by ID.
func (f *Func) NumValues() int { return f.nextID }

// NumBlocks is one more than the largest ID of a block, for slices indexed by ID.
func (f *Func) NumBlocks() int { return f.nextBlock }

// AddParam appends a parameter and returns its index.
func (f *Func) AddParam(p *Param) int {
	f.Params = append(f.Params, p)
	return len(f.Params) - 1
}

// AddVar appends a variable and returns it.
func (f *Func) AddVar(v *Var) *Var {
	f.Vars = append(f.Vars, v)
	return v
}

// VarName makes a name for a variable that no other has, and no parameter.
func (f *Func) VarName(base string) string {
	if f.names == nil {
		f.names = map[string]int{}
	}
	for ; f.namedVars < len(f.Vars); f.namedVars++ {
		f.names[f.Vars[f.namedVars].Name]++
	}
	for ; f.namedParams < len(f.Params); f.namedParams++ {
		p := f.Params[f.namedParams]
		f.names[p.Name]++
		if p.Value != nil {
			f.names[p.Value.Name]++
		}
	}
	name := base
	for i := f.names[base]; f.names[name] > 0; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
		f.names[base]++ // the next name is looked for from here on
	}
	return name
}

// Term is the block's terminator, nil while it has none.
func (b *Block) Term() *Value {
	if n := len(b.Instrs); n > 0 && b.Instrs[n-1].Op.Terminator() {
		return b.Instrs[n-1]
	}
	return nil
}

// Phis are the phis at the start of the block.
func (b *Block) Phis() []*Value {
	n := 0
	for n < len(b.Instrs) && b.Instrs[n].Op == Phi {
		n++
	}
	return b.Instrs[:n]
}

// Builder appends instructions to a block. Set Block to move it; Pos is given to every instruction
// it makes, and Fast to those that take it.
type Builder struct {
	Func  *Func
	Block *Block
	Pos   Pos
	Fast  bool
}

// NewBuilder makes a builder that appends to f's entry block.
func NewBuilder(f *Func) *Builder { return &Builder{Func: f, Block: f.Entry()} }

// Emit appends an instruction. It is the one way in which every other method of Builder adds one.
func (b *Builder) Emit(op Op, t Type, args ...*Value) *Value {
	if b.Block.Term() != nil {
		panic(fmt.Sprintf("BUG: %s after the terminator of b%d", op, b.Block.ID))
	}
	v := b.Func.NewValue(op, t, args...)
	v.Pos = b.Pos
	v.Fast = b.Fast && op.MayBeFast(args...)
	v.Block = b.Block
	b.Block.Instrs = append(b.Block.Instrs, v)
	return v
}

// EmitSub appends an instruction with a refinement.
func (b *Builder) EmitSub(op Op, sub Sub, t Type, args ...*Value) *Value {
	v := b.Emit(op, t, args...)
	v.Sub = sub
	return v
}

// Const makes a constant of type t from its bits. See Value.Int.
func (b *Builder) Const(t Type, bits uint64) *Value {
	v := b.Emit(Const, t)
	v.Int = normalBits(t, bits)
	return v
}

// normalBits cuts the bits of a constant to its type.
func normalBits(t Type, bits uint64) uint64 {
	switch t {
	case Bool:
		return bits & 1
	case I32, F32:
		return uint64(uint32(bits))
	}
	return bits
}

// Int makes an integer constant of type I32 or I64.
func (b *Builder) Int(t Type, x int64) *Value { return b.Const(t, uint64(x)) }

// Bool makes a Bool constant.
func (b *Builder) Bool(x bool) *Value {
	if x {
		return b.Const(Bool, 1)
	}
	return b.Const(Bool, 0)
}

// Float makes a constant of type F32 or F64. x is rounded to it.
func (b *Builder) Float(t Type, x float64) *Value {
	if t == F32 {
		return b.Const(F32, uint64(math.Float32bits(float32(x))))
	}
	return b.Const(F64, math.Float64bits(x))
}

// NilPtr makes the nil pointer.
func (b *Builder) NilPtr() *Value { return b.Emit(NilPtr, Ptr) }

// Param reads the parameter with the given index as a value of type t, which its memory type holds.
func (b *Builder) Param(t Type, index int) *Value {
	p := b.Func.Params[index]
	v := b.Emit(ParamVal, t)
	v.Int = uint64(index)
	v.Space, v.Align, v.Name = p.Space, p.Align, p.Name
	return v
}

// Cmp compares x and y.
func (b *Builder) Cmp(sub Sub, x, y *Value) *Value { return b.EmitSub(Cmp, sub, Bool, x, y) }

// Select is cond ? x : y.
func (b *Builder) Select(cond, x, y *Value) *Value { return b.Emit(Select, x.Type, cond, x, y) }

// PtrAdd is the address off bytes after p.
func (b *Builder) PtrAdd(p, off *Value) *Value { return b.Emit(PtrAdd, Ptr, p, off) }

// PtrAddConst is the address off bytes after p; p itself where off is 0.
func (b *Builder) PtrAddConst(p *Value, off int64) *Value {
	if off == 0 {
		return p
	}
	return b.PtrAdd(p, b.Int(I64, off))
}

// VarAddr is the address of a variable.
func (b *Builder) VarAddr(x *Var) *Value {
	v := b.Emit(VarAddr, Ptr)
	v.Var, v.Space, v.Align = x, x.Space, x.Align
	return v
}

// Alloca makes size bytes of local memory, aligned to align. Their contents are undefined. It goes
// into the entry block, after the Allocas there, wherever the builder is.
func (b *Builder) Alloca(size int64, align int, name string) *Value {
	v := b.Func.NewValue(Alloca, Ptr)
	v.Pos, v.Size, v.Align, v.Name, v.Space = b.Pos, size, align, name, Local
	entry := b.Func.Entry()
	i := 0
	for i < len(entry.Instrs) && entry.Instrs[i].Op == Alloca {
		i++
	}
	entry.Insert(i, v)
	return v
}

// Load reads a value of type t that is at p as m.
func (b *Builder) Load(t Type, m Mem, p *Value) *Value {
	v := b.Emit(Load, t, p)
	v.Mem = m
	return v
}

// LoadVector reads lanes (2 or 4) adjacent values with one access. p must be aligned to the whole
// vector.
func (b *Builder) LoadVector(t Type, m Mem, p *Value, lanes int) []*Value {
	v := b.Load(t, m, p)
	v.Lanes = lanes
	v.Align = lanes * m.Size()
	return b.extract(v)
}

// extract reads the lanes of v.
func (b *Builder) extract(v *Value) []*Value {
	out := make([]*Value, v.Lanes)
	for i := range out {
		out[i] = b.Emit(Extract, v.Type, v)
		out[i].Int = uint64(i)
	}
	return out
}

// Store writes x at p as m. With two or four values it is one vector access. p must be aligned to
// the whole vector.
func (b *Builder) Store(m Mem, p *Value, x ...*Value) *Value {
	v := b.Emit(Store, Void, append([]*Value{p}, x...)...)
	v.Mem = m
	if len(x) > 1 {
		v.Lanes = len(x)
		v.Align = len(x) * m.Size()
	}
	return v
}

// MemZero zeroes size bytes at p, which is aligned to align.
func (b *Builder) MemZero(p *Value, size int64, align int) *Value {
	v := b.Emit(MemZero, Void, p)
	v.Size, v.Align = size, align
	return v
}

// MemCopy copies size bytes from src to dst. Both are aligned to align, and do not overlap unless
// they are equal.
func (b *Builder) MemCopy(dst, src *Value, size int64, align int) *Value {
	v := b.Emit(MemCopy, Void, dst, src)
	v.Size, v.Align = size, align
	return v
}

// How is the memory order and the scope of an atomic.
type How struct {
	Order Order
	Scope Scope
}

// Atomic makes an atomic operation on memory of type m at p. args are the operand, for AtomCAS the
// expected value and the new one.
func (b *Builder) Atomic(sub Sub, how How, m Mem, p *Value, args ...*Value) *Value {
	v := b.EmitSub(Atomic, sub, args[0].Type, append([]*Value{p}, args...)...)
	v.Mem, v.Order, v.Scope = m, how.Order, how.Scope
	return v
}

// Atomic128 makes an atomic operation on 128 bits at p, AtomExch or AtomCAS; args are the halves of
// its operands, and the result is the halves of the old value.
func (b *Builder) Atomic128(sub Sub, how How, p *Value, args ...*Value) []*Value {
	v := b.Atomic(sub, how, B64, p, args...)
	v.Lanes, v.Align = 2, 16
	return b.extract(v)
}

// MMA makes a product of a form from the registers of A, B and C. It returns the registers of D.
func (b *Builder) MMA(p *Product, args ...*Value) []*Value {
	_, t := p.Types()
	v := b.EmitSub(MMA, p.Sub, t, args...)
	_, _, v.Lanes = p.Registers()
	return b.extract(v)
}

// Machine makes an instruction that stands for itself, of a form and its arguments; the results are
// as many as the form has.
func (b *Builder) Machine(sub Sub, args ...*Value) []*Value {
	form := MachineFormOf(sub)
	v := b.EmitSub(Machine, sub, fixedTypes[form.Sig[0]], args...)
	switch form.Results {
	case 0:
		return nil
	case 1:
		return []*Value{v}
	}
	v.Lanes = form.Results
	return b.extract(v)
}

// AtomicLoad reads a value of type t that is at p as m, in one step.
func (b *Builder) AtomicLoad(t Type, how How, m Mem, p *Value) *Value {
	v := b.Emit(AtomicLoad, t, p)
	v.Mem, v.Order, v.Scope = m, how.Order, how.Scope
	return v
}

// AtomicStore writes x at p as m, in one step.
func (b *Builder) AtomicStore(how How, m Mem, p, x *Value) *Value {
	v := b.Emit(AtomicStore, Void, p, x)
	v.Mem, v.Order, v.Scope = m, how.Order, how.Scope
	return v
}

// Fence orders the thread's memory accesses before it with those after it, as seen within scope.
func (b *Builder) Fence(scope Scope) *Value {
	v := b.Emit(Fence, Void)
	v.Scope = scope
	return v
}

// SReg reads a special register.
func (b *Builder) SReg(sub Sub) *Value { return b.EmitSub(SReg, sub, I32) }

// Check ends the thread and writes the fault record, unless the check holds. The Check constants
// say what its arguments are.
func (b *Builder) Check(sub Sub, args ...*Value) *Value { return b.EmitSub(Check, sub, Void, args...) }

// Jump ends the block with a jump to the given block.
func (b *Builder) Jump(to *Block) {
	b.Emit(Jump, Void)
	AddEdge(b.Block, to)
}

// Branch ends the block: to yes where cond holds, else to no.
func (b *Builder) Branch(cond *Value, yes, no *Block) {
	b.Emit(Branch, Void, cond)
	AddEdge(b.Block, yes)
	AddEdge(b.Block, no)
}

// Return ends the block and the thread.
func (b *Builder) Return() { b.Emit(Return, Void) }

// Panic ends the basic block and the thread, and writes the fault record.
func (b *Builder) Panic(sub Sub, args ...*Value) { b.EmitSub(Panic, sub, Void, args...) }

// NewFailure makes the Panic of a check that fails. It is in no block yet.
func (f *Func) NewFailure(check *Value) *Value {
	v := f.NewValue(Panic, Void, check.Args...)
	v.Sub, v.Unsigned, v.Pos = check.Sub, check.Unsigned, check.Pos
	return v
}

// Phi makes a phi of type t at the start of the builder's block, after the phis there. Its
// arguments are given by SetIncoming once the block has all its predecessors.
func (b *Builder) Phi(t Type) *Value {
	v := b.Func.NewValue(Phi, t)
	v.Pos = b.Pos
	b.Block.Insert(len(b.Block.Phis()), v)
	return v
}

// SetIncoming sets the value that phi v takes on every edge from pred, which must be a predecessor
// of its block.
func (v *Value) SetIncoming(pred *Block, x *Value) {
	for len(v.Args) < len(v.Block.Preds) {
		v.Args = append(v.Args, nil)
	}
	found := false
	for i, p := range v.Block.Preds {
		if p == pred {
			v.Args[i] = x
			found = true
		}
	}
	if !found {
		panic(fmt.Sprintf("BUG: b%d is not a predecessor of b%d", pred.ID, v.Block.ID))
	}
}
