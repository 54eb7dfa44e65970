package similar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errFull = errors.New("no space left on device")

// fullDisk fails after a number of bytes, or of files.
type fullDisk struct {
	realDisk
	bytes, files int
}

func (d *fullDisk) write(name string, content func(io.Writer) error) error {
	if d.files--; d.files < 0 {
		return errFull
	}
	return d.realDisk.write(name, func(w io.Writer) error { return content(&fullWriter{w, d}) })
}

type fullWriter struct {
	w io.Writer
	d *fullDisk
}

func (w *fullWriter) Write(b []byte) (int, error) {
	n := min(len(b), max(w.d.bytes, 0))
	if w.d.bytes -= len(b); n < len(b) {
		w.w.Write(b[:n])
		return n, errFull
	}
	return w.w.Write(b)
}

// TestFailingSave stops a save after any number of bytes and of files: the folder holds the old
// index then, and a save that does not fail follows.
func TestFailingSave(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const large = 1 << 30
	whole := fullDisk{bytes: large, files: large}
	first := t.TempDir()
	if err := changedIndex(t, first).save(ctx, first, &whole); err != nil {
		t.Fatal(err)
	}
	budgets := []fullDisk{{bytes: large, files: 0}, {bytes: large, files: 1}, {bytes: large, files: 2}}
	for n := 0; n < large-whole.bytes; n += 97 {
		budgets = append(budgets, fullDisk{bytes: n, files: large})
	}
	for _, d := range budgets {
		what := fmt.Sprintf("%d bytes, %d files", d.bytes, d.files)
		dir := t.TempDir()
		x := changedIndex(t, dir)
		err := x.save(ctx, dir, &d)
		checkSaved(t, dir, what, "old", 3)
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", what, err)
		}
		if err := x.Save(ctx, dir); err != nil {
			t.Fatal(err)
		}
		checkSaved(t, dir, what, "new", 4)
		x.Close()
	}
}

// changedIndex saves an index to a folder and changes it then.
func changedIndex(t *testing.T, dir string) *Index {
	t.Helper()
	ctx := context.Background()
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	err = errors.Join(x.Add(ctx, Document{ID: "a", Text: "old"}, Document{ID: "b", Text: "old"}, Document{ID: "c", Text: "old"}), x.Save(ctx, dir),
		x.Add(ctx, Document{ID: "a", Text: "new"}, Document{ID: "d", Text: "new"}))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func checkSaved(t *testing.T, dir, what, text string, n int) {
	t.Helper()
	x, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer x.Close()
	if d, err := x.Document("a"); err != nil || d.Text != text || x.Len() != n {
		t.Fatalf("%s: document a is %q of %d, want %q of %d; %v", what, d.Text, x.Len(), text, n, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporary) {
			t.Errorf("%s: the temporary file %s is left", what, e.Name())
		}
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	unlock, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Save(ctx, dir); !errors.Is(err, ErrLocked) {
		t.Errorf("a save to a locked folder: %v", err)
	}
	if err := errors.Join(unlock(), x.Save(ctx, dir)); err != nil {
		t.Error(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(ctx, file); err == nil {
		t.Error("a save to a file")
	}
}
