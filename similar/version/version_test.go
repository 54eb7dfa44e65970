package version

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// TestFaultyStore builds, seals and opens versions in a store whose calls fail, and whose bodies
// end early: each job runs until it succeeds, and the files are the same as without faults.
func TestFaultyStore(t *testing.T) {
	t.Parallel()
	failed, runs := 0, 0
	for seed := range uint64(12) {
		docs := documents(60, seed)
		want := built(t, docs, 3)
		x, err := similar.New(similar.Options{})
		if err == nil {
			err = x.Add(t.Context(), docs...)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		m := newMemory()
		m.fault = rand.New(rand.NewPCG(seed, 2))
		until := func(job func() error) {
			t.Helper()
			for range 200 {
				runs++
				err := job()
				if err == nil {
					return
				}
				if !errors.Is(err, errDown) && !strings.Contains(err.Error(), "connection reset") && !strings.Contains(err.Error(), "bytes are missing") {
					t.Fatal(err)
				}
			}
			t.Fatal("it does not end")
		}
		for i := range 3 {
			until(func() error { return write(t.Context(), m, docs, i, 3, similar.Options{}) })
		}
		until(func() error { return Seal(t.Context(), m) })
		if !m.same(want) {
			t.Fatalf("seed %d: other files", seed)
		}
		until(func() error {
			v, err := Open(t.Context(), m, Options{Cache: newCache(t)})
			if err != nil {
				return err
			}
			defer v.Close()
			if got, want := answers(t, v.Search), answers(t, x.Search); !reflect.DeepEqual(got, want) || len(got) < 40 {
				t.Fatalf("seed %d: %d answers, and one index has %d", seed, len(got), len(want))
			}
			return nil
		})
		until(func() error { return Verify(t.Context(), m, newCache(t)) })
		failed += m.ended
	}
	if failed < 100 {
		t.Errorf("%d calls have failed", failed)
	}
	t.Logf("%d calls failed in %d runs of jobs", failed, runs)
}

// TestDamagedFiles changes a byte of each file, or cuts it off. Verify finds what a version needs,
// Seal what it reads, and a job that is run again puts what is named by its hash right.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	docs := documents(40, 1)
	whole := built(t, docs, 2)
	r := rand.New(rand.NewPCG(7, 7))
	cache := newCache(t)
	for name, b := range whole.files {
		for range 25 {
			m := whole.copied()
			bad := append([]byte(nil), b...)
			if r.IntN(3) == 0 {
				bad = bad[:r.IntN(len(bad))]
			} else {
				bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
			}
			m.files[name] = bad
			needed := !strings.HasPrefix(name, "shard-") || strings.HasSuffix(name, segmentEnd)
			err := Verify(t.Context(), m, cache)
			if needed != errors.Is(err, similar.ErrDamaged) && !errors.Is(err, similar.ErrNewer) || err != nil && !strings.Contains(err.Error(), name) {
				t.Fatalf("%s: Verify says %v", name, err)
			}
			delete(m.files, manifestName)
			err = Seal(t.Context(), m)
			if strings.HasPrefix(name, "shard-") && !strings.HasSuffix(name, segmentEnd) && !errors.Is(err, similar.ErrDamaged) && !errors.Is(err, similar.ErrNewer) {
				t.Fatalf("%s: Seal says %v", name, err)
			}
			if strings.HasSuffix(name, manifestName) {
				continue
			}
			for i := range 2 {
				if err := write(t.Context(), m, docs, i, 2, similar.Options{}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if err := Seal(t.Context(), m); err != nil || !m.same(whole) {
				t.Fatalf("%s: after another run of the jobs the files are other ones, %v", name, err)
			}
		}
	}
}

// TestMissing removes each file. Verify, or Seal, names it.
func TestMissing(t *testing.T) {
	t.Parallel()
	docs := documents(40, 1)
	whole := built(t, docs, 3)
	for name := range whole.files {
		m := whole.copied()
		delete(m.files, name)
		err := Verify(t.Context(), m, newCache(t))
		switch inShard := strings.HasPrefix(name, "shard-"); {
		case name == manifestName && !errors.Is(err, ErrUnsealed), name != manifestName && (!inShard || strings.HasSuffix(name, segmentEnd)) && !errors.Is(err, similar.ErrDamaged):
			t.Errorf("%s: %v", name, err)
		}
		err = Seal(t.Context(), m)
		switch missing, ok := errors.AsType[*IncompleteError](err); {
		case strings.HasSuffix(name, "/"+manifestName):
			if !ok || len(missing.Missing) != 1 || shardManifest(missing.Missing[0]) != name || missing.Of != 3 {
				t.Errorf("%s: Seal says %v", name, err)
			}
		case strings.HasPrefix(name, "shard-") && !errors.Is(err, similar.ErrDamaged), !strings.HasPrefix(name, "shard-") && (err != nil || !m.same(whole)):
			t.Errorf("%s: Seal says %v", name, err)
		}
	}
	if _, err := Open(t.Context(), newMemory(), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := Seal(t.Context(), newMemory()); err == nil || err.Error() != "version: mem://test: there is no shard; write shards first" {
		t.Error(err)
	}
}

// TestIncomplete says which shards are missing.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	m := newMemory()
	for _, i := range []int{0, 3, 4, 9} {
		if err := write(t.Context(), m, nil, i, 12, similar.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	const want = "version: mem://test: shards 1 to 2, 5 to 8, 10 to 11 of 12 are missing; write these, and seal again"
	if err := Seal(t.Context(), m); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TestConflicts refuses other documents, options and numbers of shards, before and after Seal.
func TestConflicts(t *testing.T) {
	t.Parallel()
	docs, others := documents(40, 1), documents(40, 2)
	for _, isSealed := range []bool{false, true} {
		m := built(t, docs, 3)
		if !isSealed {
			delete(m.files, manifestName)
			delete(m.files, shardManifest(1))
		}
		want := m.copied()
		for what, job := range map[string]func() error{
			"documents":         func() error { return write(t.Context(), m, others, 0, 3, similar.Options{}) },
			"options":           func() error { return write(t.Context(), m, docs, 0, 3, similar.Options{Positions: true}) },
			"options elsewhere": func() error { return write(t.Context(), m, docs, 1, 3, similar.Options{Positions: true}) },
			"number":            func() error { return write(t.Context(), m, docs, 0, 4, similar.Options{}) },
			"number, 1":         func() error { return write(t.Context(), m, docs, 1, 4, similar.Options{}) },
			"number, 3":         func() error { return write(t.Context(), m, docs, 3, 4, similar.Options{}) },
		} {
			if err := job(); !errors.Is(err, ErrConflict) {
				t.Errorf("%s, %t: %v", what, isSealed, err)
			}
		}
		if garbage, err := Garbage(t.Context(), m, 0, false); err != nil || Remove(t.Context(), m, garbage) != nil {
			t.Fatal(err)
		}
		if isSealed && !m.same(want) {
			t.Error("the files have changed")
		}
	}
	// Two jobs of different numbers that did not see each other.
	m, n := built(t, docs, 2), built(t, docs, 3)
	delete(m.files, manifestName)
	for name, b := range n.files {
		if strings.HasPrefix(name, "shard-00002/") {
			m.files[name] = b
		}
	}
	if err := Seal(t.Context(), m); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	x, err := similar.New(similar.Options{})
	if err == nil {
		err = x.Add(t.Context(), docs...)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := WriteShard(t.Context(), newMemory(), x, ShardOptions{Shard: 1, Of: 2}); err == nil || !strings.Contains(err.Error(), "belongs to shard 0 of 2") {
		t.Error(err)
	}
	for _, o := range []ShardOptions{{Shard: 1, Of: 1}, {Shard: -1, Of: 1}, {Of: 0}, {Of: MaxShards + 1}} {
		if err := WriteShard(t.Context(), newMemory(), x, o); err == nil {
			t.Errorf("%+v is written", o)
		}
	}
}

// TestConcurrentJobs runs all jobs several times at once, with seals between, on a folder and in
// memory.
func TestConcurrentJobs(t *testing.T) {
	t.Parallel()
	docs := documents(60, 3)
	want := built(t, docs, 3)
	for _, store := range []Store{newMemory(), Folder(t.TempDir())} {
		var running sync.WaitGroup
		for i := range 12 {
			running.Go(func() {
				if err := write(t.Context(), store, docs, i%3, 3, similar.Options{}); err != nil {
					t.Error(err)
				}
			})
		}
		for range 6 {
			running.Go(func() {
				for {
					err := Seal(t.Context(), store)
					if err == nil {
						return
					}
					if _, ok := errors.AsType[*IncompleteError](err); !ok {
						t.Error(err)
						return
					}
				}
			})
		}
		running.Wait()
		if got := contents(t, store); !got.same(want) {
			t.Errorf("%v: other files", store)
		}
	}
}

// contents are the files of a store, in memory.
func contents(t testing.TB, store Store) *memory {
	t.Helper()
	m, c := newMemory(), client{store}
	files, err := c.list(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if m.files[f.Name], err = c.small(t.Context(), f.Name); err != nil {
			t.Fatal(err)
		}
		m.times[f.Name] = f.Modified
	}
	return m
}

// TestCompact merges shards, and holds the bytes to a version that had fewer shards from the
// beginning.
func TestCompact(t *testing.T) {
	t.Parallel()
	docs := documents(80, 4)
	from := built(t, docs, 6)
	for _, of := range []int{1, 2, 3, 6} {
		to := newMemory()
		for i := range of {
			if err := Compact(t.Context(), to, from, ShardOptions{Shard: i, Of: of}, newCache(t)); err != nil {
				t.Fatal(err)
			}
		}
		if err := Seal(t.Context(), to); err != nil || !to.same(built(t, docs, of)) {
			t.Errorf("%d shards: other bytes, %v", of, err)
		}
	}
	if err := Compact(t.Context(), newMemory(), from, ShardOptions{Shard: 0, Of: 4}, newCache(t)); err == nil || !strings.Contains(err.Error(), "want a divisor") {
		t.Error(err)
	}
}

// fullStore ends each Create after a number of bytes.
type fullStore struct {
	Store
	left *int
}

var errFull = errors.New("no space left on device")

func (s fullStore) Create(ctx context.Context, name string, content func(io.Writer) error) error {
	return s.Store.Create(ctx, name, func(w io.Writer) error { return content(fullWriter{w, s.left}) })
}

type fullWriter struct {
	w    io.Writer
	left *int
}

func (w fullWriter) Write(b []byte) (int, error) {
	n := min(len(b), max(0, *w.left))
	*w.left -= n
	done, err := w.w.Write(b[:n])
	if err == nil && n < len(b) {
		err = errFull
	}
	return done, err
}

// TestFullDisk has the disk of a folder full after any number of bytes. No file is there that is
// not whole, and the jobs write the same bytes when there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	docs := documents(20, 5)
	want := built(t, docs, 2)
	all := 0
	for _, b := range want.files {
		all += len(b)
	}
	full := 0
	for i := range 12 {
		dir := t.TempDir()
		left := i * all / 11
		run := func(store Store) error {
			for i := range 2 {
				if err := write(t.Context(), store, docs, i, 2, similar.Options{}); err != nil {
					return err
				}
			}
			return Seal(t.Context(), store)
		}
		if err := run(fullStore{Folder(dir), &left}); errors.Is(err, errFull) {
			full++
		} else if err != nil {
			t.Fatal(err)
		}
		for name, b := range contents(t, Folder(dir)).files {
			if string(want.files[name]) != string(b) {
				t.Errorf("%s is not whole", name)
			}
		}
		if err := run(Folder(dir)); err != nil || !contents(t, Folder(dir)).same(want) {
			t.Errorf("other files, %v", err)
		}
	}
	if full < 10 {
		t.Errorf("the disk was full in %d of 12 runs", full)
	}
}

// TestShards opens some shards.
func TestShards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := documents(30, 6)
	for i := range 3 {
		if err := write(t.Context(), Folder(dir), docs, i, 3, similar.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Seal(t.Context(), Folder(dir)); err != nil {
		t.Fatal(err)
	}
	v, err := Open(t.Context(), Folder(dir), Options{Shards: []int{2, 0}})
	if err != nil || v.Documents() != 30 || v.Of() != 3 || v.Len() == 30 {
		t.Fatal(err)
	}
	if err := errors.Join(v.Close(), v.Close()); err != nil {
		t.Error(err)
	}
	for _, shards := range [][]int{{3}, {-1}, {1, 1}} {
		if _, err := Open(t.Context(), Folder(dir), Options{Shards: shards}); err == nil {
			t.Errorf("shards %v are opened", shards)
		}
	}
	if _, err := Open(t.Context(), struct{ Store }{Folder(dir)}, Options{}); err == nil || !strings.Contains(err.Error(), "give a cache") {
		t.Error(err)
	}
	none, err := Open(t.Context(), Folder(dir), Options{Shards: []int{}})
	if err != nil || none.Len() != 0 {
		t.Error(err)
	}
	none.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, err := range []error{Seal(ctx, Folder(dir)), write(ctx, Folder(dir), docs, 0, 3, similar.Options{}), Verify(ctx, Folder(dir), nil)} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// TestForgedManifests opens and seals what manifests say that nobody wrote, with the right checksums.
func TestForgedManifests(t *testing.T) {
	t.Parallel()
	docs := documents(30, 7)
	whole := built(t, docs, 2)
	hostile := func(change func(m *manifest)) (b []byte) {
		m := new(manifest)
		if err := decode(whole.files[manifestName], m); err != nil {
			t.Fatal(err)
		}
		change(m)
		b, err := encode(m)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for what, change := range map[string]func(m *manifest){
		"format 0":       func(m *manifest) { m.Format = 0 },
		"no shards":      func(m *manifest) { m.Shards, m.Documents = nil, 0 },
		"many shards":    func(m *manifest) { m.Shards, m.Documents = make([]shardEntry, MaxShards+1), 0 },
		"documents":      func(m *manifest) { m.Documents++ },
		"overflow":       func(m *manifest) { m.Shards[0].Documents, m.Shards[1].Documents = 1<<62, 1<<62 },
		"huge":           func(m *manifest) { m.Shards[0].Documents += 1 << 60; m.Documents += 1 << 60 },
		"negative":       func(m *manifest) { m.Shards[0].Documents -= 100; m.Documents -= 100 },
		"one less":       func(m *manifest) { m.Shards[0].Documents--; m.Shards[1].Documents++ },
		"path":           func(m *manifest) { m.Shards[0].Segment.SHA256 = "../../../../etc/passwd" },
		"path of length": func(m *manifest) { m.Shards[0].Segment.SHA256 = strings.Repeat("../", 21) + "a" },
		"upper case":     func(m *manifest) { m.Table.SHA256 = strings.ToUpper(m.Table.SHA256) },
		"size":           func(m *manifest) { m.Shards[0].Segment.Bytes = 1 << 62 },
		"size 0":         func(m *manifest) { m.Table.Bytes = 0 },
		"other segment":  func(m *manifest) { m.Shards[0].Segment = m.Shards[1].Segment },
		"no segment":     func(m *manifest) { m.Shards[0].Segment = nil },
		"segment twice":  func(m *manifest) { m.Shards[1] = m.Shards[0]; m.Documents = 2 * m.Shards[0].Documents },
		"options":        func(m *manifest) { m.Options = []byte(`{"Positions":true}`) },
		"wrong options":  func(m *manifest) { m.Options = []byte(`{"Text":{"Language":"klingon"}}`) },
		"odd options":    func(m *manifest) { m.Options = []byte(`[7]`) },
	} {
		m := whole.copied()
		m.files[manifestName] = hostile(change)
		if _, err := Open(t.Context(), m, Options{Cache: newCache(t)}); err == nil {
			t.Errorf("%s: it is opened", what)
		}
		if err := Verify(t.Context(), m, newCache(t)); err == nil {
			t.Errorf("%s: it is whole", what)
		}
		_, _ = Garbage(t.Context(), m, 0, false)
		if err := Seal(t.Context(), m); !errors.Is(err, ErrConflict) && !errors.Is(err, similar.ErrDamaged) {
			t.Errorf("%s: Seal says %v", what, err)
		}
	}
	for what, b := range map[string]string{
		"nothing": "", "no JSON": "{", "null": "null", "list": "[]", "deep": strings.Repeat("[", 100000),
		"more": string(whole.files[manifestName]) + " ", "twice": strings.Replace(string(whole.files[manifestName]), `"format":1`, `"format":1,"format":1`, 1),
		"case": strings.Replace(string(whole.files[manifestName]), `"format"`, `"Format"`, 1),
	} {
		m := whole.copied()
		m.files[manifestName] = []byte(b)
		if _, err := Open(t.Context(), m, Options{Cache: newCache(t)}); !errors.Is(err, similar.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	m := whole.copied()
	m.files[manifestName] = []byte(`{"format":2,"what":"comes"}`)
	if _, err := Open(t.Context(), m, Options{Cache: newCache(t)}); !errors.Is(err, similar.ErrNewer) {
		t.Error(err)
	}
}

// TestFolder holds the store in a folder to what a store does.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	f := Folder(dir)
	for range f.List(t.Context(), "") {
		t.Error("a folder that is not there has files")
	}
	of := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	if err := errors.Join(f.Create(t.Context(), "a/b", of("text")), f.Create(t.Context(), "a.b", of(""))); err != nil {
		t.Fatal(err)
	}
	if err := f.Create(t.Context(), "a/b", of("other")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := f.Create(t.Context(), "a/c", func(io.Writer) error { return errFull }); !errors.Is(err, errFull) {
		t.Error(err)
	}
	got := ""
	for file, err := range f.List(t.Context(), "a/") {
		got += fmt.Sprint(file.Name, file.Size, err)
	}
	r, err := f.Read(t.Context(), "a/b", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || got != "a/b4 <nil>" || string(b) != "ex" {
		t.Errorf("%q, %q, %v", got, b, err)
	}
	if _, err := f.Read(t.Context(), "a/c", 0, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := f.Delete(t.Context(), "a/b"); err != nil {
		t.Error(err)
	}
	if err := f.Delete(t.Context(), "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestRacingWriters writes one shard of two collections by several jobs at once. The jobs of one
// collection succeed, and all others are refused.
func TestRacingWriters(t *testing.T) {
	t.Parallel()
	both := [2][]similar.Document{documents(30, 8), documents(30, 9)}
	for round := range 6 {
		stores := []Store{newMemory(), Folder(t.TempDir())}
		for _, store := range stores {
			var running sync.WaitGroup
			var done [8]error
			for i := range done {
				running.Go(func() { done[i] = write(t.Context(), store, both[i%2], 0, 1, similar.Options{}) })
			}
			running.Wait()
			won := [2]int{}
			for i, err := range done {
				if err == nil {
					won[i%2]++
				} else if !errors.Is(err, ErrConflict) {
					t.Fatal(err)
				}
			}
			if won != [2]int{4, 0} && won != [2]int{0, 4} {
				t.Fatalf("round %d, %v: %v jobs of 4 have succeeded", round, store, won)
			}
			garbage, err := Garbage(t.Context(), store, 0, false)
			if err := errors.Join(err, Remove(t.Context(), store, garbage), Seal(t.Context(), store)); err != nil {
				t.Fatal(err)
			}
			winner := 0
			if won[1] > 0 {
				winner = 1
			}
			if !contents(t, store).same(built(t, both[winner], 1)) {
				t.Fatalf("round %d, %v: other files", round, store)
			}
		}
	}
}

// ordered is a store that notes the names of the files in the order in which they are made.
type ordered struct {
	*memory
	names *[]string
}

func (s ordered) Create(ctx context.Context, name string, content func(io.Writer) error) error {
	err := s.memory.Create(ctx, name, content)
	if err == nil {
		*s.names = append(*s.names, name)
	}
	return err
}

// TestManifestsLast: whatever a manifest names is there before it, so that a job may be killed between
// any two files.
func TestManifestsLast(t *testing.T) {
	t.Parallel()
	store := ordered{newMemory(), new([]string)}
	for shard := range 2 {
		if err := write(t.Context(), store, documents(40, 1), shard, 2, similar.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Seal(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	if n := len(*store.names); n != 8 {
		t.Fatalf("%q; want a segment, a table and a manifest of two shards, and a table and a manifest", *store.names)
	}
	for i, name := range *store.names {
		if last := i == 2 || i == 5 || i == 7; strings.HasSuffix(name, manifestName) != last {
			t.Errorf("the files come as %q; want each manifest last", *store.names)
		}
	}
}
