package similar_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/weight"
)

// TestLengthsOfFields computes the scores of a few documents by the paper's formula. The random
// collections agree with a plain loop bit for bit.
func TestLengthsOfFields(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Weight: weight.BM25(2, 0.5), Fields: []similar.Field{{Name: "title", Weight: 3, B: new(0.8)}, {Name: "url", Weight: 1, B: new(0.0)}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	err = x.Add(t.Context(),
		similar.Document{ID: "a", Title: "heap tree", Text: "queue heap tree", Fields: similar.Fields{"url": "heap", "note": "list"}},
		similar.Document{ID: "b", Text: "heap heap queue", Title: "tree"},
		similar.Document{ID: "c", Text: "list list list list", Title: "ring of rings"},
		similar.Document{ID: "gone", Text: "heap", Title: "heap heap heap heap"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	// Titles have 2, 1 and 2 words, times 3: 5 in the mean. Texts and notes have 4, 3 and 4.
	title, rest := 5.0, 11.0/3
	count := func(tf, b, length, mean float64) float64 { return tf / (1 - b + b*length/mean) }
	for id, f := range map[string]float64{"a": count(3, 0.8, 6, title) + 1 + count(1, 0.5, 4, rest), "b": count(2, 0.5, 3, rest)} {
		want := math.Log(1+(3-2+0.5)/(2+0.5)) * f * 3 / (f + 2)
		hits, err := x.Search(t.Context(), similar.Query{Text: "heap", Where: similar.WithID(id)})
		if err != nil || len(hits) != 1 || math.Abs(hits[0].Score-want) > 1e-14 {
			t.Errorf("%s scores %v, want %v; %v", id, hits, want, err)
		}
	}
}

// TestLengthsRefused has fields that cannot have a B.
func TestLengthsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`{"a": {"b": 2}}`, `{"a": {"b": -0.1}}`, `{"a": {"b": "0.3"}}`, `{"a": {"b": null}}`, `{"a": {"b": 0.3, "search": false}}`, `{"a": {"b": 0.3, "type": "keyword"}}`, `{"a": {"b": 0.3, "type": "stored"}}`,
	} {
		if list, err := similar.ReadFields(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%s is read as %v, %v", bad, list, err)
		}
	}
	if _, err := similar.New(similar.Options{Fields: []similar.Field{{Name: "a", Weight: 1, B: new(math.NaN())}}}); err == nil {
		t.Error("a B that is no number")
	}
	scheme, err := weight.Parse("lnc.ltc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := similar.New(similar.Options{Weight: scheme, Fields: []similar.Field{{Name: "a", Weight: 1, B: new(0.5)}}}); err == nil {
		t.Error("a B with weights that have none")
	}
	var many []similar.Field
	for i := range 17 {
		many = append(many, similar.Field{Name: fmt.Sprint("f", i), Weight: 1, B: new(0.5)})
	}
	if _, err := similar.New(similar.Options{Fields: many}); err == nil {
		t.Error("17 fields with a B")
	}
	if _, err := similar.New(similar.Options{Fields: many[:16]}); err != nil {
		t.Error(err)
	}
}

// TestLengthsKept saves, verifies, merges and opens indices with fields whose lengths count by
// themselves, and holds the weights as numbers to a search.
func TestLengthsKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for seed := range uint64(6) {
		c := newCampaign(t, 3) // BM25
		o := c.x.Options()
		o.Positions = seed%2 == 0
		o.Fields = []similar.Field{{Name: "title", Weight: 2, B: new(0.3)}, {Name: "author", Type: similar.KeywordField}, {Name: "*", Weight: 1, B: new(1.0)}}
		x, err := similar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		c.x, c.ref = x, newReference(t, o)
		for range 5 {
			c.change()
		}
		dir := t.TempDir()
		if err := errors.Join(x.Save(ctx, dir), similar.Verify(ctx, dir)); err != nil {
			t.Fatal(err)
		}
		again, err := similar.Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			c.search(again.Search)
		}
		if err := errors.Join(again.Compact(ctx), again.Save(ctx, dir), similar.Verify(ctx, dir)); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			c.search(again.Search)
		}
		c.numbers(again)
		if err := errors.Join(x.Close(), again.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// numbers holds the scores that Weights gives to a search's scores.
func (c *campaign) numbers(x *similar.Index) {
	ctx := context.Background()
	w, err := x.Weights(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	q := similar.Query{Text: c.textOf(5), K: -1}
	of, err := w.Queries(ctx, q)
	if err != nil {
		c.t.Fatal(err)
	}
	weights := map[int32]float64{}
	for i, t := range of.Terms {
		weights[t] = of.Weights[i]
	}
	want := map[string]float64{}
	for i, id := range w.IDs {
		score := 0.0
		for j := w.Rows.Starts[i]; j < w.Rows.Starts[i+1]; j++ {
			score += float64(weights[w.Rows.Terms[j]] * w.Rows.Weights[j])
		}
		if score > 0 {
			want[id] = score
		}
	}
	hits, err := x.Search(ctx, q)
	if err != nil || len(hits) != len(want) {
		c.t.Fatalf("%d hits, and by numbers %d; %v", len(hits), len(want), err)
	}
	for _, h := range hits {
		if want[h.Document.ID] != h.Score {
			c.t.Fatalf("%q scores %v, and by numbers %v", h.Document.ID, h.Score, want[h.Document.ID])
		}
	}
}
