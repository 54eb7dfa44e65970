package frontend

import (
	"go/ast"
	"go/token"
)

// addPositions notes the names of a package's files, and where its expressions start, and operators
// that round. go/ssa gives an instruction the position of the operator or bracket, and people look
// for the start.
func (p *Program) addPositions(c *checked) {
	for _, f := range c.files {
		file := p.Fset.File(f.FileStart)
		p.files[file] = c.pkg.src.CompiledName(File{Name: file.Name()})
		starts := map[ast.Expr]token.Pos{} // of the operands that are still to be visited
		// start is where n starts, which is where its first operand does. Pos goes down to the first
		// operand of all, which takes quadratic time for a long sum.
		start := func(n, first ast.Expr) token.Pos {
			pos, ok := starts[n]
			if !ok {
				pos = first.Pos()
			}
			delete(starts, n)
			starts[first] = pos
			return pos
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IndexExpr:
				p.addStart(file, n.Lbrack, start(n, n.X))
			case *ast.SliceExpr:
				p.addStart(file, n.Lbrack, start(n, n.X))
			case *ast.CallExpr:
				p.addStart(file, n.Lparen, start(n, n.Fun))
				p.addRounded(c.info, n)
			case *ast.SelectorExpr:
				p.addStart(file, n.Sel.Pos(), start(n, n.X))
			case *ast.BinaryExpr:
				p.operands[n.OpPos] = start(n, n.X)
				p.addStart(file, n.OpPos, p.operands[n.OpPos])
			}
			return true
		})
	}
}

func (p *Program) addStart(file *token.File, pos, start token.Pos) {
	if pos.IsValid() && start.IsValid() && file.Line(pos) == file.Line(start) {
		p.starts[pos] = start
	}
}

// ExprPos is where an expression starts.
func (p *Program) ExprPos(x ast.Expr) token.Pos {
	if b, ok := x.(*ast.BinaryExpr); ok {
		if pos, ok := p.operands[b.OpPos]; ok {
			return pos
		}
	}
	return x.Pos()
}
