package similar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Open opens an index that was saved to a folder. It reads little of it: files are mapped into memory
// if the system can map files, and compared with their checksums where they are read, by Search and
// others. They must not be changed while the index is in
// use, and no Save changes one. Several may have one folder open, and save to it: see ErrConflict.
// An error wraps fs.ErrNotExist, ErrForeign, ErrDamaged, ErrNewer or ErrOlder if it is of that
// kind.
func Open(ctx context.Context, dir string) (*Index, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var tried Generation
	for {
		x, err := open(ctx, dir)
		// A writer may have replaced the files between the reading of the manifest and theirs. The
		// manifest then names others now. If it does not, a file is missing.
		vanished, ok := errors.AsType[errVanished](err)
		if !ok || vanished.generation == tried {
			return x, err
		}
		tried = vanished.generation
	}
}

// errVanished is the error of a file that the manifest of a generation names and that is not there.
type errVanished struct {
	*segment.Damaged
	generation Generation
}

func (e errVanished) Unwrap() error { return e.Damaged }

func open(ctx context.Context, dir string) (*Index, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, explainOpen(dir, err)
	}
	x, err := New(m.Options)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", &segment.Damaged{File: filepath.Join(dir, manifestName), What: "its options are wrong: " + err.Error()})
	}
	x.home = home{dir: dir, generation: m.Generation, stamp: m.Stamp, origin: m.Origin, files: map[*segment.Segment]savedPart{}, dead: map[*segment.Segment]deaths{}}
	if m.Catalog != "" {
		x.catalog = &catalogBytes{file: filepath.Join(dir, m.Catalog)}
		x.home.catalog, x.home.catalogName = x.catalog, m.Catalog
	}
	var parts []*part
	for _, saved := range m.Parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := openPart(dir, saved, m.Options.Vectors, m.Options.Positions)
		if missing, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
			err = errVanished{&segment.Damaged{File: missing.Path, What: "the manifest names it, and it is not there"}, x.Generation()}
		}
		if err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		x.home.files[p.Segment], x.home.dead[p.Segment] = saved, p.dead
		parts = append(parts, p)
	}
	x.view.Store(newView(parts, x.options))
	return x, nil
}

func openPart(dir string, saved savedPart, vectors VectorOptions, positions bool) (*part, error) {
	s, err := segment.Open(filepath.Join(dir, saved.Segment))
	if errors.Is(err, ErrForeign) { // the manifest says that it is ours
		err = &segment.Damaged{File: filepath.Join(dir, saved.Segment), What: "it does not begin as a segment does"}
	}
	if err != nil {
		return nil, err
	}
	if s.Vectors() > 0 {
		if d, storage := s.VectorShape(); d != vectors.Dimension || storage != segment.Storage(vectors.Storage) {
			return nil, s.Damaged("its vectors have dimension %d and storage %d, and the manifest says %d and %d", d, storage, vectors.Dimension, vectors.Storage)
		}
	}
	if s.HasPlaces() && !positions {
		return nil, s.Damaged("it has positions, and the manifest says that there are none")
	}
	p := newPart(s)
	if saved.Deleted == "" {
		return p, nil
	}
	name := filepath.Join(dir, saved.Deleted)
	sections, err := segment.ReadFile(name, deletedMagic, maxDeleted)
	if errors.Is(err, ErrForeign) {
		err = &segment.Damaged{File: name, What: "it does not begin as a file of deletions does"}
	}
	if err != nil {
		return nil, err
	}
	if len(sections) != 1 || len(sections[0]) != (s.Len()+7)/8 {
		return nil, &segment.Damaged{File: name, What: fmt.Sprintf("it is not of the %d documents of the segment", s.Len())}
	}
	var dead []int
	for ord := range s.Len() {
		if sections[0][ord/8]>>(ord%8)&1 != 0 {
			dead = append(dead, ord)
		}
	}
	return p.without(dead)
}

// maxDeleted is how many bytes a file of deletions may have: a bit for each document that a segment
// can have, and the header.
const maxDeleted = 1<<29 + 1<<10
