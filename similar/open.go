package similar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Open opens an index that was saved to a folder. The files are compared with their checksums and
// mapped into memory where the system can map files; they must not be changed while the index is in
// use, and no Save changes one. Several may have one folder open, and save to it: see ErrConflict.
// An error wraps fs.ErrNotExist, ErrForeign, ErrDamaged, ErrNewer or ErrOlder where it is of that
// kind.
func Open(ctx context.Context, dir string) (*Index, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for tries := 0; ; tries++ {
		x, err := open(ctx, dir)
		// A writer may have replaced the files between the reading of the manifest and theirs.
		if err == nil || tries == 3 || !errors.Is(err, errVanished) {
			return x, err
		}
	}
}

var errVanished = fmt.Errorf("a file that the manifest names is not there: %w", ErrDamaged)

func open(ctx context.Context, dir string) (*Index, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, explainOpen(dir, err)
	}
	x, err := New(m.Options)
	if err != nil {
		return nil, fmt.Errorf("similar: %s: %w", dir, err)
	}
	x.home = home{dir, m.Generation, m.Stamp, map[*segment.Segment]savedPart{}, map[*segment.Segment]deaths{}}
	var parts []*part
	for _, saved := range m.Parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := openPart(dir, saved)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w", filepath.Join(dir, saved.Segment), errVanished)
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

func openPart(dir string, saved savedPart) (*part, error) {
	s, err := segment.Open(filepath.Join(dir, saved.Segment))
	if errors.Is(err, ErrForeign) { // the manifest says that it is ours
		err = fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	p := &part{Segment: s}
	if saved.Deleted == "" {
		return p, nil
	}
	name := filepath.Join(dir, saved.Deleted)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	sections, err := segment.ReadContainer(b, deletedMagic)
	if err != nil || len(sections) != 1 || len(sections[0]) != (s.Len()+7)/8 {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(ErrDamaged, err))
	}
	var dead []int
	for ord := range s.Len() {
		if sections[0][ord/8]>>(ord%8)&1 != 0 {
			dead = append(dead, ord)
		}
	}
	return p.without(dead), nil
}
