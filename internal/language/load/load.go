// Package load finds the sources of packages on disk, through the go command, for the compiler in
// internal/language/compile, which reads no disk itself. It finds what Go refuses in them, too.
package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// Package is a package on disk.
type Package struct {
	*compile.Source
	Dir string // where its files are

	loader *loader
}

// Packages finds the packages that match patterns of the go command ("./...", import paths), as
// seen from dir, and an importer for what they import. It leaves out test files, and the file that
// gridstride build writes: it may be stale or broken, and kernels never need it. Positions name
// files relative to dir if they are below it.
//
// A package of tests only has no files. That a package does not build is no error here, TypeCheck
// finds it. A pattern that names no package is one.
//
// The importer may be called from several goroutines.
func Packages(ctx context.Context, dir string, patterns ...string) ([]*Package, compile.Importer, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	found, err := packages.Load(&packages.Config{
		Context: ctx,
		Dir:     dir,
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, nil, listError(ctx, err)
	}
	l := &loader{dir: dir, known: map[string]*packages.Package{}, sources: map[string]*compile.Source{}}
	packages.Visit(found, func(p *packages.Package) bool { l.known[p.PkgPath] = p; return true }, nil)
	slices.SortFunc(found, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })

	var out []*Package
	var errs []error
	for _, p := range found {
		if err := missing(p); len(p.GoFiles) == 0 && (err != nil || p.Dir == "") {
			errs = append(errs, err)
			continue
		}
		src, err := l.source(p)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, &Package{Source: src, Dir: p.Dir, loader: l})
	}
	return out, l.find, errors.Join(errs...)
}

// listError is the go command's message after it failed to list packages, without go/packages's
// quoting.
func listError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, said, ok := strings.Cut(err.Error(), "stderr: "); ok {
		return errors.New(strings.TrimPrefix(strings.TrimSpace(said), "go: "))
	}
	return fmt.Errorf("list packages: %w", err)
}

// missing says why a package has no Go files; nil if it has tests only.
func missing(p *packages.Package) error {
	if len(p.Errors) == 0 {
		return nil
	}
	msg, _, more := strings.Cut(p.Errors[0].Msg, "\n") // what follows is how to run go get
	if more {
		msg, _, _ = strings.Cut(msg, ";")
	}
	return errors.New(msg)
}

type loader struct {
	dir   string
	known map[string]*packages.Package

	mu      sync.Mutex
	sources map[string]*compile.Source
}

// find is the importer.
func (l *loader) find(path string) (*compile.Source, error) {
	p := l.known[path]
	switch {
	case p == nil:
		return nil, fmt.Errorf("it is not among the packages that the program imports")
	case p.Module == nil && len(p.GoFiles) > 0 && len(p.Errors) == 0:
		return nil, compile.ErrStandard
	case len(p.GoFiles) == 0:
		return nil, missing(p)
	}
	return l.source(p)
}

// source reads the files of a package, once.
func (l *loader) source(p *packages.Package) (*compile.Source, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if src := l.sources[p.PkgPath]; src != nil {
		return src, nil
	}
	src := &compile.Source{Path: p.PkgPath, Name: p.Name}
	if p.Module != nil && p.Module.GoVersion != "" {
		src.GoVersion = "go" + p.Module.GoVersion
	}
	var err error
	if src.Files, err = l.read(p.GoFiles); err != nil {
		return nil, err
	}
	if src.Excluded, err = l.read(p.IgnoredFiles); err != nil {
		return nil, err
	}
	l.sources[p.PkgPath] = src
	return src, nil
}

// read reads the Go files of a list, except test files and the file that gridstride build writes.
func (l *loader) read(names []string) ([]compile.File, error) {
	var files []compile.File
	for _, name := range names {
		base := filepath.Base(name)
		if filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || base == abi.GoFile {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, compile.File{Name: l.shown(name), Text: text, System: isForSystem(base)})
	}
	return files, nil
}

// isForSystem reports whether a file's name ends in the name of an operating system or an
// architecture. Go has no list of them: such a file is no part of a build for a system that has
// neither.
func isForSystem(base string) bool {
	none := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	matches, err := none.MatchFile("", base)
	return err == nil && !matches
}

// TestFiles reads the test files of a package, whatever their build constraints say.
func (p *Package) TestFiles() ([]compile.File, error) {
	names, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var files []compile.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, compile.File{Name: p.loader.shown(name), Text: text})
	}
	return files, nil
}

// shown is the name of a file in positions: relative to the loader's directory if it is below it.
func (l *loader) shown(name string) string {
	rel, err := filepath.Rel(l.dir, name)
	if err != nil || strings.HasPrefix(rel, "..") {
		return name
	}
	return rel
}
