package snippet

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/text"
)

func analyzer(t *testing.T) *text.Analyzer {
	t.Helper()
	a, err := text.NewAnalyzer(text.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// written is a list of parts with marks in brackets.
func written(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("something else ", 100)
	for _, c := range []struct{ query, text, want string }{
		{"heap", "", ""},
		{"", "A heap.", "A heap."},
		{"heaps", "A heap, HEAPS.", "A [heap], [HEAPS]."},
		{"zebra", "A heap.", "A heap."},
		{"日本", "京 日本 語", "京 [日][本] 語"},
		{"heap", "a\xffheap \xff", "a\ufffd[heap] \ufffd"},
	} {
		if got := written(New(analyzer(t), c.query).Snippet(c.text)); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
		}
	}
	got := written(New(analyzer(t), "heap queue").Snippet("heap " + filler + "a heap is a queue. " + filler))
	if !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || !strings.Contains(got, "a [heap] is a [queue].") || len(got) > snippetBytes+30 {
		t.Errorf("%q", got)
	}
}

// TestSnippetBounds takes every kind of text apart: what is cut is whole characters, and short.
func TestSnippetBounds(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "é", "日", "x ", "heap", "heap ", "日本 ", "👩‍👩‍👧 ", "\xff"} {
		for _, n := range []int{0, 1, 31, 33, 279, 280, 281, 1000} {
			s := strings.Repeat(unit, n)
			m := New(analyzer(t), "heap x 日")
			got := strings.Trim(written(m.Snippet(s)), "… ")
			if !utf8.ValidString(got) || len(strings.NewReplacer("[", "", "]", "", "\ufffd", "?").Replace(got)) > snippetBytes {
				t.Errorf("%d of %q: %q", n, unit, got)
			}
			if whole := written(New(analyzer(t), "").Whole(s)); whole != strings.ToValidUTF8(s, "\ufffd") {
				t.Errorf("%d of %q: whole is %q", n, unit, whole)
			}
		}
	}
	m := New(analyzer(t), "heap")
	m.Limit(10)
	if got := written(m.Snippet("heap heap")) + written(m.Snippet("heap heap")); got != "[heap] [heap]heap heap" {
		t.Errorf("a budget of 10 bytes: %q", got)
	}
}
