package similar_test

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// TestPositions finds phrases by places and by reading: within one text, also where a stop word or a
// long gap is between, and from no text into the next. The random collections of TestClauses have
// positions, too.
func TestPositions(t *testing.T) {
	t.Parallel()
	docs := []similar.Document{
		{ID: "a", Title: "red house", Text: "garden wall", Fields: map[string]string{"x": "green door", "y": "blue window"}},
		{ID: "b", Text: "house in the garden " + strings.Repeat("filler ", 1500) + "wall"},
		{ID: "c", Text: "wall of garden, wall and garden"},
		{ID: "d", Text: strings.Repeat("garden ", 3000) + "wall"},
	}
	long := "garden " + strings.Repeat("the ", 2500) + "wall"
	for _, positions := range []bool{false, true} {
		x, err := similar.New(similar.Options{Positions: positions})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.Add(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			want string
			query.Phrase
		}{
			{"a c d", query.Phrase{Text: "garden wall"}},
			{"c", query.Phrase{Text: "wall garden wall", Slop: 2}},
			{"b", query.Phrase{Text: "house in the garden"}},
			{"", query.Phrase{Text: "house garden"}},
			{"", query.Phrase{Text: "door blue"}},
			{"a", query.Phrase{Text: "green door"}},
			{"d", query.Phrase{Text: long}},
			{"a c d", query.Phrase{Text: "wall garden", Slop: 2}},
			{"d", query.Phrase{Text: strings.TrimSpace(strings.Repeat("garden ", 200)) + " wall"}},
		} {
			want, p := c.want, c.Phrase
			hits, err := x.Search(t.Context(), similar.Query{Clause: p})
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for _, h := range hits {
				found[h.Document.ID] = true
			}
			ids := strings.Fields(want)
			for _, id := range ids {
				if !found[id] {
					t.Errorf("positions %v: %.60q is not found in %s", positions, p.Text, id)
				}
			}
			if len(found) != len(ids) {
				t.Errorf("positions %v: %.60q is found in %v, want %v", positions, p.Text, found, ids)
			}
		}
	}
	for _, o := range []similar.Options{
		{Positions: true, Text: text.Config{NGrams: 2}},
		{Positions: true, Vocabulary: similar.Vocabulary{Bits: 12}},
	} {
		if _, err := similar.New(o); err == nil {
			t.Errorf("an index of %+v", o)
		}
	}
}
