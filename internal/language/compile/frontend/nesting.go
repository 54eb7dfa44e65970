package frontend

import "go/ast"

// maxParts is the most fields that a type may have, including the fields of its fields, in whatever
// package. Types that hold each other twice have twice as many at each level, and go/types visits
// each.
const maxParts = 1 << 16

// maxNesting is how deep structs and arrays may hold one another. go/types takes cubic time for the
// depth.
const maxNesting = 128

// nesting is how many parts a type has, and how deep they are nested.
type nesting struct{ parts, depth int }

// checkNesting refuses types of more parts, or of deeper ones, before go/types sees them. Of types
// that hold one another it names the first.
func (l *loader) checkNesting() {
	known := map[*decl]nesting{}
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
func (l *loader) partsOf(d *decl, spec *ast.TypeSpec, known map[*decl]nesting) nesting {
	if n, ok := known[d]; ok {
		return n
	}
	known[d] = nesting{1, 0} // of a type that holds itself, which go/types refuses
	n := l.partsIn(d.file, spec.Type, known)
	if n.depth > maxNesting {
		l.errorf(spec.Pos(), "type %s nests structs and arrays more than %d deep: hold the parts side by side", d.name,
			maxNesting)
		n = nesting{1, 0} // said once
	}
	if n.parts > maxParts {
		l.errorf(spec.Pos(), "type %s has more than %d fields, counting the fields of its fields: use an array, or a slice",
			d.name, maxParts)
		n = nesting{1, 0} // said once
	}
	known[d] = n
	return n
}

// partsIn is the number of parts of a type expression.
func (l *loader) partsIn(f *file, x ast.Expr, known map[*decl]nesting) nesting {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return l.partsIn(f, x.X, known)
	case *ast.IndexExpr:
		return l.partsIn(f, x.X, known)
	case *ast.IndexListExpr:
		return l.partsIn(f, x.X, known)
	case *ast.ArrayType:
		if x.Len != nil {
			n := l.partsIn(f, x.Elt, known)
			return nesting{n.parts, n.depth + 1}
		}
	case *ast.StructType:
		n := nesting{1, 0}
		for _, field := range x.Fields.List {
			part := l.partsIn(f, field.Type, known)
			n.parts = min(n.parts+max(len(field.Names), 1)*part.parts, maxParts+1)
			n.depth = max(n.depth, part.depth+1)
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
	return nesting{1, 0}
}

// partsOfNamed is the number of parts of the type that a name denotes, 1 if it denotes no type.
func (l *loader) partsOfNamed(d *decl, known map[*decl]nesting) nesting {
	if d != nil {
		if spec, ok := d.spec.(*ast.TypeSpec); ok {
			return l.partsOf(d, spec, known)
		}
	}
	return nesting{1, 0}
}
