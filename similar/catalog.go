package similar

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// catalogBytes are the bytes of SetCatalog, in memory or in a file of the folder.
type catalogBytes struct {
	bytes []byte
	file  string // the path; empty for bytes in memory
}

// maxCatalog is how many bytes a catalog may have.
const maxCatalog = 1 << 32

// SetCatalog keeps bytes with the index, in the place of those it has. Save saves them with the
// documents, at once. Package catalog keeps there which sources the documents are from.
func (x *Index) SetCatalog(b []byte) error {
	if len(b) > maxCatalog/2 {
		return fmt.Errorf("similar: a catalog of %d bytes; at most %d are possible", len(b), maxCatalog/2)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return ErrClosed
	}
	x.catalog = &catalogBytes{bytes: slices.Clone(b)}
	return nil
}

// Catalog returns the bytes of SetCatalog, nil if there are none. An index that was opened reads
// them from its folder: ErrDamaged says that another writer has replaced them since, or that the
// file is damaged.
func (x *Index) Catalog() ([]byte, error) {
	x.mu.Lock()
	c := x.catalog
	x.mu.Unlock()
	if c == nil || c.file == "" {
		if c == nil {
			return nil, nil
		}
		return slices.Clone(c.bytes), nil
	}
	sections, err := segment.ReadFile(c.file, catalogMagic, maxCatalog)
	if err == nil && len(sections) != 1 {
		err = &segment.Damaged{File: c.file, What: "it has several sections"}
	}
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return sections[0], nil
}

// saveCatalog writes the catalog if the folder does not have it, and returns the name of its file.
func (x *Index) saveCatalog(d disk, c *catalogBytes, next home) (name string, err error) {
	switch {
	case c == nil:
		return "", nil
	case x.home.dir == next.dir && x.home.catalog == c && exists(next.dir, x.home.catalogName):
		return x.home.catalogName, nil
	}
	b, err := x.Catalog()
	if err != nil {
		return "", err
	}
	name = fmt.Sprintf("%08d-000%s", next.generation, catalogEnd)
	return name, d.write(filepath.Join(next.dir, name), containerOf(catalogMagic, b))
}
