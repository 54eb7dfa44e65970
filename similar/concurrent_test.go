package similar_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/similar"
)

// TestSnapshots adds, replaces and deletes documents in groups while others search: a search sees
// all of a group or none.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	const groups, size, versions = 7, 9, 40
	var writers, readers sync.WaitGroup
	for g := range groups {
		writers.Go(func() {
			for v := range versions {
				var docs []similar.Document
				for i := range size {
					docs = append(docs, similar.Document{ID: fmt.Sprintf("%d/%d", g, i), Text: fmt.Sprintf("group%d version%d", g, v)})
				}
				if err := x.Add(ctx, docs...); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for g := range groups {
		readers.Go(func() {
			for {
				hits, err := x.Search(ctx, similar.Query{Text: fmt.Sprint("group", g), K: 100})
				if err != nil {
					t.Error(err)
					return
				}
				for _, h := range hits {
					if len(hits) != size || h.Document.Text != hits[0].Document.Text || h.Score != hits[0].Score {
						t.Errorf("%d hits, %q and %q", len(hits), hits[0].Document.Text, h.Document.Text)
						return
					}
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if x.Len() != groups*size {
		t.Errorf("%d documents, want %d", x.Len(), groups*size)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Search(ctx, similar.Query{Text: "group1"}); !errors.Is(err, similar.ErrClosed) {
		t.Errorf("a search of a closed index: %v", err)
	}
	if err := x.Add(ctx, similar.Document{ID: "a"}); !errors.Is(err, similar.ErrClosed) {
		t.Errorf("an addition to a closed index: %v", err)
	}
}

// TestOneByOne adds documents one at a time, which makes and merges many small segments.
func TestOneByOne(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx := context.Background()
	for i := range 1000 {
		if err := x.Add(ctx, similar.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("all last", i%10)}); err != nil {
			t.Fatal(err)
		}
	}
	hits, err := x.Search(ctx, similar.Query{Text: "last3", K: -1})
	if err != nil || len(hits) != 100 || x.Len() != 1000 {
		t.Fatalf("%d hits of %d documents, %v", len(hits), x.Len(), err)
	}
	for i := 1; i < len(hits); i++ {
		if hits[i-1].Document.ID >= hits[i].Document.ID {
			t.Fatalf("of equal scores %q comes before %q", hits[i-1].Document.ID, hits[i].Document.ID)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx := context.Background()
	good := similar.Document{ID: "good", Text: "what was there"}
	if err := x.Add(ctx, good); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	huge := make([]byte, 1<<30+1) // no page of it is read
	for what, err := range map[string]error{
		"a huge text":   x.Add(ctx, similar.Document{ID: "a", Text: unsafe.String(&huge[0], len(huge))}),
		"no id":         x.Add(ctx, similar.Document{ID: "a"}, similar.Document{}),
		"id not UTF-8":  x.Add(ctx, similar.Document{ID: "a"}, similar.Document{ID: "\xff"}),
		"cancelled":     x.Add(cancelled, similar.Document{ID: "a"}),
		"unknown like":  second(x.Search(ctx, similar.Query{Like: []string{"a"}})),
		"NaN":           second(x.Search(ctx, similar.Query{Text: "was", Threshold: nan})),
		"cancel search": second(x.Search(cancelled, similar.Query{Text: "there"})),
		"explain":       second(x.Explain(ctx, similar.Query{Text: "there"}, "a")),
		"document":      second(x.Document("a")),
		"weights":       second(similar.New(similar.Options{Weight: badWeight})),
		"bits":          second(similar.New(similar.Options{Vocabulary: similar.Vocabulary{Bits: 32}})),
		"both":          second(similar.New(similar.Options{Vocabulary: similar.Vocabulary{Bits: 3, Fixed: []string{"a"}}})),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if x.Len() != 1 {
		t.Errorf("%d documents, want 1", x.Len())
	}
	for _, q := range []similar.Query{{}, {Text: "the of and"}, {Text: "\xff\xfe"}, {Text: "absent"}, {Document: &similar.Document{}}} {
		if hits, err := x.Search(ctx, q); err != nil || len(hits) != 0 {
			t.Errorf("%+v: %d hits, %v", q, len(hits), err)
		}
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, v := range []similar.Vocabulary{{Bits: 20}, {Fixed: []string{"heap", "tree"}}} {
		x, err := similar.New(similar.Options{Vocabulary: v})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.Add(ctx, similar.Document{ID: "a", Text: "heaps grow"}, similar.Document{ID: "b", Text: "rings grow"}); err != nil {
			t.Fatal(err)
		}
		hits, err := x.Search(ctx, similar.Query{Text: "a heap"})
		if err != nil || len(hits) != 1 || hits[0].Document.ID != "a" {
			t.Errorf("%+v: %+v, %v", v, hits, err)
		}
		hits, err = x.Search(ctx, similar.Query{Text: "growing"})
		if want := min(2, 2*v.Bits); err != nil || len(hits) != want {
			t.Errorf("%+v: %d hits of another term, want %d; %v", v, len(hits), want, err)
		}
	}
}

// TestReplacedWhileMerging replaces documents of segments of one document each, which vanish, while
// merges run that have begun with them: a document is found once.
func TestReplacedWhileMerging(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		x, err := similar.New(similar.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 90 {
			if err := x.Add(t.Context(), similar.Document{ID: fmt.Sprint("d", r.IntN(60)), Text: "common"}); err != nil {
				t.Fatal(err)
			}
		}
		hits, err := x.Search(t.Context(), similar.Query{Text: "common", K: -1})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, h := range hits {
			if seen[h.Document.ID] {
				t.Fatalf("%s is found twice", h.Document.ID)
			}
			seen[h.Document.ID] = true
		}
		if len(hits) != x.Len() {
			t.Fatalf("%d hits of %d documents", len(hits), x.Len())
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
