package launcher

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// printer writes the file. gofmt lays it out afterwards.
type printer struct {
	bytes.Buffer
	*file
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// header writes everything before the first kernel.
func (p *printer) header() {
	p.line(abi.Generated)
	p.line("\npackage %s\n\nimport (", p.Package)
	if len(p.PTX) > 0 {
		p.line("_ \"embed\"\n")
	}
	for _, i := range p.Imports {
		name := i.Name
		if name == path.Base(i.Path) {
			name = ""
		}
		p.line("%s %q", name, i.Path)
	}
	p.line(")\n")
	if len(p.PTX) == 0 {
		return
	}
	for _, e := range p.PTX {
		p.line("//go:embed %s\nvar %s string\n", e.File, e.Name)
	}
	p.line("// %s is the package's kernels. They are loaded once on each device that uses one of them.", p.Module)
	fmt.Fprintf(p, "var %s = %s.", p.Module, p.Gridstride)
	for i, e := range p.PTX {
		call := "Embed"
		if i > 0 {
			call = ".\nAnd"
		}
		if e.isPacked() {
			fmt.Fprintf(p, "%sPacked(%q, %s, %s.Unpack)", call, p.Path+"/"+e.File, e.Name, p.Packed)
		} else {
			fmt.Fprintf(p, "%s(%q, %s)", call, p.Path+"/"+e.File, e.Name)
		}
	}
	p.line("")
	p.provided()
}

// provided makes the instances of open kernels known.
func (p *printer) provided() {
	if len(p.Provided) == 0 {
		return
	}
	p.line("\n// The instances of open kernels, which the kernels' launchers find.")
	p.line("func init() {")
	for _, i := range p.Provided {
		p.line("%s.Provide[%s](%s, %q, %q, %q)", p.Gridstride, i.Key, p.Module, i.Kernel, i.PTXName, i.GoName)
	}
	p.line("}")
}

// structType writes the type that stands for one that holds slices. It is an alias: a struct with
// the same fields that a program declares by itself can be passed too.
func (p *printer) structType(t compile.Struct) {
	var params []string
	for _, q := range t.TypeParams {
		params = append(params, q.Name+" "+q.Constraint)
	}
	p.line("\n// %s is %s as kernels are launched with it: each slice is a buffer.", t.Name, t.Of)
	if len(params) == 0 {
		p.line("type %s = %s", t.Name, t.Text)
		return
	}
	p.line("type %s[%s] = %s", t.Name, strings.Join(params, ", "), t.Text)
}

// kernel writes the launcher of one kernel.
func (p *printer) kernel(k kernel) {
	for _, c := range k.Constraints {
		p.line("\n// %s is the types that %s of the kernel %s is compiled for.", c.Name, c.Param, k.Name)
		p.line("type %s interface{ %s }", c.Name, c.Union)
	}
	p.line("\n// %s is the kernel %s on a device. Any goroutine may launch it, until the device is closed.", k.Type,
		k.Name)
	if k.Block != "" {
		p.line("// Its blocks have %s threads; the configuration of a launch need not say so.", k.Block)
	}
	if k.Fast {
		p.line("// Its results are inexact: it is //gpu:kernel fast.")
	}
	if k.Doc != nil {
		p.line("//")
	}
	for _, doc := range k.Doc {
		if doc != "" && doc[0] != '\t' && doc[0] != ' ' {
			doc = " " + doc
		}
		p.line("//%s", doc)
	}
	p.line("type %s%s struct{ *%s.Kernel }", k.Type, k.TypeParams, p.Gridstride)

	if k.Unexported != "" {
		p.line("\n// The function %s runs on devices alone, which tools that look for unused code do not see.", k.Name)
		p.line("var _ = %s", k.Unexported)
	}
	p.load(k)

	p.line("\n// Launch queues a run of %s on %s and returns before it has run. Its errors are those of "+
		"[%s.Kernel.Launch].", k.Name, k.Stream, p.Gridstride)
	fmt.Fprintf(p, "func (%s *%s%s) Launch(%s *%s.Stream, %s %s.Config", k.Receiver, k.Type, k.TypeNames, k.Stream,
		p.Gridstride, k.Config, p.Gridstride)
	for i, q := range k.Params {
		if i+1 < len(k.Params) && k.Params[i+1].Type == q.Type {
			fmt.Fprintf(p, ", %s", q.Name)
			continue
		}
		fmt.Fprintf(p, ", %s %s", q.Name, q.Type)
	}
	p.line(") error {\n%s := %s.Args()", k.Args, k.Receiver)
	for _, q := range k.Params {
		for _, part := range q.Parts {
			pack := "ArgValue"
			switch {
			case part.Buffer:
				pack = "ArgBuffer"
			case part.TensorMap:
				pack = "ArgTensorMap"
			}
			p.line("%s.%s(%s, %s%s)", p.Gridstride, pack, k.Args, q.Name, part.Path)
		}
	}
	p.line("return %s.Launch(%s, %s)\n}", k.Args, k.Stream, k.Config)
}

// load writes the function that finds the instance for the type arguments.
func (p *printer) load(k kernel) {
	p.line("\n// %s loads the kernel %s on a device.", k.Load, k.Name)
	if k.Open != "" {
		p.line("// Packages have instances of it for types of theirs, as their //gpu:instance comments say.")
	}
	p.line("func %s%s(dev *%s.Device) (*%s%s, error) {", k.Load, k.TypeParams, p.Gridstride, k.Type, k.TypeNames)
	if k.Open != "" {
		p.line("kernel, err := %s.Provided[%s](dev, %q%s)\nif err != nil {\nreturn nil, err\n}", p.Gridstride, k.Key, k.Open, k.partNames())
		p.line("return &%s%s{kernel}, nil\n}", k.Type, k.TypeNames)
		return
	}
	entry := fmt.Sprintf("%q, %q", k.Instances[0].PTXName, k.Instances[0].GoName)
	if k.Key != "" {
		entry = "entry, name"
		p.line("var entry string\nname := %q\nswitch any((%s)(nil)).(type) {", p.Package+"."+k.Name, k.Key)
		for _, i := range k.Instances {
			p.line("case %s:\nentry, name = %q, %q", i.Key, i.PTXName, i.GoName)
		}
		p.line("}")
	}
	p.line("kernel, err := %s.Kernel(dev, %s%s)\nif err != nil {\nreturn nil, err\n}", p.Module, entry, k.partNames())
	p.line("return &%s%s{kernel}, nil\n}", k.Type, k.TypeNames)
}

// partNames are further arguments of the call that loads a kernel: the names of all parts, where an
// argument is passed in parts.
func (k *kernel) partNames() string {
	var names strings.Builder
	whole := true
	for _, q := range k.Params {
		for _, part := range q.Parts {
			fmt.Fprintf(&names, ", %q", q.Name+part.Path)
			whole = whole && part.Path == ""
		}
	}
	if whole {
		return ""
	}
	return names.String()
}
