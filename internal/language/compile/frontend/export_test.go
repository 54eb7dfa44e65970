package frontend

import (
	"go/token"
	"go/types"
)

// StdPackage type-checks all of the device form of a package of the standard library.
func StdPackage(path string) (*types.Package, error) {
	l := &loader{checked: map[string]*checked{}}
	l.fset = token.NewFileSet()
	l.reach = newReacher(l.fset, func(string) (*Source, error) { return nil, ErrStandard }, &l.errs)
	p := l.reach.load(path)
	for _, d := range p.decls {
		l.reach.reach(d)
	}
	l.reach.run()
	c := l.typeCheck(path)
	return c.types, l.errs.Err()
}
