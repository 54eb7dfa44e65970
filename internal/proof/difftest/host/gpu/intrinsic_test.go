package gpu

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// TestIntrinsics compares the functions that replace package gpu's with the table: functions that
// random programs call are here, with the same signature.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	here := map[string]string{}
	for _, name := range []string{"gpu.go", "mathematics.go", "trigonometric.go", "special.go", "block.go", "atomic.go", "half.go", "float8.go", "mma.go", "matrix.go", "cluster.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				var b strings.Builder
				if err := printer.Fprint(&b, token.NewFileSet(), fn.Type); err != nil {
					t.Fatal(err)
				}
				here[fn.Name.Name] = strings.TrimPrefix(b.String(), "func")
			}
		}
	}
	for _, in := range abi.Intrinsics {
		want := in.Signature
		if in.Unfuzzed != "" {
			want = ""
		}
		if got := here[in.Name]; got != want {
			t.Errorf("%s%s, want %q", in.Name, got, want)
		}
	}
}
