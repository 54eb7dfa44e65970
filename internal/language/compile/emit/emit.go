package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Module makes one PTX module of kernels, in their order. The kernels are used up: emission
// rewrites them. The module is for the target, or, where that is zero, for the oldest that its
// instructions run on. Its version is the lowest that has them.
func Module(kernels []*ir.Func, target abi.Target) *ptx.Module {
	m := &moduleEmitter{
		module: &ptx.Module{AddressSize: 64},
		files:  map[string]int{},
		names:  map[string]bool{},
		hidden: map[string]bool{},
		consts: map[string]string{},
		target: target,
	}
	var entries []ptx.Decl
	for _, f := range kernels {
		m.names[f.Name] = true
	}
	for _, f := range kernels {
		m.nameParams(f)
	}
	for _, f := range kernels {
		entries = append(entries, m.kernel(f))
	}
	if m.syncsGrid {
		entries = append([]ptx.Decl{syncGrid()}, entries...)
	}
	m.module.Decls = slices.Concat(m.fileDecls, m.varDecls, entries)
	needs := ptx.MinNeeds(m.module, target)
	if target == (abi.Target{}) {
		target = needs.Target
	}
	m.module.Version, m.module.Target = needs.Version, []string{target.String()}
	return m.module
}

// nameParams renames those parameters of a kernel that have the name of a kernel. NVIDIA's
// assembler, up to CUDA 13.0, crashes if that kernel follows. If it was declared before, the
// assembler takes the kernel with the parameter for one without.
func (m *moduleEmitter) nameParams(f *ir.Func) {
	taken := map[string]bool{}
	for _, p := range f.Params {
		taken[*ptxName(p)] = true
	}
	var last *string
	for _, p := range f.Params {
		name := ptxName(p)
		if p.Role == "len" {
			p.Name = abi.LengthParam(*last)
		} else if base := *name; name != last {
			for i := 1; m.names[*name] || m.names[abi.LengthParam(*name)] || *name != base && taken[*name]; i++ {
				*name = fmt.Sprintf("%s_%d", base, i)
			}
		}
		last, m.hidden[*name] = name, true
	}
}

// ptxName is the name of the PTX parameter that a parameter is, or is a part of.
func ptxName(p *ir.Param) *string {
	if p.Value != nil {
		return &p.Value.Name
	}
	return &p.Name
}

// moduleEmitter holds the state that the kernels of a module share.
type moduleEmitter struct {
	module    *ptx.Module
	fileDecls []ptx.Decl
	varDecls  []ptx.Decl
	files     map[string]int    // index of each source file
	names     map[string]bool   // module-scope names in use
	hidden    map[string]bool   // names of parameters and variables of kernels
	consts    map[string]string // name of the variable that holds some constant data
	numbers   *ptx.Var          // the float64 constants of instructions
	dynamic   *ptx.Var
	syncsGrid bool       // a kernel calls abi.SyncGrid
	formats   int        // of what kernels print
	target    abi.Target // zero for the oldest
}

// file returns the index of a source file, declaring it when it is new.
func (m *moduleEmitter) file(name string) int {
	if i, ok := m.files[name]; ok {
		return i
	}
	i := len(m.files) + 1
	m.files[name] = i
	m.fileDecls = append(m.fileDecls, &ptx.File{Index: i, Name: name})
	return i
}

// unique makes a module-scope name out of base.
func (m *moduleEmitter) unique(base string) string {
	name := base
	for i := 1; m.names[name] || m.hidden[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	m.names[name] = true
	return name
}

// format returns the number of a format that a kernel prints, the same for equal ones.
func (m *moduleEmitter) format(v *ir.Var) int {
	key := abi.FormatVar + string(v.Init)
	name, ok := m.consts[key]
	if !ok {
		name = fmt.Sprint(abi.FormatVar, m.formats)
		m.formats++
		m.consts[key] = name
		m.data(name, v)
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(name, abi.FormatVar))
	return n
}

// data declares a global variable that holds what v does.
func (m *moduleEmitter) data(name string, v *ir.Var) {
	var init ptx.List
	for _, b := range v.Init {
		init = append(init, ptx.Int{Bits: uint64(b)})
	}
	m.varDecls = append(m.varDecls, &ptx.Var{
		Space: ptx.GlobalSpace, Align: max(v.Align, 1), Type: ptx.B8, Name: name, Dims: []int{len(v.Init)}, Init: init,
	})
}

// dynamicShared returns the name of dynamic shared memory, which all kernels of the module declare
// together.
func (m *moduleEmitter) dynamicShared(align int) string {
	if m.dynamic == nil {
		m.dynamic = &ptx.Var{Linkage: ptx.Extern, Space: ptx.SharedSpace, Type: ptx.B8,
			Name: m.unique(abi.DynamicShared), Dims: []int{-1}}
		m.varDecls = append(m.varDecls, m.dynamic)
	}
	m.dynamic.Align = max(m.dynamic.Align, align, 16)
	return m.dynamic.Name
}

// kernel makes the entry of one kernel.
func (m *moduleEmitter) kernel(f *ir.Func) *ptx.Func {
	narrowShared(f)
	e := newEmitter(m, f)
	e.placeShared()
	e.choose()
	e.liveness()
	live := e.pressure()
	e.assign()
	e.body()
	fn := &ptx.Func{Linkage: ptx.Visible, Entry: true, Name: f.Name, Params: e.params(), Body: &ptx.Block{}}
	if d := f.BlockDim; d[0] > 0 {
		fn.Perf = []ptx.Directive{{Name: "reqntid", Args: []int{d[0], max(d[1], 1), max(d[2], 1)}}}
	}
	if f.MinBlocks > 0 {
		fn.Perf = append(fn.Perf, ptx.Directive{Name: "minnctapersm", Args: []int{f.MinBlocks}})
	}
	if c := f.Cluster; c[0] > 0 {
		fn.Perf = append(fn.Perf, ptx.Directive{Name: "reqnctapercluster", Args: c[:]})
	}
	fn.Body.Stmts = slices.Concat(e.regDecls(), e.varDecls, e.out)
	fn.Variables = e.variables()
	fn.Footprint = e.footprint(live)
	return fn
}

// params makes the parameter list: the kernel's own, and the fault record's address where a check
// can fail, the grid meets, or something is printed.
func (e *emitter) params() []*ptx.Var {
	var params []*ptx.Var
	var value *ir.ParamValue
	for _, p := range e.f.Params {
		v := &ptx.Var{Space: ptx.ParamSpace, Type: paramType(p), Name: p.Name}
		switch {
		case p.Value != nil && p.Value == value:
			continue // a further part of the same struct
		case p.Value != nil:
			v.Type, v.Align, v.Name, v.Dims = ptx.B8, p.Value.Align, p.Value.Name, []int{int(p.Value.Size)}
		case p.Mem == ir.MPtr && p.Space == ir.Global:
			v.Ptr, v.Shape = &ptx.PtrAttr{Space: ptx.GlobalSpace, Align: max(p.Align, 1)}, p.Type
		}
		value = p.Value
		params = append(params, v)
	}
	if e.faults() || e.syncsGrid || e.prints > 0 {
		params = append(params, &ptx.Var{Space: ptx.ParamSpace, Type: ptx.U64, Name: abi.FaultParam})
	}
	return params
}

func paramType(p *ir.Param) ptx.Type {
	if p.Role == "len" {
		return ptx.U64
	}
	return memTypes[p.Mem]
}

// memTypes are the PTX types of memory accesses.
var memTypes = map[ir.Mem]ptx.Type{
	ir.U8: ptx.U8, ir.S8: ptx.S8, ir.U16: ptx.U16, ir.S16: ptx.S16, ir.B32: ptx.B32, ir.B64: ptx.B64,
	ir.MF32: ptx.F32, ir.MF64: ptx.F64, ir.MPtr: ptx.U64,
}

// regDecls declares the registers used, class by class.
func (e *emitter) regDecls() []ptx.Stmt {
	var decls []ptx.Stmt
	for _, c := range classes {
		if n := e.counts[c.prefix]; n > 0 {
			decls = append(decls, &ptx.Regs{Type: c.typ, Names: []string{c.prefix}, Count: n + 1})
		}
	}
	return decls
}

// class is a kind of register.
type class struct {
	prefix string
	typ    ptx.Type
}

var (
	predClass = class{"%p", ptx.Pred}
	intClass  = class{"%r", ptx.B32}
	longClass = class{"%rd", ptx.B64}
	f32Class  = class{"%f", ptx.F32}
	f64Class  = class{"%fd", ptx.F64}
	halfClass = class{"%rs", ptx.B16}  // of conversions and of operands of a single instruction, as is
	wideClass = class{"%rq", ptx.B128} // this one
	classes   = []class{predClass, halfClass, intClass, longClass, wideClass, f32Class, f64Class}
)

// classOf is the kind of register that holds v.
func classOf(v *ir.Value) class {
	switch v.Type {
	case ir.Bool:
		return predClass
	case ir.I32:
		return intClass
	case ir.F32:
		return f32Class
	case ir.F64:
		return f64Class
	case ir.Ptr:
		if v.PointsTo() == ir.Shared {
			return intClass
		}
	}
	return longClass
}
