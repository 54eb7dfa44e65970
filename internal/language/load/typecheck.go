package load

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/directive"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// TypeCheck finds Go's errors in packages: the packages of found that are keys of generated. The
// value is the text that the package's abi.GoFile is about to have. The error is a
// compile.ErrorList if Go refuses something.
//
// It reads imports from export data. The go command has it, and compiles packages that are not in
// its cache. It reads a package that imports launchers from source instead, because its export data
// may describe earlier launchers. If a package of the main module has kernels and is not in
// generated, nobody knows its future launchers: TypeCheck assumes that uses of its names are right.
func TypeCheck(ctx context.Context, found []*Package, generated map[string][]byte) error {
	if len(generated) == 0 {
		return nil
	}
	c := &typeChecker{
		loader: found[0].loader, fset: token.NewFileSet(), generated: generated,
		sources: map[string]*source{}, exports: map[string]export{}, unsettled: map[*packages.Package]bool{},
	}
	paths := slices.Sorted(maps.Keys(generated))
	for _, path := range paths {
		if err := c.read(c.known[path]); err != nil {
			return err
		}
	}
	if err := c.listExports(ctx); err != nil {
		return err
	}
	for _, path := range paths {
		c.check(c.sources[path])
	}
	if c.unreadable {
		return nil
	}
	return c.errs.Err()
}

// typeChecker carries one TypeCheck.
type typeChecker struct {
	*loader
	fset      *token.FileSet
	generated map[string][]byte
	sources   map[string]*source // the packages that are read from source, by path
	exports   map[string]export  // the others that they import
	compiled  types.Importer     // of exports
	unsettled map[*packages.Package]bool
	errs      compile.ErrorList
	// unreadable says that export data is of a Go that this program does not know. Then nothing can
	// be said.
	unreadable bool
}

// source is a package that is read from source.
type source struct {
	*packages.Package
	goVersion string
	files     []*ast.File
	types     *types.Package
}

// export is the file of a package's export data, or why there is none.
type export struct {
	file string
	err  error
}

// hasLaunchers reports whether a package has launchers that are ours to write.
func (c *typeChecker) hasLaunchers(p *packages.Package) bool {
	if c.generated[p.PkgPath] != nil {
		return true
	}
	if p.Module == nil || !p.Module.Main {
		return false
	}
	for _, name := range p.GoFiles {
		if filepath.Base(name) == abi.GoFile {
			return true
		}
	}
	src, err := c.loader.source(p)
	return err == nil && slices.ContainsFunc(src.Files, func(f compile.File) bool {
		return bytes.Contains(f.Text, []byte("\n"+directive.KernelName)) ||
			bytes.Contains(f.Text, []byte("\n"+directive.InstanceName))
	})
}

// importsLaunchers reports whether a package has launchers, or imports one that does, at any
// distance.
func (c *typeChecker) importsLaunchers(p *packages.Package) bool {
	if p == nil || p.Module == nil {
		return false
	}
	if known, ok := c.unsettled[p]; ok {
		return known
	}
	c.unsettled[p] = false // an import cycle ends here
	yes := c.hasLaunchers(p)
	for _, q := range p.Imports {
		yes = yes || c.importsLaunchers(q)
	}
	c.unsettled[p] = yes
	return yes
}

// read parses a package, and those that it imports and that must be read from source as well. It
// puts the other imports into c.exports.
func (c *typeChecker) read(p *packages.Package) error {
	if c.sources[p.PkgPath] != nil {
		return nil
	}
	src, err := c.loader.source(p)
	if err != nil {
		return err
	}
	s := &source{Package: p, goVersion: src.GoVersion}
	c.sources[p.PkgPath] = s
	files := src.Files
	if text := c.generated[p.PkgPath]; text != nil {
		name := filepath.Join(filepath.Dir(p.GoFiles[0]), abi.GoFile)
		files = append(slices.Clip(files), compile.File{Name: c.shown(name), Text: text})
	}
	for _, f := range files {
		// The compiler has reported what is wrong with the syntax, where that matters.
		syntax, _ := parser.ParseFile(c.fset, f.Name, f.Text, parser.SkipObjectResolution)
		s.files = append(s.files, syntax)
		for _, spec := range syntax.Imports {
			if err := c.readImport(s, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// readImport reads what an import needs.
func (c *typeChecker) readImport(s *source, spec *ast.ImportSpec) error {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "unsafe" || path == "C" {
		return nil
	}
	path, p := c.resolve(s, path)
	switch {
	case !c.importsLaunchers(p):
		c.exports[path] = export{}
	case c.generated[path] != nil || !c.hasLaunchers(p):
		return c.read(p)
	case spec.Name == nil: // go/types would guess the name of a package that it cannot have
		spec.Name = &ast.Ident{NamePos: spec.Path.Pos(), Name: p.Name}
	}
	return nil
}

// resolve is the path and the package that an import means. The package is nil where the go command
// was not asked about it: the generated file alone imports it.
func (c *typeChecker) resolve(s *source, path string) (string, *packages.Package) {
	if p := s.Imports[path]; p != nil {
		return p.PkgPath, p
	}
	return path, c.known[path]
}

// listExports fills c.exports.
func (c *typeChecker) listExports(ctx context.Context) error {
	if len(c.exports) > 0 {
		found, err := packages.Load(&packages.Config{
			Context: ctx,
			Dir:     c.dir,
			Mode:    packages.NeedName | packages.NeedExportFile,
		}, slices.Sorted(maps.Keys(c.exports))...)
		if err != nil {
			return listError(ctx, err)
		}
		for _, p := range found {
			e := export{file: p.ExportFile}
			if e.file == "" {
				e.err = missing(p)
			}
			c.exports[p.PkgPath] = e
		}
	}
	c.compiled = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(c.exports[path].file)
	})
	return nil
}

// check type-checks a package that was read. Of those that only are imported, the bodies of
// functions do not matter, nor do errors.
func (c *typeChecker) check(s *source) *types.Package {
	if s.types != nil {
		return s.types
	}
	s.types = types.NewPackage(s.PkgPath, s.Name) // an import cycle ends here
	target := c.generated[s.PkgPath] != nil
	conf := types.Config{
		GoVersion:        s.goVersion,
		IgnoreFuncBodies: !target,
		FakeImportC:      true,
		Importer:         importFunc(func(path string) (*types.Package, error) { return c.importFor(s, path) }),
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if target {
				c.typeError(err.(types.Error))
			}
		},
	}
	s.types, _ = conf.Check(s.PkgPath, c.fset, s.files, nil)
	return s.types
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// errUnknown is why a package cannot be imported whose launchers are not known.
var errUnknown = errors.New("launchers not known")

// importFor is the package that an import of s means.
func (c *typeChecker) importFor(s *source, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	path, _ = c.resolve(s, path)
	if imported := c.sources[path]; imported != nil {
		return c.check(imported), nil
	}
	e, ok := c.exports[path]
	switch {
	case !ok:
		return nil, errUnknown
	case e.err != nil:
		return nil, e.err
	}
	p, err := c.compiled.Import(path)
	c.unreadable = c.unreadable || err != nil
	return p, err
}

// typeError collects what go/types says about a package. An import of the generated file that
// cannot be had is for the go command to report: go mod tidy can mend it once the file is written.
func (c *typeChecker) typeError(err types.Error) {
	pos := c.fset.Position(err.Pos)
	switch {
	case strings.HasPrefix(err.Msg, "could not import ") && filepath.Base(pos.Filename) == abi.GoFile:
		return
	case strings.Contains(err.Msg, "("+errUnknown.Error()+")"),
		strings.HasPrefix(err.Msg, "\t"): // continues the error before
		return
	}
	c.errs.Add(pos, "%s", strings.ReplaceAll(err.Msg, "\n\t", " "))
}
