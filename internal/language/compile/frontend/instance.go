package frontend

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// A kernelDecl is a kernel as it is declared.
type kernelDecl struct {
	fn       *ast.FuncDecl
	file     *file
	dir      *kernelDirective
	wrappers []*ast.FuncDecl // of a generic kernel, one an instance
	// asked is where a //gpu:instance names the kernel, if it is another package's.
	asked token.Pos
}

// imported reports whether the kernel is another package's.
func (k *kernelDecl) imported() bool { return k.asked.IsValid() }

func (k *kernelDecl) generic() bool { return k.fn.Type.TypeParams.NumFields() > 0 }

func (k *kernelDecl) typeParams() []string {
	var names []string
	if k.fn.Type.TypeParams != nil {
		for _, f := range k.fn.Type.TypeParams.List {
			for _, id := range f.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// addInstances declares a function
//
//	func instance'Partial'0() interface{} { return Partial[float32] }
//
// for each instance that the directive lists. So the type checker checks the type arguments against
// their constraints and go/ssa makes the instance.
func (l *loader) addInstances(k *kernelDecl) {
	if !l.checkTypeArgs(k) || !k.generic() {
		return
	}
	if k.dir.Open && len(k.dir.Types) == 0 {
		return
	}
	for _, args := range l.combinations(k) {
		l.addInstance(k, k.file, &ast.Ident{NamePos: k.dir.pos, Name: k.fn.Name.Name}, args, k.dir.pos)
	}
}

// addInstance adds the instance of a kernel that a file of the package names by an expression, with
// the types args. Errors in them are reported at pos.
func (l *loader) addInstance(k *kernelDecl, f *file, kernel ast.Expr, args []ast.Expr, pos token.Pos) {
	value := &ast.IndexListExpr{X: kernel, Lbrack: pos, Indices: args, Rbrack: pos}
	fn := &ast.FuncDecl{
		Name: &ast.Ident{NamePos: pos, Name: fmt.Sprintf("instance'%s'%d", k.fn.Name.Name, l.wrappers)},
		Type: &ast.FuncType{
			Func:   pos,
			Params: &ast.FieldList{},
			Results: &ast.FieldList{List: []*ast.Field{{Type: &ast.InterfaceType{Interface: pos,
				Methods: &ast.FieldList{Opening: pos, Closing: pos}}}}},
		},
		Body: &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{&ast.ReturnStmt{Return: pos,
			Results: []ast.Expr{value}}}, Rbrace: pos},
	}
	l.wrappers++
	f.syntax.Decls = append(f.syntax.Decls, fn)
	f.pkg.addFunc(f, fn)
	l.reach.reach(f.pkg.byNode[fn])
	k.wrappers = append(k.wrappers, fn)
}

// checkTypeArgs compares the directive's type arguments with the type parameters.
func (l *loader) checkTypeArgs(k *kernelDecl) bool {
	params, ok := k.typeParams(), true
	given := map[string]bool{}
	for _, list := range k.dir.Types {
		for _, p := range list.Params {
			given[p.Text] = true
			if !slices.Contains(params, p.Text) {
				others := ""
				if !token.IsExported(p.Text) { // as the directive's own words
					others = ": what is no type is block=, minblocks=, cluster= or target="
				}
				l.errorf(k.dir.at(p.Offset), "//gpu:kernel: %s has no type parameter %s%s", k.fn.Name.Name, p.Text, others)
				ok = false
			}
		}
	}
	if k.dir.Open && !token.IsExported(k.fn.Name.Name) {
		l.errorf(k.dir.pos, "//gpu:kernel: %s is open, and no other package can name it: export it", k.fn.Name.Name)
		ok = false
	}
	if k.dir.Open && len(params) == 0 {
		l.errorf(k.dir.pos, "//gpu:kernel: %s is open and not generic: it has one instance, remove open", k.fn.Name.Name)
		ok = false
	}
	if k.dir.Open && len(k.dir.Types) == 0 {
		return ok
	}
	for _, p := range params {
		if !given[p] {
			l.errorf(k.dir.pos, "//gpu:kernel: name the types for which %s is compiled: //gpu:kernel "+
				"%s=float32,float64", k.fn.Name.Name, p)
			ok = false
		}
	}
	return ok
}

// maxInstances is the most instances that a kernel may have. Each is one kernel in the PTX.
const maxInstances = 1024

// instances is how many combinations of type arguments the directive lists.
func (k *kernelDecl) instances() int {
	n := 1
	for _, list := range k.dir.Types {
		n = min(n*max(len(list.Rows), 1), 1<<40)
	}
	return n
}

// combinations are the lists of type arguments, the last type parameter varying fastest. Type
// parameters that change together do so as the first of them.
func (l *loader) combinations(k *kernelDecl) [][]ast.Expr {
	params := k.typeParams()
	if n := k.instances(); n > maxInstances {
		l.errorf(k.dir.pos, "//gpu:kernel: %s would have %d instances, more than %d: list fewer types, or those "+
			"that belong together as T:V=float32:gpu.Float32x4", k.fn.Name.Name, n, maxInstances)
		return nil
	}
	all := [][]ast.Expr{make([]ast.Expr, len(params))}
	done := map[*directive.TypeList]bool{}
	for _, p := range params {
		list := k.dir.ListOf(p)
		if done[list] {
			continue
		}
		done[list] = true
		var next [][]ast.Expr
		for _, before := range all {
			for _, row := range list.Rows {
				args := slices.Clone(before)
				ok := true
				for i, t := range row {
					x, err := parseTypeArg(t.Text, k.dir.at(t.Offset))
					if err != nil {
						l.errorf(k.dir.at(t.Offset), "//gpu:kernel: %v", err)
						ok = false
					}
					args[slices.Index(params, list.Params[i].Text)] = x
				}
				if ok {
					next = append(next, args)
				}
			}
		}
		all = next
	}
	return all
}

// makeKernel describes a kernel once the types are known.
func (l *loader) makeKernel(k *kernelDecl) *Kernel {
	kern := &Kernel{
		Name: k.fn.Name.Name, Doc: k.fn.Doc.Text(),
		Block: k.dir.Block, MinBlocks: k.dir.MinBlocks, Cluster: k.dir.Cluster, Targets: k.dir.Targets, NoBounds: k.dir.noBounds, Fast: k.dir.Fast,
		Open: k.dir.Open, Origin: k.file.pkg.src.Path, Pos: k.fn.Name.Pos(),
	}
	if k.imported() {
		kern.Pos = k.asked
	}
	c := l.checked[kern.Origin]
	if c == nil { // an error of its import
		return kern
	}
	obj, ok := c.info.Defs[k.fn.Name].(*types.Func)
	if !ok {
		return kern
	}
	kern.Signature = obj.Signature()
	if !k.generic() {
		l.makeInstance(k, kern, &Instance{Signature: kern.Signature}, k.dir.pos)
		return kern
	}
	for _, w := range k.wrappers {
		index := w.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.IndexListExpr)
		id, ok := index.X.(*ast.Ident)
		if !ok {
			id = index.X.(*ast.SelectorExpr).Sel
		}
		inst, ok := l.checked[l.src.Path].info.Instances[id]
		args := typeList(inst.TypeArgs)
		twice := func(other *Instance) bool { return slices.EqualFunc(other.TypeArgs, args, types.Identical) }
		if ok && !slices.ContainsFunc(kern.Instances, twice) {
			l.makeInstance(k, kern, &Instance{TypeArgs: args, Signature: inst.Type.(*types.Signature), wrapper: w.Name.Name}, w.Pos())
		}
	}
	return kern
}

// makeInstance names an instance and adds it to its kernel. The request is at pos.
func (l *loader) makeInstance(k *kernelDecl, kern *Kernel, inst *Instance, pos token.Pos) {
	inst.Kernel, inst.PTXName, inst.asked = kern, Mangle(kern.Name), pos
	inst.GoName = k.file.pkg.src.Name + "." + kern.Name
	if k.imported() {
		inst.PTXName = Mangle(k.file.pkg.src.Name) + "_" + inst.PTXName
	}
	var names []string
	for _, a := range inst.TypeArgs {
		name := types.TypeString(a, func(p *types.Package) string {
			if p.Path() == l.src.Path {
				return ""
			}
			return p.Name()
		})
		names = append(names, name)
		words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[], ", r) })
		inst.PTXName += "_" + Mangle(strings.Join(words, "_"))
	}
	if len(names) > 0 {
		inst.GoName += "[" + strings.Join(names, ",") + "]"
	}
	kern.Instances = append(kern.Instances, inst)
	if !l.errorOnLine(pos) { // a type argument that its constraint refuses
		l.checkSignature(k, inst)
	}
}

// errorOnLine reports whether there is an error on the line of a position.
func (l *loader) errorOnLine(pos token.Pos) bool {
	at := l.fset.Position(pos)
	onLine := func(e *Error) bool { return e.Pos.Filename == at.Filename && e.Pos.Line == at.Line }
	return slices.ContainsFunc(l.errs, onLine)
}

func typeList(l *types.TypeList) []types.Type {
	out := make([]types.Type, l.Len())
	for i := range out {
		out[i] = l.At(i)
	}
	return out
}

// Mangle makes a PTX identifier of a Go name: a letter that PTX does not know becomes its code
// between dollars, and the one word that it reserves gets a dollar at its end.
func Mangle(name string) string {
	if name == "WARP_SZ" {
		return name + "$"
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r < 128:
			b.WriteByte('_')
		default:
			fmt.Fprintf(&b, "$%x$", r)
		}
	}
	return b.String()
}

// instanceOf is the function that a wrapper of addInstances returns.
func instanceOf(wrapper *ssa.Function) *ssa.Function {
	for _, in := range wrapper.Blocks[0].Instrs {
		if m, ok := in.(*ssa.MakeInterface); ok {
			return m.X.(*ssa.Function)
		}
	}
	panic("BUG: the wrapper of a kernel returns no function")
}

// checkEntries reports instances that would have the same PTX name.
func (l *loader) checkEntries(prog *Program) {
	seen := map[string]*Instance{}
	for _, k := range prog.Kernels {
		for _, inst := range k.Instances {
			if prev := seen[inst.PTXName]; prev != nil && prev.GoName != inst.GoName {
				l.errorf(k.Pos, "%s and %s would have the same PTX name %s: rename one kernel", prev.GoName,
					inst.GoName, inst.PTXName)
			}
			seen[inst.PTXName] = inst
		}
	}
}
