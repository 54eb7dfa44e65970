package mathtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

const internalPath = "github.com/gridstride/gridstride/internal/"

// TestNothingFuses finds products of the mathematics that a Go compiler may fuse with an addition,
// as it does on arm64, also through variables and inlined calls. Only an explicit conversion keeps
// a product. What is multiplied or divided further, compared, or handed to package ieee, needs
// none.
func TestNothingFuses(t *testing.T) {
	t.Parallel()
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, internalPath+"math32", internalPath+"math64")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		for _, file := range p.Syntax {
			for _, pos := range fusible(p.TypesInfo, file) {
				at := p.Fset.Position(pos)
				t.Errorf("%s:%d: convert the product explicitly, or use ieee.FMA", filepath.Base(at.Filename), at.Line)
			}
		}
	}
}

// fusible lists the products that nothing keeps from being fused.
func fusible(info *types.Info, file *ast.File) []token.Pos {
	var list []token.Pos
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && isFloat(info, n.Lhs[0]) {
				list = append(list, n.TokPos)
			}
		case *ast.BinaryExpr:
			if n.Op == token.MUL && isFloat(info, n) && !kept(info, stack) {
				list = append(list, n.OpPos)
			}
		}
		return true
	})
	return list
}

// isFloat reports whether an expression is computed and of a floating-point type.
func isFloat(info *types.Info, x ast.Expr) bool {
	tv := info.Types[x]
	if tv.Value != nil {
		return false
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsFloat != 0
}

// kept reports whether the last node, a product, cannot become part of a sum.
func kept(info *types.Info, stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr, *ast.UnaryExpr:
			continue
		case *ast.BinaryExpr:
			return n.Op != token.ADD && n.Op != token.SUB
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() {
				return true
			}
			fun := n.Fun
			if index, ok := fun.(*ast.IndexExpr); ok {
				fun = index.X
			}
			s, ok := fun.(*ast.SelectorExpr)
			return ok && info.Uses[s.Sel].Pkg().Path() == internalPath+"ieee"
		default:
			return false
		}
	}
	return false
}
