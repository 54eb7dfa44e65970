package similar_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

// burst returns a text in which word w occurs often in some stretches of documents and is rare or
// absent in others, so that the blocks of its list have different bounds.
func burst(rng *rand.Rand, doc, words int) string {
	var b strings.Builder
	for w := range words {
		stretch := rand.New(rand.NewPCG(uint64(w), uint64(doc/(97+61*w))))
		if most := []int{1, 2, 6, 12}[stretch.IntN(1+w)%4]; rng.Float64() < stretch.Float64()/float64(1+w*w/3) {
			for range 1 + rng.IntN(most) {
				fmt.Fprintf(&b, "word%dk ", w)
			}
		}
	}
	for range rng.IntN(20) {
		b.WriteString("fillerk ")
	}
	return b.String()
}

// TestPruningOfBlocks holds searches for the best few, which pass over blocks of long lists, to
// searches for all documents, which pass over none.
func TestPruningOfBlocks(t *testing.T) {
	t.Parallel()
	const words = 8
	documents, queries := 12_000, 250
	if testing.Short() {
		documents, queries = 6_000, 50
	}
	rng := rand.New(rand.NewPCG(3, 9))
	for n, segments := range []int{1, 3, 1, 3} {
		o := similar.Options{Positions: segments == 1}
		if n > 1 { // with fields whose lengths count by themselves
			o.Fields = []similar.Field{{Name: "title", Weight: 3, B: new(0.4)}, {Name: "*", Weight: 1, B: new(float64(n - 2))}}
		}
		x, err := similar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		var docs []similar.Document
		for i := range documents {
			d := similar.Document{ID: fmt.Sprintf("%05d", i), Text: burst(rng, i, words), Fields: similar.Fields{"of": fmt.Sprint(i % 7)}}
			if n > 1 {
				d.Title, d.Fields["note"] = burst(rng, i/5, 2), burst(rng, i/3, 3)
			}
			docs = append(docs, d)
		}
		for part := range slices.Chunk(docs, documents/segments) {
			if err := x.Add(t.Context(), part...); err != nil {
				t.Fatal(err)
			}
		}
		if segments == 1 {
			if err := x.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range queries {
			q := blockQuery(rng, words)
			all := q
			all.K = -1
			want, err := x.Search(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if want = want[:min(len(want), q.K)]; !slices.EqualFunc(got, want, func(a, b similar.Hit) bool { return a.Document.ID == b.Document.ID && a.Score == b.Score }) {
				t.Fatalf("%d segments, %+v: found %s, want %s", segments, q, brief(got), brief(want))
			}
		}
	}
}

// blockQuery returns a query for the best few documents with any or all of some words, or a phrase.
func blockQuery(rng *rand.Rand, words int) similar.Query {
	q := similar.Query{K: 1 + rng.IntN(12)}
	var list []string
	for _, w := range rng.Perm(words)[:1+rng.IntN(4)] {
		list = append(list, fmt.Sprintf("word%dk", w))
	}
	switch rng.IntN(5) {
	case 0, 1:
		group := query.Group{}
		for i, w := range list {
			group = append(group, query.Item{Occur: []query.Occur{query.Required, query.Optional}[min(1, i*rng.IntN(2))], Clause: query.Words{Text: w}})
		}
		q.Clause = group
	case 2:
		q.Clause = query.Phrase{Text: strings.Join(list, " "), Slop: rng.IntN(3)}
	default:
		q.Text = strings.Join(list, " ")
	}
	if rng.IntN(4) == 0 {
		q.Where = similar.Not(similar.Is("of", "3"))
	}
	return q
}

func brief(hits []similar.Hit) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%s %v, ", h.Document.ID, h.Score)
	}
	return b.String()
}
