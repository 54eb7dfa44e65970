package frontend

import "errors"

// File is one Go source file.
type File struct {
	Name string // as positions show it
	Text []byte
}

// Source is the Go files of one package, already filtered by build constraints; test files are not among them.
type Source struct {
	Path      string // import path
	Name      string // package name
	GoVersion string // the language version of the package's module, "go1.26"; "" is the newest
	Files     []File
}

// Importer finds the sources of an imported package: gpu and the user's own. For a package of the standard library it gives an error
// that is ErrStandard.
type Importer func(path string) (*Source, error)

// ErrStandard is an Importer's answer for a package of the standard library. Kernels reach none of them but math, math/bits and cmp,
// whose device forms are part of this package.
var ErrStandard = errors.New("a package of the standard library")
