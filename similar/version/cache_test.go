package version

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestCache opens versions by many at once, within a bound.
func TestCache(t *testing.T) {
	t.Parallel()
	a, b := built(t, documents(60, 1), 2), built(t, documents(60, 2), 2)
	size := int64(0)
	for name, f := range a.files {
		if strings.HasSuffix(name, segmentEnd) {
			size += int64(len(f))
		}
	}
	dir := t.TempDir()
	cache, err := NewCache(dir, size*3/2) // of one version, and not of both
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for _, m := range []*memory{a, a} {
				v, err := Open(t.Context(), m, Options{Cache: cache})
				if err != nil {
					t.Error(err)
					return
				}
				if hits := answers(t, v.Search); len(hits) < 40 {
					t.Errorf("%d hits", len(hits))
				}
				if err := v.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	v, err := Open(t.Context(), a, Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), b, Options{Cache: cache}); !errors.Is(err, ErrCacheFull) {
		t.Errorf("a cache that is in use: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if v, err = Open(t.Context(), b, Options{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasSuffix(e.Name(), fetchingEnd) {
			t.Errorf("%s is left, %v", e.Name(), err)
		}
		all += info.Size()
	}
	if all > size*3/2 || len(entries) > 8 {
		t.Errorf("%d bytes in %d files, and the bound is %d", all, len(entries), size*3/2)
	}
	if _, err := NewCache(dir, 0); err == nil {
		t.Error("a cache of nothing")
	}
}

// TestDamagedCache opens a version whose cache has other bytes, and one with the files of a process
// that was killed.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	m := built(t, documents(60, 1), 1)
	cache := newCache(t)
	v, err := Open(t.Context(), m, Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	want := len(answers(t, v.Search))
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	name := segmentPath(t, cache)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{whole[:len(whole)/2], nil, append(whole[:len(whole):len(whole)], 0)} {
		if err := errors.Join(os.Remove(name), os.WriteFile(name, bad, 0o644), os.WriteFile(strings.TrimSuffix(name, segmentEnd)+fetchingEnd, bad, 0o644)); err != nil {
			t.Fatal(err)
		}
		v, err := Open(t.Context(), m, Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(answers(t, v.Search)); got != want {
			t.Errorf("%d answers, want %d", got, want)
		}
		v.Close()
	}
	flipped := append([]byte(nil), whole...)
	for i := range flipped {
		flipped[i] ^= 1
	}
	if err := errors.Join(os.Remove(name), os.WriteFile(name, flipped, 0o644)); err != nil {
		t.Fatal(err)
	}
	if v, err := Open(t.Context(), m, Options{Cache: cache}); err != nil {
		t.Errorf("a cached file of other bytes: %v", err)
	} else if got := len(answers(t, v.Search)); got != want {
		t.Errorf("%d answers, want %d", got, want)
	}
	if err := Verify(t.Context(), m, cache); err != nil {
		t.Error(err)
	}
}

// segmentPath is the file of the only segment in the cache.
func segmentPath(t *testing.T, c *Cache) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(c.dir, "*"+segmentEnd))
	if err != nil || len(list) != 1 {
		t.Fatalf("%q, %v", list, err)
	}
	return list[0]
}
