package query_test

import (
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/query"
)

// TestDocumented reads every query of the table in docs/query.md, and the text that people paste.
func TestDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	table, _, _ := strings.Cut(string(text), "## Rules")
	for line := range strings.Lines(table) {
		rest, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		n++
		q, _, _ := strings.Cut(rest, "` |")
		if c, err := query.Parse(q, options); err != nil {
			t.Errorf("%s is %v, %v", q, c, err)
		}
	}
	if n < 8 {
		t.Errorf("%d queries in the table", n)
	}
	_, pasted, ok := strings.Cut(string(text), "so that most text is words: ")
	pasted, _, _ = strings.Cut(pasted, ". Some text")
	if !ok {
		t.Fatal("the pasted text is not there")
	}
	for _, q := range strings.Split(pasted, "`")[1:] {
		if c, err := query.Parse(q, options); err != nil || c != (words{q}) {
			t.Errorf("%s is %v, %v; want words", q, c, err)
		}
	}
}
