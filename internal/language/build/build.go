// Package build writes the compiled form of packages with kernels next to their sources:
// kernels_gen.ptx, kernels_gen_sm_90a.ptx for a target that kernels ask for, and kernels_gen.go
// with a typed launcher for each kernel. A long PTX text is compressed: kernels_gen.ptx.zst.
package build

import (
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/launcher"
	"github.com/gridstride/gridstride/internal/language/load"
	"github.com/gridstride/gridstride/internal/language/usage"
)

// Package is the files that belong next to the sources of one package.
type Package struct {
	Path string // import path
	// Files are the generated files, in the order in which to write them: the Go file last, as it
	// embeds the others.
	Files []File
	Notes []compile.Note
	// Remarks say what became of loops, if compile.Options asks, for the first target of each kernel.
	Remarks []compile.Note
	// Ignored names the kernels that are not compiled, with the reason. A package may have such
	// kernels only, and no files.
	Ignored []compile.Note
	result  *compile.Result
}

// Usage says what each kernel takes of a GPU's multiprocessors, by the assembler, or estimated if a
// is nil (see package usage).
func (p *Package) Usage(ctx context.Context, a *usage.Assembler) ([]compile.Note, error) {
	if p.result == nil {
		return nil, nil
	}
	return usage.Notes(ctx, p.result, a)
}

// Packages compiles the packages that match the patterns of the go command, as seen from dir, and
// returns those that have kernels, or had, also if they are ignored. The error is a
// compile.ErrorList of the errors in all of them: in the kernels, and in other code as far as Go
// refuses it.
func Packages(ctx context.Context, dir string, opts compile.Options, patterns ...string) ([]*Package, error) {
	sources, importer, err := load.Packages(ctx, dir, patterns...)
	if err != nil {
		return nil, err
	}
	built := make([]*Package, len(sources))
	failed := make([]error, len(sources))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, source := range sources {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if failed[i] = ctx.Err(); failed[i] == nil {
				built[i], failed[i] = one(dir, source, importer, opts)
			}
		})
	}
	wait.Wait()

	packages := slices.DeleteFunc(built, func(p *Package) bool { return p == nil })
	var list compile.ErrorList
	for _, err := range append(failed, refusedByGo(ctx, sources, packages)) {
		if errors, ok := errors.AsType[compile.ErrorList](err); ok {
			list = append(list, errors...)
		} else if err != nil {
			return nil, err
		}
	}
	return packages, list.Err()
}

// refusedByGo is an error for what Go will refuse in packages with kernels once they are written.
func refusedByGo(ctx context.Context, sources []*load.Package, packages []*Package) error {
	generated := map[string][]byte{}
	for _, p := range packages {
		if len(p.Files) == 0 {
			continue
		}
		if goFile := p.Files[len(p.Files)-1]; goFile.Text != nil {
			generated[p.Path] = goFile.Text
		}
	}
	return load.TypeCheck(ctx, sources, generated)
}

// one compiles a package. It returns nil for one that has no kernels and no generated files.
func one(dir string, source *load.Package, importer compile.Importer, opts compile.Options) (*Package, error) {
	p := &Package{Path: source.Path}
	result, err := compile.Compile(source.Source, importer, opts)
	if err != nil {
		return nil, err
	}
	goFile := newFile(dir, source.Dir, abi.GoFile)
	ours, err := goFile.isOurs()
	if err != nil {
		return nil, err
	}
	if p.Ignored, err = ignored(source); err != nil {
		return nil, err
	}
	texts := ptxTexts(result)
	if len(result.Kernels) == 0 {
		switch {
		case !ours && p.Ignored != nil:
			return p, nil
		case !ours:
			return nil, nil
		}
	} else if goFile.Text, err = launcher.Generate(result, fileNames(result, texts)); err != nil {
		return nil, err
	}
	p.Notes, p.result = result.Notes, result
	for _, m := range result.Remarks {
		if m.First {
			p.Remarks = append(p.Remarks, m.Note)
		}
	}
	if p.Files, err = ptxFiles(dir, source.Dir, texts); err != nil {
		return nil, err
	}
	p.Files = append(p.Files, goFile)
	return p, p.refuse(ours)
}

// ptxTexts are the PTX texts of a package by the names of their files.
func ptxTexts(result *compile.Result) map[string][]byte {
	texts := map[string][]byte{}
	for _, t := range result.Set() {
		name, text := abi.PTXFile(t.Target), []byte(result.Stamp.String()+t.PTX.String())
		if len(text) > abi.LargestText {
			name += abi.PackedSuffix
		}
		texts[name] = text
	}
	return texts
}

// fileNames are the names of the package's PTX files, in the order of result.Set.
func fileNames(result *compile.Result, texts map[string][]byte) (names []string) {
	for _, t := range result.Set() {
		name := abi.PTXFile(t.Target)
		if texts[name] == nil {
			name += abi.PackedSuffix
		}
		names = append(names, name)
	}
	return names
}

// ptxFiles are the PTX files of a package, and those that should not be there.
func ptxFiles(dir, packageDir string, texts map[string][]byte) ([]File, error) {
	wanted := maps.Clone(texts)
	there, err := os.ReadDir(packageDir)
	if err != nil {
		return nil, err
	}
	for _, entry := range there {
		name := entry.Name()
		isPTX := slices.ContainsFunc(abi.PTXFiles, func(pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		})
		if isPTX && wanted[name] == nil {
			wanted[name] = nil
		}
	}
	var files []File
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		f := newFile(dir, packageDir, name)
		f.Text = wanted[name]
		files = append(files, f)
	}
	return files, nil
}
