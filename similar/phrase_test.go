package similar_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

// TestPhrases has stop words, words that the analyzer cuts, the bounds of texts, and repeated words.
func TestPhrases(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{}, "a heap of trees", "heaps, trees", "trees and a heap", "the well-known heap", "heap heap", "heap")
	if err := x.Add(t.Context(), similar.Document{ID: "title", Title: "a heap", Text: "tree", Fields: map[string]string{"kind": "tree heap"}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`"heap tree"`: "1", `"heap of trees"`: "0", `"heap the trees"`: "0", `"heap tree"~1`: "0 1", `"heap tree"~2`: "0 1 title",
		`"heap tree"~4`: "0 1 2 title", `"well-known heap"`: "3", `"known heap"`: "3", `"heap heap"`: "4", `"heap heap"~1000`: "4",
		`"tree heap"`: "title", `"of the"`: "", `+heap -"heap tree" -"tree heap" -"heap of tree"`: "2 3 4 5", `"HEAP"`: "0 1 2 3 4 5 title",
		`"heap absent"`: "", `known OR "heap heap"`: "3 4",
	} {
		if got := ids(t, x, text); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
}

// TestPhraseBounds has a text and phrases that would take long if all places were tried.
func TestPhraseBounds(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{}, strings.Repeat("a1 ", 300_000)+strings.Repeat("c1 ", 2000)+"b1")
	many := strings.Repeat("a1 ", 255)
	start := time.Now()
	for text, want := range map[string]string{
		`"` + many + `b1"`: "", `"` + many + `b1"~1000`: "", `"b1 ` + many + `"~1000`: "", `"` + many + `"`: "0",
		`"a1 b1"~1000`: "", `"c1 b1 c1"~3`: "0", `"c1 b1 c1"~1`: "",
	} {
		if got := ids(t, x, text); got != want {
			t.Errorf("%.20s… finds %q, want %q", text, got, want)
		}
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("the phrases took %v", took)
	}
	if _, err := x.Search(t.Context(), similar.Query{Clause: query.Phrase{Text: many + many}}); err == nil {
		t.Error("a phrase of 510 words is no error")
	}
}
