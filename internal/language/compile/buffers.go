package compile

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// launch is the type that a launcher takes for a parameter of type t of kernel k: the same, with a
// Buffer in place of each slice.
func (m *typeNames) launch(t types.Type, k *Kernel) string {
	if !frontend.HoldsBuffer(t) {
		return m.text(t)
	}
	if frontend.IsTensorMap(t) {
		return m.gridstride + ".TensorMap[" + m.text(types.Unalias(t).(*types.Named).TypeArgs().At(0)) + "]"
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if name, ok := m.structOf(named, k); ok {
			return name
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return m.gridstride + ".Buffer[" + m.text(u.Elem()) + "]"
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), m.launch(u.Elem(), k))
	case *types.Struct:
		var fields []string
		for f := range u.Fields() {
			if f.Name() != "_" {
				fields = append(fields, f.Name()+" "+m.launch(f.Type(), k))
			}
		}
		return "struct { " + strings.Join(fields, "; ") + " }"
	}
	panic("BUG: no slice in " + t.String())
}

// structOf names the struct that stands for a struct or array with a name, and notes it. There is
// no such name where a type argument holds slices or where a constraint cannot be written here.
func (m *typeNames) structOf(t *types.Named, k *Kernel) (name string, ok bool) {
	if _, ok := t.Underlying().(*types.Slice); ok {
		return "", false
	}
	for arg := range t.TypeArgs().Types() {
		if frontend.HoldsBuffer(arg) {
			return "", false
		}
	}
	if !m.canRestate(t.Origin()) {
		return "", false
	}
	var args []string
	for arg := range t.TypeArgs().Types() {
		args = append(args, m.text(arg))
	}
	name, ok = m.byType[t.Obj()]
	if !ok {
		name = m.addStruct(t.Origin(), k)
	}
	if len(args) > 0 {
		name += "[" + strings.Join(args, ", ") + "]"
	}
	return name, true
}

// addStruct makes the struct that stands for t. Types of other packages may have the same name, and
// the packages too: "MatrixBuffers", "GeomMatrixBuffers", "Geom2MatrixBuffers".
func (m *typeNames) addStruct(t *types.Named, k *Kernel) string {
	s := Struct{Name: t.Obj().Name() + "Buffers", Kernel: k}
	name, pkg := s.Name, t.Obj().Pkg().Name()
	pkg = strings.ToUpper(pkg[:1]) + pkg[1:]
	prefix := pkg
	for i := 2; slices.ContainsFunc(m.structs, func(other Struct) bool { return other.Name == s.Name }); i++ {
		s.Name, prefix = prefix+name, fmt.Sprintf("%s%d", pkg, i)
	}
	m.byType[t.Obj()] = s.Name
	s.Text = m.launch(t.Underlying(), k)
	s.Of = t.Obj().Name()
	if t.Obj().Pkg() != m.own {
		s.Of += " of package " + t.Obj().Pkg().Path()
	}
	for p := range t.TypeParams().TypeParams() {
		constraint := "any"
		if passedOn(t.Underlying(), p) {
			constraint = m.text(p.Constraint())
		}
		s.TypeParams = append(s.TypeParams, TypeParam{p.Obj().Name(), constraint})
	}
	m.structs = append(m.structs, s)
	return s.Name
}

// canRestate reports whether the kernels' package can write the constraints that the struct for t
// needs. Another package's unexported constraint is out of its reach.
func (m *typeNames) canRestate(t *types.Named) bool {
	for p := range t.TypeParams().TypeParams() {
		if passedOn(t.Underlying(), p) && m.isHidden(p.Constraint()) {
			return false
		}
	}
	return true
}

// isHidden reports whether the text of a constraint has the unexported name of another package.
func (m *typeNames) isHidden(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		return t.Obj().Pkg() != nil && t.Obj().Pkg() != m.own && !t.Obj().Exported()
	case *types.Interface:
		for embedded := range t.EmbeddedTypes() {
			if m.isHidden(embedded) {
				return true
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if m.isHidden(term.Type()) {
				return true
			}
		}
	}
	return false
}

// passedOn reports that a type parameter is an argument of a type in t, which may ask of it what
// its constraint says.
func passedOn(t types.Type, p *types.TypeParam) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Slice:
		return passedOn(t.Elem(), p)
	case *types.Array:
		return passedOn(t.Elem(), p)
	case *types.Struct:
		for f := range t.Fields() {
			if passedOn(f.Type(), p) {
				return true
			}
		}
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if types.Unalias(arg) == p || passedOn(arg, p) {
				return true
			}
		}
	}
	return false
}
