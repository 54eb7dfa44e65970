package vet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strconv"
	"strings"
)

// instanceScope is where an instance is written in a comment: in a file, where some names mean types.
type instanceScope struct {
	*instances
	file  *ast.File
	types map[string]string // as text
}

// placeholder stands for a function's type parameter.
func placeholder(i int) string { return fmt.Sprintf("<%d>", i) }

// fill puts types in the places of placeholders.
func fill(text string, args []string) string {
	var pairs []string
	for i, a := range args {
		pairs = append(pairs, placeholder(i), a)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// nameText is a name with its package's path, and its type arguments.
func nameText(obj types.Object, args []string) string {
	text := obj.Name()
	if obj.Pkg() != nil {
		text = obj.Pkg().Path() + "." + text
	}
	if len(args) > 0 {
		text += "[" + strings.Join(args, ",") + "]"
	}
	return text
}

func arrayText(n int64, elem string) string { return "[" + strconv.FormatInt(n, 10) + "]" + elem }

// instance are the kernels that an instance is or needs.
func (s *instanceScope) instance(text string, depth int) (kernels []string, known bool) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return nil, false
	}
	fun, args, ok := s.parts(x)
	if !ok || fun == nil {
		return nil, false
	}
	if _, isFunc := fun.(*types.Func); !isFunc {
		return nil, false
	}
	needs, ok := s.needs(fun, depth)
	if !ok {
		return []string{nameText(fun, args)}, true
	}
	for _, k := range needs {
		kernels = append(kernels, fill(k, args))
	}
	return kernels, true
}

// parts are the declaration that an instance is of, and its types as text.
func (s *instanceScope) parts(x ast.Expr) (obj types.Object, args []string, ok bool) {
	var list []ast.Expr
	switch g := x.(type) {
	case *ast.IndexExpr:
		x, list = g.X, []ast.Expr{g.Index}
	case *ast.IndexListExpr:
		x, list = g.X, g.Indices
	}
	for _, a := range list {
		text, ok := s.text(a)
		if !ok {
			return nil, nil, false
		}
		args = append(args, text)
	}
	switch x := x.(type) {
	case *ast.Ident:
		_, obj = s.pass.Pkg.Scope().LookupParent(x.Name, 0)
	case *ast.SelectorExpr:
		if from, ok := x.X.(*ast.Ident); ok {
			if p := s.imported(from.Name); p != nil {
				obj = p.Scope().Lookup(x.Sel.Name)
			}
		}
	}
	return obj, args, obj != nil
}

// imported is the package that the file imports under a name, or as _.
func (s *instanceScope) imported(name string) *types.Package {
	for _, spec := range s.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, p := range s.pass.Pkg.Imports() {
			own := p.Name()
			if spec.Name != nil && spec.Name.Name != "_" {
				own = spec.Name.Name
			}
			if p.Path() == path && own == name {
				return p
			}
		}
	}
	return nil
}

// text is a type as text.
func (s *instanceScope) text(x ast.Expr) (text string, known bool) {
	if id, ok := x.(*ast.Ident); ok && s.types[id.Name] != "" {
		return s.types[id.Name], true
	}
	if a, ok := x.(*ast.ArrayType); ok {
		elem, known := s.text(a.Elt)
		n, isLit := a.Len.(*ast.BasicLit)
		if !known || !isLit {
			return "", false
		}
		length, err := strconv.ParseInt(n.Value, 0, 64)
		return arrayText(length, elem), err == nil
	}
	obj, args, ok := s.parts(x)
	if !ok {
		return "", false
	}
	name, isType := obj.(*types.TypeName)
	if !isType {
		return "", false
	}
	if len(args) > 0 {
		return nameText(name, args), true
	}
	return typeText(name.Type())
}
