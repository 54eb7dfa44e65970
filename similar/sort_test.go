package similar_test

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

// plainOrder compares hits by the definition, for fields of numbers and of words.
func plainOrder(orders []similar.Order) func(a, b similar.Hit) int {
	return func(a, b similar.Hit) int {
		for _, o := range orders {
			x, xok := a.Document.Fields[o.Field]
			y, yok := b.Document.Fields[o.Field]
			if !xok || !yok {
				if xok != yok {
					return map[bool]int{true: -1, false: 1}[xok]
				}
				continue
			}
			x, y = extreme(x, o.Descending), extreme(y, o.Descending)
			n, err := strconv.ParseFloat(x, 64)
			m, err2 := strconv.ParseFloat(y, 64)
			c := strings.Compare(x, y)
			if err == nil && err2 == nil {
				c = cmp.Compare(n, m)
			}
			if o.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return strings.Compare(a.Document.ID, b.Document.ID)
	}
}

// extreme is the lowest of the words that a field lists, or the highest.
func extreme(value string, highest bool) string {
	list := strings.Split(value, "; ")
	if highest {
		return slices.Max(list)
	}
	return slices.Min(list)
}

// TestSort sorts random searches, over one index and over shards.
func TestSort(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		c := newCampaign(t, seed)
		s := sharded(c, 2)
		for range 3 {
			var docs []similar.Document
			for range c.r.IntN(80) {
				docs = append(docs, c.document())
			}
			if err := s.Add(t.Context(), docs...); err != nil {
				t.Fatal(err)
			}
			if err := c.x.Add(t.Context(), docs...); err != nil {
				t.Fatal(err)
			}
			for range 8 {
				q := c.query()
				q.Document, q.Like, q.Feedback, q.Filter = nil, nil, nil, nil
				if c.r.IntN(3) == 0 {
					q.Clause = query.Words{Text: c.word()}
				}
				if c.r.IntN(3) == 0 {
					q.Where = similar.Between("number", 10, 60)
				}
				for range 1 + c.r.IntN(3) {
					q.Sort = append(q.Sort, similar.Order{Field: []string{"number", "author", "keywords", "none"}[c.r.IntN(4)], Descending: c.r.IntN(2) == 0})
				}
				for _, find := range []func(context.Context, similar.Query) ([]similar.Hit, error){c.x.Search, s.Search} {
					all := q
					all.Sort, all.K = nil, -1
					want, err := find(t.Context(), all)
					if err != nil {
						t.Fatal(err)
					}
					slices.SortFunc(want, plainOrder(q.Sort))
					if k := cmp.Or(q.K, 10); k > 0 {
						want = want[:min(k, len(want))]
					}
					got, err := find(t.Context(), q)
					if strings.TrimSpace(q.Text) == "" && q.Clause == nil { // all, and their scores are 0
						for i, h := range got {
							if i > 0 && plainOrder(q.Sort)(got[i-1], h) >= 0 || h.Score != 0 {
								t.Fatalf("hit %d of all is out of order, or has the score %v", i, h.Score)
							}
						}
						continue
					}
					if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
						t.Fatalf("seed %d, %+v:\nfound %v\nwant  %v, %v", seed, q, got, want, err)
					}
				}
			}
		}
	}
}

// TestSortValues has numbers, dates, words and lists in one field.
func TestSortValues(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	values := []string{"1970", "1969-07", "1969", "1969-07-20", "-3", "1e3", "apple", "Zebra", "1.0; 5000", "", "1969.0"}
	for i, v := range values {
		d := similar.Document{ID: fmt.Sprintf("%02d", i), Text: "word", Fields: map[string]string{"v": v}}
		if err := x.Add(t.Context(), d); err != nil { // a segment each
			t.Fatal(err)
		}
	}
	if err := x.Add(t.Context(), similar.Document{ID: "99", Text: "word"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		order string
		want  string
	}{
		{"v", "04 08 05 02 10 01 03 00 09 07 06 99"},
		{"-v", "06 07 09 08 00 03 01 02 10 05 04 99"},
	} {
		o, err := similar.ParseOrder(c.order)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var got []string
			matches, err := x.Matches(t.Context(), similar.Query{Text: "word", Sort: []similar.Order{o}, K: -1})
			for _, m := range matches {
				got = append(got, m.ID)
			}
			if s := strings.Join(got, " "); s != c.want || err != nil {
				t.Errorf("by %s: %s, want %s; %v", c.order, s, c.want, err)
			}
			if err := x.Compact(t.Context()); err != nil { // and of one segment
				t.Fatal(err)
			}
		}
	}
	for _, bad := range [][]similar.Order{{{}}, make([]similar.Order, 9)} {
		if _, err := x.Search(t.Context(), similar.Query{Text: "word", Sort: bad}); err == nil {
			t.Errorf("sorted by %v", bad)
		}
	}
	if _, err := similar.ParseOrder("-"); err == nil {
		t.Error("an order without a name")
	}
}
