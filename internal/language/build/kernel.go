package build

import (
	"context"
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
	for _, d := range module.Decls {
		if f, ok := d.(*ptx.Func); ok && len(f.Variables) > 0 {
			found.Variables[f.Name] = f.Variables
		}
	}
	return found, nil
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
