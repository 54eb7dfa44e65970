package similar

import (
	"errors"
	"io/fs"
	"testing"
)

// TestGeneration tells saved states apart: a save changes the folder's and the index's, and nothing
// else does.
func TestGeneration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadGeneration(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of an empty folder: %v", err)
	}
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if g := x.Generation(); g != (Generation{}) {
		t.Errorf("before a save: %v", g)
	}
	var last Generation
	for i := range 3 {
		if err := x.Add(t.Context(), Document{ID: string(rune('a' + i)), Text: "heap"}); err != nil {
			t.Fatal(err)
		}
		if g := x.Generation(); g != last {
			t.Errorf("adding changes %v to %v", last, g)
		}
		if err := x.Save(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		saved, err := ReadGeneration(dir)
		if err != nil || saved != x.Generation() || saved == last || saved.Number != uint64(i+1) {
			t.Errorf("save %d: %v in the folder, %v of the index, %v before; %v", i, saved, x.Generation(), last, err)
		}
		last = saved
	}
	again, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Generation() != last {
		t.Errorf("opened: %v, want %v", again.Generation(), last)
	}
}
