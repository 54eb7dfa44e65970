package gpusimilar_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/gpusimilar"
	"github.com/gridstride/gridstride/similar/weight"
)

// text is some of the words of a small vocabulary, the first ones more often.
func text(r *rand.Rand, words int) string {
	var s []string
	for range words {
		s = append(s, fmt.Sprintf("w%d", int(30*r.Float64()*r.Float64())))
	}
	return strings.Join(s, " ")
}

// matches are the hits of a search on the CPU.
func matches(hits []similar.Hit) (list []gpusimilar.Match) {
	for _, h := range hits {
		list = append(list, gpusimilar.Match{ID: h.Document.ID, Score: h.Score})
	}
	return list
}

// TestIndex compares the answers on the device with the index's, for several weights, with
// documents that were replaced and deleted.
func TestIndex(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"bm25", "ltc.lnc"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			s, err := weight.Parse(scheme)
			must(t, err)
			testIndex(t, s)
		})
	}
}

func testIndex(t *testing.T, s weight.Scheme) {
	r := rand.New(rand.NewPCG(5, 6))
	x, err := similar.New(similar.Options{Weight: s})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	for range 3 {
		for range 30 {
			must(t, x.Add(t.Context(), similar.Document{ID: fmt.Sprint("d", r.IntN(60)), Text: text(r, r.IntN(15))}))
		}
	}
	x.Delete("d3", "d5")
	b := newBench(t)
	d, err := gpusimilar.NewIndex(t.Context(), b.h, x)
	must(t, err)
	defer func() { must(t, d.Close()) }()
	queries := []similar.Query{
		{Text: "w1 w2 w2 w29 never"}, {Text: text(r, 12), K: 33, Threshold: 0.5}, {Like: []string{d.ID(3)}}, {Like: []string{d.ID(4), d.ID(7)}, K: 100}, {Text: "the"},
	}
	got, err := d.Search(t.Context(), queries...)
	must(t, err)
	for i, q := range queries {
		hits, err := x.Search(t.Context(), q)
		must(t, err)
		if want := matches(hits); !slices.Equal(got[i], want) {
			t.Errorf("query %d: %v, want %v", i, got[i], want)
		}
	}
	for near, err := range d.Pairs(t.Context(), gpusimilar.PairOptions[float64]{K: 7}) {
		must(t, err)
		want, err := x.Search(t.Context(), similar.Query{Like: []string{d.ID(near.Row)}, K: 7})
		must(t, err)
		var got []gpusimilar.Match
		for _, h := range near.Nearest {
			got = append(got, gpusimilar.Match{ID: d.ID(h.Row), Score: h.Score})
		}
		if !slices.Equal(got, matches(want)) {
			t.Errorf("document %s is like %v, want %v", d.ID(near.Row), got, matches(want))
		}
	}
	for _, q := range []similar.Query{{K: 129}, {K: -1}, {Filter: func(*similar.Document) bool { return true }}} {
		if _, err := d.Search(t.Context(), q); !errors.Is(err, gridstride.ErrRange) {
			t.Errorf("%+v gives %v", q, err)
		}
	}
	if _, err := d.Search(t.Context(), similar.Query{Like: []string{"d3"}}); !errors.Is(err, similar.ErrUnknown) {
		t.Errorf("a document that was deleted gives %v", err)
	}
}
