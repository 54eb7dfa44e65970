package frontend

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gridstride/gridstride/internal/abi/directive"
	"github.com/gridstride/gridstride/internal/abi/directive/tuned"
)

// A kernelDirective holds the settings of the //gpu: lines above a kernel.
type kernelDirective struct {
	*directive.Kernel
	pos      token.Pos
	noBounds bool
}

// at is the position of an offset in the directive's comment.
func (d *kernelDirective) at(offset int) token.Pos { return d.pos + token.Pos(offset) }

// directives finds the kernels of a file, in order, and reports directives that are malformed or
// out of place.
func (l *loader) directives(f *file) []*kernelDecl {
	var kernels []*kernelDecl
	placed := map[*ast.Comment]bool{}
	for _, d := range f.syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			placed[c] = true
		}
		if dir := l.directive(fn); dir != nil {
			kernels = append(kernels, &kernelDecl{fn: fn, file: f, dir: dir})
		}
	}
	_, errs := tuned.Find(f.syntax)
	for _, e := range errs {
		l.errorf(e.Pos, "%s", e.Msg)
	}
	for _, g := range f.syntax.Comments {
		for _, c := range g.List {
			name, _, ok := directive.Split(c.Text)
			switch {
			case name == directive.InstanceName:
				l.requests = append(l.requests, request{f, c})
			case name == directive.AllowName, name == directive.TuneName: // for vet and the checks, and read above
			case ok && !placed[c]:
				l.errorf(c.Pos(), "%s must be in the comment directly above a function", name)
			}
		}
	}
	return kernels
}

// directive reads the directives above a function, nil if it is no kernel.
func (l *loader) directive(fn *ast.FuncDecl) *kernelDirective {
	var dir *kernelDirective
	var noBounds, fast *ast.Comment
	for _, c := range fn.Doc.List {
		name, rest, ok := directive.Split(c.Text)
		switch {
		case name == directive.KernelName && dir != nil:
			l.errorf(c.Pos(), "a second //gpu:kernel: list all types in one (T=float32,float64)")
		case name == directive.KernelName:
			kernel, errs := directive.ParseKernel(c.Text)
			for _, e := range errs {
				l.errorf(c.Pos()+token.Pos(e.Offset), "%s", e.Msg)
			}
			dir = &kernelDirective{Kernel: kernel, pos: c.Pos()}
		case name == directive.NoBoundsName:
			noBounds = c
			if rest != "" {
				l.errorf(c.Pos(), "//gpu:nobounds takes no arguments")
			}
		case name == directive.FastName:
			fast = c
			if rest != "" {
				l.errorf(c.Pos(), "//gpu:fast takes no arguments")
			}
		case name == directive.InstanceName, name == directive.NeedsName, name == directive.TuneName:
		case ok:
			l.errorf(c.Pos(), "unknown directive %s: there are //gpu:kernel, //gpu:nobounds, //gpu:fast, "+
				"//gpu:instance and //gpu:needs", name)
		case strings.HasPrefix(c.Text, "// gpu:kernel"), strings.HasPrefix(c.Text, "// gpu:nobounds"),
			strings.HasPrefix(c.Text, "// gpu:fast"):
			l.errorf(c.Pos(), "write the directive without a space after the slashes: %s",
				"//"+strings.Fields(c.Text)[1])
		}
	}
	if noBounds != nil {
		if dir == nil {
			l.errorf(noBounds.Pos(), "//gpu:nobounds is for kernels: %s has no //gpu:kernel", fn.Name.Name)
		} else {
			dir.noBounds = true
		}
	}
	if fast != nil && dir != nil {
		l.errorf(fast.Pos(), "//gpu:fast is for functions that kernels call: write //gpu:kernel fast")
	}
	return dir
}
