package compile

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// describe tells what a launcher must know about the kernels.
func describe(prog *frontend.Program) *Result {
	r := &Result{Path: prog.Path, Name: prog.Name, Names: prog.Names, Stamp: prog.Stamp}
	m := newTypeNames(prog)
	r.Gridstride = m.gridstride
	for _, k := range prog.Kernels {
		kern := &Kernel{
			Name: k.Name, Doc: k.Doc, Block: k.Block, Targets: k.Targets, NoBounds: k.NoBounds, Fast: k.Fast,
			Open: k.Open, Pos: prog.Fset.Position(k.Pos),
		}
		if k.Origin != prog.Path {
			kern.Origin = k.Origin
		}
		for i := range k.Signature.TypeParams().Len() {
			p := TypeParam{Name: k.Signature.TypeParams().At(i).Obj().Name()}
			if k.Open && kern.Origin == "" {
				p.Constraint = m.text(k.Signature.TypeParams().At(i).Constraint())
			}
			kern.TypeParams = append(kern.TypeParams, p)
		}
		for i := range k.Signature.Params().Len() {
			if k.Open && kern.Origin != "" {
				break // its package has the launcher
			}
			p := k.Signature.Params().At(i)
			param := Param{Name: p.Name(), Type: m.launch(p.Type(), kern)}
			for _, part := range frontend.Parts(p) {
				param.Parts = append(param.Parts, Part{Path: part.Path, Buffer: part.Slice() != nil, TensorMap: frontend.IsTensorMap(part.Type)})
			}
			kern.Params = append(kern.Params, param)
		}
		for _, inst := range k.Instances {
			in := Instance{PTXName: inst.PTXName, GoName: inst.GoName}
			for _, t := range inst.TypeArgs {
				in.TypeArgs = append(in.TypeArgs, m.text(t))
			}
			kern.Instances = append(kern.Instances, in)
		}
		r.Kernels = append(r.Kernels, kern)
	}
	r.Imports, r.Structs = m.list(), m.structs
	return r
}

// typeNames writes types for launchers. It gives a name to every package that types are written
// with: no two have the same name, and the kernels' package uses none of them.
type typeNames struct {
	own        *types.Package
	byPath     map[string]string
	taken      map[string]bool
	gridstride string
	structs    []Struct
	byType     map[*types.TypeName]string // the structs of buffers, by the type that they stand for
}

// gridstridePath is the import path of the package that launchers are written with.
const gridstridePath = "github.com/gridstride/gridstride"

func newTypeNames(prog *frontend.Program) *typeNames {
	m := &typeNames{
		own: prog.Package, byPath: map[string]string{}, taken: map[string]bool{}, gridstride: "gridstride",
		byType: map[*types.TypeName]string{},
	}
	for _, name := range prog.Names {
		m.taken[name] = true
	}
	hidden := maps.Clone(m.taken) // what may hide it where launchers use it
	for _, k := range prog.Kernels {
		for p := range k.Signature.Params().Variables() {
			hidden[p.Name()] = true
		}
		for p := range k.Signature.TypeParams().TypeParams() {
			hidden[p.Obj().Name()] = true
		}
	}
	for hidden[m.gridstride] {
		m.gridstride += "_"
	}
	m.taken[m.gridstride], m.byPath[gridstridePath] = true, m.gridstride
	return m
}

func (m *typeNames) text(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == m.own {
			return ""
		}
		name, ok := m.byPath[p.Path()]
		if !ok {
			name = p.Name()
			for i := 2; m.taken[name]; i++ {
				name = fmt.Sprintf("%s%d", p.Name(), i)
			}
			m.taken[name], m.byPath[p.Path()] = true, name
		}
		return name
	})
}

func (m *typeNames) list() []Import {
	var out []Import
	for p, name := range m.byPath {
		out = append(out, Import{Name: name, Path: p})
	}
	slices.SortFunc(out, func(a, b Import) int { return strings.Compare(a.Path, b.Path) })
	return out
}
