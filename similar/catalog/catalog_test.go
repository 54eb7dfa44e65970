package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/catalog"
	"github.com/gridstride/gridstride/similar/source"
)

// contents returns the documents of an index that have one of the ids, as "id=text".
func contents(t *testing.T, x *similar.Index, ids ...string) []string {
	t.Helper()
	var list []string
	for _, id := range ids {
		if d, err := x.Document(id); err == nil {
			list = append(list, id+"="+d.Text)
		} else if !errors.Is(err, similar.ErrUnknown) {
			t.Fatal(err)
		}
	}
	if len(list) != x.Len() {
		t.Fatalf("%d documents, and %q are known", x.Len(), list)
	}
	return list
}

func newIndex(t *testing.T) *similar.Index {
	t.Helper()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// folders are sources that change at random. Their records have few ids, so that many are there
// twice.
type folders struct {
	t   *testing.T
	r   *rand.Rand
	dir string
	now time.Time
}

func (f *folders) change() {
	for range 1 + f.r.IntN(4) {
		p := filepath.Join(f.dir, []string{"one", "two"}[f.r.IntN(2)], []string{"a.txt", "b/c.txt", "b.jsonl", "b/a.jsonl", "z.jsonl"}[f.r.IntN(5)])
		if f.r.IntN(4) == 0 {
			if err := os.Remove(p); err != nil && !errors.Is(err, os.ErrNotExist) {
				f.t.Fatal(err)
			}
			continue
		}
		text := fmt.Sprint("text", f.r.IntN(100))
		if strings.HasSuffix(p, ".jsonl") {
			text = ""
			for range f.r.IntN(5) {
				text += fmt.Sprintf("{\"id\": \"id%d\", \"text\": \"word%d\"}\n", f.r.IntN(6), f.r.IntN(100))
			}
		}
		f.now = f.now.Add(time.Minute)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644), os.Chtimes(p, f.now, f.now)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// TestSync changes files at random: after each sync the index has the documents that a new index
// of the same sources has, also when it was saved and opened between.
func TestSync(t *testing.T) {
	t.Parallel()
	ids := []string{"one/a.txt", "one/b/c.txt", "two/a.txt", "two/b/c.txt"}
	for i := range 6 {
		ids = append(ids, fmt.Sprint("id", i))
	}
	for seed := range uint64(20) {
		f := &folders{t: t, r: rand.New(rand.NewPCG(seed, 23)), dir: t.TempDir(), now: time.Now().Add(-24 * time.Hour)}
		sources := []string{filepath.Join(f.dir, "one"), filepath.Join(f.dir, "two")}
		for _, s := range sources {
			if err := os.Mkdir(s, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		x := newIndex(t)
		sync := catalog.Options{Gone: true}
		if _, err := sync.Read(t.Context(), x, sources...); err != nil {
			t.Fatal(err)
		}
		for round := range 12 {
			f.change()
			some := sources
			if f.r.IntN(3) == 0 {
				some = sources[f.r.IntN(2):][:1]
				if _, err := sync.Read(t.Context(), x, some...); err != nil {
					t.Fatal(err)
				}
			}
			if f.r.IntN(8) == 0 {
				dir := filepath.Join(f.dir, "idx", fmt.Sprint(round))
				if err := x.Save(t.Context(), dir); err != nil {
					t.Fatal(err)
				}
				var err error
				if x, err = similar.Open(t.Context(), dir); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { x.Close() })
			}
			report, err := sync.Read(t.Context(), x, sources...)
			if err != nil {
				t.Fatal(err)
			}
			fresh := newIndex(t)
			first, err := sync.Read(t.Context(), fresh, sources...)
			if err != nil {
				t.Fatal(err)
			}
			got, want := contents(t, x, ids...), contents(t, fresh, ids...)
			if !slices.Equal(got, want) || report.Hidden != first.Hidden {
				t.Fatalf("seed %d, round %d: the index has\n%q, %d hidden, want\n%q, %d", seed, round, got, report.Hidden, want, first.Hidden)
			}
			if n := report.New + report.Changed + report.Unchanged; n != x.Len() {
				t.Fatalf("seed %d, round %d: %+v of %d documents", seed, round, report, x.Len())
			}
		}
	}
}

// TestSameTime changes a file in the moment of a sync, so that its size and time are the same.
func TestSameTime(t *testing.T) {
	t.Parallel()
	p := filepath.Join(t.TempDir(), "a.txt")
	x := newIndex(t)
	for _, text := range []string{"one", "two"} {
		now := time.Now().Truncate(2 * time.Second)
		if err := errors.Join(os.WriteFile(p, []byte(text), 0o644), os.Chtimes(p, now, now)); err != nil {
			t.Fatal(err)
		}
		if _, err := (catalog.Options{Gone: true}).Read(t.Context(), x, p); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, x, "a.txt"); !slices.Equal(got, []string{"a.txt=" + text}) {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

// TestNames names sources apart.
func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := newIndex(t)
	want := map[string]string{"a/x/notes": "notes", "b/x/notes": "x/notes", "c": "c", "c/d/e": "e", "b/e/f": "f", "g/e": "g/e", "stdin": filepath.Base(dir) + "/stdin"}
	for _, p := range []string{"a/x/notes", "b/x/notes", "c", "c/d/e", "b/e/f", "g/e", "stdin"} {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if err := errors.Join(os.MkdirAll(full, 0o755), os.WriteFile(filepath.Join(full, "a.txt"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := (catalog.Options{}).Read(t.Context(), x, full); err != nil {
			t.Fatal(err)
		}
	}
	c, err := catalog.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range c.Roots() {
		rel, err := filepath.Rel(dir, r.Source)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.ToSlash(rel)] = r.Name
	}
	if !maps.Equal(got, want) {
		t.Errorf("the names are %q, want %q", got, want)
	}
}

// TestBadCatalog opens catalogs that no program of ours wrote.
func TestBadCatalog(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	for text, want := range map[string]error{
		"{": similar.ErrDamaged, `{"files": [null]}`: similar.ErrDamaged, `{"files": [{"root": -1}]}`: similar.ErrDamaged,
		`{"files": [{"root": 1}], "roots": [{}]}`: similar.ErrDamaged, `{"version": 9}`: similar.ErrNewer,
	} {
		if err := x.SetCatalog([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := (catalog.Options{Source: source.Options{}}).Read(t.Context(), x, t.TempDir()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}
