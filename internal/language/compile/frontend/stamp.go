package frontend

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
)

// stamp says which lines the kernels are made of: the lines of the declarations that they reach,
// of the imports in these, and of the //gpu:instance and //gpu:needs comments that ask for them. Package gpu and the device forms of the standard library count as
// the compiler.
func (l *loader) stamp() stamp.Stamp {
	s := stamp.Stamp{Package: l.src.Path, ABI: abi.Version}
	imported := slices.Clone(l.order[:len(l.order)-1]) // the kernels' own package is the last
	for _, n := range l.needs {
		if in := func(c *checked) bool { return c.pkg == n.file.pkg }; !slices.ContainsFunc(imported, in) {
			imported = append(imported, &checked{pkg: n.file.pkg})
		}
	}
	packages := slices.SortedFunc(slices.Values(imported), func(a, b *checked) int {
		return cmp.Compare(a.pkg.src.Path, b.pkg.src.Path)
	})
	for _, c := range append([]*checked{l.checked[l.src.Path]}, packages...) {
		if c.pkg.std {
			continue
		}
		lines := l.linesOfNeeds(c.pkg)
		for _, f := range c.files {
			file := l.fset.File(f.FileStart)
			lines[file.Name()] = append(lines[file.Name()], l.linesOf(file, f)...)
		}
		for _, f := range c.pkg.src.Files {
			if of := lines[f.Name]; of != nil {
				s.Files = append(s.Files, stamp.NewFile(c.pkg.src.CompiledName(f), f.Text, of))
			}
		}
	}
	return s
}

// linesOfNeeds are the lines of the //gpu:needs comments of a package that requests have followed, by
// the name of their file.
func (l *loader) linesOfNeeds(p *pkg) map[string][]stamp.Lines {
	lines := map[string][]stamp.Lines{}
	for _, n := range l.needs {
		if n.file.pkg == p {
			at := l.fset.PositionFor(n.comment.Pos(), false)
			lines[at.Filename] = append(lines[at.Filename], stamp.Lines{First: at.Line, Last: at.Line})
		}
	}
	return lines
}

// linesOf are the lines of the declarations in a file that was pruned. Of constants it is the whole
// group, because of iota.
func (l *loader) linesOf(file *token.File, f *ast.File) []stamp.Lines {
	var lines []stamp.Lines
	add := func(from, to token.Pos) {
		lines = append(lines, stamp.Lines{
			First: file.PositionFor(from, false).Line, Last: file.PositionFor(to, false).Line,
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if l.isKernel(d) { // the launcher repeats its comment
				add(d.Doc.Pos(), d.End())
			} else {
				add(d.Pos(), d.End())
			}
		case *ast.GenDecl:
			if d.Tok == token.CONST {
				add(d.Pos(), d.End())
				continue
			}
			for _, spec := range d.Specs {
				add(spec.Pos(), spec.End())
			}
		}
	}
	return lines
}

// isKernel reports whether a declaration is one of the package's kernels.
func (l *loader) isKernel(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(l.kernels, func(k *kernelDecl) bool { return k.fn == fn })
}
