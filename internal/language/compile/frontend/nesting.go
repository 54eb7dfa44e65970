package frontend

import "go/ast"

// maxParts is how many fields a type may have, those of its fields counted, wherever they come
// from. Types that hold each other twice have twice as many at each level, and go/types visits
// each.
const maxParts = 1 << 16

// checkNesting refuses types of more parts, before go/types sees them. Of types that hold one
// another it names the first.
func (l *loader) checkNesting() {
	known := map[*decl]int{}
	for _, p := range l.reach.order {
		if p == nil || p.std {
			continue
		}
		for _, d := range p.decls {
			if spec, ok := d.spec.(*ast.TypeSpec); ok && d.reached {
				l.partsOf(d, spec, known)
			}
		}
	}
}

// partsOf is the number of parts of a declared type.
func (l *loader) partsOf(d *decl, spec *ast.TypeSpec, known map[*decl]int) int {
	if n, ok := known[d]; ok {
		return n
	}
	known[d] = 1 // of a type that holds itself, which go/types refuses
	n := l.partsIn(d.file, spec.Type, known)
	if n > maxParts {
		l.errorf(spec.Pos(), "type %s has more than %d fields, those of its fields counted: use an array, or a slice",
			d.name, maxParts)
		n = 1 // said once
	}
	known[d] = n
	return n
}

// partsIn is the number of parts of a type expression.
func (l *loader) partsIn(f *file, x ast.Expr, known map[*decl]int) int {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return l.partsIn(f, x.X, known)
	case *ast.IndexExpr:
		return l.partsIn(f, x.X, known)
	case *ast.IndexListExpr:
		return l.partsIn(f, x.X, known)
	case *ast.ArrayType:
		if x.Len != nil {
			return l.partsIn(f, x.Elt, known)
		}
	case *ast.StructType:
		n := 1
		for _, field := range x.Fields.List {
			n = min(n+max(len(field.Names), 1)*l.partsIn(f, field.Type, known), maxParts+1)
		}
		return n
	case *ast.Ident:
		return l.partsOfNamed(f.pkg.decls[x.Name], known)
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok {
			break
		}
		if spec := f.importOf(id.Name, l.reach.packageName); spec != nil {
			if p := l.reach.load(importPath(spec)); p != nil {
				return l.partsOfNamed(p.decls[x.Sel.Name], known)
			}
		}
	}
	return 1
}

// partsOfNamed is the number of parts of what a name stands for, 1 where it is no type.
func (l *loader) partsOfNamed(d *decl, known map[*decl]int) int {
	if d != nil {
		if spec, ok := d.spec.(*ast.TypeSpec); ok {
			return l.partsOf(d, spec, known)
		}
	}
	return 1
}
