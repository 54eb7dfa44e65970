package similar

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

var (
	// ErrForeign is the error of a folder or file that is not of an index.
	ErrForeign = segment.ErrForeign
	// ErrDamaged is the error of a file of an index that was changed or cut off. Its message names
	// the file. Open finds most of what may be wrong with a file, and Search, Pairs, Document,
	// Compact and others the rest when they read it.
	ErrDamaged = segment.ErrDamaged
	// ErrNewer is the error of an index that a later version of this package wrote.
	ErrNewer = segment.ErrNewer
	// ErrOlder is the error of an index that an earlier version wrote, which this one does not
	// read.
	ErrOlder = segment.ErrOlder
	// ErrLocked is the error of a save to a folder that another one is saving to.
	ErrLocked = errors.New("another writer is saving to this folder")
	// ErrConflict is the error of a save to a folder that holds an index which this one was not
	// opened from or saved to last: what another writer saved there is not lost.
	ErrConflict = errors.New("the folder holds an index that another writer saved")
)

// home is where an index was opened from or saved to.
type home struct {
	dir        string
	generation uint64
	stamp      string
	files      map[*segment.Segment]savedPart
	dead       map[*segment.Segment]deaths // that savedPart.Deleted holds
}

// Save writes the index to a folder, which is made where it does not exist. Of this index only what
// is new is written; another one there is ErrConflict. The folder holds the old state or the new
// one at any time, whatever fails or stops: an error leaves the old one. The state is the one that
// a search would see when Save begins; others may use the index meanwhile. One of several that save
// at once gets ErrLocked.
func (x *Index) Save(ctx context.Context, dir string) error { return x.save(ctx, dir, realDisk{}) }

func (x *Index) save(ctx context.Context, dir string, d disk) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	v, err := x.state()
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(v)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("similar: %w", err)
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if x.home.dir == dir { // a user has emptied the folder
			x.home = home{}
		}
	case err != nil:
		return fmt.Errorf("%w; delete the folder, or save elsewhere", err)
	case x.home.dir != dir || x.home.stamp != old.Stamp:
		return fmt.Errorf("similar: %s: %w; open that and add to it, or save elsewhere", dir, ErrConflict)
	}
	next := home{dir, old.Generation + 1, rand.Text(), map[*segment.Segment]savedPart{}, map[*segment.Segment]deaths{}}
	m, err := x.saveParts(ctx, d, v, next)
	if err == nil {
		err = m.write(d, dir)
	}
	if err != nil {
		sweep(d, dir, old.names())
		return fmt.Errorf("similar: saving to %s: %w", dir, err)
	}
	x.home = next
	sweep(d, dir, m.names())
	return nil
}

// lock keeps other writers out of a folder.
func lock(dir string) (unlock func() error, err error) {
	f := flock.New(filepath.Join(dir, lockName))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("similar: %s: %w", dir, ErrLocked)
	}
	return f.Unlock, nil
}

// saveParts writes the parts that the folder does not have, and notes in next where all are.
func (x *Index) saveParts(ctx context.Context, d disk, v *view, next home) (manifest, error) {
	m := manifest{Generation: next.generation, Stamp: next.stamp, Options: x.options}
	for i, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		var saved savedPart
		if x.home.dir == next.dir {
			saved = x.home.files[p.Segment]
		}
		prefix := fmt.Sprintf("%08d-%03d", next.generation, i)
		if saved.Segment == "" || !exists(next.dir, saved.Segment) {
			saved.Segment = prefix + segmentEnd
			if err := d.write(filepath.Join(next.dir, saved.Segment), p.Write); err != nil {
				return m, err
			}
		}
		if dead := x.home.dead[p.Segment]; p.dead.Documents == 0 {
			saved.Deleted = ""
		} else if saved.Deleted == "" || dead.Documents != p.dead.Documents || !exists(next.dir, saved.Deleted) {
			saved.Deleted = prefix + deletedEnd
			if err := d.write(filepath.Join(next.dir, saved.Deleted), p.writeDeleted); err != nil {
				return m, err
			}
		}
		next.files[p.Segment], next.dead[p.Segment] = saved, p.dead
		m.Parts = append(m.Parts, saved)
	}
	return m, nil
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// writeDeleted writes which documents of a part are deleted, a bit each.
func (p *part) writeDeleted(w io.Writer) error {
	bits := make([]byte, (p.Len()+7)/8)
	for ord := range p.Len() {
		if p.isDead(ord) {
			bits[ord/8] |= 1 << (ord % 8)
		}
	}
	return segment.WriteContainer(w, deletedMagic, [][]byte{bits})
}
