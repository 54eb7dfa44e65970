package similar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopy copies an index, copies it again after changes, and puts the copy in the place of a lost
// index.
func TestCopy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "new", "copy")
	x := changedIndex(t, dir)
	if err := x.SetCatalog([]byte("sources")); err != nil {
		t.Fatal(err)
	}
	copies := func(from, to string, written, kept int) {
		t.Helper()
		c, err := Copy(ctx, from, to)
		if err != nil || c.Written != written || c.Kept != kept {
			t.Fatalf("got %+v, %v; want %d files written and %d kept", c, err, written, kept)
		}
		if g, err := ReadGeneration(to); err != nil || g != c.Generation {
			t.Errorf("the copy is of %v, want %v; %v", g, c.Generation, err)
		}
		if err := Verify(ctx, to); err != nil {
			t.Error(err)
		}
	}
	copies(dir, to, 1, 0)
	checkSaved(t, to, "copied", "old", 3)
	copies(dir, to, 0, 1)
	if err := x.Save(ctx, dir); err != nil {
		t.Fatal(err)
	}
	copies(dir, to, 3, 1) // the second segment, the first one's deletions, the catalog
	checkSaved(t, to, "copied again", "new", 4)

	lost := t.TempDir()
	copies(to, lost, 4, 0)
	y, err := Open(ctx, lost)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if b, err := y.Catalog(); err != nil || string(b) != "sources" {
		t.Errorf("the catalog is %q, %v", b, err)
	}
	if err := errors.Join(y.Add(ctx, Document{ID: "a", Text: "newest"}), y.Save(ctx, lost)); err != nil {
		t.Fatal(err)
	}
	checkSaved(t, lost, "restored and changed", "newest", 4)
	checkSaved(t, to, "the copy", "new", 4)
	if _, err := Copy(ctx, dir, lost); !errors.Is(err, ErrConflict) {
		t.Errorf("what was changed since it was copied: %v", err)
	}
}

// TestCopyOfAnEarlierState copies a state that was restored and changed since the last copy, whose
// files have the names of others.
func TestCopyOfAnEarlierState(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first, to, restored := t.TempDir(), t.TempDir(), t.TempDir()
	x := changedIndex(t, first)
	if _, err := Copy(ctx, first, restored); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(ctx, first); err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(ctx, first, to); err != nil {
		t.Fatal(err)
	}
	reader, err := Open(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	y, err := Open(ctx, restored)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if err := errors.Join(y.Add(ctx, Document{ID: "a", Text: "other"}, Document{ID: "e"}, Document{ID: "f"}), y.Save(ctx, restored)); err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(ctx, restored, to); err != nil {
		t.Fatal(err)
	}
	checkSaved(t, to, "the other state", "other", 5)
	if d, err := reader.Document("a"); err != nil || d.Text != "new" {
		t.Errorf("a reader of the copy before has %q, %v", d.Text, err)
	}
	if err := Verify(ctx, to); err != nil {
		t.Error(err)
	}
}

// TestCopyWhileSaved copies an index that another program saves to all the time. Each copy is one
// of the states.
func TestCopyWhileSaved(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), t.TempDir()
	x := changedIndex(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		var err error
		for n := 0; err == nil && ctx.Err() == nil; n++ {
			text := fmt.Sprint(n)
			err = errors.Join(x.Add(t.Context(), Document{ID: "a", Text: text}, Document{ID: "b", Text: text}), x.SetCatalog([]byte(text)), x.Save(t.Context(), dir))
		}
		ended <- err
	}()
	for range 30 {
		if _, err := Copy(t.Context(), dir, to); err != nil {
			t.Error(err)
			continue
		}
		y, err := Open(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := y.Document("a")
		b, errB := y.Document("b")
		c, errC := y.Catalog()
		if err := errors.Join(errA, errB, errC, y.Close()); err != nil || a.Text != b.Text || len(c) > 0 && string(c) != a.Text {
			t.Errorf("the copy has %q, %q and the catalog %q; %v", a.Text, b.Text, c, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestCopyFails makes a copy fail: the folder it goes to stays as it was.
func TestCopyFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir, to := t.TempDir(), t.TempDir()
	x := changedIndex(t, dir)
	if _, err := Copy(ctx, dir, to); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(ctx, dir); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	changedIndex(t, other)
	fails := func(what, from, to string, d disk, want error, message string) {
		t.Helper()
		if _, err := copyIndex(ctx, from, to, d); err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range 3 {
		fails("a full disk", dir, to, &fullDisk{bytes: 1 << 30, files: n}, errFull, "copying "+dir+" to "+to)
		fails("a full disk", dir, to, &fullDisk{bytes: 97 * n, files: 9}, errFull, "copying "+dir+" to "+to)
		checkSaved(t, to, "after a full disk", "old", 3)
	}
	fails("itself", dir, dir+"/.", realDisk{}, nil, "to itself")
	fails("no index", t.TempDir(), to, realDisk{}, fs.ErrNotExist, "no index has been saved")
	fails("another index", dir, other, realDisk{}, ErrConflict, "it is no copy")
	fails("a copy of another index", other, to, realDisk{}, ErrConflict, "a copy of another index than "+other)
	file := filepath.Join(other, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fails("a file", dir, file, realDisk{}, nil, "file")
	unlock, err := lock(to)
	if err != nil {
		t.Fatal(err)
	}
	fails("a locked folder", dir, to, realDisk{}, ErrLocked, to)
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := Copy(stopped, dir, to); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}

	// A damaged file of the index does not reach the copy.
	names, err := filepath.Glob(filepath.Join(dir, "00000002*"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		damaged := append([]byte{}, b...)
		damaged[len(b)/2] ^= 1
		if err := os.WriteFile(name, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		fails(name, dir, to, realDisk{}, ErrDamaged, filepath.Base(name))
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		checkSaved(t, to, "after "+name, "old", 3)
	}
	if _, err := Copy(ctx, dir, to); err != nil {
		t.Fatal(err)
	}
	checkSaved(t, to, "at last", "new", 4)
}
