// Package catalog keeps an index equal to its sources: files, folders, standard input and the
// documentation of Go packages.
//
//	report, err := catalog.Options{Gone: true}.Read(ctx, x, "papers", "notes.jsonl")
//	err = x.Save(ctx, dir)
//
// The index records its sources, and for each file of a source its size, its time, a hash of it and
// the ids of its documents (similar.Index.SetCatalog). A file of the same size and time, or else of
// the same hash, is not read again. A source has a name, which ids of files begin with: the last
// elements of its path, as many as tell it from the sources that the index has. It keeps the name.
package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// A Root is a source that an index records.
type Root struct {
	Name   string `json:"name"`
	Source string `json:"source"` // an absolute path, "-" for standard input, or "go:PATTERN"
}

// isPath reports whether a source is a file or a folder.
func (r Root) isPath() bool { return r.Source != "-" && !strings.HasPrefix(r.Source, "go:") }

// A Catalog says which sources the documents of an index are from.
type Catalog struct {
	roots []Root
	files map[key]*file
	owner map[string]*file // of an id: the file whose document the index has
}

// key is the place of a file.
type key struct {
	root int
	path string
}

// A file is an index's record of a file that was read. Standard input and Go packages are one file
// each, with the path ".".
type file struct {
	Root     int      `json:"root"`
	Path     string   `json:"path"`
	Single   bool     `json:"single,omitempty"` // the source is this file, and no folder
	Size     int64    `json:"size,omitempty"`
	Modified int64    `json:"modified,omitempty"` // nanoseconds since 1970, as Read
	Read     int64    `json:"read,omitempty"`     // when it was compared with its hash last
	Form     string   `json:"form,omitempty"`     // Options.Source.Form when it was read
	Hash     string   `json:"hash,omitempty"`     // empty for a file to read again
	IDs      []string `json:"ids,omitempty"`      // of its documents in the index
	Lost     []string `json:"lost,omitempty"`     // of its documents in whose place the index has another file's
}

// saved is a catalog as JSON.
type saved struct {
	Version int     `json:"version"`
	Roots   []Root  `json:"roots"`
	Files   []*file `json:"files"`
}

const version = 1

// Of returns the catalog of an index, an empty one if the index has none.
func Of(x *similar.Index) (*Catalog, error) {
	b, err := x.Catalog()
	if err != nil {
		return nil, err
	}
	c := &Catalog{files: map[key]*file{}, owner: map[string]*file{}}
	if b == nil {
		return c, nil
	}
	var s saved
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("the index's catalog of sources: %w: %v", similar.ErrDamaged, err)
	}
	if s.Version > version {
		return nil, fmt.Errorf("the index's catalog of sources is of version %d, and this program reads %d: %w", s.Version, version, similar.ErrNewer)
	}
	c.roots = s.Roots
	for _, f := range s.Files {
		if f == nil || f.Root < 0 || f.Root >= len(c.roots) {
			return nil, fmt.Errorf("the index's catalog of sources names a file of no source: %w", similar.ErrDamaged)
		}
		c.files[key{f.Root, f.Path}] = f
		for _, id := range f.IDs {
			c.owner[id] = f
		}
	}
	return c, nil
}

// keep keeps the catalog in an index.
func (c *Catalog) keep(x *similar.Index) error {
	files := slices.SortedFunc(maps.Values(c.files), compare)
	for _, f := range files {
		f.IDs = slices.DeleteFunc(f.IDs, func(id string) bool { return c.owner[id] != f })
	}
	b, err := json.Marshal(saved{version, c.roots, files})
	if err != nil {
		return err
	}
	return x.SetCatalog(b)
}

// Roots returns the sources.
func (c *Catalog) Roots() []Root { return slices.Clone(c.roots) }

// Documents returns how many documents of the index are from a source.
func (c *Catalog) Documents() int { return len(c.owner) }

// name returns what the ids of a file begin with. The path of a single file is its last element.
func (c *Catalog) name(f *file) string {
	if f.Single {
		return c.roots[f.Root].Name
	}
	return path.Join(c.roots[f.Root].Name, f.Path)
}

// compare orders files by source, and in it as a folder is walked.
func compare(a, b *file) int {
	return cmp.Or(cmp.Compare(a.Root, b.Root), comparePaths(a.Path, b.Path))
}

// comparePaths compares the elements of paths: a slash precedes any other byte.
func comparePaths(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	switch {
	case n == len(a) || n == len(b):
		return cmp.Compare(len(a), len(b))
	case a[n] == '/':
		return -1
	case b[n] == '/':
		return 1
	}
	return cmp.Compare(a[n], b[n])
}

// root returns the number of a source, which is added if it is new.
func (c *Catalog) root(source string) (int, error) {
	r := Root{Name: source, Source: source}
	if source == "-" {
		r.Name = "stdin"
	}
	if r.isPath() {
		abs, err := filepath.Abs(source)
		if err != nil {
			return 0, err
		}
		r.Source = abs
	}
	if at := slices.IndexFunc(c.roots, func(have Root) bool { return have.Source == r.Source }); at >= 0 {
		return at, nil
	}
	if r.isPath() {
		r.Name = c.newName(r.Source)
	}
	c.roots = append(c.roots, r)
	return len(c.roots) - 1, nil
}

// newName returns a name for a path: as many of its last elements as it takes so that no id of a
// file can belong to another source.
func (c *Catalog) newName(abs string) string {
	elements := strings.Split(strings.Trim(filepath.ToSlash(abs), "/"), "/")
	for n := range elements {
		if name := path.Join(elements[len(elements)-1-n:]...); c.free(name) {
			return name
		}
	}
	for n := 2; ; n++ {
		if name := fmt.Sprintf("%s~%d", elements[len(elements)-1], n); c.free(name) {
			return name
		}
	}
}

// free reports whether no source has a name, one below it or one above it.
func (c *Catalog) free(name string) bool {
	return name != "" && name != "stdin" && !slices.ContainsFunc(c.roots, func(r Root) bool {
		return below(name, r.Name) || below(r.Name, name)
	})
}

// below reports whether a name is another one, or below it.
func below(name, other string) bool { return name == other || strings.HasPrefix(name, other+"/") }
