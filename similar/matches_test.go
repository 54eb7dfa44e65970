package similar

import (
	"fmt"
	"testing"
)

// TestMatches holds matches to a search's hits: ids, scores and order.
func TestMatches(t *testing.T) {
	t.Parallel()
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i := range 37 {
		if err := x.Add(t.Context(), Document{ID: fmt.Sprint(i), Text: fmt.Sprint("heap queue ", i%5, " ", i%7)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []Query{{Text: "heap 3"}, {Text: "heap 3", K: 5}, {Like: []string{"11"}, K: 7, Threshold: 0.1}, {Text: "none"}} {
		hits, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		matches, err := x.Matches(t.Context(), q)
		if err != nil || len(matches) != len(hits) {
			t.Fatalf("%+v: %d matches, %d hits, %v", q, len(matches), len(hits), err)
		}
		for i, m := range matches {
			if m.ID != hits[i].Document.ID || m.Score != hits[i].Score {
				t.Errorf("%+v: match %d is %+v, hit %+v", q, i, m, hits[i])
			}
		}
	}
	if _, err := x.Matches(t.Context(), Query{Like: []string{"nobody"}}); err == nil {
		t.Error("an unknown document is no error")
	}
}
