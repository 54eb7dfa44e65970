package version

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// TestGarbage finds what killed jobs left, by the clock of the store, and nothing else.
func TestGarbage(t *testing.T) {
	t.Parallel()
	docs := documents(40, 1)
	for _, skew := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour} {
		whole := built(t, docs, 2)
		m := whole.copied()
		m.skew = skew
		for name := range m.files {
			m.times[name] = time.Now().Add(skew - 48*time.Hour)
		}
		old := []string{shardFolder(0) + strings.Repeat("a", 64) + segmentEnd, shardFolder(7) + strings.Repeat("b", 64) + tableEnd,
			strings.Repeat("c", 64) + tableEnd, shardFolder(1) + writing + "123", writing + "7", clockFile + "ABC"}
		young := []string{shardFolder(0) + strings.Repeat("d", 64) + segmentEnd}
		foreign := []string{"notes.txt", "shard-00001/README", strings.Repeat("c", 64), "other/" + strings.Repeat("c", 64) + tableEnd}
		for age, names := range map[time.Duration][]string{25 * time.Hour: old, 22 * time.Hour: young, 240 * time.Hour: foreign} {
			for _, name := range names {
				m.files[name], m.times[name] = []byte("x"), time.Now().Add(skew-age)
			}
		}
		garbage, err := Garbage(t.Context(), m, 24*time.Hour, false)
		var got []string
		for _, f := range garbage {
			got = append(got, f.Name)
		}
		if slices.Sort(old); err != nil || !slices.Equal(got, old) {
			t.Fatalf("skew %v: %q, want %q; %v", skew, got, old, err)
		}
		if err := Remove(t.Context(), m, garbage); err != nil {
			t.Fatal(err)
		}
		for _, name := range append(young, foreign...) {
			delete(m.files, name)
		}
		if !m.same(whole) {
			t.Error("a file of the version is gone")
		}
	}
}

// TestGarbageOfBroken keeps the shards of a version that is not sealed, unless it is told otherwise.
func TestGarbageOfBroken(t *testing.T) {
	t.Parallel()
	m := built(t, documents(40, 1), 3)
	root := slices.DeleteFunc(slices.Collect(maps.Keys(m.files)), func(name string) bool { return strings.HasPrefix(name, "shard-") })
	delete(m.files, manifestName)
	garbage, err := Garbage(t.Context(), m, 0, false)
	if err != nil || len(root) != 2 || len(garbage) != 1 || !slices.Contains(root, garbage[0].Name) {
		t.Errorf("%v, %v", garbage, err)
	}
	if garbage, err = Garbage(t.Context(), m, 0, true); err != nil || Remove(t.Context(), m, garbage) != nil || len(m.files) > 0 {
		t.Errorf("%d files stay, %v", len(m.files), err)
	}
	m = built(t, documents(40, 1), 3)
	if garbage, err = Garbage(t.Context(), m, 0, true); err != nil || len(garbage) > 0 {
		t.Errorf("%v of a version that is sealed, %v", garbage, err)
	}
	m.files[shardManifest(1)] = []byte("{")
	if _, err = Garbage(t.Context(), m, 0, false); !errors.Is(err, similar.ErrDamaged) {
		t.Error(err)
	}
	if garbage, err = Garbage(context.Background(), newMemory(), 0, true); err != nil || len(garbage) > 0 {
		t.Error(err)
	}
	if _, err = Garbage(t.Context(), m, -1, false); err == nil {
		t.Error("a negative age")
	}
}
