package similar_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// pairsOf collects pairs, and interrupts them now and then.
func pairsOf(t *testing.T, r *rand.Rand, x *similar.Searcher, o similar.PairOptions) (list []similar.Neighbors) {
	t.Helper()
	for more := true; more; {
		more = false
		for n, err := range x.Pairs(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			list, o.After = append(list, n), n.ID
			if more = r.IntN(20) == 0; more {
				break
			}
		}
	}
	return list
}

// TestPairParts holds the parts of the pairs of random collections to what there is without parts,
// in an index and in shards, in any number, also more than documents.
func TestPairParts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		c := newCampaign(t, seed)
		s := sharded(c, 1+c.r.IntN(5))
		for range 1 + c.r.IntN(3) {
			var docs []similar.Document
			for range c.r.IntN(30) {
				docs = append(docs, c.document())
			}
			if err := errors.Join(c.x.Add(t.Context(), docs...), s.Add(t.Context(), docs...)); err != nil {
				t.Fatal(err)
			}
			gone := c.id()
			_, err1 := c.x.Delete(gone)
			_, err2 := s.Delete(gone)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
		}
		o := similar.PairOptions{K: c.r.IntN(4), Threshold: c.r.Float64() / 2}
		want := pairsOf(t, c.r, c.x.Searcher, o)
		if len(want) != c.x.Len() {
			t.Fatalf("seed %d: pairs of %d of %d documents", seed, len(want), c.x.Len())
		}
		for _, o.Parts = range []int{1, 2, 3, 1 + c.r.IntN(100), similar.MaxParts} {
			var one []similar.Neighbors
			for o.Part = range min(o.Parts, 200) {
				if o.Parts == similar.MaxParts && o.Part == 199 { // there is no time for all of them
					o.Part = o.Parts - 1
				}
				a, b := pairsOf(t, c.r, c.x.Searcher, o), pairsOf(t, c.r, s.Searcher, o)
				if one = append(one, a...); !reflect.DeepEqual(a, b) {
					t.Fatalf("seed %d: part %d of %d has %d documents in an index and %d in shards", seed, o.Part, o.Parts, len(a), len(b))
				}
			}
			if o.Parts < similar.MaxParts && !reflect.DeepEqual(one, want) {
				t.Fatalf("seed %d: %d parts have %d documents, want %d", seed, o.Parts, len(one), len(want))
			}
		}
	}
}

// TestPairPartsAreBalanced looks at how many terms the documents of parts have: no part has more
// than its share and the largest document.
func TestPairPartsAreBalanced(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{})
	work := map[string]int{}
	total, most := 0, 0
	for i := range 500 {
		words := 1 + 20000/(i+20) // the first documents are the long ones
		var b strings.Builder
		for w := range words {
			fmt.Fprintf(&b, "w%d ", w)
		}
		id := fmt.Sprintf("%03d", i)
		if err := x.Add(t.Context(), similar.Document{ID: id, Text: b.String()}); err != nil {
			t.Fatal(err)
		}
		work[id], total, most = words+1, total+words+1, max(most, words+1)
	}
	for part := range 7 {
		sum := 0
		for n, err := range x.Pairs(t.Context(), similar.PairOptions{K: 1, Part: part, Parts: 7}) {
			if err != nil {
				t.Fatal(err)
			}
			sum += work[n.ID]
		}
		if sum < total/7-most || sum > total/7+most {
			t.Errorf("part %d has %d of %d; want a seventh, give or take %d", part, sum, total, most)
		}
	}
}

func TestPairPartsRefuse(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{})
	if err := x.Add(t.Context(), similar.Document{ID: "a", Text: "heap"}); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ask := range []struct {
		ctx         context.Context
		part, parts int
		want        string
	}{
		{t.Context(), 0, -1, "similar: -1 parts of the pairs; want 0 to 65536"},
		{t.Context(), 0, similar.MaxParts + 1, "similar: 65537 parts of the pairs; want 0 to 65536"},
		{t.Context(), 1, 0, "similar: part 1 of 1 of the pairs; parts count from 0"},
		{t.Context(), 3, 3, "similar: part 3 of 3 of the pairs; parts count from 0"},
		{t.Context(), -1, 3, "similar: part -1 of 3 of the pairs; parts count from 0"},
		{cancelled, 1, 3, context.Canceled.Error()},
	} {
		var last error
		for _, err := range x.Pairs(ask.ctx, similar.PairOptions{Part: ask.part, Parts: ask.parts}) {
			last = err
		}
		if last == nil || last.Error() != ask.want {
			t.Errorf("part %d of %d: %v; want %s", ask.part, ask.parts, last, ask.want)
		}
	}
}
