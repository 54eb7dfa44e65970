package vet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// deviceCode is the prerequisite that builds a package's SSA. Its result is nil for packages that
// have nothing to do with kernels.
//
// It is not buildssa, for the sake of gpu.GridStride: go/ssa makes the body of a loop over a
// function a separate closure, which it hands to an iterator it knows nothing of, and moves the
// variables of the kernel that the body uses into memory. The loop would be gone, and with it all
// facts about its condition. So the package is parsed once more, its loops over GridStride become
// the plain loops that they stand for, as in the compiler (stride.go), and it is type-checked
// again.
var deviceCode = &analysis.Analyzer{
	Name:       "devicecode",
	Doc:        "build the SSA of packages with kernels, device functions or launches",
	Run:        func(pass *analysis.Pass) (any, error) { return loadDevice(pass) },
	ResultType: reflect.TypeFor[*device](),
}

// device is a package as the analyzers see it. It has the positions of the pass.
type device struct {
	info    *types.Info
	fset    *token.FileSet
	prog    *ssa.Program
	funcs   []*ssa.Function // declared ones and function literals, in source order
	hosts   []*ssa.Function // functions of tests, which run on the host only
	kernels map[*ssa.Function]*directive.Kernel
	strides map[*ast.ForStmt]*ast.RangeStmt // the loops over GridStride, by what they became
	objects map[token.Pos]types.Object      // of the pass, by the place of the declaration
}

func loadDevice(pass *analysis.Pass) (*device, error) {
	if !concernsKernels(pass) {
		return nil, nil
	}
	d := &device{
		fset: token.NewFileSet(), kernels: map[*ssa.Function]*directive.Kernel{},
		strides: map[*ast.ForStmt]*ast.RangeStmt{},
		objects: map[token.Pos]types.Object{},
	}
	files, err := d.parse(pass)
	if err != nil {
		return nil, err
	}
	d.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes:    map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: importsOf(pass), Sizes: pass.TypesSizes, GoVersion: pass.Pkg.GoVersion()}
	pkg, err := conf.Check(pass.Pkg.Path(), d.fset, files, d.info)
	if err != nil {
		return nil, fmt.Errorf("type-check once more: %w", err)
	}
	d.build(pkg, files)
	for id, obj := range pass.TypesInfo.Defs {
		if obj != nil {
			d.objects[id.Pos()] = obj
		}
	}
	return d, nil
}

// concernsKernels reports whether a package may hold device code or launches, by its imports. It is
// false for packages that use cgo: their type-checked text is not the text on disk.
func concernsKernels(pass *analysis.Pass) bool {
	kernels := false
	for _, p := range pass.Pkg.Imports() {
		switch p.Path() {
		case gpuPath, hostPath:
			kernels = true
		case "C", "runtime/cgo":
			return false
		}
	}
	return kernels && pass.Pkg.Path() != gpuPath
}

// parse reads the files of a package again and replaces the loops over GridStride. Every position
// has the same number in its file set as in the pass.
func (d *device) parse(pass *analysis.Pass) ([]*ast.File, error) {
	loops := strideLoops(pass)
	originals := slices.SortedFunc(slices.Values(pass.Files),
		func(a, b *ast.File) int { return int(a.FileStart - b.FileStart) })
	var files []*ast.File
	for _, original := range originals {
		file := pass.Fset.File(original.FileStart)
		text, err := pass.ReadFile(file.Name())
		if err != nil {
			return nil, err
		}
		if gap := file.Base() - d.fset.Base(); gap > 0 {
			d.fset.AddFile("", -1, gap-1)
		}
		f, err := parser.ParseFile(d.fset, file.Name(), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if f.FileStart != original.FileStart {
			return nil, fmt.Errorf("BUG: %s is read at another position", file.Name())
		}
		d.rewriteStrides(f, loops)
		files = append(files, f)
	}
	return files, nil
}

// importsOf gives the second type check the packages of the first.
func importsOf(pass *analysis.Pass) types.Importer {
	byPath := importer{"unsafe": types.Unsafe}
	for _, f := range pass.Files {
		for _, spec := range f.Imports {
			if name := pass.TypesInfo.PkgNameOf(spec); name != nil {
				path, _ := strconv.Unquote(spec.Path.Value)
				byPath[path] = name.Imported()
			}
		}
	}
	return byPath
}

type importer map[string]*types.Package

func (m importer) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("BUG: %s was not imported before", path)
}

// build makes the SSA and lists the functions and the kernels.
func (d *device) build(pkg *types.Package, files []*ast.File) {
	d.prog = ssa.NewProgram(d.fset, ssa.GlobalDebug)
	for _, p := range pkg.Imports() {
		d.prog.CreatePackage(p, nil, nil, true)
	}
	d.prog.CreatePackage(pkg, files, d.info, false).Build()
	for _, f := range files {
		isTest := strings.HasSuffix(d.fset.File(f.FileStart).Name(), "_test.go")
		for _, decl := range f.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			fn := d.prog.FuncValue(d.info.Defs[decl.Name].(*types.Func))
			if isTest { // no kernel can be there, nor a function that one calls
				d.hosts = appendFunction(d.hosts, fn)
				continue
			}
			d.funcs = appendFunction(d.funcs, fn)
			if k := readDirective(decl); k != nil {
				d.kernels[fn] = k
			}
		}
	}
}

// appendFunction appends a function and the literals in it.
func appendFunction(list []*ssa.Function, fn *ssa.Function) []*ssa.Function {
	if fn == nil || len(fn.Blocks) == 0 {
		return list
	}
	list = append(list, fn)
	for _, literal := range fn.AnonFuncs {
		list = appendFunction(list, literal)
	}
	return list
}

// object is the pass's own object of a function declared in the package, nil for function literals.
func (d *device) object(fn *ssa.Function) types.Object {
	if fn.Object() == nil {
		return nil
	}
	return d.objects[fn.Object().Pos()]
}
