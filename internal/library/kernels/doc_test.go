package kernels

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTable holds the table in doc.go to the folders, and to the functions of the libraries: each is
// named.
func TestTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]bool{}
	for _, word := range regexp.MustCompile(`[\w/.]+`).FindAllString(string(text), -1) {
		table[strings.TrimSuffix(word, ".")] = true
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == "." {
			return err
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 && !table[filepath.ToSlash(path)] {
			t.Errorf("doc.go does not say what package %s serves", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"../../../blas/gpublas", "../../../metric/gpumetric", "../../../similar/gpusimilar"} {
		for _, name := range queuing(t, dir) {
			if !table[strings.TrimSuffix(name, "To")] {
				t.Errorf("doc.go does not say which package serves %s of %s", name, filepath.Base(dir))
			}
		}
	}
}

// queuing are the exported functions of a package that take a handle.
func queuing(t *testing.T, dir string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", dir, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && takesHandle(fn) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// takesHandle reports whether a parameter is a *Handle.
func takesHandle(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok {
			if id, ok := star.X.(*ast.Ident); ok && id.Name == "Handle" {
				return true
			}
		}
	}
	return false
}
