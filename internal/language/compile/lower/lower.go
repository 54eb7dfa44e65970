package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// The limits of a kernel.
const (
	maxInlineDepth = 200     // calls within calls
	maxValues      = 1 << 18 // instructions after inlining
)

// Kernel lowers an instance of a kernel for a target, the oldest where that is zero. remarks is the
// function's Remarks, nil where nobody asks for them. The error is a frontend.ErrorList.
func Kernel(tables *Tables, inst *frontend.Instance, target abi.Target, remarks *ir.Remarks) (*ir.Func, error) {
	l := newLowerer(tables, ir.NewFunc(inst.PTXName))
	l.f.Remarks = remarks
	if target != (abi.Target{}) {
		l.target = target
	}
	l.f.GoName = inst.GoName
	l.f.BlockDim = inst.Kernel.Block
	l.f.MinBlocks, l.f.Cluster = inst.Kernel.MinBlocks, inst.Kernel.Cluster
	l.f.NoBounds, l.fastKernel = inst.Kernel.NoBounds, inst.Kernel.Fast
	l.f.Pos = l.position(inst.Kernel.Pos)
	l.b.Pos = l.f.Pos
	l.kernel(inst)
	if err := l.errs.Err(); err != nil {
		return nil, err
	}
	return l.f, nil
}

// newLowerer makes a lowerer at the start of f.
func newLowerer(tables *Tables, f *ir.Func) *lowerer {
	return &lowerer{
		prog:      tables.prog,
		target:    abi.OldestTarget,
		tables:    tables,
		f:         f,
		b:         ir.NewBuilder(f),
		layouts:   map[types.Type]*layout{},
		structs:   map[*types.Struct][]int64{},
		shared:    map[*ssa.Call]*ir.Var{},
		texts:     map[string]*ir.Var{},
		formats:   map[abi.Format]*ir.Var{},
		strings:   map[string]*table{},
		tableVars: map[*table]*ir.Var{},
		computed:  map[*ssa.Global]*ir.Var{},
		files:     map[string]int32{},
		decls:     map[*ir.Value][]declared{},
		loops:     map[*ssa.Function][]*sourceLoop{},
	}
}

// A lowerer carries the lowering of one kernel.
type lowerer struct {
	prog    *frontend.Program
	tables  *Tables
	target  abi.Target
	f       *ir.Func
	b       *ir.Builder
	errs    frontend.ErrorList
	layouts map[types.Type]*layout
	structs map[*types.Struct][]int64 // their offsets
	shared  map[*ssa.Call]*ir.Var     // by the call of gpu.Shared
	dynamic *ir.Var                   // the dynamic shared memory
	texts   map[string]*ir.Var        // messages
	strings map[string]*table         // constant strings
	formats map[abi.Format]*ir.Var    // of what is printed
	// The package-level variables: tables, and what is not computed yet.
	tableVars map[*table]*ir.Var
	computed  map[*ssa.Global]*ir.Var
	files     map[string]int32         // index in f.Files
	frames    []*frame                 // the calls being inlined, the kernel first
	decls     map[*ir.Value][]declared // by the Alloca of a Go variable
	cells     []*funcCell              // variables of function type
	cur       token.Pos                // of the instruction being lowered
	full      bool                     // maxValues was exceeded

	// For remarks: the loop that the builder is in, and the loops of functions.
	from  *ir.SourceLoop
	loops map[*ssa.Function][]*sourceLoop

	fastKernel bool // the kernel permits inexact arithmetic
	exact      bool // nothing permits it

	sums []sum64 // of the products that warpgroups compute by themselves
}

// declared tells where a variable in local memory is made anew: each time its declaration is
// executed. The variable of a for loop is made anew twice, before the loop and after each
// iteration.
type declared struct {
	zeroed *ir.Value // the instruction that zeroes it
	pos    token.Pos
}

// kernel lowers the whole.
func (l *lowerer) kernel(inst *frontend.Instance) {
	args := l.params(inst)
	body := l.f.NewBlock() // the entry has no predecessors, a loop may start the function
	l.b.Jump(body)
	l.b.Block = body
	l.inline(&closure{fn: inst.Func}, args)
	l.b.Return()
	l.holdSums()
	l.checkMemory(inst)
	l.checkCells()
	if len(l.errs) == 0 {
		l.checkEscapes()
	}
}

func (l *lowerer) errorf(pos token.Pos, format string, args ...any) {
	l.errs.Add(l.prog.Fset.Position(l.prog.StartPos(pos)), format, args...)
}

// here is the position of the instruction being lowered.
func (l *lowerer) here() token.Pos { return l.cur }

// position translates a position.
func (l *lowerer) position(pos token.Pos) ir.Pos {
	if !pos.IsValid() {
		return ir.Pos{}
	}
	p := l.prog.Fset.Position(pos)
	name := l.prog.FileName(pos)
	i, ok := l.files[name]
	if !ok {
		i = int32(len(l.f.Files))
		l.files[name] = i
		l.f.Files = append(l.f.Files, name)
	}
	return ir.Pos{File: i, Line: int32(p.Line), Col: int32(p.Column)}
}

// checkMemory checks the sizes of shared and local memory.
func (l *lowerer) checkMemory(inst *frontend.Instance) {
	shared, local := int64(0), int64(0)
	for _, v := range l.f.Vars {
		if v.Space == ir.Shared && !v.Dynamic {
			shared = (shared+int64(v.Align)-1)/int64(v.Align)*int64(v.Align) + v.Size
			shared = min(shared, math.MaxInt64-2*frontend.MaxSize)
		}
	}
	for _, v := range l.f.Entry().Instrs {
		if v.Op == ir.Alloca {
			local = min(local+v.Size, math.MaxInt64-frontend.MaxSize)
		}
	}
	limits := abi.AnyLimits()
	if shared > int64(limits.Shared) {
		l.errorf(inst.Kernel.Pos, "kernel %s declares %d bytes of shared memory: no block has more than %d",
			inst.Kernel.Name, shared, limits.Shared)
	}
	if local > int64(limits.Local) {
		l.errorf(inst.Kernel.Pos, "the local variables of kernel %s take %d bytes: a thread has at most %d, pass a "+
			"slice", inst.Kernel.Name, local, limits.Local)
	}
}

// params declares the kernel's parameters and reads them.
func (l *lowerer) params(inst *frontend.Instance) []value {
	var args []value
	sig := inst.Signature
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		l.b.Pos = l.position(p.Pos())
		args = append(args, l.param(p))
	}
	return args
}

// param reads a parameter. A large one is gathered in local memory.
func (l *lowerer) param(p *types.Var) value {
	lay := l.layout(p.Type())
	parts := map[int64]*ir.Value{} // by their offsets
	for _, part := range frontend.Parts(p) {
		l.paramPart(part, part.Offset(p.Type()), parts)
	}
	v := value{}
	if lay.large {
		v.mem = l.temp(p.Type(), p.Name())
	}
	for _, s := range lay.allScalars(p.Type()) {
		x := parts[s.off]
		if x == nil { // a field without a name
			x = l.zeroScalar(s.typ)
		}
		if lay.large {
			l.storeScalar(s, l.at(v.mem, s.off), x)
		} else {
			v.leaves = append(v.leaves, leaf{v: x})
		}
	}
	return v
}

// paramPart reads a part at an offset of a parameter: all its scalars are parameters of the IR.
func (l *lowerer) paramPart(part frontend.Part, off int64, at map[int64]*ir.Value) {
	read := func(q *ir.Param, t ir.Type) *ir.Value { return l.b.Param(t, l.f.AddParam(q)) }
	if s := part.Slice(); s != nil {
		at[off] = read(&ir.Param{Name: part.Name, Mem: ir.MPtr, Space: ir.Global, Align: frontend.Align(s.Elem()),
			Role: "ptr", Type: shapeOf(s)}, ir.Ptr)
		at[off+8] = read(&ir.Param{Name: abi.LengthParam(part.Name), Mem: ir.B64, Role: "len"}, ir.I64)
		at[off+16] = at[off+8]
		return
	}
	if k, ok := kindOf(part.Type); ok {
		at[off] = read(&ir.Param{Name: part.Name, Mem: k.mem}, k.typ)
		return
	}
	if frontend.IsTensorMap(part.Type) {
		whole := &ir.ParamValue{Name: part.Name, Size: abi.TensorMapSize, Align: abi.TensorMapAlign, Address: true}
		at[off] = read(&ir.Param{Name: part.Name + ".0", Mem: ir.B64, Role: "map", Value: whole}, ir.I64)
		return
	}
	lay := l.layout(part.Type)
	whole := &ir.ParamValue{Name: part.Name, Size: lay.size, Align: max(lay.align, frontend.Align(part.Type))}
	n := 0
	for _, s := range lay.allScalars(part.Type) {
		piece := func(mem ir.Mem, pieceOff int64, lane string) *ir.Value {
			q := &ir.Param{Name: fmt.Sprintf("%s.%d", part.Name, n), Mem: mem,
				Role: strings.TrimPrefix(s.path+lane, "."), Value: whole, Offset: s.off + pieceOff}
			n++
			return read(q, s.typ)
		}
		at[off+s.off] = l.readScalar(s, alignAfter(whole.Align, s.off), piece)
	}
}
