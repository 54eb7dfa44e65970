package sim

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/ptx"
)

// TestTypedInstructions holds the machine and package lanes to the types of package code: beyond
// decoding, nothing compares with the text of an operation or of a modifier.
func TestTypedInstructions(t *testing.T) {
	inCheckout(t)
	t.Parallel()
	texts := map[string]bool{}
	for _, op := range ptx.Operations() {
		texts[op] = true
		for _, mods := range ptx.Opcodes(op) {
			for _, m := range mods {
				texts[m.Value] = true
			}
		}
	}
	files := token.NewFileSet()
	for _, pattern := range []string{"*.go", "lanes/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) < 10 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				for _, x := range compared(n) {
					lit, ok := x.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						continue
					}
					if text, _ := strconv.Unquote(lit.Value); texts[text] {
						t.Errorf("%s: compares with the text %q; want a constant of package code", files.Position(lit.Pos()), text)
					}
				}
				return true
			})
		}
	}
}

// compared are the expressions that a node compares others with: sides of == and !=, cases, and keys
// of a map literal.
func compared(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.KeyValueExpr:
		return []ast.Expr{n.Key}
	case *ast.CallExpr:
		return n.Args
	}
	return nil
}
