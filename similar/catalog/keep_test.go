package catalog_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/catalog"
)

// TestKeep deals the documents of sources among indexes. A file that is one document is read for
// the index that takes it, and for no other.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes/a.txt": "a", "notes/b.md": "b", "notes/c/d.txt": "d", "notes/bad.txt": "a\x00b", "e.jsonl": `{"id": "one", "text": "1"}` + "\n" + `{"id": "two", "text": "2"}`,
	} {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	skipped := 0
	read := func(shard int) *similar.Index {
		x := newIndex(t)
		o := catalog.Options{Keep: func(id string) bool { return similar.ShardOf(id, 3) == shard }}
		report, err := o.Read(t.Context(), x, filepath.Join(dir, "notes"), filepath.Join(dir, "e.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		skipped += report.Skipped
		return x
	}
	for shard := range 3 {
		for id := range read(shard).IDs("") {
			if similar.ShardOf(id, 3) != shard {
				t.Errorf("shard %d has %q", shard, id)
			}
			all = append(all, id)
		}
	}
	slices.Sort(all)
	if want := []string{"notes/a.txt", "notes/b.md", "notes/c/d.txt", "one", "two"}; !slices.Equal(all, want) {
		t.Errorf("the shards have %q, want %q", all, want)
	}
	if skipped != 1 {
		t.Errorf("%d shards have read bad.txt, want 1", skipped)
	}
	// A file that vanishes while it is read ends the reading of a shard, and not the reading of an index.
	gone := filepath.Join(dir, "notes", "gone.jsonl")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), gone); err != nil {
		t.Skip(err)
	}
	o := catalog.Options{Keep: func(string) bool { return true }}
	if _, err := o.Read(t.Context(), newIndex(t), filepath.Join(dir, "notes")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if report, err := (catalog.Options{}).Read(t.Context(), newIndex(t), filepath.Join(dir, "notes")); err != nil || report.Skipped != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}
