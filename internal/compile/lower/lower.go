package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/compile/frontend"
	"github.com/gridstride/gridstride/internal/compile/ir"
)

// The limits of a kernel.
const (
	maxInlineDepth = 200     // calls within calls
	maxValues      = 1 << 18 // instructions after inlining
)

// Kernel lowers an instance of a kernel. The error is a frontend.ErrorList.
func Kernel(tables *Tables, inst *frontend.Instance) (*ir.Func, error) {
	l := newLowerer(tables, ir.NewFunc(inst.PTXName))
	l.f.GoName = inst.GoName
	l.f.BlockDim = inst.Kernel.Block
	l.f.MinBlocks = inst.Kernel.MinBlocks
	l.f.NoBounds = inst.Kernel.NoBounds
	l.f.Pos = l.position(inst.Kernel.Pos)
	l.b.Pos = l.f.Pos
	l.kernel(inst)
	if err := l.errs.Err(); err != nil {
		return nil, err
	}
	return l.f, nil
}

// newLowerer makes a lowerer that stands at the start of f.
func newLowerer(tables *Tables, f *ir.Func) *lowerer {
	return &lowerer{
		prog:      tables.prog,
		tables:    tables,
		f:         f,
		b:         ir.NewBuilder(f),
		layouts:   map[types.Type]*layout{},
		shared:    map[*ssa.Call]*ir.Var{},
		texts:     map[string]*ir.Var{},
		strings:   map[string]*table{},
		tableVars: map[*table]*ir.Var{},
		computed:  map[*ssa.Global]*ir.Var{},
		files:     map[string]int32{},
		decls:     map[*ir.Value][]declared{},
	}
}

// A lowerer carries the lowering of one kernel.
type lowerer struct {
	prog    *frontend.Program
	tables  *Tables
	f       *ir.Func
	b       *ir.Builder
	errs    frontend.ErrorList
	layouts map[types.Type]*layout
	shared  map[*ssa.Call]*ir.Var // by the call of gpu.Shared
	dynamic *ir.Var               // the dynamic shared memory
	texts   map[string]*ir.Var    // messages
	strings map[string]*table     // constant strings
	// The package-level variables: tables, and what is not computed yet.
	tableVars map[*table]*ir.Var
	computed  map[*ssa.Global]*ir.Var
	files     map[string]int32         // index in f.Files
	frames    []*frame                 // the calls being inlined, the kernel first
	decls     map[*ir.Value][]declared // by the Alloca of a Go variable
	cells     []*funcCell              // variables of function type
	cur       token.Pos                // of the instruction being lowered
	full      bool                     // maxValues was exceeded
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
		}
	}
	for _, v := range l.f.Entry().Instrs {
		if v.Op == ir.Alloca {
			local += v.Size
		}
	}
	limits := abi.AnyLimits()
	if shared > int64(limits.StaticShared) {
		l.errorf(inst.Kernel.Pos, "kernel %s declares %d bytes of shared memory: at most %d can be declared with "+
			"gpu.Shared, gpu.DynamicShared can be larger",
			inst.Kernel.Name, shared, limits.StaticShared)
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

func (l *lowerer) param(p *types.Var) value {
	name := frontend.Mangle(p.Name())
	read := func(q *ir.Param, t ir.Type) *ir.Value { return l.b.Param(t, l.f.AddParam(q)) }
	switch u := p.Type().Underlying().(type) {
	case *types.Slice:
		ptr := read(&ir.Param{Name: name, Mem: ir.MPtr, Space: ir.Global, Align: frontend.Align(u.Elem()),
			Role: "ptr"}, ir.Ptr)
		length := read(&ir.Param{Name: abi.LengthParam(name), Mem: ir.B64, Role: "len"}, ir.I64)
		return sliceValue(leaf{v: ptr}, length, length)
	case *types.Basic:
		if k, ok := kinds[u.Kind()]; ok {
			return scalarValue(read(&ir.Param{Name: name, Mem: k.mem}, k.typ))
		}
	}
	return l.paramParts(name, p, read)
}

// paramParts reads a struct or array. All its scalars are parameters of the IR; a large one is
// gathered in local memory.
func (l *lowerer) paramParts(name string, p *types.Var, read func(*ir.Param, ir.Type) *ir.Value) value {
	t := p.Type()
	lay := l.layout(t)
	whole := &ir.ParamValue{Name: name, Size: lay.size, Align: max(lay.align, frontend.Align(t))}
	parts := lay
	if lay.large {
		parts = &layout{}
		parts.addScalars(t, 0, "", false)
	}
	v := value{}
	for i, s := range parts.scalars {
		q := &ir.Param{Name: fmt.Sprintf("%s.%d", name, i), Mem: s.mem, Role: strings.TrimPrefix(s.path, "."),
			Value: whole, Offset: s.off}
		v.leaves = append(v.leaves, leaf{v: read(q, s.typ)})
	}
	if !lay.large {
		return v
	}
	tmp := l.temp(t, p.Name())
	for i, s := range parts.scalars {
		l.b.Store(s.mem, l.at(tmp, s.off), v.leaves[i].v)
	}
	return value{mem: tmp}
}
