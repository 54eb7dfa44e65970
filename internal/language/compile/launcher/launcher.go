// Package launcher writes the Go file that a program launches its kernels with: for each kernel a
// type with a Launch method that takes what the kernel takes, and a function that loads it.
//
// A wrong argument is then an error of the Go compiler. The generated code packs the arguments in
// the order of the PTX parameters (gridstride.ArgBuffer for a slice, gridstride.ArgValue for
// everything else) and leaves their layout, the checks and the hidden fault parameter to package
// gridstride, which reads them off the PTX. A struct that holds slices is packed field by field:
// for its type there is another with a Buffer in place of each slice.
package launcher

import (
	"cmp"
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// Generate returns the text of abi.GoFile for a compiled package. It is the same for the same
// package, and gofmt's. ptxFiles are the names of the files that hold the PTX of r.Set, in its order.
//
// The error is a compile.ErrorList if a name it needs is in use.
func Generate(r *compile.Result, ptxFiles []string) ([]byte, error) {
	f, err := newFile(r, ptxFiles)
	if err != nil {
		return nil, err
	}
	p := printer{file: f}
	p.header()
	for _, t := range f.Structs {
		p.structType(t)
	}
	for _, k := range f.Kernels {
		p.kernel(k)
	}
	text, err := format.Source(p.Bytes())
	if err != nil {
		panic(fmt.Sprintf("BUG: launchers of %s: %v\n%s", r.Path, err, p.Bytes()))
	}
	return text, nil
}

// file is the data of the template.
type file struct {
	Package, Path string
	Imports       []compile.Import
	Structs       []compile.Struct
	Gridstride    string // the name of the imported package gridstride
	Packed        string // the name of the imported package packed, "" where no text is compressed
	Module        string // the name of the package's variable
	PTX           []embed
	Kernels       []kernel
	Provided      []provided
}

// provided is an instance of an open kernel, which the kernel's launcher finds wherever it is.
type provided struct{ Kernel, Key, PTXName, GoName string }

// packedPath is the import path of the package that unpacks compressed PTX.
const packedPath = "github.com/gridstride/gridstride/packed"

// embed is a PTX file and the variable that holds its text.
type embed struct{ File, Name string }

func (e embed) isPacked() bool { return strings.HasSuffix(e.File, abi.PackedSuffix) }

// kernel is one kernel of the file.
type kernel struct {
	Name       string
	Type, Load string   // the generated names
	Doc        []string // lines
	Block      string   // "256", "16x16", "" when free
	Fast       bool     // it may be inexact
	// Constraints and the three names after it are empty for a kernel that is not generic.
	Constraints []constraint
	TypeParams  string // "[T PartialT]"
	TypeNames   string // "[T]"
	Key         string // "func(T)", what Load's switch is over
	Instances   []instance
	Open        string // the import path and name of an open kernel, else ""
	Params      []param
	// Unexported is an expression that names the kernel's function where no other package can:
	// without it, tools call the function unused.
	Unexported string

	Receiver, Stream, Config, Args string // names in Launch
}

// constraint is the named constraint of a type parameter.
type constraint struct{ Name, Param, Union string }

type instance struct {
	Key             string // "func(float32)"
	PTXName, GoName string
}

type param struct {
	Name, Type string
	Parts      []compile.Part
}

// newFile chooses the names of the package's launchers.
func newFile(r *compile.Result, ptxFiles []string) (*file, error) {
	names, err := takenNames(r)
	if err != nil {
		return nil, err
	}
	f := &file{Package: r.Name, Path: r.Path, Imports: r.Imports, Structs: r.Structs, Gridstride: r.Gridstride}
	for i, t := range r.Set() {
		variable := "kernelsPTX" + strings.ReplaceAll(t.Target.String(), "_", "")
		f.PTX = append(f.PTX, embed{ptxFiles[i], names.pick(variable)})
	}
	f.Module = names.pick("kernelsModule")
	if slices.ContainsFunc(f.PTX, embed.isPacked) {
		f.Packed = names.pick("packed")
		f.Imports = append(slices.Clip(f.Imports), compile.Import{Name: f.Packed, Path: packedPath})
	}
	for _, k := range r.Kernels {
		if hasLauncher(k) {
			f.Kernels = append(f.Kernels, f.newKernel(k))
		}
		for _, i := range k.Instances {
			if k.Open {
				f.Provided = append(f.Provided, provided{f.openName(k), keyOf(i), i.PTXName, i.GoName})
			}
		}
	}
	return f, nil
}

// hasLauncher reports whether a kernel's launcher is in the package's file. The launcher of an open
// kernel is in the kernel's own package.
func hasLauncher(k *compile.Kernel) bool { return !k.Open || k.Origin == "" }

// openName is the import path and name of an open kernel.
func (f *file) openName(k *compile.Kernel) string {
	return cmp.Or(k.Origin, f.Path) + "." + k.Name
}

// keyOf is the type that tells the instances of a kernel apart: "func(float32)".
func keyOf(i compile.Instance) string { return "func(" + strings.Join(i.TypeArgs, ", ") + ")" }

func (f *file) newKernel(k *compile.Kernel) kernel {
	out := kernel{Name: k.Name, Type: typeName(k), Load: loadName(k), Block: blockText(k.Block), Fast: k.Fast}
	if doc := strings.TrimSpace(k.Doc); doc != "" {
		out.Doc = strings.Split(doc, "\n")
	}
	if k.Open {
		out.Open = f.openName(k)
		out.TypeParams, out.TypeNames, out.Key = typeParams(k.TypeParams)
	} else if len(k.TypeParams) > 0 {
		out.Constraints = constraints(k)
		out.TypeParams, out.TypeNames, out.Key = typeParams(named(out.Constraints))
	}
	for _, i := range k.Instances {
		out.Instances = append(out.Instances, instance{keyOf(i), i.PTXName, i.GoName})
	}
	if !token.IsExported(k.Name) {
		out.Unexported = k.Name
		if args := k.Instances[0].TypeArgs; len(args) > 0 {
			out.Unexported += "[" + strings.Join(args, ", ") + "]"
		}
	}
	local := names{f.Gridstride: true}
	for i, p := range k.Params {
		q := param{Name: p.Name, Type: p.Type, Parts: p.Parts}
		if p.Name == "" || p.Name == "_" {
			q.Name = fmt.Sprintf("p%d", i)
		}
		local[q.Name] = true
		out.Params = append(out.Params, q)
	}
	out.Receiver, out.Stream = local.pick("k"), local.pick("s")
	out.Config, out.Args = local.pick("cfg"), local.pick("args")
	return out
}

// constraints are one for each type parameter of a kernel: the types it has instances for, so that
// others are errors of the Go compiler. They have names, so that a program's own generic functions
// can have the same type parameters.
func constraints(k *compile.Kernel) []constraint {
	var out []constraint
	for i, t := range k.TypeParams {
		out = append(out, constraint{Name: constraintName(k, t.Name), Param: t.Name, Union: strings.Join(argsOf(k, i), " | ")})
	}
	return out
}

// typeParams returns the parts of a generic kernel's launcher.
func typeParams(list []compile.TypeParam) (params, names, key string) {
	var decls, ids []string
	for _, p := range list {
		decls = append(decls, p.Name+" "+p.Constraint)
		ids = append(ids, p.Name)
	}
	all := strings.Join(ids, ", ")
	return "[" + strings.Join(decls, ", ") + "]", "[" + all + "]", "func(" + all + ")"
}

// named are the type parameters of a launcher with its own constraints.
func named(constraints []constraint) (list []compile.TypeParam) {
	for _, c := range constraints {
		list = append(list, compile.TypeParam{Name: c.Param, Constraint: c.Name})
	}
	return list
}

// argsOf are the types that type parameter i has instances for, in the order of the instances.
func argsOf(k *compile.Kernel, i int) []string {
	var args []string
	for _, inst := range k.Instances {
		if a := inst.TypeArgs[i]; !slices.Contains(args, a) {
			args = append(args, a)
		}
	}
	return args
}

// blockText is "256", "16x16" or "8x8x4", "" for a free block size.
func blockText(b [3]int) string {
	switch {
	case b == [3]int{}:
		return ""
	case b[2] != 1:
		return fmt.Sprintf("%dx%dx%d", b[0], b[1], b[2])
	case b[1] != 1:
		return fmt.Sprintf("%dx%d", b[0], b[1])
	}
	return fmt.Sprint(b[0])
}

// typeName is the name of the kernel's launcher: PartialKernel, or partialKernel for an unexported
// kernel.
func typeName(k *compile.Kernel) string { return k.Name + "Kernel" }

// loadName is the name of the function that loads it: LoadPartial, or loadPartial.
func loadName(k *compile.Kernel) string {
	if token.IsExported(k.Name) {
		return "Load" + k.Name
	}
	return "load" + capital(k.Name)
}

// constraintName is the name of the constraint of a type parameter: PartialT.
func constraintName(k *compile.Kernel, param string) string { return k.Name + capital(param) }

// capital is a name with its first letter in upper case.
func capital(name string) string {
	first, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[n:]
}
