package apitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// function is an exported function or method.
type function struct {
	pkg, name string // name is Type.Method for a method
	params    []param
	results   []string
}

type param struct{ name, typ string }

// public calls do with the packages that a user may import, by their folders, and their files.
func public(t *testing.T, do func(pkg string, file *ast.File, fset *token.FileSet)) {
	root, fset, found := filepath.Join("..", "..", ".."), token.NewFileSet(), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if name = filepath.ToSlash(name); d.IsDir() {
			switch name {
			case "cmd", "docs", "examples", "testdata", ".git", ".ci":
				return fs.SkipDir
			}
			if base := filepath.Base(name); base == "internal" || base == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		found++
		pkg := filepath.ToSlash(filepath.Dir(name))
		do(pkg, file, fset)
		return nil
	})
	if err != nil || found < 100 {
		t.Fatalf("%d files, %v", found, err)
	}
}

// exported are the exported functions, and methods of exported types.
func exported(t *testing.T) (list []function) {
	public(t, func(pkg string, file *ast.File, _ *token.FileSet) {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			f := function{pkg: pkg, name: fn.Name.Name}
			if fn.Recv != nil {
				receiver := strings.TrimLeft(types.ExprString(fn.Recv.List[0].Type), "*")
				receiver, _, _ = strings.Cut(receiver, "[")
				if !ast.IsExported(receiver) {
					continue
				}
				f.name = receiver + "." + f.name
			}
			f.params = fields(fn.Type.Params)
			for _, r := range fields(fn.Type.Results) {
				f.results = append(f.results, r.typ)
			}
			list = append(list, f)
		}
	})
	return list
}

// fields are the parameters of a list, one for each name.
func fields(list *ast.FieldList) (all []param) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		typ := types.ExprString(f.Type)
		if len(f.Names) == 0 {
			all = append(all, param{typ: typ})
		}
		for _, name := range f.Names {
			all = append(all, param{name.Name, typ})
		}
	}
	return all
}

// at is the index of the first parameter that is wanted, or -1.
func (f *function) at(wanted func(p param) bool) int { return slices.IndexFunc(f.params, wanted) }

// named reports whether the function, or its method's name, is one of these.
func (f *function) named(names ...string) bool {
	_, last, ok := strings.Cut(f.name, ".")
	return slices.Contains(names, f.name) || ok && slices.Contains(names, last)
}

// TestClose: whatever is closed, or given back, says whether that went well.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, f := range exported(t) {
		if f.named("Close", "Free") && (len(f.params) > 0 || !slices.Equal(f.results, []string{"error"})) {
			t.Errorf("%s: %s takes %v and returns %v; want nothing and an error", f.pkg, f.name, f.params, f.results)
		}
	}
}

// blasLike are the packages whose functions have BLAS's parameters.
var blasLike = []string{"blas", "blas/gpublas", "blas/gonumblas"}

// TestParameters: their order and number.
func TestParameters(t *testing.T) {
	t.Parallel()
	const most = 7
	for _, f := range exported(t) {
		if i := f.at(func(p param) bool { return p.typ == "context.Context" }); i > 0 {
			t.Errorf("%s: %s has its context at %d; want it first", f.pkg, f.name, i)
		}
		if strings.HasSuffix(f.name, "To") && f.at(func(p param) bool { return p.typ == "context.Context" }) >= 0 {
			t.Errorf("%s: %s takes a context; what queues its work waits for nothing", f.pkg, f.name)
		}
		handle := f.at(func(p param) bool { return p.typ == "*Handle" })
		if before := f.at(func(p param) bool { return p.typ != "context.Context" }); handle >= 0 && handle != before {
			t.Errorf("%s: %s has its handle at %d; want it before the operands", f.pkg, f.name, handle)
		}
		dst, src := f.at(func(p param) bool { return p.name == "dst" }), f.at(func(p param) bool { return p.name == "src" })
		if dst >= 0 && src >= 0 && dst > src {
			t.Errorf("%s: %s has src before dst", f.pkg, f.name)
		}
		if n := len(f.params); n > most && !slices.Contains(blasLike, f.pkg) && !strings.HasPrefix(f.pkg, "gpu") {
			t.Errorf("%s: %s has %d parameters; want %d at most", f.pkg, f.name, n, most)
		}
	}
}

// TestIteration: what yields many results is an iterator, and takes no function for each.
func TestIteration(t *testing.T) {
	t.Parallel()
	callback := regexp.MustCompile(`^(do|yield|visit|each)$`)
	for _, f := range exported(t) {
		if f.pkg == "similar/text" && strings.HasPrefix(f.name, "Lexicon.") {
			continue // they lend a slice, once
		}
		if i := f.at(func(p param) bool { return strings.HasPrefix(p.typ, "func(") && callback.MatchString(p.name) }); i >= 0 {
			t.Errorf("%s: %s takes %s %s; want an iterator as the result", f.pkg, f.name, f.params[i].name, f.params[i].typ)
		}
	}
}

// TestOptions: options are a struct. gridstride.Open takes functions, and package gpu has PTX's
// modifiers.
func TestOptions(t *testing.T) {
	t.Parallel()
	public(t, func(pkg string, file *ast.File, _ *token.FileSet) {
		for spec := range specs(file) {
			if _, ok := spec.Type.(*ast.StructType); strings.HasSuffix(spec.Name.Name, "Options") && !ok && !spec.Assign.IsValid() {
				t.Errorf("%s: %s is %s; want a struct", pkg, spec.Name.Name, types.ExprString(spec.Type))
			}
		}
	})
	for _, f := range exported(t) {
		if i := f.at(func(p param) bool { return strings.HasPrefix(p.typ, "...") && strings.HasSuffix(p.typ, "Option") }); i >= 0 &&
			f.pkg != "." && f.pkg != "gputest" && f.pkg != "gpu" {
			t.Errorf("%s: %s takes %s; want a struct", f.pkg, f.name, f.params[i].typ)
		}
	}
}

// specs yields the exported types that a file declares.
func specs(file *ast.File) func(yield func(*ast.TypeSpec) bool) {
	return func(yield func(*ast.TypeSpec) bool) {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok && spec.Name.IsExported() && !yield(spec) {
					return
				}
			}
		}
	}
}

// TestWords: a name means one thing, in all packages.
func TestWords(t *testing.T) {
	t.Parallel()
	taken := map[string]string{
		"Rows":    "a number of rows, or a function of each; sparse rows are a CSR, a part of a buffer is a Matrix",
		"Measure": "eval's; how alike two vectors are is a Metric",
		"MaxTopK": "MaxK",
	}
	floats := 0
	public(t, func(pkg string, file *ast.File, _ *token.FileSet) {
		for spec := range specs(file) {
			if why := taken[spec.Name.Name]; why != "" {
				t.Errorf("%s: there is a type %s: %s", pkg, spec.Name.Name, why)
			}
			if spec.Name.Name == "Float" && !spec.Assign.IsValid() {
				floats++
			}
		}
	})
	for _, f := range exported(t) {
		if (strings.HasSuffix(f.name, "32") || strings.HasSuffix(f.name, "64")) && !strings.HasPrefix(f.pkg, "gpu") {
			t.Errorf("%s: %s is for one type; want a type parameter", f.pkg, f.name)
		}
	}
	if floats != 2 { // gpu's, whose types may be defined ones, and blas's
		t.Errorf("Float is defined %d times; want 2, and aliases elsewhere", floats)
	}
}

// TestErrors: an error of a value says what it is and what is wanted.
func TestErrors(t *testing.T) {
	t.Parallel()
	old := regexp.MustCompile(`: (want|use) |there (are|is) (%d|\d)|: (it|each) (takes|has) `)
	public(t, func(pkg string, file *ast.File, fset *token.FileSet) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !strings.HasSuffix(types.ExprString(call.Fun), "Errorf") && types.ExprString(call.Fun) != "errors.New" {
				return true
			}
			for _, arg := range call.Args {
				lit, ok := arg.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				if text, err := strconv.Unquote(lit.Value); err == nil && old.MatchString(text) {
					t.Errorf("%s: %q; want the form \"k is 99; want 1 to 64\"", fset.Position(lit.Pos()), text)
				}
			}
			return true
		})
	})
}
