package frontend

import (
	"go/ast"
	"go/token"
)

// prune is the package's files with only the declarations that kernels reach, and their imports. It
// is never empty if the package has a file. A package with no reached declaration is its package
// clause, so that the type checker can say what is undefined in it.
func (p *pkg) prune() []*ast.File {
	var out []*ast.File
	for _, f := range p.files {
		var decls []ast.Decl
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if p.byNode[d].reached {
					decls = append(decls, d)
				}
			case *ast.GenDecl:
				if g := p.pruneGen(f, d); len(g.Specs) > 0 {
					decls = append(decls, g)
				}
			}
		}
		if len(decls) == 0 {
			continue
		}
		syntax := *f.syntax
		syntax.Decls = decls
		syntax.Imports = nil
		for _, spec := range f.imports {
			if f.used[spec] {
				syntax.Imports = append(syntax.Imports, spec)
			}
		}
		out = append(out, &syntax)
	}
	if len(out) == 0 && len(p.files) > 0 {
		syntax := *p.files[0].syntax
		syntax.Decls, syntax.Imports = nil, nil
		out = append(out, &syntax)
	}
	return out
}

func (p *pkg) pruneGen(f *file, d *ast.GenDecl) *ast.GenDecl {
	g := *d
	g.Specs = nil
	reached := false
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ImportSpec:
			if f.used[spec] {
				g.Specs = append(g.Specs, spec)
			}
		case *ast.TypeSpec:
			if p.byNode[spec].reached {
				g.Specs = append(g.Specs, spec)
			}
		case *ast.ValueSpec:
			s, ok := p.pruneValues(d.Tok, spec)
			reached = reached || ok
			if ok || d.Tok == token.CONST {
				g.Specs = append(g.Specs, s)
			}
		}
	}
	if d.Tok == token.CONST && !reached {
		g.Specs = nil
	}
	return &g
}

// pruneValues is a specification of constants or variables without the names that are not reached,
// and whether any is reached. In a group of constants every line stays, because of iota. A line
// that is not reached declares nothing.
func (p *pkg) pruneValues(tok token.Token, spec *ast.ValueSpec) (*ast.ValueSpec, bool) {
	reached := false
	for _, id := range spec.Names {
		reached = reached || p.byNode[id].reached
	}
	s := *spec
	switch {
	case tok == token.VAR:
		p.pruneVariables(&s, spec)
	case !reached && (spec.Type != nil || len(spec.Values) > 0):
		s.Type = nil
		s.Names, s.Values = nil, nil
		for _, id := range spec.Names {
			s.Names = append(s.Names, &ast.Ident{NamePos: id.Pos(), Name: "_"})
			s.Values = append(s.Values, &ast.BasicLit{ValuePos: id.Pos(), Kind: token.INT, Value: "0"})
		}
	}
	return &s, reached
}

// pruneVariables leaves the names that are reached, with their initial values. A variable that is
// refused has neither type nor value.
func (p *pkg) pruneVariables(s, spec *ast.ValueSpec) {
	s.Names, s.Values = nil, nil
	single := len(spec.Values) == len(spec.Names)
	refused := false
	for i, id := range spec.Names {
		d := p.byNode[id]
		refused = refused || d.refused
		switch {
		case d.reached:
		case single || len(spec.Values) == 0:
			continue
		default: // a result of the call that the others need
			id = &ast.Ident{NamePos: id.Pos(), Name: "_"}
		}
		s.Names = append(s.Names, id)
		if single {
			s.Values = append(s.Values, spec.Values[i])
		}
	}
	switch {
	case refused:
		s.Type, s.Values = &ast.BadExpr{From: spec.Pos(), To: spec.End()}, nil
	case !single:
		s.Values = spec.Values
	}
}
