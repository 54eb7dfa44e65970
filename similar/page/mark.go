package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/text"
)

// A Part is a stretch of text. Those whose words the query met are marked.
type Part struct {
	Text   string `json:"text"`
	Marked bool   `json:"marked,omitempty"`
}

const (
	snippetBytes = 280      // of a snippet, about three lines
	lookedAt     = 64 << 10 // bytes of a text that are looked at for a snippet
	budgetBytes  = 4 << 20  // bytes looked at for all snippets of one answer: later ones are plain
	shownBytes   = 1 << 20  // of a text on a document's page
)

// A marker finds the words of texts that are terms of a query.
type marker struct {
	terms  *text.Matcher
	budget int
}

func newMarker(a *text.Analyzer, query string) *marker {
	m := &marker{a.NewMatcher(), budgetBytes}
	for t := range a.Terms(query) {
		m.terms.Add(t.Text)
	}
	return m
}

// found lists the marked words of s in order.
func (m *marker) found(s string) []text.Term {
	if m.terms.Len() == 0 || m.budget < len(s) {
		return nil
	}
	m.budget -= len(s)
	return slices.Collect(m.terms.Matches(s))
}

// whole is all of s, words marked.
func (m *marker) whole(s string) []Part { return parts(s, 0, len(s), m.found(s)) }

// snippet is the stretch of s that has most of the query's terms.
func (m *marker) snippet(s string) []Part {
	s = head(s, lookedAt)
	found := m.found(s)
	start := 0
	if len(found) > 0 {
		start = densest(found)
	}
	from, to := window(s, start)
	list := parts(s, from, to, found)
	if from > 0 {
		list = append([]Part{{Text: "… "}}, list...)
	}
	if to < len(s) {
		list = append(list, Part{Text: " …"})
	}
	return list
}

// head is at most the first n bytes of s, whole characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// densest is where a window begins that holds the most different terms, and of those the most
// words.
func densest(found []text.Term) int {
	best, bestTerms, bestWords := 0, 0, 0
	count := map[string]int{}
	for i, j := 0, 0; i < len(found); i++ {
		for ; j < len(found) && found[j].End <= found[i].Start+snippetBytes*2/3; j++ {
			count[found[j].Text]++
		}
		if n, words := len(count), j-i; n > bestTerms || n == bestTerms && words > bestWords {
			best, bestTerms, bestWords = i, n, words
		}
		if j <= i {
			j = i + 1 // a word longer than the window
		} else if count[found[i].Text]--; count[found[i].Text] == 0 {
			delete(count, found[i].Text)
		}
	}
	return found[best].Start
}

// window is a stretch of s of about snippetBytes around a place, between spaces if there are any.
func window(s string, place int) (from, to int) {
	from = max(0, place-snippetBytes/5)
	if from > 0 {
		if i := strings.IndexAny(s[from:place], " \n\t"); i >= 0 {
			from += i + 1
		}
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
	}
	to = min(len(s), from+snippetBytes)
	if to < len(s) {
		if i := strings.LastIndexAny(s[from:to], " \n\t"); i > snippetBytes/2 {
			to = from + i
		}
		for to > from && !utf8.RuneStart(s[to]) {
			to--
		}
	}
	return from, to
}

// parts cuts s[from:to] at the words found. Bytes that are no UTF-8 become the character that
// stands for them.
func parts(s string, from, to int, found []text.Term) []Part {
	var list []Part
	add := func(end int, marked bool) {
		if end > from {
			list = append(list, Part{strings.Clone(strings.ToValidUTF8(s[from:end], "\ufffd")), marked})
			from = end
		}
	}
	for _, t := range found {
		if t.End <= from || t.Start >= to {
			continue
		}
		add(min(t.Start, to), false)
		add(min(t.End, to), true)
	}
	add(to, false)
	return list
}
