package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/ptx"
)

// loader decodes a module.
type loader struct {
	m     *Machine
	prog  *Program
	mod   *ptx.Module
	scope *ptx.Scope
	files map[int]string
	sites map[*ptx.Instr]*Site // one an instruction, however many kernels use its function
	errs  LoadErrors
	seen  map[*ptx.Instr]bool // instructions with an error, which is reported once
}

// image is the decoded code of one kernel with all functions that it can call: the places of shared
// variables differ between kernels.
type image struct {
	*loader
	funcs    map[*ptx.Func]*function
	order    []*ptx.Func
	shared   map[*ptx.Var]uint64 // addresses of shared variables
	vars     []Variable
	static   int // bytes of shared memory declared
	dynamic  bool
	accesses int // instructions that remember a segment
}

// Load checks and decodes a module and gives its variables memory. An instruction that the machine
// does not know is an error here, with its text and line. The error is a ptx.ErrorList for a module
// that is not correct PTX, else a LoadErrors.
func (m *Machine) Load(mod *ptx.Module) (*Program, error) {
	if err := ptx.Verify(mod); err != nil {
		return nil, err
	}
	if mod.AddressSize == 32 {
		return nil, LoadErrors{{Msg: "32-bit addresses are not supported, only .address_size 64"}}
	}
	p := &Program{m: m, mod: mod, entries: map[string]*Entry{}, globals: map[string]*segment{}}
	l := &loader{
		m: m, prog: p, mod: mod, scope: ptx.NewScope(mod), files: mod.Files(),
		sites: map[*ptx.Instr]*Site{}, seen: map[*ptx.Instr]bool{},
	}
	if err := l.variables(); err != nil {
		p.Unload()
		return nil, err
	}
	l.functions()
	if len(l.errs) > 0 {
		p.Unload()
		slices.SortStableFunc(l.errs, func(a, b *LoadError) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
		})
		return nil, l.errs
	}
	return p, nil
}

// functions decodes every kernel, and every function that no kernel calls, so that its errors are
// found too.
func (l *loader) functions() {
	called := map[*ptx.Func]bool{}
	var rest []*ptx.Func
	for _, d := range l.mod.Decls {
		f, ok := d.(*ptx.Func)
		if !ok || f.Body == nil {
			continue
		}
		if !f.Entry {
			rest = append(rest, f)
			continue
		}
		img := l.newImage(f)
		for g := range img.funcs {
			called[g] = true
		}
		l.prog.entries[f.Name] = l.newEntry(f, img)
	}
	for _, f := range rest {
		if !called[f] {
			for g := range l.newImage(f).funcs {
				called[g] = true
			}
		}
	}
}

// newImage decodes a function and all that it can reach.
func (l *loader) newImage(root *ptx.Func) *image {
	img := &image{loader: l, funcs: map[*ptx.Func]*function{}, shared: map[*ptx.Var]uint64{}}
	used := img.reach(root)
	img.layoutShared(used)
	for _, f := range img.order {
		img.decode(f)
	}
	for _, f := range img.order {
		img.funcs[f].file.finish()
	}
	return img
}

// reach collects the functions that root can call and returns the shared variables that they use. A
// function whose address is taken anywhere counts as called where there are indirect calls.
func (img *image) reach(root *ptx.Func) map[*ptx.Var]bool {
	used := map[*ptx.Var]bool{}
	var add func(f *ptx.Func)
	add = func(f *ptx.Func) {
		if f.Body == nil || img.funcs[f] != nil {
			return
		}
		img.funcs[f] = &function{name: f.Name, decl: f, file: newFileLayout(), predicates: map[int]uint32{}, addr: img.codeAddress(f)}
		img.order = append(img.order, f)
		indirect := false
		img.names(f, func(in *ptx.Instr, sym ptx.Symbol) {
			switch {
			case sym.Kind == ptx.FuncSymbol:
				add(sym.Func)
			case sym.Kind == ptx.VarSymbol && sym.Var.Space == ptx.SharedSpace:
				used[sym.Var] = true
			case in.Op == "call" && sym.Kind == ptx.RegisterSymbol:
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
	taken := img.prog.inTables
	for _, d := range img.mod.Decls {
		f, ok := d.(*ptx.Func)
		if !ok || f.Body == nil {
			continue
		}
		img.names(f, func(in *ptx.Instr, sym ptx.Symbol) {
			if in.Op != "call" && sym.Kind == ptx.FuncSymbol {
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

// codeBase is where the addresses of functions lie: nothing can be read there.
const codeBase = 0x0400_0000_0000

// codeAddress is what a pointer to a function holds.
func (l *loader) codeAddress(f *ptx.Func) uint64 {
	for i, d := range l.mod.Decls {
		if d == ptx.Decl(f) {
			return codeBase + uint64(i)*16
		}
	}
	return codeBase
}

// layoutShared places the shared variables that a kernel uses, in the order of their declaration;
// extern ones lie behind them, all at one place.
func (img *image) layoutShared(used map[*ptx.Var]bool) {
	var vars []*ptx.Var
	for _, d := range img.mod.Decls {
		if v, ok := d.(*ptx.Var); ok && used[v] {
			vars = append(vars, v)
		}
	}
	for _, f := range img.order {
		walk(img.scope.Func(f), f.Body, func(_ *ptx.Scope, stmt ptx.Stmt) {
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
		img.shared[v] = sharedBase + uint64(at)
		size := int(v.Size())
		img.vars = append(img.vars, Variable{Name: v.Name, Var: v, Offset: at, Size: size})
		end = at + size
	}
	for _, v := range vars {
		if isDynamic(v) {
			at := roundUp(end, align)
			img.shared[v] = sharedBase + uint64(at)
			img.vars = append(img.vars, Variable{Name: v.Name, Var: v, Offset: at, Dynamic: true})
			img.dynamic = true
		}
	}
	if img.dynamic {
		end = roundUp(end, align)
	}
	img.static = end
}

// isDynamic says that a shared variable is the block's dynamic shared memory.
func isDynamic(v *ptx.Var) bool {
	return v.Linkage == ptx.Extern || len(v.Dims) > 0 && v.Dims[0] < 0
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }

// fail reports an instruction, once.
func (l *loader) fail(fn string, in *ptx.Instr, format string, args ...any) {
	if l.seen[in] {
		return
	}
	l.seen[in] = true
	l.errs = append(l.errs, &LoadError{File: l.mod.Source.Name, Func: fn, Pos: in.Pos, Text: in.String(), Msg: fmt.Sprintf(format, args...)})
}
