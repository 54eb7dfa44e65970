package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// folder is the Go files of a package.
type folder struct {
	fset  *token.FileSet
	files []*ast.File
	texts map[*ast.File][]byte
	decls map[string][]ast.Decl // that declare a name, or methods of it
	home  map[ast.Decl]*ast.File
}

func readFolder(dir string) (*folder, error) {
	f := &folder{
		fset: token.NewFileSet(), texts: map[*ast.File][]byte{}, decls: map[string][]ast.Decl{}, home: map[ast.Decl]*ast.File{},
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "kernels_gen.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(f.fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		f.files = append(f.files, file)
		f.texts[file] = text
		for _, d := range file.Decls {
			f.home[d] = file
			for _, name := range declared(d) {
				f.decls[name] = append(f.decls[name], d)
			}
		}
	}
	return f, nil
}

// declared are the names that a declaration belongs to: a method belongs to its type.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		t := d.Recv.List[0].Type
		for {
			switch x := t.(type) {
			case *ast.StarExpr:
				t = x.X
				continue
			case *ast.IndexExpr:
				t = x.X
				continue
			case *ast.Ident:
				return []string{x.Name}
			}
			return nil
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// kernelAt is the name of the first kernel that has the text of a code block in it, or that runs a
// function that has it; "" if there is none.
func (f *folder) kernelAt(file, code string) string {
	code = strings.TrimSpace(code)
	for _, home := range f.files {
		if filepath.Base(f.fset.Position(home.Pos()).Filename) != filepath.Base(file) {
			continue
		}
		for _, d := range home.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.Contains(f.text(d), code) {
				continue
			}
			if other := runs[path.Dir(file)+" "+fn.Name.Name]; other != "" {
				return other
			}
			if isKernel(fn) {
				return fn.Name.Name
			}
		}
	}
	return ""
}

func isKernel(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//gpu:kernel") })
}

// text is a declaration with its comment.
func (f *folder) text(d ast.Decl) string {
	from := d.Pos()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	}
	text := f.texts[f.home[d]]
	return string(text[f.fset.Position(from).Offset:f.fset.Position(d.End()).Offset])
}

// program is a file with a kernel and what it needs of its package, and nothing else.
func (f *folder) program(kernel string) (string, error) {
	if len(f.decls[kernel]) == 0 {
		return "", fmt.Errorf("there is no kernel %s", kernel)
	}
	reached := map[ast.Decl]bool{}
	f.reach(kernel, reached)
	var list []ast.Decl
	for d := range reached {
		list = append(list, d)
	}
	slices.SortFunc(list, func(x, y ast.Decl) int { return int(x.Pos() - y.Pos()) })
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", f.files[0].Name.Name)
	if imports := f.imports(list); len(imports) == 1 {
		fmt.Fprintf(&b, "\nimport %s\n", imports[0])
	} else if len(imports) > 1 {
		fmt.Fprintf(&b, "\nimport (\n\t%s\n)\n", strings.Join(imports, "\n\t"))
	}
	for _, d := range list {
		fmt.Fprintf(&b, "\n%s\n", f.text(d))
	}
	return b.String(), nil
}

// reach adds the declarations of a name, and of the names that they mention.
func (f *folder) reach(name string, reached map[ast.Decl]bool) {
	for _, d := range f.decls[name] {
		if reached[d] {
			continue
		}
		reached[d] = true
		local := locals(d)
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				ast.Inspect(n.X, func(x ast.Node) bool {
					if id, ok := x.(*ast.Ident); ok && !local[id.Name] {
						f.reach(id.Name, reached)
					}
					return true
				})
				return false
			case *ast.Ident:
				if !local[n.Name] {
					f.reach(n.Name, reached)
				}
			}
			return true
		})
	}
}

// locals are the names that a function declares for itself. They hide the same names of its package.
func locals(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return names
	}
	note := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok && id != nil {
			names[id.Name] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				note(id)
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok == token.DEFINE {
					note(x)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				note(n.Key)
				note(n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				note(id)
			}
		}
		return true
	})
	return names
}

// imports are the imports that declarations use, as they are written.
func (f *folder) imports(list []ast.Decl) (lines []string) {
	for _, d := range list {
		used := map[string]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
			return true
		})
		for _, i := range f.home[d].Imports {
			importPath, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				continue
			}
			name, line := importPath[strings.LastIndex(importPath, "/")+1:], i.Path.Value
			if i.Name != nil {
				name, line = i.Name.Name, i.Name.Name+" "+line
			}
			if used[name] && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}
