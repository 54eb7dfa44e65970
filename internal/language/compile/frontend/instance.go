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
}

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
	for _, args := range l.combinations(k) {
		name := &ast.Ident{NamePos: k.dir.pos, Name: fmt.Sprintf("instance'%s'%d", k.fn.Name.Name, len(k.wrappers))}
		value := &ast.IndexListExpr{X: &ast.Ident{NamePos: k.dir.pos, Name: k.fn.Name.Name}, Lbrack: k.dir.pos,
			Indices: args, Rbrack: k.dir.pos}
		fn := &ast.FuncDecl{
			Name: name,
			Type: &ast.FuncType{
				Func:   k.dir.pos,
				Params: &ast.FieldList{},
				Results: &ast.FieldList{List: []*ast.Field{{Type: &ast.InterfaceType{Interface: k.dir.pos,
					Methods: &ast.FieldList{Opening: k.dir.pos, Closing: k.dir.pos}}}}},
			},
			Body: &ast.BlockStmt{Lbrace: k.dir.pos, List: []ast.Stmt{&ast.ReturnStmt{Return: k.dir.pos,
				Results: []ast.Expr{value}}}, Rbrace: k.dir.pos},
		}
		k.file.syntax.Decls = append(k.file.syntax.Decls, fn)
		k.file.pkg.addFunc(k.file, fn)
		l.reach.reach(k.file.pkg.byNode[fn])
		k.wrappers = append(k.wrappers, fn)
	}
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
	c := l.checked[l.src.Path]
	kern := &Kernel{
		Name: k.fn.Name.Name, Doc: k.fn.Doc.Text(),
		Block: k.dir.Block, MinBlocks: k.dir.MinBlocks, Cluster: k.dir.Cluster, Targets: k.dir.Targets, NoBounds: k.dir.noBounds, Fast: k.dir.Fast,
		Pos: k.fn.Name.Pos(),
	}
	obj, ok := c.info.Defs[k.fn.Name].(*types.Func)
	if !ok {
		return kern
	}
	kern.Signature = obj.Signature()
	add := func(sig *types.Signature, args []types.Type) {
		inst := &Instance{Kernel: kern, TypeArgs: args, Signature: sig, PTXName: Mangle(kern.Name),
			GoName: l.src.Name + "." + kern.Name}
		if len(args) > 0 {
			var names []string
			for _, a := range args {
				name := types.TypeString(a, func(p *types.Package) string {
					if p == c.types {
						return ""
					}
					return p.Name()
				})
				names = append(names, name)
				words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[], ", r) })
				inst.PTXName += "_" + Mangle(strings.Join(words, "_"))
			}
			inst.GoName += "[" + strings.Join(names, ",") + "]"
		}
		kern.Instances = append(kern.Instances, inst)
		if !l.errorOnLine(k.dir.pos) { // a type argument that its constraint refuses
			l.checkSignature(k, inst)
		}
	}
	if !k.generic() {
		add(kern.Signature, nil)
		return kern
	}
	for _, w := range k.wrappers {
		index := w.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.IndexListExpr)
		if inst, ok := c.info.Instances[index.X.(*ast.Ident)]; ok {
			add(inst.Type.(*types.Signature), typeList(inst.TypeArgs))
		}
	}
	return kern
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
