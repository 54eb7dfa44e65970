package frontend

import (
	"go/ast"
	"go/token"
)

// rewriteStrides replaces the loops over gpu.GridStride in a declaration. The loop
//
//	for i := range gpu.GridStride(n) { body }
//
// becomes
//
//	for i', end', step' := gpu.GridStride(n); i' < end'; i' += step' { i := i'; { body } }
//
// where names with an apostrophe cannot clash with the user's, and gpu.GridStride is the function
// in _std/gpu.go. So break, continue and labels mean what they meant, a body that assigns to i does
// not disturb the loop, and each closure sees its own i. Every other use of GridStride is an error.
func (l *loader) rewriteStrides(f *file, root ast.Node) {
	rewritten := map[*ast.SelectorExpr]bool{}
	edit := func(s *ast.Stmt) {
		loop, ok := (*s).(*ast.RangeStmt)
		if !ok {
			return
		}
		call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
		if !ok || !l.isGridStride(f, ast.Unparen(call.Fun)) {
			return
		}
		rewritten[ast.Unparen(call.Fun).(*ast.SelectorExpr)] = true
		*s = l.plainLoop(loop, call)
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for i := range n.List {
				edit(&n.List[i])
			}
		case *ast.CaseClause:
			for i := range n.Body {
				edit(&n.Body[i])
			}
		case *ast.CommClause:
			for i := range n.Body {
				edit(&n.Body[i])
			}
		case *ast.LabeledStmt:
			edit(&n.Stmt)
		case *ast.SelectorExpr:
			if l.isGridStride(f, n) && !rewritten[n] {
				l.errorf(n.Pos(), "gpu.GridStride can only be ranged over: for i := range gpu.GridStride(n)")
			}
		}
		return true
	})
}

// isGridStride reports whether an expression is GridStride of package gpu, as the file imports it.
func (l *loader) isGridStride(f *file, x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "GridStride" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || id.Obj != nil || f.pkg.decls[id.Name] != nil {
		return false
	}
	spec := f.importOf(id.Name, l.reach.packageName)
	return spec != nil && importPath(spec) == GPUPath
}

func (l *loader) plainLoop(loop *ast.RangeStmt, call *ast.CallExpr) ast.Stmt {
	pos := loop.X.Pos()
	if loop.Value != nil {
		l.errorf(loop.Value.Pos(), "range over gpu.GridStride(n) permits only one iteration variable")
	}
	name := func(s string) *ast.Ident { return &ast.Ident{NamePos: pos, Name: s + "'"} }
	index := "i"
	body := []ast.Stmt{loop.Body}
	if key, ok := loop.Key.(*ast.Ident); loop.Key != nil && (!ok || key.Name != "_") {
		if ok {
			index = key.Name
		}
		bind := &ast.AssignStmt{Lhs: []ast.Expr{loop.Key}, TokPos: loop.TokPos, Tok: loop.Tok,
			Rhs: []ast.Expr{name(index)}}
		body = []ast.Stmt{bind, loop.Body}
	}
	return &ast.ForStmt{
		For: loop.For,
		Init: &ast.AssignStmt{
			Lhs:    []ast.Expr{name(index), name("end"), name("step")},
			TokPos: pos, Tok: token.DEFINE,
			Rhs: []ast.Expr{call},
		},
		Cond: &ast.BinaryExpr{X: name(index), OpPos: pos, Op: token.LSS, Y: name("end")},
		Post: &ast.AssignStmt{Lhs: []ast.Expr{name(index)}, TokPos: pos, Tok: token.ADD_ASSIGN,
			Rhs: []ast.Expr{name("step")}},
		Body: &ast.BlockStmt{Lbrace: loop.Body.Lbrace, List: body, Rbrace: loop.Body.Rbrace},
	}
}
