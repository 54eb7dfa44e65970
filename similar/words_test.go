package similar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

func indexOf(t *testing.T, o similar.Options, texts ...string) *similar.Index {
	t.Helper()
	x, err := similar.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i, s := range texts {
		if err := x.Add(t.Context(), similar.Document{ID: fmt.Sprint(i), Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// ids returns the ids that a query finds, in their order.
func ids(t *testing.T, x *similar.Index, text string) string {
	t.Helper()
	c, err := query.Parse(text, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	matches, err := x.Matches(t.Context(), similar.Query{Clause: c})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range matches {
		list = append(list, m.ID)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestPrefixOfStems finds words by beginnings that are longer than their stems.
func TestPrefixOfStems(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{}, "an iterator", "iterates", "queries", "relational algebra", "items", "well-known facts")
	for text, want := range map[string]string{
		"iterato*": "0 1", "itera*": "0 1", "iterax*": "", "query*": "2", "quer*": "2", "relatio*": "3", "it*": "0 1 4",
		"well-kno*": "5", "+well-kno* -fac*": "", "ITERATO*": "0 1",
	} {
		if got := ids(t, x, text); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
}

// TestExpansionsBounded has more words with a prefix than are looked for: the most frequent count.
func TestExpansionsBounded(t *testing.T) {
	t.Parallel()
	var often, seldom strings.Builder
	for i := range 2 * similar.MaxPrefixTerms {
		fmt.Fprintf(&seldom, "p%dx ", i)
		if i%2 == 0 {
			fmt.Fprintf(&often, "p%dx ", i)
		}
	}
	x := indexOf(t, similar.Options{}, often.String(), seldom.String(), "p1x", "p2x")
	if got := ids(t, x, "p*"); got != "0 1 2 3" {
		t.Errorf("p* finds %s", got) // p1x is in two documents, as those of the first are
	}
	terms, err := x.QueryTerms(t.Context(), similar.Query{Clause: query.Prefix{Text: "p"}})
	if err != nil || len(terms) != similar.MaxPrefixTerms || slices.Contains(terms, "p3x") || !slices.Contains(terms, "p1x") {
		t.Errorf("%d terms, %v", len(terms), err)
	}
	if terms, err = x.QueryTerms(t.Context(), similar.Query{Clause: query.Fuzzy{Text: "p1x", Distance: 2}}); err != nil || len(terms) != similar.MaxFuzzyTerms {
		t.Errorf("%d terms, %v", len(terms), err)
	}
}

// TestSuggest corrects words that no document has.
func TestSuggest(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{}, "an algorithm of heaps", "algorithms for queues", "the Gödel numbers", "a tree")
	for text, want := range map[string]string{
		"algoritm": "algorithm", "algoritms": "algorithms", "laogrithm heap": "algorithm heap", "heap queue": "", "+algoritm -heqp": "+algorithm -heaps",
		"qeue": "queues", "xyzzyx": "", "ab": "", "tre*": "", "algoritm*": "", "AND qeues": "AND queues",
	} {
		got, ok, err := x.Suggest(t.Context(), text)
		if ok != (want != "") || ok && got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q; %v", text, got, ok, want, err)
		}
	}
}

// TestHashedTerms refuses what hashed terms cannot answer.
func TestHashedTerms(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{Vocabulary: similar.Vocabulary{Bits: 8}, Text: text.Config{Language: "none"}}, "heap tree")
	for _, c := range []query.Clause{query.Prefix{Text: "he"}, query.Fuzzy{Text: "heqp", Distance: 1}} {
		if _, err := x.Search(t.Context(), similar.Query{Clause: c}); err == nil || !strings.Contains(err.Error(), "hashed") {
			t.Errorf("%s: %v", c, err)
		}
	}
	if got := ids(t, x, "+heap -absent"); got != "0" {
		t.Errorf("hashed terms find %q", got)
	}
}
