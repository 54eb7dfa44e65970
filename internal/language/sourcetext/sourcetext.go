// Package sourcetext finds lines of the source files that PTX names, to show them in reports.
package sourcetext

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// self is this module, whose device functions end up in other modules' kernels.
const self = "github.com/gridstride/gridstride"

// Finder finds source files. PTX that gridstride writes names them by import path
// ("example.com/m/dot/kernel.go"), other compilers by paths of the machine that compiled, absolute
// or not. PTX may have any origin, so a name in it opens nothing outside the folders and modules
// that the Finder was given, not through a symbolic link either. Methods may be called from any
// goroutine.
type Finder struct {
	dirs    []string          // absolute: where relative names are looked for
	modules map[string]string // by path: their absolute folders
	self    string            // the folder of this module, "" if not known

	mu    sync.Mutex
	files map[string][]string // the lines of files asked for; nil for one that is not there
}

// New makes a Finder that looks in the given folders, the first one that has a file wins, and in
// the modules that they belong to.
func New(dirs ...string) *Finder {
	f := &Finder{modules: map[string]string{}, files: map[string][]string{}}
	if _, here, _, ok := runtime.Caller(0); ok && filepath.IsAbs(here) { // not with -trimpath
		f.self = filepath.Join(filepath.Dir(here), "..", "..", "..")
	}
	for _, dir := range dirs {
		if abs, err := filepath.Abs(dir); err == nil {
			f.dirs = append(f.dirs, abs)
			f.InModule(abs)
		}
	}
	return f
}

// InModule makes the Finder look in a folder, too, if it belongs to a module, in the rest of that,
// and in the other modules of its workspace. It returns f.
func (f *Finder) InModule(dir string) *Finder {
	if modules := modulesAt(dir); modules != nil {
		maps.Copy(f.modules, modules)
		if abs, err := filepath.Abs(dir); err == nil && !slices.Contains(f.dirs, abs) {
			f.dirs = append(f.dirs, abs)
		}
	}
	return f
}

// Line is a line of a file without its line end, counted from 1, or "" if there is no such file or
// line.
func (f *Finder) Line(file string, line int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines, known := f.files[file]
	if !known {
		if text, err := os.ReadFile(f.Path(file)); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		f.files[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[line-1], "\r")
}

// largest is the size in bytes of the largest source file that is read.
const largest = 16 << 20

// Path is the path on this machine of a file that PTX names, or "" if not found.
func (f *Finder) Path(file string) string {
	name := filepath.FromSlash(file)
	if filepath.IsAbs(name) {
		if path := f.absolute(name); path != "" {
			return path
		}
		name = filepath.Base(name) // compiled on another machine
	}
	for path, root := range f.modules {
		if path := below(root, path, file); path != "" {
			return path
		}
	}
	if path := below(f.self, self, file); path != "" {
		return path
	}
	for _, dir := range f.dirs {
		if path := within(dir, name); path != "" {
			return path
		}
	}
	return ""
}

// absolute is an absolute name, or "" if the Finder's folders have no file of that name.
func (f *Finder) absolute(name string) string {
	roots := append([]string{f.self}, f.dirs...)
	for _, root := range f.modules {
		roots = append(roots, root)
	}
	for _, root := range roots {
		if rest, err := filepath.Rel(root, name); root != "" && err == nil {
			if path := within(root, rest); path != "" {
				return path
			}
		}
	}
	return ""
}

// below is the path of a file of a module, or "".
func below(root, module, file string) string {
	rest, ok := strings.CutPrefix(file, module+"/")
	if !ok || root == "" {
		return ""
	}
	return within(root, filepath.FromSlash(rest))
}

// within is the path of a regular file of a folder, or "". A name or a symbolic link that leads out
// of the folder finds nothing.
func within(dir, name string) string {
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > largest || !filepath.IsLocal(name) {
		return ""
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if rest, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rest) {
		return ""
	}
	return path
}

// Source is the text of a file of one of the modules that the Finder's folders belong to, by the
// name that PTX of gridstride gives it. atHand is false where the sources of its package are not on
// this machine, or cannot be read; a text of nil is a file that is no more.
func (f *Finder) Source(file string) (text []byte, atHand bool) {
	dir := f.Folder(path.Dir(file))
	if dir == "" || !filepath.IsLocal(path.Base(file)) {
		return nil, false
	}
	text, err := os.ReadFile(filepath.Join(dir, path.Base(file)))
	if err == nil {
		return text, true
	}
	others, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return nil, errors.Is(err, fs.ErrNotExist) && len(others) > 0
}

// Folder is the folder of a package of one of those modules, by its import path, or "" for a package
// of another. A module in the folder of one is another, whose version need not be the one that was
// compiled.
func (f *Finder) Folder(pkg string) string {
	for module, root := range f.modules {
		rest, ok := strings.CutPrefix(pkg+"/", module+"/")
		if !ok || !filepath.IsLocal(filepath.FromSlash("./"+rest)) {
			continue
		}
		dir := filepath.Join(root, filepath.FromSlash(rest))
		if _, of := moduleOf(dir); of == root {
			return dir
		}
	}
	return ""
}

// Keep makes the Finder forget the modules whose paths keep does not want. It returns f.
func (f *Finder) Keep(keep func(module string) bool) *Finder {
	maps.DeleteFunc(f.modules, func(path, _ string) bool { return !keep(path) })
	return f
}
