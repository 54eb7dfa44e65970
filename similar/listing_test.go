package similar_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// TestListing holds the documents by numbers to the documents by ids, in an index and in shards,
// after deletions, and while documents change.
func TestListing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		c := newCampaign(t, seed)
		s := sharded(c, 1+c.r.IntN(5))
		var docs []similar.Document
		for range c.r.IntN(60) {
			docs = append(docs, c.document())
		}
		gone := c.id()
		if err := errors.Join(c.x.Add(t.Context(), docs...), s.Add(t.Context(), docs...)); err != nil {
			t.Fatal(err)
		}
		_, err1 := c.x.Delete(gone)
		_, err2 := s.Delete(gone)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for _, x := range []*similar.Searcher{c.x.Searcher, s.Searcher} {
			l, err := x.List(t.Context())
			if err != nil || l.Len() != c.x.Len() {
				t.Fatalf("%d documents, want %d; %v", l.Len(), c.x.Len(), err)
			}
			ids := slices.Collect(x.IDs(""))
			for i, id := range ids {
				d, err1 := l.Document(i)
				want, err2 := x.Document(id)
				n, ok := l.Find(id)
				if err := errors.Join(err1, err2); err != nil || l.ID(i) != id || n != i || !ok || !reflect.DeepEqual(d, want) {
					t.Fatalf("document %d is %q at %d, want %q; %v", i, l.ID(i), n, id, err)
				}
			}
			if i, ok := l.Find(gone); ok || i > len(ids) || i < len(ids) && ids[i] < gone {
				t.Errorf("a deleted document is number %d", i)
			}
			if _, err := x.List(cancelled()); len(ids) > 0 && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if len(ids) == 0 {
				continue
			}
			if err := c.x.Add(t.Context(), similar.Document{ID: ids[0], Text: "changed"}, similar.Document{ID: "\x01"}); err != nil {
				t.Fatal(err)
			}
			if d, err := l.Document(0); err != nil || l.Len() != len(ids) || d.ID != ids[0] {
				t.Errorf("document 0 is %+v after a change, %v", d, err)
			}
			if _, err := c.x.Delete("\x01"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// cancelled is a context that has ended.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
