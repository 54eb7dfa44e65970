package frontend

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"slices"
)

// A kernel is compiled once, and its PTX is embedded in every build of the program. So build
// constraints must not choose the Go code that a kernel is made of: with other tags or on another
// system, the host would have other code than the device.

// checkBuilds refuses kernels that build constraints can change.
func (l *loader) checkBuilds() {
	for _, c := range l.order {
		if c.pkg.std {
			continue
		}
		for _, f := range c.files {
			if len(f.Decls) > 0 {
				l.checkConstraint(c, f)
			}
		}
		for _, f := range c.pkg.excluded {
			l.checkExcluded(c, f)
		}
	}
}

// checkConstraint refuses a file that kernels use and that some builds leave out.
func (l *loader) checkConstraint(c *checked, f *ast.File) {
	i := slices.IndexFunc(c.pkg.src.Files, func(s File) bool { return s.Name == l.fset.File(f.FileStart).Name() })
	if why := conditional(c.pkg.src.Files[i], c.pkg.src.GoVersion); why != "" {
		l.errorf(f.Package, "kernels use code of this file, and %s: a kernel is compiled once for all builds, so "+
			"move the code to a file that belongs to every build, and choose by a parameter or a type argument", why)
	}
}

// conditional says why a file is not part of every build of its package, or is "" if it is.
// goVersion is the oldest Go that builds it.
func conditional(f File, goVersion string) string {
	syntax, err := parser.ParseFile(token.NewFileSet(), "", f.Text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return "" // an error of its own
	}
	if expr, text := buildLine(syntax); expr != nil && !alwaysTrue(expr, goVersion) {
		return fmt.Sprintf("some builds leave it out (%s)", text)
	}
	if slices.ContainsFunc(syntax.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }) {
		return "builds without cgo leave it out"
	}
	if f.System {
		return "some builds leave it out, as its name ends in a system's"
	}
	return ""
}

// buildLine is the //go:build line of a file, or nil.
func buildLine(f *ast.File) (constraint.Expr, string) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() > f.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr, c.Text
			}
		}
	}
	return nil, ""
}

// mostTags bounds how many tags of a constraint are tried in all combinations.
const mostTags = 10

// alwaysTrue reports whether a constraint holds in every build by a Go of at least goVersion. A
// constraint with many tags counts as one that does not.
func alwaysTrue(expr constraint.Expr, goVersion string) bool {
	tags := appendTags(nil, expr, goVersion)
	if len(tags) > mostTags {
		return false
	}
	for set := range 1 << len(tags) {
		if !expr.Eval(func(tag string) bool {
			i := slices.Index(tags, tag)
			return i < 0 || set>>i&1 == 1
		}) {
			return false
		}
	}
	return true
}

// appendTags adds the tags of a constraint that are not true in every build.
func appendTags(tags []string, expr constraint.Expr, goVersion string) []string {
	switch e := expr.(type) {
	case *constraint.AndExpr:
		return appendTags(appendTags(tags, e.X, goVersion), e.Y, goVersion)
	case *constraint.OrExpr:
		return appendTags(appendTags(tags, e.X, goVersion), e.Y, goVersion)
	case *constraint.NotExpr:
		return appendTags(tags, e.X, goVersion)
	case *constraint.TagExpr:
		always := version.IsValid(e.Tag) && goVersion != "" && version.Compare(e.Tag, goVersion) <= 0
		if !always && !slices.Contains(tags, e.Tag) {
			tags = append(tags, e.Tag)
		}
	}
	return tags
}

// checkExcluded refuses a file that this build leaves out and others do not, if it has kernels, or
// if a name that it declares would get another meaning in the kernels.
func (l *loader) checkExcluded(c *checked, f *file) {
	if c.pkg == l.root {
		for _, k := range l.directives(f) {
			l.errorf(k.fn.Name.Pos(), "kernel %s is in a file that this build leaves out: move it to a file that "+
				"belongs to every build", k.fn.Name.Name)
		}
	}
	for _, name := range declaredNames(f.syntax) {
		switch {
		case name.method && c.promotes(name.id.Name):
			l.errorf(name.id.Pos(), "kernels call %s of an embedded field, and builds with this file may have another "+
				"method of that name: rename this method", name.id.Name)
		case !name.method && c.usesPredeclared(name.id.Name):
			l.errorf(name.id.Pos(), "kernels use Go's predeclared %s, and builds with this file have another one: "+
				"rename this declaration", name.id.Name)
		}
	}
}

// usesPredeclared reports whether reached code uses a name of Go itself.
func (c *checked) usesPredeclared(name string) bool {
	predeclared := types.Universe.Lookup(name)
	for _, used := range c.info.Uses {
		if predeclared != nil && used == predeclared {
			return true
		}
	}
	return false
}

// promotes reports whether reached code uses a field or method of that name through an embedded
// field.
func (c *checked) promotes(name string) bool {
	for _, s := range c.info.Selections {
		if len(s.Index()) > 1 && s.Obj().Name() == name {
			return true
		}
	}
	return false
}

// declaredName is a name that a file declares at package level.
type declaredName struct {
	id     *ast.Ident
	method bool
}

func declaredNames(f *ast.File) (names []declaredName) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, declaredName{d.Name, d.Recv != nil})
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, declaredName{s.Name, false})
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, declaredName{id, false})
					}
				}
			}
		}
	}
	return names
}
