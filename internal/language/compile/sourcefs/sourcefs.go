// Package sourcefs reads the sources of packages from an fs.FS for the compiler, without the go
// command: from an archive that a page in a browser has fetched, say, or from texts in memory.
package sourcefs

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// Package reads the package with the given import path from a folder. It leaves out test files and
// the file that gridstride build writes. Files that build constraints exclude for js/wasm, where a
// page runs, are in Excluded. Positions name files by their paths in fsys.
func Package(fsys fs.FS, dir, importPath string) (*frontend.Source, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	src := &frontend.Source{Path: importPath}
	for _, e := range entries {
		base := e.Name()
		if e.IsDir() || !reads(base) {
			continue
		}
		name := path.Join(dir, base)
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		suffixes := systems(base)
		file := frontend.File{Name: name, Text: text, System: len(suffixes) > 0}
		clause, err := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil { // the compiler says where
			src.Files = append(src.Files, file)
			continue
		}
		if !slices.ContainsFunc(suffixes, func(s string) bool { return !satisfied(s) }) && builds(clause) {
			src.Files, src.Name = append(src.Files, file), clause.Name.Name
		} else {
			src.Excluded = append(src.Excluded, file)
		}
	}
	if len(src.Files) == 0 {
		return nil, fmt.Errorf("%s has no Go files of package %s; want at least one", dir, importPath)
	}
	return src, nil
}

// builds reports whether the //go:build line of a file, if it has one, lets a page have it.
func builds(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() > f.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr.Eval(satisfied)
			}
		}
	}
	return true
}

// satisfied reports whether a build tag holds for a page: js/wasm, and any version of Go.
func satisfied(tag string) bool {
	return tag == "js" || tag == "wasm" || tag == "gc" || strings.HasPrefix(tag, "go1.")
}

// Systems are the operating systems and architectures whose names end the names of files for them.
var Systems = strings.Fields(`
	aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows
	386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm`)

// systems are the systems that a file's base name names, at most two: step_js_wasm.go.
func systems(base string) []string {
	words := strings.Split(strings.TrimSuffix(base, ".go"), "_")[1:]
	var found []string
	for i := len(words) - 1; i >= 0 && len(found) < 2 && slices.Contains(Systems, words[i]); i-- {
		found = append(found, words[i])
	}
	return found
}

// Importer finds the packages of one module, whose root is the root of fsys. An import path whose
// first element has no dot belongs to the standard library. The importer may be called from
// several goroutines.
func Importer(fsys fs.FS, module string) frontend.Importer {
	return func(importPath string) (*frontend.Source, error) {
		if rest, ok := strings.CutPrefix(importPath, module+"/"); ok {
			return Package(fsys, rest, importPath)
		}
		if importPath == module {
			return Package(fsys, ".", importPath)
		}
		if first, _, _ := strings.Cut(importPath, "/"); !strings.Contains(first, ".") {
			return nil, frontend.ErrStandard
		}
		return nil, fmt.Errorf("package %s is not in module %s", importPath, module)
	}
}

// reads reports whether the compiler reads the file with the given base name: a Go file that is
// neither a test nor the file that gridstride build writes.
func reads(base string) bool {
	return path.Ext(base) == ".go" && !strings.HasSuffix(base, "_test.go") && base != abi.GoFile
}
