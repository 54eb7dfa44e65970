package build

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/load"
)

// Sources are a package's sources, which may be compiled with changes that are on no disk.
type Sources struct {
	*load.Package
	dir      string
	importer compile.Importer
}

// Find reads the sources of the packages that match the patterns of the go command, as seen from dir.
func Find(ctx context.Context, dir string, patterns ...string) ([]*Sources, error) {
	found, importer, err := load.Packages(ctx, dir, patterns...)
	if err != nil {
		return nil, err
	}
	var out []*Sources
	for _, p := range found {
		out = append(out, &Sources{Package: p, dir: dir, importer: importer})
	}
	return out, nil
}

// FilePath is where the file is that messages call name.
func (s *Sources) FilePath(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.dir, name)
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// With compiles the package with another text for the file that messages call name. The error is a
// compile.ErrorList of what is wrong with the kernels. What Go refuses besides is not looked for.
func (s *Sources) With(name string, text []byte) (*Package, error) {
	source, changed := *s.Source, *s.Package
	source.Files = slices.Clone(source.Files)
	for i := range source.Files {
		if source.Files[i].Name == name {
			source.Files[i].Text = text
		}
	}
	changed.Source = &source
	p, err := one(s.dir, &changed, s.importer, compile.Options{})
	if err == nil && p == nil {
		err = errors.New("the package has no kernels")
	}
	return p, err
}
