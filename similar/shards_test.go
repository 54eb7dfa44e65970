package similar_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// sharded are shards with the options of a campaign's index.
func sharded(c *campaign, n int) *similar.Shards {
	var list []*similar.Index
	for range n {
		x, err := similar.New(c.x.Options())
		if err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(func() { x.Close() })
		list = append(list, x)
	}
	s, err := similar.NewShards(list...)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// TestShards holds shards, one index and the plain loop to each other, bit for bit: searches,
// shares, feedback, statistics and pairs.
func TestShards(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for seed := range uint64(max(1, *rounds/10)) {
		c := newCampaign(t, seed)
		s := sharded(c, 1+c.r.IntN(5))
		for range 3 {
			var docs []similar.Document
			for range c.r.IntN(120) {
				docs = append(docs, c.document())
			}
			gone := []string{c.id(), c.id()}
			c.ref.add(docs...)
			for _, id := range gone {
				c.ref.remove(id)
			}
			if err := errors.Join(c.x.Add(ctx, docs...), s.Add(ctx, docs...)); err != nil {
				t.Fatal(err)
			}
			a, err := c.x.Delete(gone...)
			b, other := s.Delete(gone...)
			if a != b || c.x.Len() != s.Len() || err != nil || other != nil {
				t.Fatalf("%d and %d documents were deleted, of %d and %d; %v", a, b, c.x.Len(), s.Len(), errors.Join(err, other))
			}
			c.search(s.Search)
			c.search(c.x.Search)
			c.same(s)
		}
		c.sameNumbers(s.Searcher)
		c.pairs(s)
	}
}

// same holds shards to one index where the plain loop says nothing.
func (c *campaign) same(s *similar.Shards) {
	ctx := context.Background()
	q := c.query()
	q.Feedback = &similar.Feedback{Method: similar.FeedbackMethod(c.r.IntN(2)), Documents: c.r.IntN(4), Terms: c.r.IntN(20)}
	one, err1 := c.x.Search(ctx, q)
	many, err2 := s.Search(ctx, q)
	if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(one, many) {
		c.t.Fatalf("with feedback %d hits in one index and %d in shards, %v", len(one), len(many), err)
	}
	for _, h := range one {
		shares, err := c.x.Explain(ctx, q, h.Document.ID)
		other, err2 := s.Explain(ctx, q, h.Document.ID)
		if err := errors.Join(err, err2); err != nil || !reflect.DeepEqual(shares, other) {
			c.t.Fatalf("shares %v in one index and %v in shards, %v", shares, other, err)
		}
		slices.SortFunc(shares, func(a, b similar.Share) int { return cmp.Compare(a.Term, b.Term) })
		sum := 0.0
		for _, share := range shares {
			sum += share.Score
		}
		if sum != h.Score {
			c.t.Fatalf("the shares of %q add up to %v, and its score is %v", h.Document.ID, sum, h.Score)
		}
	}
	a, err1 := c.x.Statistics("w0", "absent")
	b, err2 := s.Statistics("w0", "absent")
	if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(a, b) || a.Frequency["w0"] != c.ref.frequency["w0"] || a.Collection != c.ref.collection {
		c.t.Fatalf("statistics %+v and %+v, %v", a, b, err)
	}
}

// sameNumbers holds shards to one index in what else both answer.
func (c *campaign) sameNumbers(s *similar.Searcher) {
	ctx := context.Background()
	q := c.query()
	for what, ask := range map[string]func(x *similar.Searcher) (any, error){
		"ids":     func(x *similar.Searcher) (any, error) { return slices.Collect(x.IDs("")), nil },
		"groups":  func(x *similar.Searcher) (any, error) { return x.Groups(ctx, 0.5) },
		"matches": func(x *similar.Searcher) (any, error) { return x.Matches(ctx, q) },
		"counts":  func(x *similar.Searcher) (any, error) { return x.Counts(ctx, q, 5, "author", "number") },
		"terms":   func(x *similar.Searcher) (any, error) { return x.QueryTerms(ctx, q) },
		"table":   func(x *similar.Searcher) (any, error) { return x.Table(ctx) },
		"schema":  func(x *similar.Searcher) (any, error) { return x.Learn(ctx) },
		"weights": func(x *similar.Searcher) (any, error) {
			w, err := x.Weights(ctx)
			if err != nil {
				return nil, err
			}
			likes, err := w.Likes(ctx)
			return rowsByID(w, likes), err
		},
	} {
		one, err1 := ask(c.x.Searcher)
		many, err2 := ask(s)
		if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(one, many) {
			c.t.Fatalf("%s: %v in one index and %v in shards, %v", what, one, many, err)
		}
	}
}

// rowsByID are the weights of each document, and those that it has as a query, by the names of terms
// that weigh something.
func rowsByID(w *similar.Weights, likes similar.CSR) map[string][2]map[string]float64 {
	all := map[string][2]map[string]float64{}
	for i, id := range w.IDs {
		var both [2]map[string]float64
		for n, rows := range []similar.CSR{w.Rows, likes} {
			both[n] = map[string]float64{}
			for j := rows.Starts[i]; j < rows.Starts[i+1]; j++ {
				both[n][w.Terms[rows.Terms[j]]] = rows.Weights[j]
			}
		}
		all[id] = both
	}
	return all
}

// pairs holds pairs to searches by the documents, and interrupts them.
func (c *campaign) pairs(s *similar.Shards) {
	ctx := context.Background()
	o := similar.PairOptions{K: c.r.IntN(4), Threshold: c.r.Float64() / 2}
	var list []similar.Neighbors
	for n, err := range c.x.Pairs(ctx, o) {
		if err != nil {
			c.t.Fatal(err)
		}
		list = append(list, n)
		q := similar.Query{Like: []string{n.ID}, Terms: -1, K: o.K}
		want := c.ref.search(q)
		for i, near := range n.Nearest {
			if h := want[i]; near.ID != h.Document.ID || near.Score != h.Score || !(near.Similarity > o.Threshold) {
				c.t.Fatalf("neighbour %d of %q is %+v, want %q with %v", i, n.ID, near, h.Document.ID, h.Score)
			}
		}
		if i := len(n.Nearest); i < len(want) && i > 0 && want[i].Score/n.Nearest[0].Score*n.Nearest[0].Similarity > o.Threshold*(1+1e-9) {
			c.t.Fatalf("%q misses %q with %v", n.ID, want[i].Document.ID, want[i].Score)
		}
	}
	if len(list) != c.x.Len() || !slices.IsSortedFunc(list, func(a, b similar.Neighbors) int { return cmp.Compare(a.ID, b.ID) }) {
		c.t.Fatalf("pairs of %d documents of %d, or out of order", len(list), c.x.Len())
	}
	var again []similar.Neighbors
	for len(again) < len(list) {
		before := len(again)
		for n, err := range s.Pairs(ctx, o) {
			if err != nil {
				c.t.Fatal(err)
			}
			again, o.After = append(again, n), n.ID
			if c.r.IntN(50) == 0 {
				break
			}
		}
		if len(again) == before {
			break
		}
	}
	if !reflect.DeepEqual(list, again) {
		c.t.Fatalf("interrupted pairs in shards are %d, and %d at once in one index", len(again), len(list))
	}
}

func TestShardsNeedTheSameOptions(t *testing.T) {
	t.Parallel()
	a, err1 := similar.New(similar.Options{})
	b, err2 := similar.New(similar.Options{Vocabulary: similar.Vocabulary{Bits: 4}})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if _, err := similar.NewShards(a, b); err == nil {
		t.Error("shards with different vocabularies")
	}
	if _, err := similar.NewShards(); err == nil {
		t.Error("shards of no index")
	}
}

// TestShardsAreWhole refuses shards that come twice, in another order, or with others' documents.
func TestShardsAreWhole(t *testing.T) {
	t.Parallel()
	a, b := indexOf(t, similar.Options{}), indexOf(t, similar.Options{})
	s, err := similar.NewShards(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := s.Add(t.Context(), similar.Document{ID: fmt.Sprint(i), Text: "heap"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := similar.NewShards(a, b); err != nil {
		t.Error(err)
	}
	for want, list := range map[string][]*similar.Index{
		"similar: shard 1 is shard 0 again":                                  {a, a},
		"similar: shard 0 of 2 has document \"0\", which belongs to shard 1": {b, a},
		"similar: shard 0 of 3 has document \"1\", which belongs to shard 1": {a, b, indexOf(t, similar.Options{})},
	} {
		if _, err := similar.NewShards(list...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := similar.NewShards(a, b); !errors.Is(err, similar.ErrClosed) {
		t.Error(err)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	long := "the quick brown fox jumps over a lazy dog while seven wizards boil magic soup in copper kettles"
	err = x.Add(ctx,
		similar.Document{ID: "b", Text: long}, similar.Document{ID: "a", Text: long + " today"}, similar.Document{ID: "c", Text: "some " + long},
		similar.Document{ID: "x", Text: "heaps and priority queues"}, similar.Document{ID: "y", Text: "priority queues and heaps"},
		similar.Document{ID: "z", Text: "a lazy fox"}, similar.Document{ID: "empty"})
	if err != nil {
		t.Fatal(err)
	}
	groups, err := x.Groups(ctx, 0.8)
	if want := [][]string{{"a", "b", "c"}, {"x", "y"}}; err != nil || !reflect.DeepEqual(groups, want) {
		t.Errorf("groups %v, want %v; %v", groups, want, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Groups(cancelled, 0.8); err == nil {
		t.Error("groups of a cancelled context")
	}
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	err = x.Add(ctx, similar.Document{ID: "1", Text: "cars and motors"}, similar.Document{ID: "2", Text: "cars and motors again"},
		similar.Document{ID: "3", Text: "motors of boats"}, similar.Document{ID: "4", Text: "gardens"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []similar.FeedbackMethod{similar.Rocchio, similar.RM3} {
		if hits, err := x.Search(ctx, similar.Query{Text: "car", Feedback: &similar.Feedback{Method: m}}); err != nil || len(hits) != 3 || hits[2].Document.ID != "3" {
			t.Errorf("method %d: %+v, %v; want document 3, too, for the motors of 1 and 2", m, hits, err)
		}
		if hits, err := x.Search(ctx, similar.Query{Feedback: &similar.Feedback{Method: m, Good: []string{"4"}}}); err != nil || len(hits) != 1 {
			t.Errorf("method %d: documents named as good alone find %+v, %v", m, hits, err)
		}
		if hits, err := x.Search(ctx, similar.Query{Text: "absent", Feedback: &similar.Feedback{Method: m}}); err != nil || len(hits) != 0 {
			t.Errorf("method %d: feedback of nothing finds %+v, %v", m, hits, err)
		}
		for _, bad := range []similar.Feedback{{Method: m, Good: []string{"5"}}, {Method: m, Weight: -1}, {Method: m, Weight: nan}, {Method: m, Terms: -1}, {Method: m + 2}} {
			if _, err := x.Search(ctx, similar.Query{Text: "car", Feedback: &bad}); err == nil {
				t.Errorf("%+v: no error", bad)
			}
		}
	}
}
