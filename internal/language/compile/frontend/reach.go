package frontend

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// A reacher finds the declarations that kernels need, by name and across packages, without types.
// It takes too much rather than too little: a method is needed as soon as its type is, if a method
// of that name is called anywhere. Declarations that it does not take are never type-checked.
type reacher struct {
	fset    *token.FileSet
	imp     Importer
	errs    *ErrorList
	pkgs    map[string]*pkg // by path; nil for one that cannot be had
	order   []*pkg          // as found
	why     map[string]error
	queue   []*decl
	support []string        // the packages with what operations in the code that is reached are lowered to
	names   map[string]bool // selected or required by an interface: methods of these names are needed
}

func newReacher(fset *token.FileSet, imp Importer, errs *ErrorList) *reacher {
	return &reacher{fset: fset, imp: imp, errs: errs, pkgs: map[string]*pkg{}, why: map[string]error{},
		names: map[string]bool{}}
}

// load is the package of a path, nil if it cannot be had. why says the reason.
func (r *reacher) load(path string) *pkg {
	if p, ok := r.pkgs[path]; ok {
		return p
	}
	r.pkgs[path] = nil
	if isDevicePath(path) {
		r.add(path, parseStd(r.fset, path))
		return r.pkgs[path]
	}
	src, err := r.imp(path)
	if err == nil && src == nil {
		err = errors.New("no such package")
	}
	if err != nil {
		r.why[path] = err
		return nil
	}
	p := parsePackage(r.fset, src, r.errs)
	if path == GPUPath {
		p.std = true
		p.override(parseStd(r.fset, path))
	}
	r.add(path, p)
	return p
}

func (r *reacher) add(path string, p *pkg) {
	r.pkgs[path] = p
	r.order = append(r.order, p)
}

func (r *reacher) packageName(path string) string {
	if p := r.load(path); p != nil {
		return p.src.Name
	}
	return ""
}

// run reaches everything that the declarations queued so far need.
func (r *reacher) run() {
	for {
		for len(r.queue) > 0 {
			d := r.queue[len(r.queue)-1]
			r.queue = r.queue[:len(r.queue)-1]
			r.walk(d)
		}
		if !r.reachMethods() {
			return
		}
	}
}

// reachMethods queues the methods of reached types whose names are needed.
func (r *reacher) reachMethods() bool {
	for _, p := range r.order {
		for typ, methods := range p.methods {
			if t := p.decls[typ]; t == nil || !t.reached {
				continue
			}
			for name, m := range methods {
				if r.names[name] {
					r.reach(m)
				}
			}
		}
	}
	return len(r.queue) > 0
}

// Code that may have operations of a kind names a type, or has a literal: of strings, of complex
// numbers.
var (
	typeSupport = map[string]string{
		"string": textPath, "complex64": complexPath, "complex128": complexPath, "complex": complexPath,
	}
	literalSupport = map[token.Token]string{token.STRING: textPath, token.IMAG: complexPath}
)

// need notes a package with what operations are lowered to; "" is none.
func (r *reacher) need(path string) {
	if path != "" && !slices.Contains(r.support, path) {
		r.support = append(r.support, path)
	}
}

// supportFuncs reaches the functions that operations are lowered to.
func (r *reacher) supportFuncs() {
	for _, path := range r.support {
		for _, d := range r.load(path).decls {
			if d.fn != nil {
				r.reach(d)
			}
		}
	}
	r.run()
}

func (r *reacher) reach(d *decl) {
	if d == nil || d.reached {
		return
	}
	d.reached = true
	r.queue = append(r.queue, d)
	r.reach(d.repeats)
}

func (r *reacher) walk(d *decl) {
	w := &walker{reacher: r, file: d.file}
	switch {
	case d.fn != nil:
		if d.fn.Recv != nil {
			w.node(d.fn.Recv)
		}
		w.node(d.fn.Type)
		if d.fn.Body != nil {
			w.node(d.fn.Body)
		}
	case d.isVar():
		w.variable(d)
	default:
		w.node(d.spec)
	}
}

// valuesOf lists the expressions that give a variable of the specification its initial value: its
// own, or the one call that initializes all names.
func valuesOf(spec *ast.ValueSpec, name string) []ast.Expr {
	if len(spec.Values) != len(spec.Names) {
		return spec.Values
	}
	i := slices.IndexFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name })
	return spec.Values[i : i+1]
}

// A walker follows the identifiers of one declaration. It relies on the parser's resolution of
// local names (ast.Ident.Obj), which is exact for the question here: whether an identifier can mean
// something declared at package level.
type walker struct {
	*reacher
	file *file
}

func (w *walker) node(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return w.selector(n)
		case *ast.Ident:
			w.ident(n)
			if !w.file.pkg.std {
				w.need(typeSupport[n.Name])
			}
		case *ast.BasicLit:
			w.need(literalSupport[n.Kind])
		case *ast.InterfaceType:
			w.interfaceMethods(n)
		case *ast.CompositeLit:
			w.compositeLit(n)
			return false
		case *ast.Field:
			if n.Type != nil {
				w.node(n.Type)
			}
			return false
		case *ast.LabeledStmt:
			w.node(n.Stmt)
			return false
		case *ast.BranchStmt:
			return false
		}
		return true
	})
}

// selector handles x.Sel and reports whether its parts are still to be walked.
func (w *walker) selector(n *ast.SelectorExpr) bool {
	if id, ok := n.X.(*ast.Ident); ok && w.lookup(id) == nil && id.Obj == nil {
		if spec := w.file.importOf(id.Name, w.packageName); spec != nil {
			w.imported(n, spec)
			return false
		}
	}
	w.names[n.Sel.Name] = true
	w.node(n.X)
	return false
}

// lookup is the package-level declaration that an identifier means, nil for a local or unknown one.
func (w *walker) lookup(id *ast.Ident) *decl {
	if id.Name == "_" { // declared perhaps, as in var _ I = T{}, but never meant
		return nil
	}
	d := w.file.pkg.decls[id.Name]
	if d == nil || id.Obj == nil {
		return d
	}
	// The parser resolves within the file: to a local declaration, or to one of package level.
	switch node := id.Obj.Decl.(type) {
	case *ast.FuncDecl, *ast.TypeSpec:
		if w.file.pkg.byNode[node] != nil {
			return d
		}
	case *ast.ValueSpec:
		for _, name := range node.Names {
			if name.Name == id.Name && w.file.pkg.byNode[name] != nil {
				return d
			}
		}
	}
	return nil
}

func (w *walker) ident(id *ast.Ident) {
	d := w.lookup(id)
	if d == nil {
		w.refuseDotImport(id)
		return
	}
	w.use(d, id.Name, id.Pos())
}

// use reaches a declaration that is used under a name. A variable must be one that nothing assigns.
func (w *walker) use(d *decl, name string, pos token.Pos) {
	if d.isVar() && !d.file.pkg.std {
		if c, ok := w.assignment(d); ok {
			w.errs.Add(w.fset.Position(pos), "%s", w.changedMessage(name, "it is assigned", c))
			d.refused = true
		}
		if !d.usedAt.IsValid() {
			d.usedAt = pos
		}
	}
	w.reach(d)
}

// variable walks the type of a variable, and its initial value.
func (w *walker) variable(d *decl) {
	spec := d.spec.(*ast.ValueSpec)
	if d.refused {
		return
	}
	if spec.Type != nil {
		w.node(spec.Type)
	}
	for _, x := range valuesOf(spec, d.name) {
		w.node(x)
	}
}

// refuseDotImport reports a name that the package has from a dot import.
func (w *walker) refuseDotImport(id *ast.Ident) {
	if id.Obj != nil || !id.IsExported() {
		return
	}
	for _, spec := range w.file.imports {
		if spec.Name == nil || spec.Name.Name != "." {
			continue
		}
		if p := w.load(importPath(spec)); p != nil && p.decls[id.Name] != nil {
			w.errs.Add(w.fset.Position(id.Pos()), "a kernel cannot use %s from the dot import of %s: import the "+
				"package by its name, and write %s.%s", id.Name, spec.Path.Value, p.src.Name, id.Name)
		}
	}
}

// imported handles pkg.Name of an imported package.
func (w *walker) imported(n *ast.SelectorExpr, spec *ast.ImportSpec) {
	w.file.used[spec] = true
	path, pos := importPath(spec), w.fset.Position(n.Pos())
	if path == "unsafe" {
		return // package check sees to it
	}
	p := w.load(path)
	if p == nil {
		w.errs.Add(pos, "%s", w.refuseImport(path, n.Sel.Name))
		return
	}
	d := p.decls[n.Sel.Name]
	if d == nil {
		return // the type checker says so
	}
	w.use(d, p.src.Name+"."+d.name, n.Pos())
}

// refuseImport says why a package cannot be used, and what to do instead.
func (r *reacher) refuseImport(path, name string) string {
	if path == "C" {
		return "a kernel cannot call C: cgo code runs on the host only"
	}
	if !errors.Is(r.why[path], ErrStandard) {
		return fmt.Sprintf("cannot import %q: %v", path, r.why[path])
	}
	remedy := standardRemedies[path]
	if remedy == "" {
		remedy = "write what it needs in kernel code, or do it on the host"
	}
	return fmt.Sprintf("a kernel cannot use %s.%s: of the standard library only math, math/bits, "+
		"math/cmplx and cmp have a "+
		"device form; %s",
		guessName(path), name, remedy)
}

// standardRemedies says what to use in place of packages that people often want.
var standardRemedies = map[string]string{
	"fmt":          "print with gpu.Printf, or state what must hold with gpu.Assert",
	"log":          "print with gpu.Printf, or state what must hold with gpu.Assert",
	"errors":       "write a status to a slice, or end the kernel with panic and a constant message",
	"sync":         "use gpu.SyncThreads within a block and gpu's atomics between blocks",
	"sync/atomic":  "use gpu's atomics, which give the old value (gpu.AtomicAdd, gpu.AtomicCAS, …)",
	"math/rand":    "use package gpu/rand, whose numbers are the same in kernels and on the host",
	"math/rand/v2": "use package gpu/rand, whose numbers are the same in kernels and on the host",
	"time":         "measure on the host with the events of a stream",
	"sort":         "sort on the host, or write the sort in kernel code",
	"slices":       "write the loop in kernel code",
}

// compositeLit walks a literal. A key that is a plain identifier may be a field's name. Only a
// constant can be meant otherwise.
func (w *walker) compositeLit(n *ast.CompositeLit) {
	if n.Type != nil {
		w.node(n.Type)
	}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			w.node(e)
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); !ok {
			w.node(kv.Key)
		} else if d := w.lookup(id); d != nil && d.isConst() {
			w.reach(d)
		}
		w.node(kv.Value)
	}
}

func (w *walker) interfaceMethods(n *ast.InterfaceType) {
	for _, m := range n.Methods.List {
		for _, name := range m.Names {
			w.names[name.Name] = true
		}
	}
}
