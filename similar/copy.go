package similar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Copied says what Copy has copied.
type Copied struct {
	Generation Generation // the state that was copied
	Documents  int
	Written    int // files that were written, without the manifest
	Kept       int // files that an earlier copy had written, and that are the same
}

// Copy makes the folder to hold the state that was saved last to the folder from, and makes to if
// it does not exist. Other programs may read from and save to it meanwhile: the copy is of one
// state. Copying again writes only files that to does not have. All checksums are compared, and to
// holds its old state or the new one at any time, as with Save. A copy is an index like any other,
// and copying it back restores what it holds.
//
// Only an earlier copy of the same index is replaced. (Indexes that were first saved before there were
// copies count as the same one.) The error wraps ErrConflict where to holds
// another index, or a copy that was saved to since; ErrLocked where another writer has to; and what
// Open's errors wrap where from cannot be read.
func Copy(ctx context.Context, from, to string) (Copied, error) {
	return copyIndex(ctx, from, to, realDisk{})
}

func copyIndex(ctx context.Context, from, to string, d disk) (c Copied, err error) {
	if from, err = filepath.Abs(from); err != nil {
		return c, err
	}
	if to, err = filepath.Abs(to); err != nil {
		return c, err
	}
	if same(from, to) {
		return c, fmt.Errorf("similar: cannot copy %s to itself", from)
	}
	x, catalog, err := openWhole(ctx, from)
	if err != nil {
		return c, err
	}
	defer x.Close()
	if err := os.MkdirAll(to, 0o755); err != nil {
		return c, fmt.Errorf("similar: %w", err)
	}
	unlock, err := lock(to)
	if err != nil {
		return c, err
	}
	defer unlock()
	old, err := x.replaces(to)
	if err != nil {
		return c, err
	}
	j := copier{ctx: ctx, disk: d, dir: to, copied: Copied{Generation: x.Generation(), Documents: x.Len()}}
	m, err := j.files(x, catalog)
	if err == nil {
		err = m.write(d, to)
	}
	if err != nil {
		sweep(d, to, old.names())
		return c, fmt.Errorf("similar: copying %s to %s: %w", from, to, err)
	}
	sweep(d, to, m.names())
	return j.copied, nil
}

// same reports whether two paths lead to one folder.
func same(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return a == b || errA == nil && errB == nil && os.SameFile(ia, ib)
}

// openWhole opens an index and reads its catalog. A writer may replace the catalog's file between
// the two; the newer state is opened then.
func openWhole(ctx context.Context, dir string) (x *Index, catalog []byte, err error) {
	for ctx.Err() == nil {
		if x, err = Open(ctx, dir); err != nil {
			return nil, nil, err
		}
		if catalog, err = x.Catalog(); err == nil {
			return x, catalog, nil
		}
		x.Close()
		if now, unread := ReadGeneration(dir); unread == nil && now == x.Generation() {
			return nil, nil, err // the catalog itself is damaged
		}
	}
	return nil, nil, ctx.Err()
}

// replaces returns the manifest of a folder that a copy of x goes to. It is empty if there is none.
// The error says why a copy may not replace what is there.
func (x *Index) replaces(dir string) (old manifest, err error) {
	old, err = readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manifest{}, nil
	case err != nil:
		return old, fmt.Errorf("%w; delete the folder, or copy elsewhere", err)
	case !old.Copy:
		return old, fmt.Errorf("similar: %s: %w; it is no copy, or was saved to since it was copied; delete the folder, or copy elsewhere", dir, ErrConflict)
	case old.Origin != x.home.origin:
		return old, fmt.Errorf("similar: %s: %w; it is a copy of another index than %s; delete the folder, or copy elsewhere", dir, ErrConflict, x.home.dir)
	}
	return old, nil
}

// A copier copies the files of an index to a folder.
type copier struct {
	ctx    context.Context
	disk   disk
	dir    string
	copied Copied
}

// files copies all files of an index that was just opened, and returns the manifest that names them.
func (j *copier) files(x *Index, catalog []byte) (m manifest, err error) {
	g := j.copied.Generation
	m = manifest{Generation: g.Number, Stamp: g.Stamp, Origin: x.home.origin, Copy: true, Options: x.options}
	for _, p := range x.view.Load().parts {
		saved := x.home.files[p.Segment]
		if saved.Segment, err = j.file(saved.Segment, p.Write); err != nil {
			return m, err
		}
		if saved.Deleted, err = j.file(saved.Deleted, p.writeDeleted); err != nil {
			return m, err
		}
		m.Parts = append(m.Parts, saved)
	}
	m.Catalog, err = j.file(x.home.catalogName, containerOf(catalogMagic, catalog))
	return m, err
}

// file copies a file, unless it is there, and returns the name of the copy. That is another name
// where the folder has a file of this name and with other contents, as after the original was
// restored to an earlier state: a reader of the old copy still needs that file.
func (j *copier) file(name string, content func(io.Writer) error) (string, error) {
	if name == "" {
		return "", nil
	}
	whole := func(w io.Writer) error { return content(pieces{j.ctx, w}) }
	for ; exists(j.dir, name); name = nextName(name) {
		equal, err := holds(filepath.Join(j.dir, name), whole)
		if err != nil {
			return "", err
		}
		if equal {
			j.copied.Kept++
			return name, nil
		}
	}
	j.copied.Written++
	return name, j.disk.write(filepath.Join(j.dir, name), whole)
}

// nextName returns the name of a file with a number higher by one.
func nextName(name string) string {
	of := savedName.FindStringSubmatch(name)
	var n int
	fmt.Sscanf(name[len(of[1])+1:], "%d", &n)
	return fmt.Sprintf("%s-%03d%s", of[1], n+1, of[2])
}

// holds reports whether a file holds just what content writes.
func holds(name string, content func(io.Writer) error) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	c := comparer{file: f}
	if err := content(&c); err == errDiffers {
		return false, nil
	} else if err != nil {
		return false, err
	}
	n, err := f.Read(make([]byte, 1))
	if n > 0 || err == nil {
		return false, nil
	}
	return err == io.EOF, nil
}

// A comparer is a writer that ends with errDiffers where what is written is not what a file has.
type comparer struct {
	file io.Reader
	b    []byte
}

var errDiffers = errors.New("the file differs")

func (c *comparer) Write(b []byte) (int, error) {
	if len(b) > len(c.b) {
		c.b = make([]byte, len(b))
	}
	if _, err := io.ReadFull(c.file, c.b[:len(b)]); err != nil || string(c.b[:len(b)]) != string(b) {
		return 0, errDiffers
	}
	return len(b), nil
}

// pieces is a writer that hands on large writes in pieces and ends with its context.
type pieces struct {
	ctx context.Context
	w   io.Writer
}

func (p pieces) Write(b []byte) (n int, err error) {
	const most = 1 << 20
	for first := true; first || len(b) > 0; first = false {
		if err := p.ctx.Err(); err != nil {
			return n, err
		}
		done, err := p.w.Write(b[:min(len(b), most)])
		if n += done; err != nil {
			return n, err
		}
		b = b[done:]
	}
	return n, nil
}
