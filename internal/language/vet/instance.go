package vet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// InstanceAnalyzer reports calls whose kernels nobody has compiled.
var InstanceAnalyzer = &analysis.Analyzer{
	Name: "instance",
	Doc: `find calls of generic functions whose kernels no //gpu:instance asks for

Without its instance the call returns gridstride.ErrNoKernel.`,
	Requires:   []*analysis.Analyzer{missingInstances},
	ResultType: usedCommentsType,
	Run: func(pass *analysis.Pass) (any, error) {
		r := reporter{pass: pass}
		for _, m := range pass.ResultOf[missingInstances].([]missing) {
			r.report(m.pos, "no kernel of %s is compiled: write //gpu:instance %s in the package of its types, and run gridstride build", m.shown, m.shown)
		}
		return r.used, nil
	},
}

// missing is a call of an instance that nobody has compiled.
type missing struct {
	pos   token.Pos
	shown string // the instance, as the package writes it
}

// missingInstances finds them, and tells the packages that import this one what its functions need.
var missingInstances = &analysis.Analyzer{
	Name:       "missinginstances",
	Doc:        "find instances of kernels that are needed and not asked for",
	Run:        findMissing,
	FactTypes:  []analysis.Fact{new(kernelNeeds), new(requested)},
	ResultType: reflect.TypeFor[[]missing](),
}

// kernelNeeds are the instances of kernels that an instance of a function needs, as its //gpu:needs
// say, with placeholders for its own types.
type kernelNeeds struct{ Kernels []string }

// requested are the instances of kernels that a package's //gpu:instance comments ask for.
type requested struct{ Kernels []string }

func (*kernelNeeds) AFact() {}
func (*requested) AFact()   {}

// mostNeeds bounds how deep functions need functions, as in the compiler.
const mostNeeds = 16

func findMissing(pass *analysis.Pass) (any, error) {
	in := &instances{pass: pass, own: map[types.Object]*ast.FuncDecl{}}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && len(in.comments(fn.Doc, directive.NeedsName)) > 0 {
				in.own[pass.TypesInfo.Defs[fn.Name]] = fn
			}
		}
	}
	for obj := range in.own {
		if kernels, ok := in.needs(obj, 0); ok {
			pass.ExportObjectFact(obj, &kernelNeeds{kernels})
		}
	}
	if kernels := in.requests(); len(kernels) > 0 {
		pass.ExportPackageFact(&requested{kernels})
	}
	return in.calls(), nil
}

// instances knows what the functions of a package need.
type instances struct {
	pass *analysis.Pass
	own  map[types.Object]*ast.FuncDecl // functions of the package that need instances
}

func (in *instances) comments(group *ast.CommentGroup, name string) (found []*ast.Comment) {
	if group == nil {
		return nil
	}
	for _, c := range group.List {
		if n, _, ok := directive.Split(c.Text); ok && n == name {
			found = append(found, c)
		}
	}
	return found
}

// fileOf is the file of a position.
func (in *instances) fileOf(pos token.Pos) *ast.File {
	for _, f := range in.pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// needs are the kernels that a function needs. It reports false for one that needs none, and for one
// whose comments cannot be read: the compiler says so.
func (in *instances) needs(obj types.Object, depth int) (kernels []string, ok bool) {
	fn := in.own[obj]
	if fn == nil || depth == mostNeeds {
		var fact kernelNeeds
		ok = obj.Pkg() != in.pass.Pkg && in.pass.ImportObjectFact(obj, &fact)
		return fact.Kernels, ok
	}
	s := instanceScope{in, in.fileOf(fn.Pos()), map[string]string{}}
	params := obj.Type().(*types.Signature).TypeParams()
	for i := range params.Len() {
		s.types[params.At(i).Obj().Name()] = placeholder(i)
	}
	for _, c := range in.comments(fn.Doc, directive.NeedsName) {
		list, _ := directive.ParseInstances(c.Text)
		for _, name := range list.Of {
			more, known := s.instance(name.Text, depth+1)
			if !known {
				return nil, false
			}
			kernels = append(kernels, more...)
		}
	}
	return kernels, true
}

// requests are the kernels that the package's //gpu:instance comments ask for. gridstride build does
// not read test files.
func (in *instances) requests() (kernels []string) {
	for _, f := range in.pass.Files {
		if strings.HasSuffix(in.pass.Fset.File(f.FileStart).Name(), "_test.go") {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range in.comments(group, directive.InstanceName) {
				list, _ := directive.ParseInstances(c.Text)
				list.Choices(func(chosen map[string]string) bool {
					outer := instanceScope{in, f, nil}
					s := instanceScope{in, f, map[string]string{}}
					for param, text := range chosen {
						if x, err := parser.ParseExpr(text); err == nil {
							s.types[param], _ = outer.text(x)
						}
					}
					for _, name := range list.Of {
						more, _ := s.instance(name.Text, 0)
						kernels = append(kernels, more...)
					}
					return true
				})
			}
		}
	}
	slices.Sort(kernels)
	return slices.Compact(kernels)
}

// calls are the instances that the package calls and nobody has compiled, each once.
func (in *instances) calls() (found []missing) {
	there := map[string]bool{}
	for _, fact := range in.pass.AllPackageFacts() {
		if r, ok := fact.Fact.(*requested); ok {
			for _, k := range r.Kernels {
				there[k] = true
			}
		}
	}
	var used []*ast.Ident
	for id := range in.pass.TypesInfo.Instances {
		used = append(used, id)
	}
	slices.SortFunc(used, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	for _, id := range used {
		fn, ok := in.pass.TypesInfo.Uses[id].(*types.Func)
		if !ok {
			continue
		}
		kernels, ok := in.needs(fn.Origin(), 0)
		args, known := in.typeTexts(in.pass.TypesInfo.Instances[id].TypeArgs)
		if !ok || !known {
			continue
		}
		lacks := false
		for _, k := range kernels {
			k = fill(k, args)
			lacks = lacks || !there[k]
			there[k] = true // it is said once
		}
		if lacks {
			found = append(found, missing{id.Pos(), in.shown(fn, in.pass.TypesInfo.Instances[id].TypeArgs)})
		}
	}
	return found
}

// shown is an instance as the package writes it.
func (in *instances) shown(fn *types.Func, args *types.TypeList) string {
	qualifier := func(p *types.Package) string {
		if p == in.pass.Pkg {
			return ""
		}
		return p.Name()
	}
	text := fn.Name()
	if q := qualifier(fn.Pkg()); q != "" {
		text = q + "." + text
	}
	for i := range args.Len() {
		text += ","
		if i == 0 {
			text = text[:len(text)-1] + "["
		}
		text += strings.ReplaceAll(types.TypeString(args.At(i), qualifier), ", ", ",")
	}
	return text + "]"
}

// typeTexts are types as text. It reports false where one depends on a type parameter: then the
// caller's own callers need the instances.
func (in *instances) typeTexts(list *types.TypeList) (texts []string, known bool) {
	for i := range list.Len() {
		text, ok := typeText(list.At(i))
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// typeText is a type with the paths of its packages.
func typeText(t types.Type) (text string, known bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Typ[t.Kind()].Name(), true
	case *types.TypeParam:
		return "", false
	case *types.Array:
		elem, ok := typeText(t.Elem())
		return arrayText(t.Len(), elem), ok
	case *types.Named:
		args := make([]string, t.TypeArgs().Len())
		for i := range args {
			if args[i], known = typeText(t.TypeArgs().At(i)); !known {
				return "", false
			}
		}
		return nameText(t.Obj(), args), true
	}
	return types.TypeString(t, nil), true
}
