package lab

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/listing"
	"github.com/gridstride/gridstride/internal/machine/debugger"
	"github.com/gridstride/gridstride/internal/ptx"
)

// pagePath and pageFile are the package that a program is, and its file.
const (
	pagePath = "example.com/tour"
	pageFile = "kernel.go"
)

// Compiled has the compiler's words about a program.
type Compiled struct {
	Errors  []Error  `json:"errors"`
	Kernels []Kernel `json:"kernels"`

	source bool   // the program is PTX itself
	text   string // of the program
}

// Error is an error in a line of the program. Line and Column count from 1, and are 0 for an error
// without a place.
type Error struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Kernel is one kernel of a program, with its PTX by line of the program.
type Kernel struct {
	Name   string    `json:"name"` // "Partial[float32]"
	Entry  string    `json:"entry"`
	Params []Param   `json:"params"`
	Block  [3]int    `json:"block"` // zero if it is free
	Lines  []PTXLine `json:"ptx"`

	text      string // of the PTX module that it is in
	variables debugger.Variables
}

// Param is a parameter of a kernel, as a person gives its argument.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"` // as in Go
	Want string `json:"want"` // as an argument begins: "f32[", "u64="
}

// PTXLine is instructions that belong to a line of the program, or to none of it (0).
type PTXLine struct {
	Line int      `json:"line"`
	PTX  []string `json:"text"`
}

// Compile compiles a program: one file of a package of any name, or PTX. A program with errors has no
// kernels.
func (l *Lab) Compile(text string) (c *Compiled) {
	c = &Compiled{Errors: []Error{}, Kernels: []Kernel{}, text: text}
	if len(text) > MaxProgram {
		c.fail(fmt.Errorf("the program has %d bytes; want at most %d", len(text), MaxProgram))
		return c
	}
	if c.source = isPTX(text); c.source {
		c.readPTX()
		return c
	}
	src := &compile.Source{Path: pagePath, Name: packageName(text), Files: []compile.File{{Name: pageFile, Text: []byte(text)}}}
	result, err := compile.Compile(src, l.importer, compile.Options{})
	if err != nil {
		c.fail(err)
		return c
	}
	for _, k := range result.Kernels {
		module := result.Module(k)
		for _, instance := range k.Instances {
			c.Kernels = append(c.Kernels, c.kernel(result.Stamp, module, k, instance))
		}
	}
	if len(c.Kernels) == 0 {
		c.fail(errors.New("the program has no kernel: write //gpu:kernel above a function"))
		return c
	}
	return c
}

// fail notes errors of the compiler.
func (c *Compiled) fail(err error) {
	list, ok := errors.AsType[compile.ErrorList](err)
	if !ok {
		c.Errors = append(c.Errors, Error{Message: err.Error()})
		return
	}
	for _, e := range list {
		x := Error{Message: e.Msg}
		if e.Pos.Filename == pageFile {
			x.Line, x.Column = e.Pos.Line, e.Pos.Column
		} else if e.Pos.IsValid() {
			x.Message = e.Error()
		}
		c.Errors = append(c.Errors, x)
	}
}

// packageName is the name in a text's package clause; "main" if there is none, which is an error then.
func packageName(text string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "package "); ok {
			if f := strings.Fields(rest); len(f) > 0 {
				return f[0]
			}
		}
	}
	return "main"
}

func (c *Compiled) kernel(s stamp.Stamp, m *ptx.Module, k *compile.Kernel, i compile.Instance) Kernel {
	name := i.GoName[strings.Index(i.GoName, ".")+1:]
	out := Kernel{
		Name: name, Entry: i.PTXName, Block: k.Block, Params: []Param{}, Lines: ptxLines(m, i.PTXName),
		text: s.String() + m.String(), variables: debugger.Variables{},
	}
	if f := m.Kernel(i.PTXName); f != nil {
		out.Params = params(k, f)
	}
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && len(f.Variables) > 0 {
			out.variables[f.Name] = f.Variables
		}
	}
	return out
}

// params are the parameters of a kernel without the hidden ones.
func params(k *compile.Kernel, f *ptx.Func) (list []Param) {
	list = []Param{}
	types := map[string]string{}
	for _, p := range k.Params {
		types[p.Name] = p.Type
	}
	for n, v := range f.Params {
		if v.Name == abi.FaultParam || n > 0 && v.Name == abi.LengthParam(f.Params[n-1].Name) {
			continue
		}
		p := Param{Name: v.Name, Type: types[v.Name]}
		if n+1 < len(f.Params) && f.Params[n+1].Name == abi.LengthParam(v.Name) {
			p.Want = "["
		} else {
			p.Want = string(v.Type) + "="
		}
		list = append(list, p)
	}
	return list
}

// ptxLines are the instructions of a kernel by line of the program, in their order.
func ptxLines(m *ptx.Module, entry string) (list []PTXLine) {
	var b strings.Builder
	name := func(file string) listing.File { return listing.File{Name: path.Base(file)} }
	if err := listing.Print(&b, m, entry, name, nil); err != nil {
		return nil
	}
	at := 0
	for text := range strings.Lines(b.String()) {
		text = strings.TrimSpace(text)
		if place, ok := strings.CutPrefix(text, "// "+pageFile+":"); ok {
			number, _, _ := strings.Cut(place, " ")
			at, _ = strconv.Atoi(strings.TrimRight(number, ":")) // 0 if it is none
			continue
		}
		if !strings.HasSuffix(text, ";") || strings.HasPrefix(text, ".") {
			continue
		}
		if n := len(list); n == 0 || list[n-1].Line != at {
			list = append(list, PTXLine{Line: at})
		}
		last := &list[len(list)-1]
		last.PTX = append(last.PTX, text)
	}
	return slices.Clip(list)
}
