package vet

import (
	"cmp"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// finding is an analyzer's message, and its function.
type finding struct {
	analyzer, function string
	at                 token.Position
	message            string
}

// findings runs analyzers on packages, as seen from a folder, and sorts what they find by place.
func findings(t *testing.T, analyzers []*analysis.Analyzer, dir string, env []string, patterns ...string) []finding {
	t.Helper()
	config := &packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Env: append(os.Environ(), env...)}
	pkgs, err := packages.Load(config, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("packages do not build")
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Error(act.Err)
		}
		for _, d := range act.Diagnostics {
			found = append(found, finding{act.Analyzer.Name, functionAt(act.Package.Syntax, d.Pos),
				act.Package.Fset.Position(d.Pos), d.Message})
		}
	}
	slices.SortFunc(found, func(x, y finding) int {
		return cmp.Or(cmp.Compare(x.at.Filename, y.at.Filename), cmp.Compare(x.at.Offset, y.at.Offset))
	})
	return found
}

func functionAt(files []*ast.File, pos token.Pos) string {
	for _, f := range files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos < fn.End() {
				return fn.Name.Name
			}
		}
	}
	return ""
}

// gopath makes a tree of packages, outside this module, in which there is package gpu with what it
// imports.
type gopath struct{ dir string }

func newGopath(t *testing.T) gopath {
	t.Helper()
	g := gopath{t.TempDir()}
	for _, pkg := range []string{"gpu", "gpu/internal/host", "internal/math/half", "internal/math/ieee", "internal/math/mathcommon", "internal/math/math32", "internal/math/math64", "internal/math/mufu"} {
		sources, err := filepath.Glob("../../../" + pkg + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range sources {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			g.write(t, hostPath+"/"+pkg, filepath.Base(name), string(text))
		}
	}
	return g
}

// write adds a file to a package of the tree.
func (g gopath) write(t *testing.T, pkg, name, text string) {
	t.Helper()
	dir := filepath.Join(g.dir, "src", filepath.FromSlash(pkg))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (g gopath) findings(t *testing.T, analyzers []*analysis.Analyzer, patterns ...string) []finding {
	t.Helper()
	return findings(t, analyzers, g.dir, []string{"GOPATH=" + g.dir, "GO111MODULE=off", "GOFLAGS="}, patterns...)
}
