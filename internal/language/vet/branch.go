package vet

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// branch is a branch of a function as its author wrote it.
type branch struct {
	stmt ast.Node // nil when it was not found
	text string   // "if tid < s"
	line int
}

// culprit is the branch nearest to a block that some threads take and others do not. It is nil
// where the function has no such branch.
func (s *summaries) culprit(u *uniformity, b *ssa.BasicBlock, level Level) *branch {
	var best *ssa.BasicBlock
	for _, c := range u.controls[b.Index] {
		if u.branch(c).Own&level != 0 && (best == nil || c.Index > best.Index) {
			best = c
		}
	}
	if best != nil {
		return s.branchAt(u.fn, best)
	}
	for _, c := range u.controls[b.Index] { // the branch around the branch
		if c != b && u.blocks[c.Index].Own&level != 0 {
			return s.culprit(u, c, level)
		}
	}
	return nil
}

// branchAt finds the statement whose condition ends a block.
func (d *device) branchAt(fn *ssa.Function, b *ssa.BasicBlock) *branch {
	root := fn.Syntax()
	pos := conditionPos(b)
	if root == nil || !pos.IsValid() {
		return &branch{text: "a branch"}
	}
	path := enclosing(root, pos)
	for _, n := range path {
		if text := d.header(n); text != "" {
			return &branch{n, text, d.fset.Position(n.Pos()).Line}
		}
	}
	return &branch{text: "a branch", line: d.fset.Position(pos).Line}
}

// conditionPos is a position in the condition that ends a block. Loops that count by themselves
// have no condition: for them it is the first position of their body.
func conditionPos(b *ssa.BasicBlock) token.Pos {
	cond := b.Instrs[len(b.Instrs)-1].(*ssa.If).Cond
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if ref, ok := b.Instrs[i].(*ssa.DebugRef); ok && ref.X == cond {
			return ref.Expr.Pos()
		}
	}
	if in, ok := cond.(ssa.Instruction); ok && in.Block() == b && cond.Pos().IsValid() {
		return cond.Pos()
	}
	if strings.HasPrefix(b.Comment, "range") {
		for _, in := range b.Succs[0].Instrs {
			if in.Pos().IsValid() {
				return in.Pos()
			}
		}
	}
	return token.NoPos
}

// enclosing are the nodes around a position, from the inside.
func enclosing(root ast.Node, pos token.Pos) []ast.Node {
	var path []ast.Node
	astutil.Apply(root, func(c *astutil.Cursor) bool {
		n := c.Node()
		if n == nil || pos < n.Pos() || pos >= n.End() {
			return false
		}
		path = append([]ast.Node{n}, path...)
		return true
	}, nil)
	return path
}

// start is where a call begins: SSA knows where its parenthesis is.
func start(fn *ssa.Function, in ssa.CallInstruction) token.Pos {
	if fn.Syntax() != nil {
		for _, n := range enclosing(fn.Syntax(), in.Pos()) {
			if call, ok := n.(*ast.CallExpr); ok && call.Lparen == in.Pos() {
				return call.Pos()
			}
		}
	}
	return in.Pos()
}

// header is the first line of a statement that branches, "" for other nodes.
func (d *device) header(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IfStmt:
		return "if " + d.text(n.Cond)
	case *ast.ForStmt:
		if loop := d.strides[n]; loop != nil {
			return d.header(loop)
		}
		if n.Cond == nil {
			return "for"
		}
		return "for " + d.text(n.Cond)
	case *ast.RangeStmt:
		if n.Key == nil {
			return "for range " + d.text(n.X)
		}
		return "for " + d.text(n.Key) + " := range " + d.text(n.X)
	case *ast.CaseClause:
		if len(n.List) > 0 {
			return "case " + d.text(n.List[0])
		}
	case *ast.SwitchStmt:
		if n.Tag != nil {
			return "switch " + d.text(n.Tag)
		}
		return "switch"
	}
	return ""
}

func (d *device) text(x ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, d.fset, x); err != nil {
		return "…"
	}
	first, _, more := strings.Cut(b.String(), "\n")
	if more {
		return first + " …"
	}
	return first
}

// String is "`if tid < s` (line 49)".
func (b *branch) String() string {
	switch {
	case b.line == 0:
		return b.text
	case b.stmt == nil:
		return fmt.Sprintf("the branch on line %d", b.line)
	}
	return fmt.Sprintf("`%s` (line %d)", b.text, b.line)
}

// explain says how the branch keeps threads from the operation at a place, and what to do.
func (b *branch) explain(pos token.Pos, what, who string) (why, fix string) {
	around := b.stmt != nil && b.stmt.Pos() <= pos && pos < b.stmt.End()
	switch b.stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		if around {
			return fmt.Sprintf("is in the loop %s, which not all %s go round equally often", b, who),
				"let all of them go round equally often, and put the work, not " + what + ", under a condition"
		}
	case *ast.IfStmt, *ast.CaseClause, *ast.SwitchStmt:
		if around {
			return fmt.Sprintf("is inside %s, which not all %s enter", b, who), "move it out of the branch"
		}
	}
	return fmt.Sprintf("follows %s, after which not all %s go on", b, who), "move it to where all of them come"
}
