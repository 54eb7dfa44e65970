package frontend

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// parseTypeArg parses a type argument of a directive, and gives it a position. It is a name, a
// qualified name, an instance of a generic type or an array: float32, gpu.Float32x4, Pair[int32],
// [4]float32.
func parseTypeArg(text string, pos token.Pos) (ast.Expr, error) {
	if x, err := parser.ParseExpr(text); err == nil {
		if arg := typeArg(x, pos); arg != nil {
			return arg, nil
		}
	}
	return nil, fmt.Errorf("%q is not the name of a type", text)
}

// typeArg is a copy of a type with all its parts at a position, or nil if x is no type argument.
func typeArg(x ast.Expr, pos token.Pos) ast.Expr {
	switch x := x.(type) {
	case *ast.Ident:
		return &ast.Ident{NamePos: pos, Name: x.Name}
	case *ast.SelectorExpr:
		if q, ok := x.X.(*ast.Ident); ok {
			return &ast.SelectorExpr{X: typeArg(q, pos), Sel: &ast.Ident{NamePos: pos, Name: x.Sel.Name}}
		}
	case *ast.IndexExpr:
		return instantiated(x.X, []ast.Expr{x.Index}, pos)
	case *ast.IndexListExpr:
		return instantiated(x.X, x.Indices, pos)
	case *ast.ArrayType:
		n, ok := x.Len.(*ast.BasicLit)
		elem := typeArg(x.Elt, pos)
		if ok && elem != nil {
			return &ast.ArrayType{Lbrack: pos, Len: &ast.BasicLit{ValuePos: pos, Kind: n.Kind, Value: n.Value}, Elt: elem}
		}
	}
	return nil
}

func instantiated(generic ast.Expr, args []ast.Expr, pos token.Pos) ast.Expr {
	list := &ast.IndexListExpr{X: typeArg(generic, pos), Lbrack: pos, Rbrack: pos}
	for _, x := range args {
		arg := typeArg(x, pos)
		if arg == nil {
			return nil
		}
		list.Indices = append(list.Indices, arg)
	}
	if list.X == nil {
		return nil
	}
	return list
}
