package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// GoPackages yields the documentation of the Go packages that go list finds for patterns in dir,
// without a network: "std" is the standard library. A package is one document. Its id and its title
// are the import path, its text is the output of go doc -all: comments and exported declarations.
// The field synopsis is its first sentence. std leaves out packages that others cannot import.
func GoPackages(ctx context.Context, o Options, dir string, patterns ...string) iter.Seq2[similar.Document, error] {
	return func(yield func(similar.Document, error) bool) { newReader(ctx, o, yield).packages(dir, patterns) }
}

// listed is go list's description of a package.
type listed struct {
	ImportPath, Dir   string
	Standard          bool
	GoFiles, CgoFiles []string
	Error             *struct{ Err string }
}

func (r *reader) packages(dir string, patterns []string) {
	args := append([]string{"list", "-e", "-json=ImportPath,Dir,Standard,GoFiles,CgoFiles,Error", "--"}, patterns...)
	cmd := exec.CommandContext(r.ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = fmt.Errorf("go list %s: %s", strings.Join(patterns, " "), bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		r.end(fmt.Errorf("documentation of Go packages: %w", err))
		return
	}
	for d := json.NewDecoder(bytes.NewReader(out)); !r.stopped; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			r.end(err)
			return
		}
		if p.Standard && slices.Contains(patterns, "std") && private(p.ImportPath) {
			continue
		}
		if d, err := p.document(); err != nil {
			r.bad(p.ImportPath, 0, err)
		} else {
			r.document(p.ImportPath, 0, d)
		}
	}
}

// private reports whether only the standard library may import a package.
func private(importPath string) bool {
	elements := strings.Split(importPath, "/")
	return slices.Contains(elements, "internal") || slices.Contains(elements, "vendor")
}

// document reads a package's files.
func (p *listed) document() (similar.Document, error) {
	if p.Error != nil {
		return similar.Document{}, errors.New(strings.TrimSpace(p.Error.Err))
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(slices.Clone(p.GoFiles), p.CgoFiles...) {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return similar.Document{}, err
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(set, files, p.ImportPath)
	if err != nil {
		return similar.Document{}, err
	}
	w := declarations{set: set}
	w.text(d.Doc)
	w.values(d.Consts)
	w.values(d.Vars)
	w.funcs(d.Funcs)
	for _, t := range d.Types {
		w.declaration(t.Decl, t.Doc)
		w.values(t.Consts)
		w.values(t.Vars)
		w.funcs(t.Funcs)
		w.funcs(t.Methods)
	}
	result := similar.Document{ID: p.ImportPath, Title: p.ImportPath, Text: strings.TrimSpace(w.b.String())}
	if s := d.Synopsis(d.Doc); s != "" {
		result.Fields = map[string]string{"synopsis": s}
	}
	return result, w.err
}

// declarations writes declarations and their comments one after the other.
type declarations struct {
	set *token.FileSet
	b   bytes.Buffer
	err error
}

func (w *declarations) text(s string) {
	if s = strings.TrimSpace(s); s != "" {
		w.b.WriteString(s + "\n\n")
	}
}

func (w *declarations) declaration(d ast.Decl, comment string) {
	if err := format.Node(&w.b, w.set, d); err != nil && w.err == nil {
		w.err = err
	}
	w.b.WriteByte('\n')
	w.text(comment)
}

func (w *declarations) values(list []*doc.Value) {
	for _, v := range list {
		w.declaration(v.Decl, v.Doc)
	}
}

func (w *declarations) funcs(list []*doc.Func) {
	for _, f := range list {
		w.declaration(f.Decl, f.Doc)
	}
}
