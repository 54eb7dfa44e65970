package eval_test

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// recalled returns how many of the ten documents most like each of some, by all terms, are among
// the ten by so many terms.
func recalled(t *testing.T, x *similar.Index, ids []string, terms int) float64 {
	t.Helper()
	best := func(id string, terms int) (list []string) {
		matches, err := x.Matches(t.Context(), similar.Query{Like: []string{id}, Terms: terms})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range matches {
			list = append(list, m.ID)
		}
		return list
	}
	found, all := 0, 0
	for _, id := range ids {
		some := best(id, terms)
		for _, other := range best(id, -1) {
			if all++; slices.Contains(some, other) {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

// TestLikeRecall holds the best terms of a document to what they find of its ten nearest by all
// terms.
func TestLikeRecall(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]map[int]float64{
		"cacm":      {10: 0.66, 25: 0.79, 50: 0.92, 100: 0.99},
		"cranfield": {10: 0.65, 25: 0.76, 50: 0.88, 100: 0.98},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := load(t, name)
			x := data.index(t, similar.Options{})
			var ids []string
			for i, d := range data.documents {
				if i%8 == 0 && d.Text != "" {
					ids = append(ids, d.ID)
				}
			}
			before := 0.0
			for _, terms := range []int{10, 25, 50, 100} {
				got := recalled(t, x, ids, terms)
				t.Logf("%d terms find %.3f, of %d documents", terms, got, len(ids))
				if got < least[terms] || got < before {
					t.Errorf("%d terms find %.3f of the ten nearest by all terms, want %.3f at least, and no less than fewer terms", terms, got, least[terms])
				}
				before = got
			}
		})
	}
}
