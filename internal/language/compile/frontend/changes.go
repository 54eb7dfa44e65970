package frontend

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
)

// A change is a place in the source where a package-level variable is changed, or may be. Host code
// counts as well, which is never type-checked, so changes are found by the syntax alone.
type change struct {
	pos  token.Pos
	how  changeKind
	part []string // the path from the variable: fields, "" for an index, a method at the end
	in   *decl    // the function; nil in an initial value
}

// changeKind is the kind of a change.
type changeKind uint8

const (
	assigned   changeKind = iota // it, or a part of it
	addressed                    // the address of it or of a part is taken
	sliced                       // the address of an array; the elements of a slice; harmless for a string
	copied                       // as a whole: harmless, unless it is a slice
	methodCall                   // or a field's selection: harmless, unless the method has a pointer receiver
)

// variable names a package-level variable.
type variable struct{ path, name string }

// changes lists the changes that a package makes to its variables and to variables of its imports.
func (r *reacher) changes(p *pkg) map[variable][]change {
	if p.changes == nil {
		p.changes = map[variable][]change{}
		for _, f := range slices.Concat(p.files, p.excluded) {
			s := &changeScanner{walker: walker{reacher: r, file: f}, found: p.changes}
			for _, d := range f.syntax.Decls {
				s.decl(d)
			}
		}
	}
	return p.changes
}

// A changeScanner looks for changes in one file.
type changeScanner struct {
	walker
	in    *decl
	found map[variable][]change
	path  []ast.Node // from the declaration to the node at hand
}

func (s *changeScanner) decl(d ast.Decl) {
	s.in = nil
	if fn, ok := d.(*ast.FuncDecl); ok {
		s.in = s.file.pkg.byNode[fn]
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			s.path = s.path[:len(s.path)-1]
			return true
		}
		s.path = append(s.path, n)
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := s.variableOf(n); ok && !s.declares(n) {
				s.use(v, n.Pos())
			}
		case *ast.SelectorExpr:
			if v, ok := s.otherPackages(n); ok {
				s.use(v, n.Pos())
			}
		}
		return true
	})
}

// variableOf is the variable that an identifier means: one of the package, or of a dot import that
// kernels reach.
func (s *changeScanner) variableOf(id *ast.Ident) (variable, bool) {
	if d := s.lookup(id); d != nil {
		return variable{s.file.pkg.src.Path, id.Name}, d.isVar()
	}
	if id.Obj != nil {
		return variable{}, false
	}
	for _, spec := range s.file.imports {
		p := s.pkgs[importPath(spec)]
		if p == nil || p.std || spec.Name == nil || spec.Name.Name != "." {
			continue
		}
		if d := p.decls[id.Name]; d != nil && id.IsExported() {
			return variable{importPath(spec), id.Name}, d.isVar()
		}
	}
	return variable{}, false
}

// declares reports whether the identifier at hand names something, and reads no variable: in a
// declaration, after a dot, as a key that may be a field's.
func (s *changeScanner) declares(id *ast.Ident) bool {
	switch parent := s.path[len(s.path)-2].(type) {
	case *ast.ValueSpec:
		return slices.Contains(parent.Names, id)
	case *ast.Field:
		return slices.Contains(parent.Names, id)
	case *ast.SelectorExpr:
		return parent.Sel == id
	case *ast.KeyValueExpr:
		return parent.Key == ast.Expr(id)
	case *ast.LabeledStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// otherPackages is the variable that x.Sel names if x is an imported package that kernels reach.
func (s *changeScanner) otherPackages(n *ast.SelectorExpr) (variable, bool) {
	id, ok := n.X.(*ast.Ident)
	if !ok || id.Obj != nil || s.lookup(id) != nil {
		return variable{}, false
	}
	for _, spec := range s.file.imports {
		p := s.pkgs[importPath(spec)]
		if p == nil || p.std {
			continue
		}
		name := p.src.Name
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if d := p.decls[n.Sel.Name]; name == id.Name && d != nil && d.isVar() {
			return variable{importPath(spec), n.Sel.Name}, true
		}
	}
	return variable{}, false
}

// use looks at what surrounds the name of a variable.
func (s *changeScanner) use(v variable, pos token.Pos) {
	c := change{pos: pos, in: s.in}
	if how, ok := s.classify(&c); ok {
		c.how = how
		s.found[v] = append(s.found[v], c)
	}
}

// classify says how the variable at the end of the path is used. ok is false if it is only read.
func (s *changeScanner) classify(c *change) (how changeKind, ok bool) {
	for i := len(s.path) - 2; i >= 0; i-- {
		node := s.path[i+1]
		switch up := s.path[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.IndexExpr:
			if up.X == node {
				c.part = append(c.part, "")
				continue
			}
		case *ast.SelectorExpr:
			c.part = append(c.part, up.Sel.Name)
			continue
		case *ast.SliceExpr:
			if up.X == node {
				return sliced, true
			}
		case *ast.UnaryExpr:
			if up.Op == token.AND {
				return addressed, true
			}
		case *ast.AssignStmt:
			if up.Tok != token.DEFINE && slices.Contains(up.Lhs, node.(ast.Expr)) {
				return assigned, true
			}
		case *ast.IncDecStmt:
			return assigned, true
		case *ast.RangeStmt:
			if up.Tok == token.ASSIGN && (up.Key == node || up.Value == node) {
				return assigned, true
			}
			if up.X == node {
				return 0, false
			}
		case *ast.CallExpr:
			if id, ok := up.Fun.(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
				return 0, false
			}
		}
		break
	}
	if len(c.part) == 0 {
		return copied, true
	}
	return methodCall, c.part[len(c.part)-1] != ""
}

// assignment is a place that assigns the variable d in d's own package, if there is one.
func (r *reacher) assignment(d *decl) (change, bool) {
	for _, c := range r.changes(d.file.pkg)[variable{d.file.pkg.src.Path, d.name}] {
		if c.how == assigned {
			return c, true
		}
	}
	return change{}, false
}

// changedMessage refuses a variable that may change. The argument what is a clause such as "its
// address is taken".
func (r *reacher) changedMessage(name, what string, c change) string {
	at := r.fset.Position(c.pos)
	at.Filename = filepath.Base(at.Filename)
	return fmt.Sprintf("%s may change, %s at %s: a kernel reads only package-level variables that are set in their "+
		"declaration and nowhere else, pass it as a parameter of the kernel", name, what, at)
}
