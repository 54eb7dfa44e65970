package frontend

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// GPUPath is the import path of package gpu.
const GPUPath = "github.com/gridstride/gridstride/gpu"

// DevicePath is the import path of the intrinsics that the texts in _std are written over. There is
// no such package on disk.
const DevicePath = GPUPath + "/device"

// stdFiles are the device forms of packages of the standard library, and the bodies that replace
// some of gpu's.
//
//go:embed _std/*.go
var stdFiles embed.FS

var stdFileOf = map[string]string{
	"cmp":       "cmp.go",
	"math":      "math.go",
	"math/bits": "bits.go",
	DevicePath:  "device.go",
	GPUPath:     "gpu.go",
}

// isDevicePath reports whether a package's device form is all in _std.
func isDevicePath(path string) bool { return path != GPUPath && stdFileOf[path] != "" }

// IsStd reports whether a package's code is part of the compiler: positions in it mean nothing to
// users.
func IsStd(path string) bool { return stdFileOf[path] != "" }

// parseStd parses the text for a path. Its files are named after the path, so that a position in
// them is recognised as ours.
func parseStd(fset *token.FileSet, path string) *pkg {
	text, err := stdFiles.ReadFile("_std/" + stdFileOf[path])
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var errs ErrorList
	p := parsePackage(fset, &Source{Path: path, Files: []File{{Name: "$" + path, Text: text}}}, &errs)
	if err := errs.Err(); err != nil {
		panic("BUG: " + err.Error())
	}
	p.src.Name = p.files[0].syntax.Name.Name
	p.std = true
	return p
}

// override adds the files of q; where both declare a name, q's declaration is taken.
func (p *pkg) override(q *pkg) {
	for _, f := range q.files {
		p.add(f.syntax)
	}
}

// deviceFuncs lists the functions of a device form that can be called, for a message.
func deviceFuncs(p *pkg) string {
	var names []string
	for name, d := range p.decls {
		if d.fn != nil && d.fn.Body != nil && ast.IsExported(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("%s's %s", p.src.Name, strings.Join(names, ", "))
}

// parseTypeArg parses a type argument of a directive, which is a name or a qualified name, and
// gives it a position.
func parseTypeArg(text string, pos token.Pos) (ast.Expr, error) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not the name of a type", text)
	}
	switch x := x.(type) {
	case *ast.Ident:
		return &ast.Ident{NamePos: pos, Name: x.Name}, nil
	case *ast.SelectorExpr:
		if q, ok := x.X.(*ast.Ident); ok {
			return &ast.SelectorExpr{X: &ast.Ident{NamePos: pos, Name: q.Name},
				Sel: &ast.Ident{NamePos: pos, Name: x.Sel.Name}}, nil
		}
	}
	return nil, fmt.Errorf("%q is not the name of a type", text)
}
