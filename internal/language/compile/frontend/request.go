package frontend

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// A request is a //gpu:instance comment, which asks for instances of kernels, of any package, or a
// //gpu:needs comment, which says of a function on the host which instances its own instances need.
type request struct {
	file    *file
	comment *ast.Comment
}

// addRequested adds the instances that //gpu:instance comments ask for.
func (l *loader) addRequested() {
	for _, r := range l.requests {
		in, errs := directive.ParseInstances(r.comment.Text)
		for _, e := range errs {
			l.errorf(r.comment.Pos()+token.Pos(e.Offset), "%s", e.Msg)
		}
		n := 0
		in.Choices(func(chosen map[string]string) bool {
			if n += len(in.Of); n > maxInstances {
				l.errorf(r.comment.Pos(), "//gpu:instance: more than %d instances: list fewer types", maxInstances)
				return false
			}
			l.addChosen(r, in.Of, chosen)
			return true
		})
	}
}

// addChosen adds the instances of one combination of listed types.
func (l *loader) addChosen(r request, of []directive.Name, chosen map[string]string) {
	for _, name := range of {
		pos := r.comment.Pos() + token.Pos(name.Offset)
		types := map[string]ast.Expr{}
		for param, text := range chosen {
			x, err := parseTypeArg(text, pos)
			if err != nil {
				l.errorf(pos, "//gpu:instance: %v", err)
				return
			}
			types[param] = x
		}
		s := &scope{loader: l, at: r.file, in: r.file, pos: pos, types: types}
		if x, err := parseTypeArg(name.Text, pos); err != nil {
			l.errorf(pos, "//gpu:instance: cannot read %q: write an instance, such as lib.Sum[float32]", name.Text)
		} else if err := s.instantiate(x); err != nil {
			l.errorf(pos, "//gpu:instance: %v", err)
		}
	}
}

// A scope is where an instance is written: in a file, where some names mean types. What it names is
// restated in the file of the request.
type scope struct {
	*loader
	at    *file // of the request
	in    *file
	pos   token.Pos
	types map[string]ast.Expr // restated
	depth int                 // of //gpu:needs comments
}

// mostNeeds bounds how deep functions need instances that need instances.
const mostNeeds = 16

// instantiate adds the instance of a kernel, or the instances that a function on the host needs.
func (s *scope) instantiate(x ast.Expr) error {
	fun, args := x, []ast.Expr(nil)
	if list, ok := x.(*ast.IndexListExpr); ok {
		fun, args = list.X, list.Indices
	}
	d, err := s.declared(fun)
	if err != nil {
		return err
	}
	shown := d.file.pkg.src.Name + "." + d.name
	if d.fn == nil || d.fn.Recv != nil {
		return fmt.Errorf("%s is no function", shown)
	}
	k := &kernelDecl{fn: d.fn}
	params := k.typeParams()
	switch {
	case len(params) == 0 && isKernelDecl(d.fn):
		return fmt.Errorf("%s is not generic: its package has it compiled, and Load%s loads it", shown, d.name)
	case len(params) != len(args):
		return fmt.Errorf("%s has %d type parameters, and %d types are given", shown, len(params), len(args))
	}
	for i, a := range args {
		if args[i], err = s.restate(a); err != nil {
			return err
		}
	}
	if isKernelDecl(d.fn) {
		return s.addKernel(d, args)
	}
	return s.addNeeds(d, shown, params, args)
}

// isKernelDecl reports whether a function is a kernel.
func isKernelDecl(fn *ast.FuncDecl) bool { return len(comments(fn, directive.KernelName)) > 0 }

// comments are a function's directives with a name.
func comments(fn *ast.FuncDecl, name string) (found []*ast.Comment) {
	if fn.Doc == nil {
		return nil
	}
	for _, c := range fn.Doc.List {
		if n, _, ok := directive.Split(c.Text); ok && n == name {
			found = append(found, c)
		}
	}
	return found
}

// addKernel adds an instance of a kernel.
func (s *scope) addKernel(d *decl, args []ast.Expr) error {
	i := slices.IndexFunc(s.kernels, func(k *kernelDecl) bool { return k.fn == d.fn })
	if i < 0 {
		k := &kernelDecl{fn: d.fn, file: d.file, dir: s.directive(d.fn), asked: s.pos}
		s.checkKernelDecl(k)
		i = len(s.kernels)
		s.kernels = append(s.kernels, k)
	}
	k := s.kernels[i]
	if s.depth > 0 && !k.dir.Open {
		return fmt.Errorf("%s.%s is not open, and a function needs it: write //gpu:kernel open", d.file.pkg.src.Name, d.name)
	}
	if len(k.wrappers) >= maxInstances {
		return fmt.Errorf("%s.%s has more than %d instances", d.file.pkg.src.Name, d.name, maxInstances)
	}
	s.addInstance(k, s.at, s.name(d), args, s.pos)
	return nil
}

// addNeeds adds the instances that an instance of a function on the host needs.
func (s *scope) addNeeds(d *decl, shown string, params []string, args []ast.Expr) error {
	needs := comments(d.fn, directive.NeedsName)
	switch {
	case len(needs) == 0:
		return fmt.Errorf("%s is no kernel, and has no //gpu:needs that names kernels", shown)
	case s.depth == mostNeeds:
		return fmt.Errorf("%s is reached by %d //gpu:needs in a row: does it need itself?", shown, mostNeeds)
	}
	types := map[string]ast.Expr{}
	for i, p := range params {
		types[p] = args[i]
	}
	for _, c := range needs {
		if d.file.pkg != s.root {
			s.needs = append(s.needs, request{d.file, c})
		}
		in, errs := directive.ParseInstances(c.Text)
		for _, e := range errs {
			return fmt.Errorf("%s: %s", shown, e.Msg)
		}
		inner := &scope{s.loader, s.at, d.file, s.pos, types, s.depth + 1}
		for _, name := range in.Of {
			x, err := parseTypeArg(name.Text, s.pos)
			if err == nil {
				err = inner.instantiate(x)
			}
			if err != nil && s.depth > 0 {
				return err
			} else if err != nil {
				return fmt.Errorf("%s needs %s: %w", shown, name.Text, err)
			}
		}
	}
	return nil
}

// declared finds the declaration of a name, or of a name of an imported package.
func (s *scope) declared(x ast.Expr) (*decl, error) {
	p, id := s.in.pkg, (*ast.Ident)(nil)
	switch x := x.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
		from := x.X.(*ast.Ident).Name
		path, err := s.imported(from)
		if err != nil {
			return nil, err
		}
		if p = s.reach.load(path); p == nil {
			return nil, errors.New(s.reach.refuseImport(path, id.Name))
		}
		if !id.IsExported() && p != s.root {
			return nil, fmt.Errorf("%s.%s is not exported", from, id.Name)
		}
	default:
		return nil, errors.New("write the name of a function, and its types in brackets")
	}
	d := p.decls[id.Name]
	if d == nil {
		return nil, fmt.Errorf("undefined: %s.%s", p.src.Name, id.Name)
	}
	return d, nil
}

// imported is the path of the package that the scope's file imports under a name. A file that names
// it in a directive only imports it as _.
func (s *scope) imported(name string) (path string, err error) {
	if spec := s.in.importOf(name, s.reach.packageName); spec != nil {
		return importPath(spec), nil
	}
	for _, spec := range s.in.imports {
		if spec.Name != nil && spec.Name.Name == "_" && s.reach.packageName(importPath(spec)) == name {
			return importPath(spec), nil
		}
	}
	return "", fmt.Errorf("undefined: %s: import the package in this file, as _ if nothing else uses it", name)
}

// restate writes a type that the scope's file names as the request's file names it.
func (s *scope) restate(x ast.Expr) (ast.Expr, error) {
	switch x := x.(type) {
	case *ast.Ident:
		if t := s.types[x.Name]; t != nil {
			return typeArg(t, s.pos), nil
		}
		d := s.in.pkg.decls[x.Name]
		if d == nil || s.in == s.at {
			return x, nil // Go's, or undefined: the type checker says so
		}
		if !x.IsExported() && d.file.pkg != s.root {
			return nil, fmt.Errorf("type %s.%s is not exported", d.file.pkg.src.Name, x.Name)
		}
		return s.name(d), nil
	case *ast.SelectorExpr:
		d, err := s.declared(x)
		if err != nil {
			return nil, err
		}
		return s.name(d), nil
	case *ast.ArrayType:
		elem, err := s.restate(x.Elt)
		return &ast.ArrayType{Lbrack: s.pos, Len: x.Len, Elt: elem}, err
	case *ast.IndexListExpr:
		list := &ast.IndexListExpr{Lbrack: s.pos, Rbrack: s.pos}
		for _, part := range append([]ast.Expr{x.X}, x.Indices...) {
			p, err := s.restate(part)
			if err != nil {
				return nil, err
			}
			list.Indices = append(list.Indices, p)
		}
		list.X, list.Indices = list.Indices[0], list.Indices[1:]
		return list, nil
	}
	return x, nil
}

// name is an expression for a declaration in the file of the request, which gets an import for it
// that no name of the file's can hide.
func (s *scope) name(d *decl) ast.Expr {
	id := &ast.Ident{NamePos: s.pos, Name: d.name}
	p := d.file.pkg
	if p == s.root {
		return id
	}
	name := "import'" + p.src.Path
	if !slices.ContainsFunc(s.at.imports, func(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == name }) {
		gen := &ast.GenDecl{TokPos: s.pos, Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{
			Name: &ast.Ident{NamePos: s.pos, Name: name},
			Path: &ast.BasicLit{ValuePos: s.pos, Kind: token.STRING, Value: fmt.Sprintf("%q", p.src.Path)},
		}}}
		s.at.syntax.Decls = slices.Insert(s.at.syntax.Decls, 0, ast.Decl(gen))
		s.at.pkg.addGen(s.at, gen)
	}
	return &ast.SelectorExpr{X: &ast.Ident{NamePos: s.pos, Name: name}, Sel: id}
}
