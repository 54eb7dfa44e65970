package similar_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/weight"
)

// represent returns the counts of the terms that represent documents, by the definition: all are
// weighed, and sorted.
func (r *reference) represent(counts map[string]int64, n int) map[string]int64 {
	n = cmp.Or(n, 25)
	if n < 0 || len(counts) <= n {
		return counts
	}
	names := slices.Sorted(maps.Keys(counts))
	terms, weights := make([]weight.Term, len(names)), map[string]float64{}
	for i, name := range names {
		terms[i] = weight.Term{Count: counts[name], DF: r.frequency[name]}
	}
	for i, w := range r.scheme.Query(terms, r.collection) {
		weights[names[i]] = w
	}
	names = slices.DeleteFunc(names, func(t string) bool { return !(weights[t] > 0) })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(weights[b], weights[a]) })
	common := func(t string) bool { return r.frequency[t] > (1<<17)/int64(n) }
	often := slices.DeleteFunc(slices.Clone(names), func(t string) bool { return counts[t] < 2 || common(t) })
	if len(often) >= n {
		names = often
	}
	chosen, postings := map[string]int64{}, int64(0)
	for _, t := range names {
		if !common(t) && len(chosen) < n {
			chosen[t], postings = counts[t], postings+r.frequency[t]
		}
	}
	for _, t := range names {
		if !common(t) {
			continue
		}
		if postings += r.frequency[t]; len(chosen) == n || postings > 1<<17 && len(chosen) > 0 {
			break
		}
		chosen[t] = counts[t]
	}
	return chosen
}

// TestLikeTerms holds the choice of terms to the definition: with every scheme, of one document, of
// several, of a text, and where common terms must wait.
func TestLikeTerms(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "lnc.ltc", "anc.ntc", "npn.btn", "Lnu.Ltu", "counts"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := weight.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			x, err := similar.New(similar.Options{Weight: s})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			ref := newReference(t, similar.Options{Weight: s})
			r := rand.New(rand.NewPCG(3, 4))
			text := func(words, of int) string {
				var b strings.Builder
				for range words {
					fmt.Fprintf(&b, "w%d ", int(float64(of)*r.Float64()*r.Float64()*r.Float64()))
				}
				return b.String()
			}
			for range 3 {
				var docs []similar.Document
				for range 120 {
					docs = append(docs, similar.Document{ID: fmt.Sprint(r.IntN(400)), Title: "zebra quilt", Text: text(r.IntN(60), 3000)})
				}
				docs = append(docs, similar.Document{ID: "long", Text: text(4000, 3000)}, similar.Document{ID: "other", Text: text(2000, 3000)})
				ref.add(docs...)
				if err := x.Add(t.Context(), docs...); err != nil {
					t.Fatal(err)
				}
				if id := docs[0].ID; ref.remove(id) {
					if _, err := x.Delete(id); err != nil {
						t.Fatal(err)
					}
				}
			}
			pasted := similar.Document{Title: text(3, 50), Text: text(3000, 4000) + "quilt quilt", Fields: map[string]string{"more": text(40, 9000)}}
			hits := 0
			for _, terms := range []int{0, 1, 3, 25, 400, 1000, 100_000, -1} {
				for i, q := range []similar.Query{
					{Like: []string{"long"}}, {Like: []string{"other", "long"}}, {Document: &pasted}, {Document: &pasted, Like: []string{"long"}},
					{Text: "zebra w1 w77", Like: []string{"other"}}, {Document: &similar.Document{Text: "quilt quilt zebra"}},
				} {
					q.Terms, q.K = terms, 20
					got, err := x.Search(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					want := ref.search(q)
					if len(got) != len(want) {
						t.Fatalf("%d terms, query %d: %d hits, want %d", terms, i, len(got), len(want))
					}
					hits += len(got)
					for j, h := range got {
						if h.Document.ID != want[j].Document.ID || h.Score != want[j].Score {
							t.Fatalf("%d terms, query %d: hit %d is %s with %v, want %s with %v", terms, i, j, h.Document.ID, h.Score, want[j].Document.ID, want[j].Score)
						}
					}
				}
			}
			if hits < 500 {
				t.Errorf("only %d hits were compared", hits)
			}
		})
	}
}

// TestLikeCommon holds the choice to leave terms of many documents out while there are others, and
// to take them where there is nothing else.
func TestLikeCommon(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Weight: weight.BM25(1, 0.5)})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var docs []similar.Document
	for i := range 600 {
		docs = append(docs, similar.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("everywhere rare%d", i)})
	}
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	var many strings.Builder
	for i := range 600 {
		fmt.Fprintf(&many, "rare%d ", i)
	}
	common := strings.Repeat("everywhere ", 50_000)
	explain := func(text string) string {
		shares, err := x.Explain(t.Context(), similar.Query{Document: &similar.Document{Text: text}, Terms: 500}, "7")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range shares {
			names = append(names, s.Term)
		}
		return strings.Join(names, " ")
	}
	if got := explain(common + many.String()); got != "" && got != "rare7" {
		t.Errorf("of a text with enough other terms, %q count", got)
	}
	for _, text := range []string{common, common + "rare7"} {
		if got := explain(text); !strings.Contains(got, "everywher") {
			t.Errorf("of a text with a common term and %d others, %q count", strings.Count(text, "rare"), got)
		}
	}
}
