package frontend

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// MaxTable is the size of the largest table, in bytes. Its values are in the text of the PTX.
const MaxTable = 1 << 20

// A Variable is a package-level variable that kernels read and nothing changes: a table of the
// device.
type Variable struct {
	Name string   // of PTX: "table", or "crc_table" of another package
	Expr ast.Expr // its value, if that is a literal of constants; nil if it is zero, or to be computed
	Info *types.Info
	// Computed says that Program.Init computes the value.
	Computed bool
}

// A suspect is a change of a variable that is none, if what a function does with the variable's
// address is only to read through it. Lowering sees to that, in the functions that it inlines.
type suspect struct {
	fn  *ast.FuncDecl
	use token.Pos // of the variable
	msg string
}

// checkVariables refuses the variables that are no tables, and those that may change.
func (l *loader) checkVariables() {
	for _, p := range l.reach.order {
		if p != nil {
			p.changes = nil // a package may change variables of one that it was not known to import
		}
	}
	for _, c := range l.order {
		if c.pkg.std {
			continue
		}
		for _, d := range c.pkg.decls {
			if !d.isVar() || !d.reached || d.refused {
				continue
			}
			v, ok := c.types.Scope().Lookup(d.name).(*types.Var)
			if !ok || invalid(v.Type()) {
				continue
			}
			name := d.name
			if c.pkg != l.root {
				name = c.pkg.src.Name + "." + name
			}
			l.checkVariable(d, v, name)
		}
	}
}

func (l *loader) checkVariable(d *decl, v *types.Var, name string) {
	why := refuseTable(v.Type())
	switch size := tableSize(v.Type()); {
	case why != "":
	case embedded(d):
		why = "it is filled by //go:embed, pass it as a parameter of the kernel"
	case size > MaxTable || size < 0:
		why = fmt.Sprintf("it has more than %d bytes, pass it as a slice", MaxTable)
	}
	if why != "" {
		l.errorf(d.usedAt, "%s cannot be read by a kernel: %s", name, why)
		d.refused = true
		return
	}
	key := variable{d.file.pkg.src.Path, d.name}
	for _, p := range l.reach.order {
		if p == nil || p.std {
			continue
		}
		for _, c := range l.reach.changes(p)[key] {
			what := l.changeOf(v.Type(), c)
			if what == "" {
				continue
			}
			msg := l.reach.changedMessage(name, what, c)
			if c.how != assigned && c.in != nil && c.in.reached {
				l.suspects = append(l.suspects, suspect{c.in.fn, d.usedAt, msg})
				continue
			}
			l.errorf(d.usedAt, "%s", msg)
			return
		}
	}
}

// acceptable is a declaration without the variables that are refused already.
func (p *pkg) acceptable(d ast.Decl) ast.Decl {
	gen, ok := d.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR {
		return d
	}
	out := *gen
	out.Specs = slices.DeleteFunc(slices.Clone(gen.Specs), func(spec ast.Spec) bool {
		return slices.ContainsFunc(spec.(*ast.ValueSpec).Names, func(id *ast.Ident) bool {
			d := p.byNode[id]
			return d != nil && d.refused
		})
	})
	return &out
}

// changeOf says how c may change a variable of type t, "" if it does not.
func (l *loader) changeOf(t types.Type, c change) string {
	_, slice := t.Underlying().(*types.Slice)
	switch c.how {
	case assigned:
		return "it is assigned"
	case addressed:
		return "its address is taken"
	case sliced:
		switch partOf(t, c.part).(type) {
		case *types.Slice:
			return "it is sliced"
		case *types.Array:
			return "it is sliced, which takes its address,"
		}
	case copied:
		if slice {
			return "the slice is handed on"
		}
	case methodCall:
		if method := c.part[len(c.part)-1]; l.hasPointerMethod(t, method) {
			return "its method " + method + " with a pointer receiver is called"
		}
	}
	return ""
}

// partOf is the underlying type of a part of a value of type t, which fields and, as "", indices
// say; nil where t has no such part.
func partOf(t types.Type, part []string) types.Type {
	for _, name := range part {
		if name != "" {
			t = fieldOf(t, name)
		} else if u, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
			t = u.Elem()
		} else {
			t = nil
		}
		if t == nil {
			return nil
		}
	}
	return t.Underlying()
}

// fieldOf is the type of a field of t, or of a field embedded in it, or nil.
func fieldOf(t types.Type, name string) types.Type {
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var promoted types.Type
	for f := range u.Fields() {
		if f.Name() == name {
			return f.Type()
		}
		if f.Embedded() && promoted == nil {
			promoted = fieldOf(f.Type(), name)
		}
	}
	return promoted
}

// hasPointerMethod reports whether t, or a part of it, has a method of that name with a pointer
// receiver.
func (l *loader) hasPointerMethod(t types.Type, name string) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if pkg := named.Obj().Pkg(); pkg != nil && l.reach.pkgs[pkg.Path()] != nil {
			m := l.reach.pkgs[pkg.Path()].methods[named.Obj().Name()][name]
			if m != nil && len(m.fn.Recv.List) > 0 {
				if _, pointer := m.fn.Recv.List[0].Type.(*ast.StarExpr); pointer {
					return true
				}
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return l.hasPointerMethod(u.Elem(), name)
	case *types.Slice:
		return l.hasPointerMethod(u.Elem(), name)
	case *types.Struct:
		for f := range u.Fields() {
			if l.hasPointerMethod(f.Type(), name) {
				return true
			}
		}
	}
	return false
}

// refuseTable says why a variable of a type is no table; "" if it is one.
func refuseTable(t types.Type) string {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	return refuseTablePart(t, map[*types.Named]bool{})
}

// refuseTablePart is refuseTable for a part of a variable. It looks into named types once.
func refuseTablePart(t types.Type, seen map[*types.Named]bool) string {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if seen[named] {
			return ""
		}
		seen[named] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.Invalid {
			return ""
		}
	case *types.Array:
		return refuseTablePart(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if why := refuseTablePart(u.Field(i).Type(), seen); why != "" {
				return "field " + u.Field(i).Name() + ": " + why
			}
		}
		return ""
	case *types.Slice:
		return "a slice inside another type has elements that may change: use an array, or one slice and compute the index"
	case *types.Pointer:
		return "what a pointer points to may change: keep an index instead"
	case *types.Signature:
		return "a function in a variable may be another one when it is called: declare a function"
	}
	return refuseType(t)
}

// tableSize is the size of a variable, 0 for a slice or a string, whose size its value tells.
func tableSize(t types.Type) int64 {
	switch t.Underlying().(type) {
	case *types.Slice:
		return 0
	case *types.Basic:
		return 0
	}
	return Sizes.Sizeof(t)
}

// embedded reports whether a //go:embed directive gives a variable its value.
func embedded(d *decl) bool {
	for _, g := range []*ast.CommentGroup{d.gen.Doc, d.spec.(*ast.ValueSpec).Doc} {
		if g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") }) {
			return true
		}
	}
	return false
}

// variables lists the tables, and takes from go/ssa the initial values that are literals: it need
// not store them one by one.
func (p *Program) variables(c *checked) {
	for _, init := range slices.Clone(c.info.InitOrder) {
		if len(init.Lhs) == 1 && c.literal(init.Rhs) {
			p.Variables[init.Lhs[0]] = &Variable{Expr: init.Rhs, Info: c.info}
			c.info.InitOrder = slices.DeleteFunc(c.info.InitOrder, func(i *types.Initializer) bool { return i == init })
		}
	}
	for _, init := range c.info.InitOrder {
		for _, v := range init.Lhs {
			p.Variables[v] = &Variable{Computed: true}
		}
	}
	for _, f := range c.files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					v, ok := c.info.Defs[id].(*types.Var)
					if !ok {
						continue
					}
					if p.Variables[v] == nil {
						p.Variables[v] = &Variable{}
					}
					p.Variables[v].Name = Mangle(v.Name())
					if c.types != p.Package {
						p.Variables[v].Name = Mangle(c.types.Name() + "." + v.Name())
					}
				}
			}
		}
	}
}

// literal reports whether an expression is a constant or a composite literal of such.
func (c *checked) literal(x ast.Expr) bool {
	x = ast.Unparen(x)
	if c.info.Types[x].Value != nil {
		return true
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if !c.literal(e) {
			return false
		}
	}
	return true
}

// Lowered notes that the calls of a function are inlined: what it does with the variables whose
// address it takes is checked there.
func (p *Program) Lowered(fn *ssa.Function) {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok {
		p.lowered[decl] = true
	}
}

// CheckVariables refuses the variables whose address is taken in a function that no kernel calls in
// the end. Call it after all kernels are lowered. The error is an ErrorList.
func (p *Program) CheckVariables() error {
	var errs ErrorList
	for _, s := range p.suspects {
		if !p.lowered[s.fn] {
			errs.Add(p.Fset.Position(s.use), "%s", s.msg)
		}
	}
	return errs.Err()
}
