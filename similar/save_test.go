package similar_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

func (c *campaign) saveAndOpen(dir string) {
	if err := c.x.Save(context.Background(), dir); err != nil {
		c.t.Fatal(err)
	}
	x, err := similar.Open(context.Background(), dir)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.r.IntN(2) == 0 { // go on with either: what was saved, or what was opened
		c.x, x = x, c.x
	}
	c.t.Cleanup(func() { c.x.Close() })
	c.t.Cleanup(func() { x.Close() })
}

// TestSaveOpen saves and opens random collections between changes, to one folder and to others.
func TestSaveOpen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		c := newCampaign(t, seed)
		dir := t.TempDir()
		for range 5 {
			c.change()
			if c.r.IntN(3) == 0 {
				dir = filepath.Join(t.TempDir(), "new", "folder")
			}
			c.saveAndOpen(dir)
			c.search(c.x.Search)
			c.search(c.x.Search)
		}
		if got, want := c.x.Options().Weight, c.ref.scheme; got != want {
			t.Errorf("the weights are %v, want %v", got, want)
		}
	}
}

// saved saves an index with a few segments and deletions and returns the names of its files.
func saved(t *testing.T, dir string) (x *similar.Index, names []string) {
	t.Helper()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	ctx := context.Background()
	for i := range 3 {
		err = errors.Join(err, x.Add(ctx, similar.Document{ID: fmt.Sprint("a", i), Text: "one two"}, similar.Document{ID: fmt.Sprint("b", i), Text: "two three"}, similar.Document{ID: fmt.Sprint("c", i), Text: "three four"}))
	}
	x.Delete("b0")
	if err := errors.Join(err, x.Save(ctx, dir)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			names = append(names, e.Name())
		}
	}
	if len(names) != 5 {
		t.Fatalf("the files are %q; want a manifest, three segments and one file of deletions", names)
	}
	return x, names
}

// TestDamage cuts every file at every length and changes every byte.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, names := saved(t, dir)
	for _, name := range names {
		name = filepath.Join(dir, name)
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		damaged := func(b []byte, what string, at int) {
			if err := os.WriteFile(name, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := similar.Verify(context.Background(), dir); !errors.Is(err, similar.ErrDamaged) || errors.Is(err, similar.ErrForeign) || errors.Is(err, similar.ErrNewer) {
				t.Fatalf("%s, %s at %d: %v", name, what, at, err)
			}
		}
		for n := 0; n < len(whole); n += 1 + n/9 {
			damaged(whole[:n], "cut", n)
		}
		damaged(append(slices.Clone(whole), 0), "longer", len(whole))
		for i := 0; i < len(whole); i += 1 + i/100 {
			b := slices.Clone(whole)
			b[i] ^= 1 << (i % 8)
			damaged(b, "changed", i)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if _, err := similar.Open(context.Background(), dir); err == nil {
			t.Fatalf("an index without %s was opened", name)
		}
		if err := os.WriteFile(name, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := similar.Open(context.Background(), dir)
	if err != nil || x.Len() != 8 {
		t.Fatalf("with its files whole again: %v", err)
	}
	x.Close()
}

func TestForeignAndOtherVersions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := similar.Open(ctx, filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, similar.ErrForeign) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := similar.Open(ctx, dir); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, similar.ErrForeign) {
		t.Errorf("an empty folder: %v", err)
	}
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := similar.Open(ctx, dir); !errors.Is(err, similar.ErrForeign) {
		t.Errorf("a folder of other files: %v", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	x, _ := saved(t, t.TempDir())
	name := filepath.Join(dir, "manifest")
	if err := os.WriteFile(name, []byte("<html>something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := similar.Open(ctx, dir); !errors.Is(err, similar.ErrForeign) {
		t.Errorf("a manifest of another program: %v", err)
	}
	if err := x.Save(ctx, dir); !errors.Is(err, similar.ErrForeign) {
		t.Errorf("a save over a manifest of another program: %v", err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "<html>something else" {
		t.Errorf("the foreign file is %q now, %v", b, err)
	}
	dir = t.TempDir()
	saved(t, dir)
	name = filepath.Join(dir, "manifest")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	header := b[:64]
	for version, want := range map[uint32]error{1_000_000: similar.ErrNewer, 1: similar.ErrOlder} {
		binary.LittleEndian.PutUint32(header[8:], version)
		binary.LittleEndian.PutUint32(header[16:], 0)
		binary.LittleEndian.PutUint32(header[16:], crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli)))
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := similar.Open(ctx, dir); !errors.Is(err, want) || errors.Is(err, similar.ErrDamaged) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// TestTwoWriters has two indices that were opened from one folder save to it.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	a, _ := saved(t, dir)
	b, err := similar.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := errors.Join(b.Add(ctx, similar.Document{ID: "new", Text: "five"}), b.Save(ctx, dir), b.Save(ctx, dir)); err != nil {
		t.Fatal(err)
	}
	if err := a.Save(ctx, dir); !errors.Is(err, similar.ErrConflict) {
		t.Errorf("a save over another writer's: %v", err)
	}
	c, err := similar.Open(ctx, dir)
	if err != nil || c.Len() != 9 {
		t.Fatalf("what the other wrote is not whole: %v", err)
	}
	defer c.Close()
	if hits, err := a.Search(ctx, similar.Query{Text: "four"}); err != nil || len(hits) != 3 {
		t.Errorf("an index whose files were replaced: %d hits, %v", len(hits), err)
	}
}

// TestOtherIndex saves to folders that hold another index: one that came there since, and one that
// has taken the place of this one.
func TestOtherIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	a, _ := saved(t, dir)
	b, _ := saved(t, t.TempDir())
	fresh, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	for what, x := range map[string]*similar.Index{"an index of another folder": b, "a new index": fresh} {
		if err := x.Save(ctx, dir); !errors.Is(err, similar.ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := errors.Join(os.RemoveAll(dir), fresh.Add(ctx, similar.Document{ID: "x", Text: "five"}), fresh.Save(ctx, dir)); err != nil {
		t.Fatal(err)
	}
	if err := a.Save(ctx, dir); !errors.Is(err, similar.ErrConflict) {
		t.Errorf("the index that was there before: %v", err)
	}
	again, err := similar.Open(ctx, dir)
	if err != nil || again.Len() != 1 {
		t.Fatalf("what was there did not stay: %v", err)
	}
	again.Close()
}

// TestFailedSaveElsewhere saves to another folder, which fails, and then to its own.
func TestFailedSaveElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x, _ := saved(t, dir)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Save(cancelled, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Fatalf("a save that was cancelled: %v", err)
	}
	if err := x.Save(t.Context(), dir); err != nil {
		t.Errorf("a save to its own folder: %v", err)
	}
}

// TestEmptiedFolder saves to a folder from which somebody has removed the index.
func TestEmptiedFolder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "index")
	x, _ := saved(t, dir)
	opened, err := similar.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for _, x := range []*similar.Index{x, opened} {
		if err := errors.Join(os.RemoveAll(dir), x.Save(ctx, dir)); err != nil {
			t.Fatal(err)
		}
		again, err := similar.Open(ctx, dir)
		if err != nil || again.Len() != 8 {
			t.Fatalf("after the folder was removed: %v", err)
		}
		again.Close()
	}
}

// TestLockAndCatalog locks a folder for one of two indices, and saves a catalog with it.
func TestLockAndCatalog(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	a, _ := saved(t, dir)
	b, err := similar.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, err := b.Catalog(); got != nil || err != nil {
		t.Errorf("an index without a catalog has %q, %v", got, err)
	}
	if err := errors.Join(a.Lock(dir), a.Lock(dir), a.SetCatalog([]byte("first"))); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"Lock": b.Lock(dir), "Save": b.Save(ctx, dir)} {
		if !errors.Is(err, similar.ErrLocked) {
			t.Errorf("%s of a second writer: %v", what, err)
		}
	}
	if err := errors.Join(a.Save(ctx, dir), a.Add(ctx, similar.Document{ID: "z"}), a.Save(ctx, dir), a.Close()); err != nil {
		t.Fatal(err)
	}
	if err := b.Lock(dir); !errors.Is(err, similar.ErrConflict) {
		t.Errorf("a writer of what another one replaced: %v", err)
	}
	c, err := similar.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(c.Lock(dir), c.Save(ctx, dir), c.Save(ctx, other), c.Close(), c.Close()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Lock(dir)); !errors.Is(err, similar.ErrClosed) {
		t.Errorf("a closed index: %v", err)
	}
	for _, dir := range []string{dir, other} {
		x, err := similar.Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := x.Catalog(); string(got) != "first" || err != nil {
			t.Errorf("the catalog is %q, %v", got, err)
		}
		names, err := filepath.Glob(filepath.Join(dir, "*.catalog"))
		if err != nil || len(names) != 1 {
			t.Fatalf("the catalogs are %q, %v", names, err)
		}
		if err := os.WriteFile(names[0], []byte("GScatalo"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Catalog(); !errors.Is(err, similar.ErrDamaged) {
			t.Errorf("a damaged catalog: %v", err)
		}
		x.Close()
	}
}
