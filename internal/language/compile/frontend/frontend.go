package frontend

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
)

// Program is a package whose kernels are ready to be lowered.
type Program struct {
	Path, Name string
	Package    *types.Package
	Fset       *token.FileSet
	Kernels    []*Kernel // in source order
	Names      []string  // identifiers declared at package level, sorted
	Stamp      stamp.Stamp
	Variables  map[*types.Var]*Variable // of the package and of those it imports
	Init       *ssa.Function            // computes the variables whose values are no literals

	files    map[*token.File]string
	starts   map[token.Pos]token.Pos
	operands map[token.Pos]token.Pos // where the first operand of a binary operator starts
	rounded  map[token.Pos]bool      // the operators whose result is converted explicitly to its own type
	suspects []suspect
	lowered  map[*ast.FuncDecl]bool
	support  map[string]*ssa.Package // by path
}

// TextFunc is a function that code with strings needs, of _std/text.go.
func (p *Program) TextFunc(name string) *ssa.Function { return p.support[textPath].Func(name) }

// DivideComplex is the function that divides complex numbers, of _std/complex.go.
func (p *Program) DivideComplex() *ssa.Function { return p.support[complexPath].Func("Divide") }

// FileName is the name of the file at a position, as PTX has it: the package's path and the file's
// base name, the same on every machine.
func (p *Program) FileName(pos token.Pos) string { return p.files[p.Fset.File(pos)] }

// ShownName is the name of a file as errors show it, by its FileName.
func (p *Program) ShownName(compiled string) string {
	for f, name := range p.files {
		if name == compiled {
			return f.Name()
		}
	}
	return compiled
}

// StartPos is the start of the expression whose operator or bracket is at pos, if both are on one
// line. Otherwise it is pos.
func (p *Program) StartPos(pos token.Pos) token.Pos {
	if start, ok := p.starts[pos]; ok {
		return start
	}
	return pos
}

// Kernel is one Go function with a //gpu:kernel directive.
type Kernel struct {
	Name      string
	Doc       string // without the directives
	Signature *types.Signature
	Block     [3]int       // threads in a block, zero when free
	MinBlocks int          // blocks on a multiprocessor at a time, zero when free
	Cluster   [3]int       // blocks in a cluster, zero when free
	Targets   []abi.Target // empty for the least that the kernel needs
	NoBounds  bool
	Fast      bool // inexact arithmetic is permitted
	Open      bool // other packages may have instances
	// Origin is the import path of the kernel's package. A kernel of another package than Program's is
	// here because of its instances.
	Origin    string
	Pos       token.Pos
	Instances []*Instance // one without type arguments if the kernel is not generic
}

// Instance is one instance of a kernel.
type Instance struct {
	Kernel    *Kernel
	TypeArgs  []types.Type
	Signature *types.Signature // without type parameters
	PTXName   string           // "Partial_float32"
	GoName    string           // for people: "dot.Partial[float32]"
	Func      *ssa.Function

	wrapper string    // the name of the function that returns it
	asked   token.Pos // the place of the request
}

// Load reads, checks and builds a package. The error is an ErrorList of all that is wrong with it.
func Load(src *Source, imp Importer) (*Program, error) {
	l := &loader{fset: token.NewFileSet(), src: src, checked: map[string]*checked{}}
	l.reach = newReacher(l.fset, imp, &l.errs)
	return l.load()
}

// A loader carries one Load.
type loader struct {
	fset    *token.FileSet
	src     *Source
	errs    ErrorList
	reach   *reacher
	root    *pkg
	kernels []*kernelDecl
	// requests are the //gpu:instance comments, and needs the //gpu:needs comments of other packages
	// that say which kernels they mean.
	requests []request
	needs    []request
	wrappers int
	checked  map[string]*checked // by path
	order    []*checked          // imported packages first

	suspects []suspect
}

// checked is a package after type checking.
type checked struct {
	pkg   *pkg
	files []*ast.File
	types *types.Package
	info  *types.Info
}

func (l *loader) errorf(pos token.Pos, format string, args ...any) {
	l.errs.Add(l.fset.Position(pos), format, args...)
}

func (l *loader) load() (*Program, error) {
	l.root = parsePackage(l.fset, l.src, &l.errs)
	if len(l.errs) > 0 {
		return nil, l.errs.Err()
	}
	l.reach.add(l.src.Path, l.root)
	for _, f := range l.root.files {
		l.kernels = append(l.kernels, l.directives(f)...)
	}
	for _, k := range l.kernels {
		l.checkKernelDecl(k)
		l.addInstances(k)
		l.reach.reach(l.root.byNode[k.fn])
	}
	l.addRequested()
	l.reach.run()
	if l.mayBeFast() {
		l.reach.need(fastPath)
	}
	l.reach.supportFuncs()
	l.eachReached(func(p *pkg, d *decl) {
		if d.fn != nil {
			l.rewriteStrides(d.file, d.fn)
		}
	})
	before := len(l.errs)
	if l.checkNesting(); len(l.errs) > before { // go/types would take for ever
		return nil, l.errs.Err()
	}
	for _, path := range l.reach.support {
		l.typeCheck(path)
	}
	l.typeCheck(l.src.Path)
	l.checkVariables()
	for _, c := range l.order {
		if !c.pkg.std {
			l.checkConstructs(c)
		}
	}
	l.checkRecursion()
	l.checkBuilds()
	prog := l.newProgram()
	for _, c := range l.order {
		prog.addPositions(c)
	}
	for _, k := range l.kernels {
		prog.Kernels = append(prog.Kernels, l.makeKernel(k))
	}
	l.checkEntries(prog)
	if len(l.errs) > 0 {
		return nil, l.errs.Err()
	}
	prog.Stamp = l.stamp()
	for _, c := range l.order {
		c.rewriteRanges()
		prog.variables(c)
	}
	l.buildSSA(prog)
	return prog, nil
}

// newProgram makes a program without its kernels, from what is checked.
func (l *loader) newProgram() *Program {
	return &Program{
		Path: l.src.Path, Name: l.src.Name, Package: l.checked[l.src.Path].types, Fset: l.fset,
		Names:     slices.Sorted(maps.Keys(l.root.decls)),
		Variables: map[*types.Var]*Variable{},
		files:     map[*token.File]string{}, starts: map[token.Pos]token.Pos{}, operands: map[token.Pos]token.Pos{}, rounded: map[token.Pos]bool{},
		suspects: l.suspects, lowered: map[*ast.FuncDecl]bool{}, support: map[string]*ssa.Package{},
	}
}

// eachReached calls f for the declarations of users' packages that kernels reach, in source order.
func (l *loader) eachReached(f func(*pkg, *decl)) {
	for _, p := range l.reach.order {
		if p == nil || p.std {
			continue
		}
		for _, file := range p.files {
			for _, d := range file.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && p.byNode[fn].reached {
					f(p, p.byNode[fn])
				}
			}
		}
	}
}

// Import makes loader the importer of go/types.
func (l *loader) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	c := l.typeCheck(path)
	if c == nil {
		return nil, errReported
	}
	return c.types, nil
}

// errReported is the error of an import that its use already reported.
var errReported = fmt.Errorf("reported")

// typeCheck checks what is reached of a package and of those it imports; nil for a package that
// cannot be had.
func (l *loader) typeCheck(path string) *checked {
	if c, ok := l.checked[path]; ok {
		return c
	}
	p := l.reach.load(path)
	if p == nil {
		return nil
	}
	c := &checked{pkg: p, files: p.prune(), info: newInfo()}
	l.checked[path] = nil // an import cycle ends here
	conf := types.Config{
		GoVersion: p.src.GoVersion,
		Importer:  l,
		Sizes:     Sizes,
		Error:     l.typeError,
	}
	c.types, _ = conf.Check(path, l.fset, c.files, c.info)
	l.checked[path] = c
	l.order = append(l.order, c)
	return c
}

func newInfo() *types.Info {
	return &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Scopes:       map[ast.Node]*types.Scope{},
		Instances:    map[*ast.Ident]types.Instance{},
		FileVersions: map[*ast.File]string{},
	}
}

// typeError collects an error of the type checker, unless it follows from one that is already
// reported.
func (l *loader) typeError(err error) {
	e, ok := err.(types.Error)
	if !ok {
		panic(fmt.Sprintf("BUG: go/types reports %v", err))
	}
	pos := l.fset.Position(e.Pos)
	switch {
	case strings.Contains(e.Msg, "("+errReported.Error()+")"),
		strings.Contains(e.Msg, "missing function body"), // package check has a better word
		strings.HasPrefix(e.Msg, "\t"),                   // continues the error before
		slices.ContainsFunc(l.errs, func(prev *Error) bool { return prev.Pos == pos }):
		return
	}
	l.errs = append(l.errs, &Error{Pos: pos, Msg: strings.NewReplacer("\n\t\t", " ", "\n\t", " ").Replace(e.Msg)})
}

// buildSSA makes the functions of the instances.
func (l *loader) buildSSA(prog *Program) {
	p := ssa.NewProgram(l.fset, ssa.InstantiateGenerics|ssa.GlobalDebug|ssa.BuildSerially)
	p.CreatePackage(types.Unsafe, nil, nil, true) // for files that take the size of a type
	var root *ssa.Package
	for _, c := range l.order {
		s := p.CreatePackage(c.types, c.files, c.info, true)
		if c.pkg == l.root {
			root = s
		}
		if slices.Contains(l.reach.support, c.types.Path()) {
			prog.support[c.types.Path()] = s
		}
	}
	p.Build()
	prog.Init = root.Func("init")
	for i, k := range l.kernels {
		for _, inst := range prog.Kernels[i].Instances {
			if k.generic() {
				inst.Func = instanceOf(root.Func(inst.wrapper))
			} else {
				inst.Func = root.Func(k.fn.Name.Name)
			}
		}
	}
}
