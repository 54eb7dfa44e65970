package sim

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// LoadError is one instruction or declaration that the machine cannot execute.
type LoadError = decode.Error

// LoadErrors are all the errors of one kernel, or of a module's variables, in the order of the
// text.
type LoadErrors = decode.Errors

// Load checks a module and gives its variables memory. The error is a ptx.ErrorList for a module
// that is not correct PTX, a LoadErrors for variables that cannot be initialised. An instruction
// that the machine does not know is no error here: the launch of a kernel that has it fails with a
// LoadErrors. It is an *EngineError where GRIDSTRIDE_ENGINE names no engine.
func (m *Machine) Load(mod *ptx.Module) (*Program, error) {
	if err := ptx.VerifyKnown(mod); err != nil {
		return nil, err
	}
	return m.LoadVerified(mod)
}

// LoadVerified is Load of a module that ptx.Verify or ptx.VerifyKnown has accepted.
func (m *Machine) LoadVerified(mod *ptx.Module) (*Program, error) {
	if m.err != nil {
		return nil, m.err
	}
	if mod.AddressSize == 32 {
		return nil, LoadErrors{{Msg: "32-bit addresses are not supported, only .address_size 64"}}
	}
	p := newProgram(m, mod)
	if err := p.variables(); err != nil {
		p.Unload()
		return nil, err
	}
	p.link()
	return p, nil
}

func newProgram(m *Machine, mod *ptx.Module) *Program {
	return &Program{m: m, mod: mod, entries: map[string]*Entry{}, globals: map[string]*memory.Segment{}}
}

// link makes the program decode kernels, with the addresses of its variables.
func (p *Program) link() {
	env := decode.Env{Globals: map[string]uint64{}, LocalBytes: p.m.cfg.Limits.LocalBytes}
	for name, s := range p.globals {
		env.Globals[name] = s.Base
	}
	p.loader = decode.New(p.mod, env)
}

// newEntry describes and binds a decoded kernel.
func (p *Program) newEntry(k decode.Kernel) *Entry {
	f, errs := k.Decl, k.Errs
	bound := &binding{}
	if len(errs) == 0 { // the code of a kernel with an error may have blocks that are not there
		bound, errs = p.m.bind(p.mod, p.m.cfg.SM, k.Kernel)
	}
	e := &Entry{
		Kernel: event.Kernel{
			Name: f.Name, Func: f, Module: p.mod, ParamSize: k.ParamSize,
			StaticShared: k.Static, DynamicShared: k.Dynamic, Shared: k.Shared,
			Cooperative: f.Calls(abi.SyncGrid), LocalBytes: int(k.Funcs[0].Local),
		},
		prog: p, fn: bound.funcs[k.Funcs[0]], code: map[uint64]*function{}, memos: k.Memos,
	}
	if g := p.m.engine; g != nil && len(errs) == 0 {
		e.warmth.worth = g.worth(k.Kernel)
		e.warmth.load = sync.OnceFunc(func() { g.load(k.Kernel, bound) })
	}
	if len(errs) > 0 {
		slices.SortStableFunc(errs, func(a, b *LoadError) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
		})
		e.err = errs
	}
	for _, g := range k.Funcs {
		if !g.Decl.Entry {
			e.code[g.Addr] = bound.funcs[g]
		}
	}
	for i, v := range f.Params {
		e.Params = append(e.Params, event.Param{
			Name: v.Name, Type: v.Type, Size: int(v.Size()), Align: v.Alignment(), Offset: k.Params[i], Ptr: v.Ptr,
		})
	}
	e.registers = askedRegisters(k.Funcs[0])
	for _, d := range f.Perf {
		switch d.Name {
		case "reqntid":
			e.ReqNTID = dimensions(d.Args)
		case "maxntid":
			e.MaxNTID = dimensions(d.Args)
		case "reqnctapercluster":
			e.ReqCluster = dimensions(d.Args)
		}
	}
	return e
}

func dimensions(args []int) [3]int {
	d := [3]int{1, 1, 1}
	copy(d[:], args)
	return d
}
