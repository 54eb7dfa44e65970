package similar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gridstride/gridstride/similar/internal/zipf"
	"github.com/gridstride/gridstride/similar/query"
)

var someTexts = zipf.Corpus{Documents: 6000, Length: 60, Words: 20_000, Seed: 3}

// addTexts adds the documents of a corpus, some at a time, and calls each after every time.
func addTexts(t *testing.T, x *Index, c zipf.Corpus, each func()) {
	t.Helper()
	var docs []Document
	for id, text := range zipf.New(c).Documents() {
		docs = append(docs, Document{ID: id, Title: "title", Text: text, Fields: map[string]string{"id": id}})
		if len(docs) == 200 {
			if err := x.Add(t.Context(), docs...); err != nil {
				t.Fatal(err)
			}
			docs = docs[:0]
			each()
		}
	}
}

// TestMemory adds documents to an index with a budget and to one without: both answer alike, and
// the first holds a share of its budget and has its files in the folder that it has locked.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, locked := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "idx")
		x, plain := memoryPair(t, locked)
		if locked {
			if err := x.Lock(dir); err != nil {
				t.Fatal(err)
			}
		}
		addWithin(t, x, plain, fmt.Sprintf("locked %v", locked))
		files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentEnd))
		if (len(files) > 0) != locked || (x.temporary != "") == locked {
			t.Errorf("locked %v: the files are %q, and the temporary folder is %q", locked, files, x.temporary)
		}
		sameAnswers(t, "in memory", x, plain)
		saveFlushed(t, x, dir, files)
		reopenWithin(t, dir, plain)
	}
}

// memoryPair returns an index within the least memory, and a plain one.
func memoryPair(t *testing.T, positions bool) (x, plain *Index) {
	t.Helper()
	x, err := New(Options{Memory: leastMemory, Positions: positions})
	if err != nil {
		t.Fatal(err)
	}
	if plain, err = New(Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	return x, plain
}

// addWithin adds and deletes documents, and holds what is in memory to its bound.
func addWithin(t *testing.T, x, plain *Index, what string) {
	t.Helper()
	most := 0
	addTexts(t, x, someTexts, func() { most = max(most, len(x.view.Load().parts)) })
	addTexts(t, plain, someTexts, func() {})
	for _, index := range []*Index{x, plain} {
		if _, err := index.Delete("d000000017", "d000004000"); err != nil {
			t.Fatal(err)
		}
	}
	x.settle(t)
	if n := held(x.view.Load().parts); n > leastMemory/heldShare || most > maxParts {
		t.Errorf("%s: segments of %d bytes are in memory, and there were %d segments", what, n, most)
	}
}

// saveFlushed saves an index, which keeps the files that it has flushed, and then compacts it to one.
func saveFlushed(t *testing.T, x *Index, dir string, files []string) {
	t.Helper()
	ctx := t.Context()
	if err := errors.Join(x.Save(ctx, dir), Verify(ctx, dir)); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			t.Errorf("%s was written again: %v", f, err)
		}
	}
	if err := errors.Join(x.Compact(ctx), x.Save(ctx, dir), x.Close()); err != nil {
		t.Fatal(err)
	}
	if files, _ = filepath.Glob(filepath.Join(dir, "*"+segmentEnd)); len(files) != 1 {
		t.Errorf("after Compact the files are %q", files)
	}
}

// reopenWithin opens an index that was saved, and adds documents within the least memory. What it
// flushes goes away with it.
func reopenWithin(t *testing.T, dir string, plain *Index) {
	t.Helper()
	opened, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	sameAnswers(t, "opened", opened, plain)
	if err := opened.SetMemory(leastMemory); err != nil {
		t.Fatal(err)
	}
	more := zipf.Corpus{Documents: 2000, Length: 60, Words: 20_000, Seed: 4}
	addTexts(t, opened, more, func() {})
	addTexts(t, plain, more, func() {})
	sameAnswers(t, "with more", opened, plain)
	temporary := opened.temporary
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(temporary); temporary == "" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary folder %q is there: %v", temporary, err)
	}
}

// TestBulk holds an index that is merged rarely to more segments than another one has, and to the same
// answers and the same bytes.
func TestBulk(t *testing.T) {
	t.Parallel()
	for _, memory := range []int64{0, leastMemory} {
		x, plain := memoryPair(t, false)
		defer x.Close()
		if err := x.SetMemory(memory); err != nil {
			t.Fatal(err)
		}
		x.SetBulk()
		most := 0
		addTexts(t, x, someTexts, func() { most = max(most, len(x.view.Load().parts)) })
		addTexts(t, plain, someTexts, func() {})
		x.settle(t)
		plain.settle(t)
		if n, usual := len(x.view.Load().parts), len(plain.view.Load().parts); most > maxParts || memory == 0 && n <= usual {
			t.Errorf("%d bytes: %d segments, %d at most; without SetBulk there are %d", memory, n, most, usual)
		}
		sameAnswers(t, fmt.Sprint("in bulk, of ", memory), x, plain)
		var a, b bytes.Buffer
		if _, err := x.WriteSegment(t.Context(), &a); err != nil {
			t.Fatal(err)
		}
		if _, err := plain.WriteSegment(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%d bytes of memory: other bytes are written", memory)
		}
	}
}

// settle waits for merges.
func (x *Index) settle(t *testing.T) {
	t.Helper()
	for {
		x.mu.Lock()
		running, changed := x.running, x.changed
		x.mu.Unlock()
		if running == 0 {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("merges do not end")
		}
	}
}

func sameAnswers(t *testing.T, what string, x, plain *Index) {
	t.Helper()
	n := 0
	for text := range zipf.New(someTexts).Queries(20, 3) {
		q := Query{Text: text, K: 20}
		if n++; n%3 == 0 {
			q = Query{Like: []string{fmt.Sprintf("d%09d", n)}, Where: Has("id")}
		} else if n%3 == 1 {
			q = Query{Clause: query.Phrase{Text: zipf.Word(n) + " " + zipf.Word(n+n%2), Slop: n % 4}}
		}
		got, err := x.Search(t.Context(), q)
		want, wantErr := plain.Search(t.Context(), q)
		if errors.Join(err, wantErr) != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v found %v, want %v; %v %v", what, q, got, want, err, wantErr)
		}
	}
}

// TestMemoryAbandoned closes an index that was not saved, and one that fails to write: the folder is
// as it was.
func TestMemoryAbandoned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x, err := New(Options{Memory: leastMemory})
	if err == nil {
		err = x.Lock(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	addTexts(t, x, someTexts, func() {})
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "0*")); len(files) > 0 {
		t.Errorf("the files %q are left", files)
	}
	if x, err = New(Options{Memory: leastMemory}); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	gone := filepath.Join(dir, "gone")
	if err := errors.Join(x.Lock(gone), os.RemoveAll(gone)); err != nil {
		t.Fatal(err)
	}
	docs := []Document{}
	for id, text := range zipf.New(someTexts).Documents() {
		docs = append(docs, Document{ID: id, Text: text})
	}
	for i := 0; i < len(docs) && err == nil; i += 100 {
		err = x.Add(t.Context(), docs[i:i+100]...)
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("documents were added that cannot be written: %v", err)
	}
	if err := checkMemory(leastMemory - 1); err == nil {
		t.Error("a memory that is too small")
	}
	if _, err := New(Options{Memory: -1}); err == nil {
		t.Error("a negative memory")
	}
}

// TestMemoryLeftBehind opens a folder where a process that ended has left files of merges.
func TestMemoryLeftBehind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	x := changedIndex(t, dir)
	left := filepath.Join(dir, "00000002-1001"+segmentEnd)
	if err := os.WriteFile(left, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Save(ctx, dir), Verify(ctx, dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file that was left is there: %v", err)
	}
}
