package build

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/gridstride/gridstride/internal/abi/directive"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/load"
)

// moveIt says what to do about a directive in a test file.
const moveIt = " ignored, as it is in a test file: move it to a file whose name does not end in _test.go"

// ignored names the kernels in a package's test files, and the requests for instances. They are not
// compiled: programs that import the package could not launch them, as Go leaves test files out.
func ignored(source *load.Package) ([]compile.Note, error) {
	files, err := source.TestFiles()
	if err != nil {
		return nil, err
	}
	var notes []compile.Note
	for _, f := range files {
		if !bytes.Contains(f.Text, []byte(directive.KernelName)) && !bytes.Contains(f.Text, []byte(directive.InstanceName)) {
			continue
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // go test says so
		}
		for _, d := range syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isKernel(fn) {
				notes = append(notes, compile.Note{Pos: fset.Position(fn.Name.Pos()), Kernel: fn.Name.Name,
					Text: "this kernel is" + moveIt})
			}
		}
		for _, c := range requests(syntax) {
			notes = append(notes, compile.Note{Pos: fset.Position(c.Pos()), Kernel: directive.InstanceName, Text: "this line is" + moveIt})
		}
	}
	return notes, nil
}

// requests are the comments of a file that ask for instances.
func requests(file *ast.File) (found []*ast.Comment) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if name, _, ok := directive.Split(c.Text); ok && name == directive.InstanceName {
				found = append(found, c)
			}
		}
	}
	return found
}

// isKernel reports whether a directive above a function makes it a kernel.
func isKernel(fn *ast.FuncDecl) bool {
	if fn.Doc == nil {
		return false
	}
	for _, c := range fn.Doc.List {
		if name, _, ok := directive.Split(c.Text); ok && name == directive.KernelName {
			return true
		}
	}
	return false
}
