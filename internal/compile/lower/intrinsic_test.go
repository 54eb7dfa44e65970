package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/compile/frontend"
)

// TestIntrinsics finds a device form for every exported function of package gpu, and for every
// function without a body that the device forms call.
func TestIntrinsics(t *testing.T) {
	files, err := filepath.Glob("../../../gpu/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("package gpu is not found: %v", err)
	}
	for _, name := range append(files, "../frontend/_std/device.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, fn := range functions(t, name) {
			if !ast.IsExported(fn) || !strings.HasSuffix(name, "device.go") && frontend.InGo(fn) {
				continue
			}
			if intrinsics[fn] == nil {
				t.Errorf("%s: %s has no device form", name, fn)
			}
		}
	}
}

func functions(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}
