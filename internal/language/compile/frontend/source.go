package frontend

import (
	"bytes"
	"errors"
	"path"
	"path/filepath"
)

// File is one Go source file.
type File struct {
	Name string // as positions show it
	Text []byte
	// System says that the file's name ends in the name of a system, like step_windows.go, so that
	// builds for other systems leave it out.
	System bool
}

// Source is the Go files of one package. Test files are not among them.
type Source struct {
	Path      string // import path
	Name      string // package name
	GoVersion string // the language version of the package's module, like "go1.26", or "" for the newest
	Files     []File
	Excluded  []File // what build constraints leave out of this build
}

// CompiledName is the name that a file has in PTX, and so in the reports of the simulator and of
// profilers: the package's path and the file's base name, the same on every machine.
func (s *Source) CompiledName(f File) string { return path.Join(s.Path, filepath.Base(f.Name)) }

// ShownName is the Name of the file with the given CompiledName; that itself if it is a file of
// another package.
func (s *Source) ShownName(compiled string) string {
	for _, f := range s.Files {
		if s.CompiledName(f) == compiled {
			return f.Name
		}
	}
	return compiled
}

// MentionsKernel is a quick look at a file's text: false if there is surely no kernel in it.
func MentionsKernel(text []byte) bool {
	return bytes.Contains(text, []byte("//gpu:")) || bytes.Contains(text, []byte("// gpu:kernel"))
}

// Importer finds the sources of an imported package: gpu and the user's own. For a package of the
// standard library it gives an error that is ErrStandard.
type Importer func(path string) (*Source, error)

// ErrStandard is an Importer's answer for a package of the standard library. Kernels reach none of
// them but math, math/bits and cmp, whose device forms are part of this package.
var ErrStandard = errors.New("a package of the standard library")
