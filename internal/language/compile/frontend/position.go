package frontend

import (
	"go/ast"
	"go/token"
)

// addPositions notes the names of a package's files, and where its expressions start. go/ssa gives
// an instruction the position of the operator or bracket, and people look for the start.
func (p *Program) addPositions(c *checked) {
	for _, f := range c.files {
		file := p.Fset.File(f.FileStart)
		p.files[file] = c.pkg.src.CompiledName(File{Name: file.Name()})
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IndexExpr:
				p.addStart(file, n.Lbrack, n.X.Pos())
			case *ast.SliceExpr:
				p.addStart(file, n.Lbrack, n.X.Pos())
			case *ast.CallExpr:
				p.addStart(file, n.Lparen, n.Fun.Pos())
			case *ast.SelectorExpr:
				p.addStart(file, n.Sel.Pos(), n.X.Pos())
			case *ast.BinaryExpr:
				p.addStart(file, n.OpPos, n.X.Pos())
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
