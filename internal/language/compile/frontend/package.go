package frontend

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"strings"
)

// A pkg is the syntax of one package, indexed by the names it declares.
type pkg struct {
	src   *Source
	std   bool // its text is ours: errors in it are our own, and what it contains is not checked
	files []*file
	// excluded are the package's files that this build leaves out and another build may have.
	excluded []*file
	decls    map[string]*decl            // package-level declarations but methods
	methods  map[string]map[string]*decl // by receiver type and name
	byNode   map[any]*decl               // by FuncDecl, TypeSpec, and identifier of a ValueSpec
	changes  map[variable][]change       // nil until the first use
}

type file struct {
	pkg     *pkg
	syntax  *ast.File
	imports []*ast.ImportSpec
	used    map[*ast.ImportSpec]bool // by a declaration that is reached
}

// A decl is one name that a package declares at its top level, or a method.
type decl struct {
	name    string
	file    *file
	fn      *ast.FuncDecl // of a function or method, or else
	gen     *ast.GenDecl  // the declaration that holds spec
	spec    ast.Spec      // *ast.TypeSpec or *ast.ValueSpec
	repeats *decl         // of a constant without an expression: the one whose expression it repeats
	reached bool
	refused bool      // a variable whose uses are reported: neither its type nor its value matters
	usedAt  token.Pos // where a variable is used first
}

func (d *decl) isVar() bool   { return d.gen != nil && d.gen.Tok == token.VAR }
func (d *decl) isConst() bool { return d.gen != nil && d.gen.Tok == token.CONST }

// parsePackage parses the files of a package. Errors go to errs.
func parsePackage(fset *token.FileSet, src *Source, errs *ErrorList) *pkg {
	p := &pkg{
		src:     src,
		decls:   map[string]*decl{},
		methods: map[string]map[string]*decl{},
		byNode:  map[any]*decl{},
	}
	for _, f := range src.Files {
		syntax, err := parser.ParseFile(fset, f.Name, f.Text, parser.ParseComments|parser.AllErrors)
		if err != nil {
			var list scanner.ErrorList
			if !errors.As(err, &list) {
				errs.Add(token.Position{Filename: f.Name}, "%v", err)
			}
			for _, e := range list {
				errs.Add(e.Pos, "%s", e.Msg)
			}
			continue
		}
		p.add(syntax)
	}
	for _, f := range src.Excluded {
		syntax, err := parser.ParseFile(fset, f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && syntax.Name.Name == src.Name {
			p.excluded = append(p.excluded, &file{pkg: p, syntax: syntax})
		}
	}
	return p
}

// add indexes the declarations of a file. Of two declarations of one name it keeps the later. The
// type checker sees both.
func (p *pkg) add(syntax *ast.File) {
	f := &file{pkg: p, syntax: syntax, used: map[*ast.ImportSpec]bool{}}
	p.files = append(p.files, f)
	for _, d := range syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.addFunc(f, d)
		case *ast.GenDecl:
			p.addGen(f, d)
		}
	}
}

func (p *pkg) addFunc(f *file, fn *ast.FuncDecl) {
	d := &decl{name: fn.Name.Name, file: f, fn: fn}
	p.byNode[fn] = d
	if fn.Recv == nil {
		if d.name != "init" && d.name != "_" {
			p.decls[d.name] = d
		}
		return
	}
	recv := receiverName(fn)
	if p.methods[recv] == nil {
		p.methods[recv] = map[string]*decl{}
	}
	p.methods[recv][d.name] = d
}

func (p *pkg) addGen(f *file, gen *ast.GenDecl) {
	var repeats *decl
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.ImportSpec:
			f.imports = append(f.imports, spec)
		case *ast.TypeSpec:
			d := &decl{name: spec.Name.Name, file: f, gen: gen, spec: spec}
			p.decls[d.name], p.byNode[spec] = d, d
		case *ast.ValueSpec:
			if gen.Tok == token.CONST && (spec.Type != nil || len(spec.Values) > 0) {
				repeats = nil
			}
			for _, id := range spec.Names {
				d := &decl{name: id.Name, file: f, gen: gen, spec: spec, repeats: repeats}
				p.decls[d.name], p.byNode[id] = d, d
			}
			if repeats == nil && len(spec.Names) > 0 {
				repeats = p.byNode[spec.Names[0]]
			}
		}
	}
}

// receiverName is the name of a method's receiver type, without its type parameters.
func receiverName(fn *ast.FuncDecl) string {
	if len(fn.Recv.List) == 0 {
		return ""
	}
	t := fn.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.ParenExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.IndexListExpr:
			t = u.X
		case *ast.Ident:
			return u.Name
		default:
			return ""
		}
	}
}

// importOf finds the import that an identifier before a selector names. It asks the importer for a
// package's name only where neither an explicit name nor the path says it.
func (f *file) importOf(name string, packageName func(path string) string) *ast.ImportSpec {
	var unnamed []*ast.ImportSpec
	for _, spec := range f.imports {
		if spec.Name != nil {
			if spec.Name.Name == name {
				return spec
			}
			continue
		}
		unnamed = append(unnamed, spec)
	}
	for _, spec := range unnamed {
		if guessName(importPath(spec)) == name {
			return spec
		}
	}
	for _, spec := range unnamed {
		if packageName(importPath(spec)) == name {
			return spec
		}
	}
	return nil
}

func importPath(spec *ast.ImportSpec) string {
	return strings.Trim(spec.Path.Value, "`\"")
}

// isMajorVersion reports whether the last part of an import path is a major version: "v2".
func isMajorVersion(base string) bool {
	digits, ok := strings.CutPrefix(base, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// guessName is the name that a package most likely has, judged by its path.
func guessName(importPath string) string {
	dir, base := path.Split(importPath)
	if dir != "" && isMajorVersion(base) {
		base = path.Base(dir)
	}
	return base
}
