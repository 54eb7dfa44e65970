package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/types/typeutil"
)

// strideLoops finds the loops over gpu.GridStride, by the position of their keyword.
func strideLoops(pass *analysis.Pass) map[token.Pos]bool {
	loops := map[token.Pos]bool{}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if loop, ok := n.(*ast.RangeStmt); ok {
				call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
				loops[loop.For] = ok && isGridStride(typeutil.Callee(pass.TypesInfo, call))
			}
			return true
		})
	}
	return loops
}

func isGridStride(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == gpuPath && obj.Name() == "GridStride"
}

// rewriteStrides replaces the loops over gpu.GridStride in a file. The loop
//
//	for i := range gpu.GridStride(n) { body }
//
// becomes what gpu's documentation says that it is,
//
//	for i', end' := gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X, n; i' < end'; i' += gpu.GridDim.X*gpu.BlockDim.X { i := i'; { body } }
//
// where names with an apostrophe cannot clash with the user's.
func (d *device) rewriteStrides(f *ast.File, loops map[token.Pos]bool) {
	astutil.Apply(f, nil, func(c *astutil.Cursor) bool {
		if loop, ok := c.Node().(*ast.RangeStmt); ok && loops[loop.For] {
			plain := plainLoop(loop)
			d.strides[plain] = loop
			c.Replace(plain)
		}
		return true
	})
}

func plainLoop(loop *ast.RangeStmt) *ast.ForStmt {
	pos := loop.X.Pos()
	call := ast.Unparen(loop.X).(*ast.CallExpr)
	field := func(register, dim string) ast.Expr {
		var x ast.Expr = &ast.Ident{NamePos: pos, Name: register}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok { // not imported with a dot
			x = &ast.SelectorExpr{X: &ast.Ident{NamePos: pos, Name: sel.X.(*ast.Ident).Name},
				Sel: &ast.Ident{NamePos: pos, Name: register}}
		}
		return &ast.SelectorExpr{X: x, Sel: &ast.Ident{NamePos: pos, Name: dim}}
	}
	binary := func(x ast.Expr, op token.Token, y ast.Expr) ast.Expr {
		return &ast.BinaryExpr{X: x, OpPos: pos, Op: op, Y: y}
	}
	name := func(s string) *ast.Ident { return &ast.Ident{NamePos: pos, Name: s + "'"} }

	start := binary(binary(field("BlockIdx", "X"), token.MUL, field("BlockDim", "X")), token.ADD,
		field("ThreadIdx", "X"))
	body := []ast.Stmt{loop.Body}
	if id, ok := loop.Key.(*ast.Ident); loop.Key != nil && (!ok || id.Name != "_") {
		bind := &ast.AssignStmt{Lhs: []ast.Expr{loop.Key}, TokPos: loop.TokPos, Tok: loop.Tok,
			Rhs: []ast.Expr{name("i")}}
		body = []ast.Stmt{bind, loop.Body}
	}
	return &ast.ForStmt{
		For: loop.For,
		Init: &ast.AssignStmt{
			Lhs: []ast.Expr{name("i"), name("end")}, TokPos: pos, Tok: token.DEFINE,
			Rhs: []ast.Expr{start, call.Args[0]},
		},
		Cond: binary(name("i"), token.LSS, name("end")),
		Post: &ast.AssignStmt{
			Lhs: []ast.Expr{name("i")}, TokPos: pos, Tok: token.ADD_ASSIGN,
			Rhs: []ast.Expr{binary(field("GridDim", "X"), token.MUL, field("BlockDim", "X"))},
		},
		Body: &ast.BlockStmt{Lbrace: loop.Body.Lbrace, List: body, Rbrace: loop.Body.Rbrace},
	}
}
