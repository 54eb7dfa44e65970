// Package decode makes decoded code (package code) of PTX: it resolves names, gives registers their
// slots and variables their addresses, cuts functions into basic blocks, and takes apart what is
// more than one step. It knows PTX's forms and no Go function that runs them.
package decode

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Env is the environment of code, besides its module.
type Env struct {
	Globals    map[string]uint64 // addresses of the variables in global and constant memory
	LocalBytes int               // the most local memory of a thread
}

// Loader decodes the kernels of a module, one at a time.
type Loader struct {
	Env
	mod   *ptx.Module
	scope *ptx.Scope
	files map[int]string
	sites map[*ptx.Instr]*event.Site // one an instruction, however many kernels use its function
}

// image is one kernel with all functions that it can call, under construction.
type image struct {
	*Loader
	kernel *code.Kernel
	funcs  map[*ptx.Func]*code.Func
	shared map[*ptx.Var]uint64 // addresses of shared variables
	errs   Errors
}

// Kernel is a decoded kernel, or what is wrong with it: an instruction that is not known, in the
// kernel or in a function that it can call, with its text and position.
type Kernel struct {
	*code.Kernel
	Errs Errors
}

// New is a loader for the kernels of a module that ptx.VerifyKnown accepts.
func New(mod *ptx.Module, env Env) *Loader {
	return &Loader{
		Env: env, mod: mod, scope: ptx.NewScope(mod), files: mod.Files(), sites: map[*ptx.Instr]*event.Site{},
	}
}

// Kernel decodes a kernel of the module, which has a body, and all that it can reach.
func (l *Loader) Kernel(root *ptx.Func) Kernel {
	img := &image{
		Loader: l, kernel: &code.Kernel{Decl: root}, funcs: map[*ptx.Func]*code.Func{}, shared: map[*ptx.Var]uint64{},
	}
	used := img.reach(root)
	img.layoutShared(used)
	var params abi.ParamBlock
	for _, v := range root.Params {
		img.kernel.Params = append(img.kernel.Params, params.Add(int(v.Size()), v.Alignment()))
	}
	img.kernel.ParamSize = params.Size
	for _, f := range img.kernel.Funcs {
		img.decode(f)
	}
	return Kernel{img.kernel, img.errs}
}

// reach collects the functions that root can call and returns the shared variables that they use.
// If there are indirect calls, every function whose address the program uses counts as called.
func (img *image) reach(root *ptx.Func) map[*ptx.Var]bool {
	used := map[*ptx.Var]bool{}
	var add func(f *ptx.Func)
	add = func(f *ptx.Func) {
		if f.Body == nil || img.funcs[f] != nil {
			return
		}
		fn := &code.Func{
			Name: f.Name, Decl: f, File: code.NewFile(), Slots: map[int]code.Slot{}, Addr: Address(img.mod, f),
		}
		img.funcs[f] = fn
		img.kernel.Funcs = append(img.kernel.Funcs, fn)
		indirect := false
		img.names(f, func(in *ptx.Instr, sym ptx.Symbol) {
			switch {
			case sym.Kind == ptx.FuncSymbol:
				add(sym.Func)
			case sym.Kind == ptx.VarSymbol && sym.Var.Space == ptx.SharedSpace:
				used[sym.Var] = true
			case in.Effects().Kind == ptx.Calls && sym.Kind == ptx.RegisterSymbol:
				indirect = true
			}
		})
		if indirect {
			for _, g := range img.addressTaken() {
				add(g)
			}
		}
	}
	add(root)
	return used
}

// names calls do for every name that an instruction of f uses.
func (img *image) names(f *ptx.Func, do func(in *ptx.Instr, sym ptx.Symbol)) {
	var operand func(s *ptx.Scope, in *ptx.Instr, o ptx.Operand)
	operand = func(s *ptx.Scope, in *ptx.Instr, o ptx.Operand) {
		name := ""
		switch o := o.(type) {
		case ptx.Name:
			name = string(o)
		case ptx.Offset:
			name = o.Name
		case ptx.Addr:
			operand(s, in, o.Base)
		case ptx.Texel:
			for _, x := range o {
				operand(s, in, x)
			}
		case ptx.Vec:
			for _, x := range o {
				operand(s, in, x)
			}
		case ptx.List:
			for _, x := range o {
				operand(s, in, x)
			}
		}
		if sym, ok := s.Lookup(name); ok {
			do(in, sym)
		}
	}
	walk(img.scope.Func(f), f.Body, func(s *ptx.Scope, stmt ptx.Stmt) {
		if in, ok := stmt.(*ptx.Instr); ok {
			for _, a := range in.Args {
				operand(s, in, a)
			}
		}
	})
}

// walk visits the statements of a block and of those in it, in the order of the text.
func walk(s *ptx.Scope, b *ptx.Block, do func(*ptx.Scope, ptx.Stmt)) {
	for _, stmt := range b.Stmts {
		if inner, ok := stmt.(*ptx.Block); ok {
			walk(s.Block(inner), inner, do)
			continue
		}
		do(s, stmt)
	}
}

// addressTaken are the functions that something else than a call names: an instruction, or a
// variable's initialiser.
func (img *image) addressTaken() []*ptx.Func {
	var taken []*ptx.Func
	for _, d := range img.mod.Decls {
		if v, ok := d.(*ptx.Var); ok {
			taken = append(taken, img.initialised(v.Init)...)
		}
	}
	for _, d := range img.mod.Decls {
		f, ok := d.(*ptx.Func)
		if !ok || f.Body == nil {
			continue
		}
		img.names(f, func(in *ptx.Instr, sym ptx.Symbol) {
			if in.Effects().Kind != ptx.Calls && sym.Kind == ptx.FuncSymbol {
				taken = append(taken, sym.Func)
			}
		})
		walk(img.scope.Func(f), f.Body, func(s *ptx.Scope, stmt ptx.Stmt) {
			if t, ok := stmt.(*ptx.CallTargets); ok {
				for _, name := range t.Funcs {
					if sym, ok := s.Lookup(name); ok && sym.Kind == ptx.FuncSymbol {
						taken = append(taken, sym.Func)
					}
				}
			}
		})
	}
	return taken
}

// initialised are the functions whose addresses an initialiser names.
func (img *image) initialised(init ptx.Operand) []*ptx.Func {
	name := ""
	switch o := init.(type) {
	case ptx.List:
		var list []*ptx.Func
		for _, x := range o {
			list = append(list, img.initialised(x)...)
		}
		return list
	case ptx.Name:
		name = string(o)
	case ptx.Offset:
		name = o.Name
	}
	if sym, ok := img.scope.Lookup(name); ok && sym.Kind == ptx.FuncSymbol {
		return []*ptx.Func{sym.Func}
	}
	return nil
}

// Address is the value of a pointer to a function of a module.
func Address(mod *ptx.Module, f *ptx.Func) uint64 {
	for i, d := range mod.Decls {
		if d == ptx.Decl(f) {
			return memory.CodeBase + uint64(i)*16
		}
	}
	return memory.CodeBase
}

// layoutShared gives the shared variables that a kernel uses their addresses, in the order of their
// declaration. Extern variables follow, all at one address.
func (img *image) layoutShared(used map[*ptx.Var]bool) {
	var vars []*ptx.Var
	for _, d := range img.mod.Decls {
		if v, ok := d.(*ptx.Var); ok && used[v] {
			vars = append(vars, v)
		}
	}
	for _, f := range img.kernel.Funcs {
		walk(img.scope.Func(f.Decl), f.Decl.Body, func(_ *ptx.Scope, stmt ptx.Stmt) {
			if v, ok := stmt.(*ptx.Var); ok && used[v] {
				vars = append(vars, v)
			}
		})
	}
	end, align := 0, 1
	for _, v := range vars {
		if isDynamic(v) {
			align = max(align, v.Alignment())
			continue
		}
		at := roundUp(end, v.Alignment())
		img.shared[v] = memory.SharedBase + uint64(at)
		size := int(v.Size())
		img.kernel.Shared = append(img.kernel.Shared, event.Variable{Name: v.Name, Var: v, Offset: at, Size: size})
		end = at + size
	}
	at := roundUp(end, align)
	for _, v := range vars {
		if !isDynamic(v) {
			continue
		}
		img.shared[v] = memory.SharedBase + uint64(at)
		img.kernel.Dynamic = true
		variable := event.Variable{Name: v.Name, Var: v, Offset: at, Dynamic: true}
		if part := v.Part; part != nil {
			variable = event.Variable{Name: part.Name, Var: v, Offset: at + part.Offset, Size: part.Size}
		} else {
			variable.Offset += img.mod.DeclaredShared(img.kernel.Decl.Name)
		}
		img.kernel.Shared = append(img.kernel.Shared, variable)
	}
	if img.kernel.Dynamic {
		end = roundUp(end, align)
	}
	img.kernel.Static = end
}

// isDynamic says that a shared variable is the block's dynamic shared memory.
func isDynamic(v *ptx.Var) bool {
	return v.Linkage == ptx.Extern || len(v.Dims) > 0 && v.Dims[0] < 0
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
