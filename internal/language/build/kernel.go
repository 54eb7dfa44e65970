package build

import (
	"context"
	"iter"
	"path/filepath"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Kernel is a kernel of a package that has just been compiled.
type Kernel struct {
	PTX   string // the text of its module, which has all kernels of the package for a target
	Entry string // its name there
	// Variables are the Go variables by the register that holds them, for each function of the module.
	Variables map[string]map[string]string

	dir   string // from which the names of files are relative
	texts *texts
}

// CompileKernel compiles the one package that matches the pattern, as seen from dir, and finds a kernel
// in it. kernel and target are as for List.
func CompileKernel(ctx context.Context, dir, pattern, kernel, target string) (*Kernel, error) {
	result, texts, err := compileOne(ctx, dir, pattern, compile.Options{})
	if err != nil {
		return nil, err
	}
	found := &Kernel{Variables: map[string]map[string]string{}, dir: dir, texts: texts}
	k, entry, err := findEntry(result, kernel)
	if err != nil {
		return nil, err
	}
	module, err := forTarget(result, k, target)
	if err != nil {
		return nil, err
	}
	found.PTX, found.Entry = module.String(), entry
	for f := range functions(module) {
		if len(f.Variables) > 0 {
			found.Variables[f.Name] = f.Variables
		}
	}
	return found, nil
}

// Names has the names that a package gives to the parts of a module that was made from it.
type Names struct {
	// Variables are the Go variables by the register that holds them, for each function that the package
	// still gives as it is.
	Variables map[string]map[string]string
	// Elements are the types of the elements of slices, as Go source, by the parameter of each kernel.
	Elements map[string]map[string]string
}

// NamesOf compiles the one package that matches the pattern, as seen from dir, and finds the names of a
// module that was made from it.
func NamesOf(ctx context.Context, dir, pattern string, module *ptx.Module) (*Names, error) {
	result, _, err := compileOne(ctx, dir, pattern, compile.Options{})
	if err != nil {
		return nil, err
	}
	text := func(f *ptx.Func) string { return (&ptx.Module{Decls: []ptx.Decl{f}}).String() }
	made := map[string]string{}
	for f := range functions(module) {
		made[f.Name] = text(f)
	}
	names := &Names{Variables: map[string]map[string]string{}, Elements: map[string]map[string]string{}}
	for _, t := range result.Set() {
		for f := range functions(t.PTX) {
			if len(f.Variables) > 0 && made[f.Name] == text(f) {
				names.Variables[f.Name] = f.Variables
			}
		}
	}
	for _, k := range result.Kernels {
		for _, i := range k.Instances {
			names.Elements[i.PTXName] = elements(k, i)
		}
	}
	return names, nil
}

// elements are the types of the elements of the slices that an instance of a kernel takes.
func elements(k *compile.Kernel, of compile.Instance) map[string]string {
	types := map[string]string{}
	for _, p := range k.Params {
		elem, ok := strings.CutPrefix(p.Type, "gridstride.Buffer[")
		if !ok {
			continue
		}
		elem = strings.TrimSuffix(elem, "]")
		for i, t := range k.TypeParams {
			if t.Name == elem && i < len(of.TypeArgs) {
				elem = of.TypeArgs[i]
			}
		}
		types[p.Name] = elem
	}
	return types
}

// functions are the functions that a module declares.
func functions(m *ptx.Module) iter.Seq[*ptx.Func] {
	return func(yield func(*ptx.Func) bool) {
		for _, d := range m.Decls {
			if f, ok := d.(*ptx.Func); ok && !yield(f) {
				return
			}
		}
	}
}

// Line is a line of a file that the kernel was compiled from, as checked.Sources has it.
func (k *Kernel) Line(file string, line int) string {
	lines := strings.Split(string(k.texts.find(file).Text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[line-1], "\r")
}

// Source is the text of a file, as checked.Sources has it.
func (k *Kernel) Source(file string) (text []byte, atHand bool) {
	f := k.texts.find(file)
	return f.Text, f.Text != nil
}

// Path is where a file is on disk, "" if the kernel was not compiled from it.
func (k *Kernel) Path(file string) string {
	f := k.texts.find(file)
	if f.Text == nil {
		return ""
	}
	path := filepath.FromSlash(f.Name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(k.dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return path
}
