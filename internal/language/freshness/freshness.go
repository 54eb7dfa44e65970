// Package freshness compares the PTX in a running program with the sources from which the
// program was built, and compiles them again.
//
// It judges only what the author of the program can mend: packages of the main module, and of the
// other modules of its workspace, whose sources are on this machine. The Go linker has left both in
// the program: the names of source files for tracebacks, and which modules had no version for
// debug.ReadBuildInfo. So a package in the module cache, in a vendor folder or in a replaced module
// is not judged, nor is one in a program that was built with -trimpath, by another build system, or
// on another machine.
//
// A package is stale by hashes of texts, never by times: clocks differ, and tools set times.
package freshness

import (
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
)

// Package is a package of kernels whose sources are at hand. Methods may be called from any
// goroutine.
type Package struct {
	dir     string
	sources *sourcetext.Finder
}

// Of is the package with a generated Go file, by the name that the compiler has recorded; nil if
// the package is not judged.
func Of(goFile string) *Package { return of(goFile, edited()) }

// of is Of in a program whose author edits some modules.
func of(goFile string, edited map[string]bool) *Package {
	name := filepath.FromSlash(goFile)
	if len(edited) == 0 || filepath.Base(name) != abi.GoFile || !filepath.IsAbs(name) {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	p := &Package{dir: filepath.Dir(name)}
	p.sources = sourcetext.New().InModule(p.dir).Keep(func(module string) bool { return edited[module] })
	return p
}

// edited are the modules without a version, which the program's author can edit: the main module,
// and the other modules of the workspace. Other modules have a version, a sum or a replacement.
var edited = sync.OnceValue(func() map[string]bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return editedOf(info)
})

func editedOf(info *debug.BuildInfo) map[string]bool {
	modules := map[string]bool{}
	if m := info.Main; m.Path != "" && m.Sum == "" && m.Replace == nil { // its version may name a commit
		modules[m.Path] = true
	}
	for _, m := range info.Deps {
		if m.Version == "(devel)" && m.Replace == nil {
			modules[m.Path] = true
		}
	}
	return modules
}

// Check compares a PTX text of the package with the sources: the error is a *stamp.Error, and nil
// if it was made of them, or if the package's sources are others. name is the name of its file in
// messages, import path and base name. data is the file's contents in the program, which may be
// packed.
//
// passed reports that the folder has another file of that name than the program. Then the program
// is older or newer than what is there, or an overlay stood for the folder when it was built, and
// an error says nothing about the program's own sources.
func (p *Package) Check(name, text, data string) (stale error, passed bool) {
	s, ok := stamp.Read(text)
	if !ok || p.sources.Folder(s.Package) != p.dir {
		return nil, false
	}
	if stale = stamp.Check(text, abi.Version, p.sources.Source); stale == nil {
		return nil, false
	}
	there, err := p.Read(name)
	return stale, err != nil || there != data
}

// Read reads the package's file with the base name of a name.
func (p *Package) Read(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(p.dir, path.Base(name)))
	return string(data), err
}

// Newer is a source of a PTX text, by the name it has there, that was written after the program was
// built: then the program's Go code need not be what the sources say now. It is "" if there is
// none.
func (p *Package) Newer(text string) (file string) {
	s, _ := stamp.Read(text)
	built := built()
	for _, f := range s.Files {
		dir := p.sources.Folder(path.Dir(f.Name))
		if dir == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, path.Base(f.Name))); err != nil || info.ModTime().After(built) {
			return f.Name
		}
	}
	return ""
}
