package frontend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// rewriteRanges replaces the operand of some range loops by its length: an array, or a pointer to
// one, whose elements the loop does not use. Go does not evaluate that operand (The Go Programming
// Language Specification, For statements with range clause). go/ssa would evaluate it: copy the
// array, or fail where the expression fails.
func (c *checked) rewriteRanges() {
	for _, f := range c.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.RangeStmt); ok && isBlank(s.Value) {
				if n, ok := c.constantLen(s.X); ok {
					lit := &ast.BasicLit{ValuePos: s.X.Pos(), Kind: token.INT, Value: strconv.FormatInt(n, 10)}
					c.info.Types[lit] = types.TypeAndValue{Type: types.Typ[types.Int], Value: constant.MakeInt64(n)}
					s.X, s.Value = lit, nil
				}
			}
			return true
		})
	}
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return x == nil || ok && id.Name == "_"
}

// constantLen is the length of an array if len(x) is a constant: if x calls no function.
func (c *checked) constantLen(x ast.Expr) (int64, bool) {
	t := c.info.TypeOf(x)
	if t == nil {
		return 0, false
	}
	if _, ok := t.(*types.TypeParam); ok {
		return 0, false
	}
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		u = p.Elem().Underlying()
	}
	a, ok := u.(*types.Array)
	if !ok {
		return 0, false
	}
	calls := false
	ast.Inspect(x, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !c.info.Types[call.Fun].IsType() && c.info.Types[call].Value == nil {
			calls = true
		}
		return !calls
	})
	return a.Len(), !calls
}
