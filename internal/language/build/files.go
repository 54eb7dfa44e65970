package build

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
)

// File is a generated file.
type File struct {
	Name string // as messages show it
	// Text is the file's text, before it is compressed if Name ends in abi.PackedSuffix. It is nil if
	// the file belongs to kernels that are no more, and should not be there.
	Text []byte

	path string
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Bytes are the file: its text, compressed if its name says so.
func (f *File) Bytes() []byte {
	if strings.HasSuffix(f.Name, abi.PackedSuffix) {
		return ptxpack.Pack(string(f.Text))
	}
	return f.Text
}

// newFile names a file of a package, in messages relative to dir if it is below it.
func newFile(dir, packageDir, name string) File {
	f := File{path: filepath.Join(packageDir, name)}
	f.Name = f.path
	if from, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(from, f.path); err == nil && filepath.IsLocal(rel) {
			f.Name = rel
		}
	}
	return f
}

// isOurs reports whether gridstride build wrote the file that is there.
func (f *File) isOurs() (bool, error) {
	if info, err := os.Lstat(f.path); err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	text, err := ptxpack.ReadFile(f.path)
	if errors.Is(err, ptxpack.ErrDamaged) {
		return false, nil
	}
	return abi.IsGenerated(text), err
}

// refuse is an ErrorList of the files in places of generated ones that are somebody else's work, or
// links to it. PTX that is embedded by a generated Go file is generated, whatever it says: older
// versions did not mark it. A file with nothing in it is nobody's work.
func (p *Package) refuse(goFileIsOurs bool) error {
	var errs compile.ErrorList
	for i := range p.Files {
		f := &p.Files[i]
		info, err := os.Lstat(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			errs.Add(token.Position{}, "%s is a symbolic link, and gridstride build does not write through one: remove it", f.Name)
			continue
		case !info.Mode().IsRegular():
			errs.Add(token.Position{}, "%s is no regular file, and gridstride build writes one of that name: remove it", f.Name)
			continue
		case info.Size() == 0 || goFileIsOurs:
			continue
		}
		if ours, err := f.isOurs(); err != nil {
			return err
		} else if !ours {
			errs.Add(token.Position{}, "%s was not written by gridstride build, as it does not begin with %q: rename it, or remove it", f.Name, abi.Generated)
		}
	}
	return errs.Err()
}

// Stale returns the names of the files that are not as they should be. Git may have given them
// other line ends: that is no difference.
func (p *Package) Stale() ([]string, error) {
	var stale []string
	for _, f := range p.Files {
		have, err := ptxpack.ReadFile(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if f.Text != nil {
				stale = append(stale, f.Name)
			}
		case err != nil && !errors.Is(err, ptxpack.ErrDamaged):
			return nil, err
		case err != nil || f.Text == nil || strings.ReplaceAll(have, "\r\n", "\n") != string(f.Text):
			stale = append(stale, f.Name)
		}
	}
	return stale, nil
}

// Write brings the files up to date and returns the names of those that it changed. A file that is
// as it should be is not touched.
func (p *Package) Write() ([]string, error) {
	stale, err := p.Stale()
	if err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		if !slices.Contains(stale, f.Name) {
			continue
		}
		if f.Text == nil {
			err = os.Remove(f.path)
		} else {
			err = atomicfile.Write(f.path, f.Bytes())
		}
		if err != nil {
			return nil, err
		}
	}
	return stale, nil
}
