// Package sourcetext finds lines of the source files that PTX names, to show them in reports.
package sourcetext

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// self is this module, whose device functions end up in other modules' kernels.
const self = "github.com/gridstride/gridstride"

// Finder finds source files. PTX that gridstride writes names them by import path
// ("example.com/m/dot/kernel.go"), other compilers by paths of the machine that compiled, absolute
// or not. Methods may be called from any goroutine.
type Finder struct {
	dirs    []string          // where relative names are looked for
	modules map[string]string // module path: its folder

	mu    sync.Mutex
	files map[string][]string // the lines of files asked for; nil for one that is not there
}

// New makes a Finder that looks in the given folders, the first one that has a file wins, and in
// the modules that they belong to.
func New(dirs ...string) *Finder {
	f := &Finder{dirs: dirs, modules: map[string]string{}, files: map[string][]string{}}
	if _, here, _, ok := runtime.Caller(0); ok && filepath.IsAbs(here) { // not with -trimpath
		f.modules[self] = filepath.Join(filepath.Dir(here), "..", "..")
	}
	for _, dir := range dirs {
		if path, root := moduleOf(dir); path != "" {
			f.modules[path] = root
		}
	}
	return f
}

// Line is a line of a file without its line end, counted from 1; "" where there is no such file or
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

// Path is where the file is on this machine that PTX names so; "" where it is not found.
func (f *Finder) Path(file string) string {
	name := filepath.FromSlash(file)
	if filepath.IsAbs(name) && isFile(name) {
		return name
	}
	for path, root := range f.modules {
		if rest, ok := strings.CutPrefix(file, path+"/"); ok {
			if name := filepath.Join(root, filepath.FromSlash(rest)); isFile(name) {
				return name
			}
		}
	}
	if filepath.IsAbs(name) {
		name = filepath.Base(name) // compiled on another machine
	}
	for _, dir := range f.dirs {
		if path := filepath.Join(dir, name); isFile(path) {
			return path
		}
	}
	return ""
}

// moduleOf finds the module that a folder belongs to: its path and its folder, "" where there is
// none.
func moduleOf(dir string) (path, root string) {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return modulePath(string(text)), dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return "", ""
}

// modulePath reads the module line of a go.mod file.
func modulePath(text string) string {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`+"`")
		}
	}
	return ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
