package similar_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/weight"
)

// TestFieldWeights computes the scores of a few documents by the paper's formula. The random
// collections have weights of fields, too, and are held to the plain loop bit for bit.
func TestFieldWeights(t *testing.T) {
	t.Parallel()
	docs := []similar.Document{
		{ID: "a", Title: "heap", Text: "queue tree", Fields: map[string]string{"url": "heap heap", "note": "tree"}},
		{ID: "b", Title: "tree", Text: "heap heap queue queue"},
		{ID: "c", Text: "list"},
	}
	x, err := similar.New(similar.Options{
		Weight: weight.BM25(2, 0.5),
		Fields: []similar.FieldWeight{{Name: "title", Weight: 3}, {Name: "url", Weight: 0}, {Name: "*", Weight: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	// heap counts 3 in a and 2 in b, of which the lengths are 3+2+2 and 3+4; that of c is 1.
	mean, idf := 15.0/3, math.Log(1+(3-2+0.5)/(2+0.5))
	for id, c := range map[string]struct{ tf, length float64 }{"a": {3, 7}, "b": {2, 7}} {
		want := idf * c.tf * 3 / (c.tf + 2*(0.5+0.5*c.length/mean))
		hits, err := x.Search(t.Context(), similar.Query{Text: "heap", Where: similar.WithID(id)})
		if err != nil || len(hits) != 1 || math.Abs(hits[0].Score-want) > 1e-14 {
			t.Errorf("%s scores %v, want %v; %v", id, hits, want, err)
		}
	}
	for s, want := range map[string]string{"url:heap": "", "note:tree": "a", "title:tree": "b", `"heap heap"`: "b"} {
		c, err := query.Parse(s, query.Options{Field: x.HasField})
		if err != nil {
			t.Fatal(err)
		}
		matches, err := x.Matches(t.Context(), similar.Query{Clause: c})
		ids := ""
		for _, m := range matches {
			ids += m.ID
		}
		if ids != want || err != nil {
			t.Errorf("%s finds %q, want %q; %v", s, ids, want, err)
		}
	}
	again := saveAndReopen(t, x)
	if !slices.Equal(again.Options().Fields, x.Options().Fields) {
		t.Errorf("the weights are %v after a save", again.Options().Fields)
	}
}

func saveAndReopen(t *testing.T, x *similar.Index) *similar.Index {
	t.Helper()
	dir := t.TempDir()
	if err := x.Save(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	again, err := similar.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// TestReadFields reads files of weights.
func TestReadFields(t *testing.T) {
	t.Parallel()
	list, err := similar.ReadFields(strings.NewReader(`{"title": 3, "url": 0, "*": 2}`))
	if err != nil || !slices.Equal(list, []similar.FieldWeight{{Name: "*", Weight: 2}, {Name: "title", Weight: 3}, {Name: "url", Weight: 0}}) {
		t.Errorf("read %v, %v", list, err)
	}
	for _, bad := range []string{"", "[]", `{"title": "3"}`, `{"title": -1}`, `{"title": 101}`, `{"": 1}`, `{"title": 1.5}`, strings.Repeat(" ", 1<<20+1)} {
		if list, err := similar.ReadFields(strings.NewReader(bad)); err == nil {
			t.Errorf("%.20q gives %v", bad, list)
		}
	}
	if _, err := similar.New(similar.Options{Fields: []similar.FieldWeight{{Name: "a", Weight: 1}, {Name: "a", Weight: 2}}}); err == nil {
		t.Error("a name that comes twice")
	}
}
