package cloud_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"testing"

	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/memblob"
	_ "gocloud.dev/blob/s3blob"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/cloud"
	"github.com/gridstride/gridstride/similar/cloud/internal/storetest"
	"github.com/gridstride/gridstride/similar/version"
)

// TestStores holds object stores to what a version.Store does, and keeps versions in them, of the
// same bytes.
func TestStores(t *testing.T) {
	want := filesOf(t, version.Folder(t.TempDir()))
	for name, address := range map[string]string{
		"file": "file://" + filepath.ToSlash(t.TempDir()) + "?metadata=skip&no_tmp_dir=true", "mem": "mem://", "s3": storetest.S3(t)("a/version"), "gs": storetest.GCS(t)("a/version"),
	} {
		t.Run(name, func(t *testing.T) {
			store, err := cloud.Open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
			basics(t, store)
			if got := filesOf(t, store); !reflect.DeepEqual(got, want) {
				t.Errorf("%d files, and a folder has %d", len(got), len(want))
			}
		})
	}
	if _, err := cloud.Open(t.Context(), "azblob://bucket"); err == nil {
		t.Error("a store without a driver is opened")
	}
}

// basics holds a store to the doc comments of version.Store.
func basics(t *testing.T, store version.Store) {
	ctx := t.Context()
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	failed := errors.New("failed")
	if err := retried(func() error { return store.Create(ctx, "x/a", text("a text")) }); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(ctx, "x/a", text("another")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if err := store.Create(ctx, "x/b", func(w io.Writer) error { return errors.Join(text("half")(w), failed) }); !errors.Is(err, failed) {
		t.Errorf("content that fails: %v", err)
	}
	if _, err := store.Read(ctx, "x/b", 0, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file whose content failed: %v", err)
	}
	r, err := store.Read(ctx, "x/a", 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || string(b) != "tex" {
		t.Errorf("%q, %v", b, err)
	}
	list := ""
	for f, err := range store.List(ctx, "x/") {
		list += fmt.Sprint(f.Name, " ", f.Size, " ", f.Modified.IsZero(), err)
	}
	if list != "x/a 6 false <nil>" {
		t.Error(list)
	}
	if err := retried(func() error { return store.Delete(ctx, "x/a") }); err != nil {
		t.Error(err)
	}
	for f := range store.List(ctx, "") {
		t.Errorf("%s is left", f.Name)
	}
}

// retried tries again, as package version does.
func retried(do func() error) (err error) {
	for range 4 {
		if err = do(); err == nil {
			break
		}
	}
	return err
}

// filesOf writes a version to a store, searches it, and returns the sizes of its files.
func filesOf(t *testing.T, store version.Store) map[string]int64 {
	ctx := t.Context()
	one := index(t, 0, 1)
	for range 2 {
		for i := range 3 {
			if err := version.WriteShard(ctx, store, index(t, i, 3), version.ShardOptions{Shard: i, Of: 3}); err != nil {
				t.Fatal(err)
			}
		}
		if err := version.Seal(ctx, store); err != nil {
			t.Fatal(err)
		}
	}
	cache, err := version.NewCache(t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	v, err := version.Open(ctx, store, version.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	q := similar.Query{Text: "word3 word5 heap", K: 40}
	got, err1 := v.Search(ctx, q)
	want, err2 := one.Search(ctx, q)
	if err := errors.Join(err1, err2, v.Close(), version.Verify(ctx, store, cache)); err != nil || len(want) < 40 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d hits, want %d, %v", len(got), len(want), err)
	}
	garbage, err := version.Garbage(ctx, store, 0, false)
	if err != nil || len(garbage) > 0 {
		t.Errorf("garbage %v, %v", garbage, err)
	}
	files := map[string]int64{}
	for f, err := range store.List(ctx, "") {
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = f.Size // the names have the hashes
	}
	return files
}

// index has the documents of a shard.
func index(t *testing.T, shard, of int) *similar.Index {
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i := range 200 {
		d := similar.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("heap word%d word%d tree%d", i%7, i%5, i)}
		if similar.ShardOf(d.ID, of) != shard {
			continue
		}
		if err := x.Add(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	return x
}
