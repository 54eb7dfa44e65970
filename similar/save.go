package similar

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	// the file. Open finds what is wrong with the ends of a file, Verify all else, and Search,
	// Pairs, Document, Compact and others what is wrong with what they read.
	ErrDamaged = segment.ErrDamaged
	// ErrNewer is the error of an index that a later version of this package wrote.
	ErrNewer = segment.ErrNewer
	// ErrOlder is the error of an index that an earlier version wrote, which this one does not
	// read.
	ErrOlder = segment.ErrOlder
	// ErrLocked is the error of a writer of a folder that another one has locked or is saving to.
	ErrLocked = errors.New("another writer has this folder; wait until it ends")
	// ErrConflict is the error of a save to a folder that holds an index which this one was not
	// opened from or saved to last: what another writer saved there is not lost.
	ErrConflict = errors.New("the folder holds an index that another writer saved")
)

// home is where an index was opened from or saved to.
type home struct {
	dir        string
	generation uint64
	stamp      string
	origin     string
	files      map[*segment.Segment]savedPart
	dead       map[*segment.Segment]deaths // that savedPart.Deleted holds

	catalog     *catalogBytes // that the file catalogName holds
	catalogName string
}

// Save writes the index to a folder, which it makes if it does not exist. It writes only new parts
// of this index. Another one there is ErrConflict. The folder holds the old state or the new one at
// any time, whatever fails or stops: an error leaves the old one. The state is the one that a
// search would see when Save begins. Others may use the index meanwhile. One of several that save
// at once gets ErrLocked.
func (x *Index) Save(ctx context.Context, dir string) error { return x.save(ctx, dir, realDisk{}) }

func (x *Index) save(ctx context.Context, dir string, d disk) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	x.mu.Lock()
	v, err := x.state()
	catalog := x.catalog
	x.mu.Unlock()
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(v)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	old, unlock, err := x.takeFolder(dir)
	if err != nil {
		return err
	}
	defer unlock()
	next := home{dir: dir, generation: old.Generation + 1, stamp: rand.Text(), origin: old.Origin, files: map[*segment.Segment]savedPart{}, dead: map[*segment.Segment]deaths{}, catalog: catalog}
	if old.Generation == 0 {
		next.origin = next.stamp
	}
	m, err := x.saveParts(ctx, d, v, next)
	if err == nil {
		m.Catalog, err = x.saveCatalog(d, catalog, next)
		next.catalogName = m.Catalog
	}
	if err == nil {
		err = m.write(d, dir)
	}
	if err != nil {
		sweep(d, dir, x.kept(dir, old))
		return fmt.Errorf("similar: saving to %s: %w", dir, err)
	}
	x.home = next
	for name := range m.names() {
		delete(x.files, filepath.Join(dir, name))
	}
	sweep(d, dir, x.kept(dir, m))
	return nil
}

// kept returns the files of a folder that a manifest or a merge needs.
func (x *Index) kept(dir string, m manifest) map[string]bool {
	names := m.names()
	maps.Copy(names, x.filesIn(dir))
	return names
}

// Lock keeps all other writers from a folder until Close, so that a Save to it finds what Lock
// found. The folder is made if it does not exist. ErrLocked says that another writer has the
// folder, and ErrConflict that it holds another index than this one. An index locks one folder at a
// time.
func (x *Index) Lock(dir string) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if _, err := x.state(); err != nil || x.locked == dir {
		return err
	}
	_, unlock, err := x.takeFolder(dir)
	if err != nil {
		return err
	}
	x.unlock()
	x.locked, x.release = dir, unlock
	return nil
}

// unlock lets other writers have the folder that Lock took. The caller has locked saving.
func (x *Index) unlock() {
	if x.release != nil {
		_ = x.release() // it ends with the process in any case
	}
	x.locked, x.release = "", nil
}

// takeFolder locks a folder and reads its manifest, which is empty if there is none. The error says
// why this index cannot be saved there.
func (x *Index) takeFolder(dir string) (old manifest, unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return old, nil, fmt.Errorf("similar: %w", err)
	}
	unlock = func() error { return nil }
	if x.locked != dir {
		if unlock, err = lock(dir); err != nil {
			return old, nil, err
		}
	}
	old, err = readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if x.home.dir == dir { // a user has emptied the folder
			x.home = home{}
		}
		return old, unlock, nil
	case err != nil:
		err = fmt.Errorf("%w; delete the folder, or save elsewhere", err)
	case x.home.dir != dir || x.home.stamp != old.Stamp:
		err = fmt.Errorf("similar: %s: %w; open that and add to it, or save elsewhere", dir, ErrConflict)
	default:
		return old, unlock, nil
	}
	return old, nil, errors.Join(err, unlock())
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
	m := manifest{Generation: next.generation, Stamp: next.stamp, Origin: next.origin, Options: x.options}
	merged := x.filesIn(next.dir)
	for i, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		var saved savedPart
		if x.home.dir == next.dir {
			saved = x.home.files[p.Segment]
		}
		prefix := fmt.Sprintf("%08d-%03d", next.generation, i)
		if name := filepath.Base(p.File()); saved.Segment == "" && merged[name] {
			saved.Segment = name
		}
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
	return containerOf(deletedMagic, bits)(w)
}

// containerOf writes a container of one section.
func containerOf(magic segment.Magic, b []byte) func(io.Writer) error {
	return func(w io.Writer) error { return segment.WriteContainer(w, magic, [][]byte{b}) }
}
