package site

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/modsource"
	"golang.org/x/tools/txtar"
)

// kernelPackages are the packages of the module that a program on a page may import.
var kernelPackages = []string{"gpu", "gpu/cmplx", "gpu/collective", "gpu/rand", "gpu/tile"}

// sources is the archive of the packages that programs import, and of those that they import.
func sources(fsys fs.FS) ([]byte, error) {
	done := map[string]bool{}
	var names []string
	var visit func(dir string) error
	visit = func(dir string) error {
		if done[dir] {
			return nil
		}
		done[dir] = true
		files, err := fs.Glob(fsys, path.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			names = append(names, name)
			imports, err := importsOf(fsys, name)
			if err != nil {
				return err
			}
			for _, dir := range imports {
				if err := visit(dir); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, dir := range kernelPackages {
		if err := visit(dir); err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return archive(fsys, names)
}

// importsOf are the folders of the module's packages that a file imports.
func importsOf(fsys fs.FS, name string) (dirs []string, err error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(p, modsource.Module+"/") {
			dirs = append(dirs, strings.TrimPrefix(p, modsource.Module+"/"))
		}
	}
	return dirs, nil
}

// archive is a compressed archive of Go files, the same for the same files.
func archive(fsys fs.FS, names []string) ([]byte, error) {
	var a txtar.Archive
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		bare, err := bare(name, text)
		if err != nil {
			return nil, err
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: bare})
	}
	return gzipped(txtar.Format(&a))
}

// bare is a Go file without its comments, of which a page needs the directives alone. Lines stay where
// they are.
func bare(name string, text []byte) ([]byte, error) {
	var s scanner.Scanner
	var errs scanner.ErrorList
	file := token.NewFileSet().AddFile(name, -1, len(text))
	s.Init(file, text, errs.Add, scanner.ScanComments)
	var b bytes.Buffer
	done := 0
	for {
		pos, kind, comment := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.COMMENT || isDirective(comment) {
			continue
		}
		at := file.Offset(pos)
		b.Write(bytes.TrimRight(text[done:at], " \t"))
		b.WriteString(" " + strings.Repeat("\n", strings.Count(comment, "\n")))
		done = at + len(comment)
	}
	b.Write(text[done:])
	if err := errs.Err(); err != nil {
		return nil, fmt.Errorf("the sources of the tour: %w", err)
	}
	return b.Bytes(), nil
}

// isDirective reports whether a comment is a directive: "//go:build", "//gpu:kernel".
func isDirective(comment string) bool {
	word, _, found := strings.Cut(comment, ":")
	return found && strings.HasPrefix(word, "//") && len(word) > 2 && strings.Trim(word[2:], "abcdefghijklmnopqrstuvwxyz") == ""
}
