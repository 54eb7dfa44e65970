package build

import (
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/listing"
	"github.com/gridstride/gridstride/internal/language/load"
	"github.com/gridstride/gridstride/internal/ptx"
)

// List compiles the one package that matches the pattern, as seen from dir, and writes the listing
// of a kernel: its Go lines, what became of its loops, and the PTX of each line. kernel is a Go
// name, with type arguments to choose among the instances of a generic kernel, "Partial[float64]".
// Without them it is the first. target, like "sm_90a", chooses among the targets that the kernel
// asks for. "" is the first of them. The error for a missing kernel or target, like "", names the
// existing ones.
func List(ctx context.Context, w io.Writer, dir, pattern, kernel, target string) error {
	result, texts, err := compileOne(ctx, dir, pattern, compile.Options{Remarks: true})
	if err != nil {
		return err
	}
	k, entry, err := findEntry(result, kernel)
	if err != nil {
		return err
	}
	module, err := forTarget(result, k, target)
	if err != nil {
		return err
	}
	return listing.Print(w, module, entry, texts.find, remarksOf(result, entry, module.MainTarget()))
}

// compileOne compiles the one package that matches a pattern, as seen from dir.
func compileOne(ctx context.Context, dir, pattern string, o compile.Options) (*compile.Result, *texts, error) {
	sources, importer, err := load.Packages(ctx, dir, pattern)
	if err != nil {
		return nil, nil, err
	}
	if len(sources) != 1 {
		return nil, nil, fmt.Errorf("%s matches %d packages, want one", pattern, len(sources))
	}
	texts := newTexts(sources[0].Source)
	result, err := compile.Compile(sources[0].Source, texts.remember(importer), o)
	return result, texts, err
}

// remarksOf lists what became of the loops of a kernel for a target.
func remarksOf(result *compile.Result, entry string, target abi.Target) (remarks []listing.Remark) {
	for _, m := range result.Remarks {
		if m.PTXName == entry && (m.Target == target || m.Target == (abi.Target{})) {
			remarks = append(remarks, listing.Remark{File: filepath.ToSlash(m.Pos.Filename), Line: m.Pos.Line, Text: m.Text})
		}
	}
	return remarks
}

// forTarget is the PTX of a kernel for one of its targets, "" for the first.
func forTarget(result *compile.Result, k *compile.Kernel, target string) (*ptx.Module, error) {
	var first abi.Target
	if len(k.Targets) > 0 {
		first = k.Targets[0]
	}
	var names []string
	for _, t := range result.Set() {
		if t.Target != first && !slices.Contains(k.Targets, t.Target) {
			continue
		}
		if target == "" && t.Target == first || target == t.PTX.MainTarget().String() {
			return t.PTX, nil
		}
		names = append(names, t.PTX.MainTarget().String())
	}
	return nil, fmt.Errorf("kernel %s is not compiled for %s; it is for %s", k.Name, target, strings.Join(names, ", "))
}

// findEntry finds the PTX entry of a kernel, or says which kernels there are.
func findEntry(result *compile.Result, kernel string) (*compile.Kernel, string, error) {
	wanted := strings.ReplaceAll(kernel, " ", "")
	var names []string
	for _, k := range result.Kernels {
		for i, instance := range k.Instances {
			name := k.Name
			if len(instance.TypeArgs) > 0 {
				name += "[" + strings.Join(instance.TypeArgs, ",") + "]"
			}
			if wanted == name || wanted == instance.PTXName || wanted == k.Name && i == 0 {
				return k, instance.PTXName, nil
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, "", fmt.Errorf("package %s has no kernels: mark one with //gpu:kernel", result.Path)
	}
	if kernel == "" {
		return nil, "", fmt.Errorf("name one of the kernels of package %s: %s", result.Path, strings.Join(names, ", "))
	}
	return nil, "", fmt.Errorf("package %s has no kernel %s; it has %s", result.Path, kernel, strings.Join(names, ", "))
}

// texts is the source files that a compilation saw, by the name that .file directives give them:
// import path and file name.
type texts struct {
	mu    sync.Mutex
	files map[string]listing.File
}

func newTexts(source *compile.Source) *texts {
	t := &texts{files: map[string]listing.File{}}
	t.add(source)
	return t
}

func (t *texts) add(source *compile.Source) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range source.Files {
		name := filepath.ToSlash(f.Name)
		t.files[path.Join(source.Path, path.Base(name))] = listing.File{Name: name, Text: f.Text}
	}
}

// remember is the importer, with what it finds added.
func (t *texts) remember(importer compile.Importer) compile.Importer {
	return func(path string) (*compile.Source, error) {
		source, err := importer(path)
		if err == nil {
			t.add(source)
		}
		return source, err
	}
}

func (t *texts) find(name string) listing.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.files[name]; ok {
		return f
	}
	return listing.File{Name: name}
}
