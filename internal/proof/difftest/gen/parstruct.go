package gen

import (
	"slices"
	"strings"
)

// parStruct is a struct with parameters of the kernel in it, slices among them, which is a
// parameter then: par.in0 or par.c.in0 in place of in0.
type parStruct struct {
	first         bool     // it precedes the other parameters
	generic       bool     // as the kernel is
	fields, inner []string // of it and of its field c
}

// paramName puts a parameter into par or leaves it alone, and returns its name.
func (g *gen) paramName(par *parStruct, name string, t *typ) string {
	switch {
	case par == nil || g.chance(40):
		return name
	case g.chance(30):
		par.inner = append(par.inner, "\t\t"+name+" "+t.name)
		return "par.c." + name
	}
	if g.chance(20) {
		par.fields = append(par.fields, "\t_ "+pick(g, "int8", "[3]int16", "[0]int64", "struct{}"))
	}
	par.fields = append(par.fields, "\t"+name+" "+t.name)
	return "par." + name
}

// signature are the parameters of the kernel where par holds some of them.
func (par *parStruct) signature(params []*variable) []*variable {
	params = slices.DeleteFunc(slices.Clone(params), func(v *variable) bool { return strings.Contains(v.name, ".") })
	if par == nil || par.fields == nil && par.inner == nil {
		return params
	}
	v := &variable{name: "par", t: &typ{name: "parø"}}
	if par.generic {
		v.t.name += "[T]"
	}
	if par.first {
		return slices.Insert(params, 0, v)
	}
	return append(params, v)
}

// decl is the declaration of the type.
func (par *parStruct) decl() []string {
	if par == nil || par.fields == nil && par.inner == nil {
		return nil
	}
	head := "type parø struct {"
	if par.generic {
		head = "type parø[T any] struct {"
	}
	lines := append([]string{"", head}, par.fields...)
	if par.inner != nil {
		lines = append(append(append(lines, "\tc struct {"), par.inner...), "\t}")
	}
	return append(lines, "}")
}

// partName is the name of a parameter in PTX and on the line that describes the launch.
func partName(v *variable) string { return strings.ReplaceAll(v.name, ".", "_") }
