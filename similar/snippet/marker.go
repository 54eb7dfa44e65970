// Package snippet shows where a text has the words that a query met: the stretch of the text that has
// most of them, or all of the text, with these words marked.
package snippet

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/text"
)

// A Part is a stretch of text. Parts whose words the query met are marked.
type Part struct {
	Text   string `json:"text"`
	Marked bool   `json:"marked,omitempty"`
}

const (
	snippetBytes = 280 // of a snippet, about three lines

	// LookedAt is the number of bytes at the beginning of a text that Snippet looks at.
	LookedAt = 64 << 10
)

// A Marker finds the words of texts that are terms of a query. It is for one goroutine at a time.
type Marker struct {
	terms  *text.Matcher
	budget *int // bytes left to look at
}

// New returns a Marker of the words of a query, whose terms are the analyzer's.
func New(a *text.Analyzer, query string) *Marker {
	budget := math.MaxInt
	m := &Marker{a.NewMatcher(), &budget}
	for t := range a.Terms(query) {
		m.terms.Add(t.Text)
	}
	return m
}

// Add has the Marker mark words of other terms, too, such as the terms that
// similar.Searcher.QueryTerms returns.
func (m *Marker) Add(terms ...string) { m.terms.Add(terms...) }

// With returns a Marker that marks words of other terms, too. The two share what Limit bounds.
func (m *Marker) With(terms ...string) *Marker { return &Marker{m.terms.With(terms...), m.budget} }

// Also has the Marker mark words that are one of its terms by another analyzer, too: in other
// languages.
func (m *Marker) Also(analyzers ...*text.Analyzer) { m.terms.Also(analyzers...) }

// Len returns the number of terms whose words are marked.
func (m *Marker) Len() int { return m.terms.Len() }

// Limit bounds the bytes that the Marker looks at from now on, in all texts together. It marks
// nothing in a text that is longer than the rest of these bytes.
func (m *Marker) Limit(bytes int) { *m.budget = bytes }

// found lists the marked words of s in order.
func (m *Marker) found(s string) []text.Term {
	if m.terms.Len() == 0 || *m.budget < len(s) {
		return nil
	}
	*m.budget -= len(s)
	return slices.Collect(m.terms.Matches(s))
}

// Whole returns all of s, words marked. The parts have memory of their own. Bytes that are no UTF-8
// become U+FFFD.
func (m *Marker) Whole(s string) []Part { return parts(s, 0, len(s), m.found(s)) }

// Snippet returns about 280 bytes of s with most of the query's terms, or the beginning of s if it has
// none. It looks at the first [LookedAt] bytes. An ellipsis stands for the text before and after the
// snippet. The parts have memory of their own, as Whole's have.
func (m *Marker) Snippet(s string) []Part {
	s = Head(s, LookedAt)
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

// Head returns at most the first n bytes of s, whole characters.
func Head(s string, n int) string {
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
