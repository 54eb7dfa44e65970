package similar_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// resemblance is the part of their terms that two documents share, by the definition.
func resemblance(x *similar.Index, a, b similar.Document) float64 {
	counts := map[string][2]int{}
	for i, d := range []similar.Document{a, b} {
		for t := range x.Analyzer().Terms(d.Title + "\n\n" + d.Text) {
			c := counts[t.Text]
			c[i]++
			counts[t.Text] = c
		}
	}
	shared, all := 0, 0
	for _, c := range counts {
		shared, all = shared+min(c[0], c[1]), all+max(c[0], c[1])
	}
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(all)
}

// collapsed leaves near-duplicates out of hits, one by one.
func collapsed(x *similar.Index, hits []similar.Hit, part float64) (kept []similar.Hit) {
next:
	for _, h := range hits {
		for _, k := range kept {
			if resemblance(x, h.Document, k.Document) >= part {
				continue next
			}
		}
		kept = append(kept, h)
	}
	return kept
}

// TestCollapse leaves near-duplicates out of random searches, over one index and over shards, by
// score and sorted.
func TestCollapse(t *testing.T) {
	t.Parallel()
	left := 0
	for seed := range uint64(24) {
		c := newCampaign(t, seed)
		s := sharded(c, 2)
		var docs []similar.Document
		for range 20 + c.r.IntN(120) {
			d := c.document()
			if len(docs) > 0 && c.r.IntN(2) == 0 { // a copy with other words at the end
				d.Text = docs[c.r.IntN(len(docs))].Text + " " + c.textOf(c.r.IntN(4))
			}
			docs = append(docs, d)
		}
		if err := s.Add(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
		if err := c.x.Add(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			q := similar.Query{Text: c.textOf(1 + c.r.IntN(3)), K: -1}
			if c.r.IntN(3) == 0 {
				q.Sort = []similar.Order{{Field: "author"}}
			}
			for of, search := range map[string]func(context.Context, similar.Query) ([]similar.Hit, error){"index": c.x.Search, "shards": s.Search} {
				all, err := search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				with := q
				with.K, with.Collapse = 1+c.r.IntN(40), []float64{0.3, 0.5, 2. / 3, 0.8, 1}[c.r.IntN(5)]
				got, err := search(t.Context(), with)
				if err != nil {
					t.Fatal(err)
				}
				want := collapsed(c.x, all, with.Collapse)
				left += len(all) - len(want)
				want = want[:min(with.K, len(want))]
				if named(got) != named(want) {
					t.Errorf("seed %d, %s, %+v: got %s, want %s", seed, of, with, named(got), named(want))
				}
			}
		}
	}
	if left < 1000 {
		t.Errorf("%d near-duplicates were left out of all searches", left)
	}
}

// named are the ids of hits, in their order.
func named(hits []similar.Hit) string {
	var list []string
	for _, h := range hits {
		list = append(list, h.Document.ID)
	}
	return strings.Join(list, " ")
}

// TestCollapseMany asks for documents that are far apart in the list, because near-duplicates are
// between them, and for what cannot be.
func TestCollapseMany(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var docs []similar.Document
	for i := range 30_000 {
		text := "zebra zebra same words"
		if i%9_999 == 9_998 {
			text = fmt.Sprint("zebra other", i)
		}
		docs = append(docs, similar.Document{ID: fmt.Sprintf("%05d", i), Text: text})
	}
	docs = append(docs, similar.Document{ID: "x", Fields: map[string]string{"a": "zebra"}}, similar.Document{ID: "y", Fields: map[string]string{"a": "zebra"}})
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Search(t.Context(), similar.Query{Text: "zebra", Sort: []similar.Order{{Field: "none"}}, K: 5, Collapse: 0.5})
	// Of 20,000 documents that are looked at, two differ from the first, by their ids.
	if err != nil || named(hits) != "00000 09998 19997" {
		t.Errorf("got %s, %v", named(hits), err)
	}
	zebra, err := similar.ParseConditions("a=zebra")
	if err != nil {
		t.Fatal(err)
	}
	hits, err = x.Search(t.Context(), similar.Query{Text: "zebra", Where: zebra, Collapse: 0.5})
	if err != nil || named(hits) != "x y" {
		t.Errorf("documents without a text are collapsed: %s, %v", named(hits), err)
	}
	for _, q := range []similar.Query{{K: -1, Collapse: 0.5}, {K: 1001, Collapse: 0.5}, {Collapse: -1}, {Collapse: 1.01}, {Collapse: math.NaN()}} {
		q.Text = "zebra"
		if _, err := x.Search(t.Context(), q); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("K %d, Collapse %v: %v", q.K, q.Collapse, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := x.Search(ctx, similar.Query{Text: "zebra", Collapse: 0.5}); err == nil {
		t.Error("a context that has ended ends no search")
	}
}
