package similar

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/text"
)

// An index knows terms, which are stems, and not the words that they were made of. The documents
// with a term have its words. A view remembers what it has found in them, since the stems that are
// shorter than a beginning are few.

// How many documents with a term are read for its words, the first by id, and how many bytes of each
// of a document's texts.
const (
	wordDocuments = 32
	wordBytes     = 32 << 10
)

// maxWordLists is for how many terms a view remembers words.
const maxWordLists = 1 << 12

// A wordCount is a word, folded, and how often it was found.
type wordCount struct {
	word  string
	count int
}

// wordLists are the words of terms in one view. Any number of goroutines may use it at once.
type wordLists struct {
	mu   sync.Mutex
	list map[string][]wordCount
}

// of returns what find finds for a term, which it does not call for a term that it remembers.
func (l *wordLists) of(term string, find func() ([]wordCount, error)) ([]wordCount, error) {
	l.mu.Lock()
	words, ok := l.list[term]
	l.mu.Unlock()
	if ok {
		return words, nil
	}
	words, err := find()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil || len(l.list) >= maxWordLists {
		l.list = map[string][]wordCount{}
	}
	l.list[strings.Clone(term)] = words
	return words, nil
}

// wordsOf returns the words of a term in the first documents with it.
func (x *Searcher) wordsOf(v *view, term string) ([]wordCount, error) {
	return v.words.of(term, func() ([]wordCount, error) {
		counts := map[string]int{}
		for _, at := range v.first(term, wordDocuments) {
			d, err := v.parts[at.part].beginning(at.ord, wordBytes)
			if err != nil {
				return nil, err
			}
			x.schema.texts(&d, func(s string, r rule) {
				for _, w := range x.speaks[r.analyzer].Words(s[:min(len(s), wordBytes)], term) {
					counts[w.Folded]++
				}
			})
		}
		var list []wordCount
		for word, n := range counts {
			list = append(list, wordCount{strings.Clone(word), n})
		}
		return list, nil
	})
}

// first returns the first n documents with a term, by id.
func (v *view) first(term string, n int) []place {
	var list []place
	for i, p := range v.parts {
		t, ok := p.FindTerm(term)
		if !ok {
			continue
		}
		var c segment.Cursor
		c.Open(p.Segment, t)
		left := n
		for more := true; more && left > 0; more = c.Next() {
			for _, doc := range c.Docs() {
				if left > 0 && !p.isDead(int(doc)) {
					list = append(list, place{i, int(doc)})
					left--
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		return strings.Compare(v.parts[a.part].ID(a.ord), v.parts[b.part].ID(b.ord))
	})
	return list[:min(n, len(list))]
}

// shorterTerms returns the terms that a prefix begins with, longer than a letter, which are terms of
// words that begin with the prefix: "iter" for "iterato", if a document has "iterator".
func (x *Searcher) shorterTerms(v *view, prefix string) (list []string, err error) {
	for n := len(prefix) - 1; n > 1 && err == nil; n-- {
		term := prefix[:n]
		if !utf8.RuneStart(prefix[n]) || v.df(term) == 0 {
			continue
		}
		var words []wordCount
		words, err = x.wordsOf(v, term)
		if slices.ContainsFunc(words, func(w wordCount) bool { return strings.HasPrefix(w.word, prefix) }) {
			list = append(list, term)
		}
	}
	return list, err
}

// maxCorrected is how many words of a query are corrected at most.
const maxCorrected = 4

// Suggest returns a query with the words that no document has replaced by the nearest ones that
// documents have, and whether there are any: "did you mean". Words of three to five letters are
// corrected by one edit, and longer ones by up to two. Of equally near words the one that most documents
// have wins.
func (x *Searcher) Suggest(ctx context.Context, query string) (better string, changed bool, err error) {
	v, err := x.state()
	if err != nil {
		return "", false, err
	}
	defer v.end(&err)
	if x.expandable() != nil {
		return query, false, nil
	}
	var b strings.Builder
	at, corrected := 0, 0
	for t := range x.analyzer.Terms(query) {
		if corrected == maxCorrected || ctx.Err() != nil || t.Start < at || strings.Contains(t.Text, " ") || v.df(t.Text) > 0 || operator(query, t) || x.known(v, query[t.Start:t.End]) {
			continue
		}
		word, err := x.correct(v, query[t.Start:t.End])
		if err != nil {
			return "", false, fmt.Errorf("similar: %w", err)
		}
		if word != "" {
			b.WriteString(query[at:t.Start] + word)
			at = t.End
			corrected++
		}
	}
	b.WriteString(query[at:])
	return b.String(), corrected > 0, ctx.Err()
}

// known reports whether documents have a word in any language.
func (x *Searcher) known(v *view, word string) bool {
	for _, a := range x.Analyzers() {
		for t := range a.Terms(word) {
			if v.df(t.Text) > 0 {
				return true
			}
		}
	}
	return false
}

// operator reports whether a word of a query is none to correct: AND, OR, NOT, and words that are a
// prefix or fuzzy.
func operator(query string, t text.Term) bool {
	switch query[t.Start:t.End] {
	case "AND", "OR", "NOT":
		return true
	}
	return t.End < len(query) && strings.IndexByte("*~:", query[t.End]) >= 0
}

// correct returns the nearest word that documents have, nothing if none is near.
func (x *Searcher) correct(v *view, word string) (string, error) {
	_, word = x.analyzer.Begun(word)
	most := 2
	switch n := utf8.RuneCountInString(word); {
	case n < 3:
		return "", nil
	case n < 6:
		most = 1
	}
	list, err := x.fuzzyTerms(v, x.Analyzers(), word, most, 1)
	if err != nil || len(list) == 0 {
		return "", err
	}
	words, err := x.wordsOf(v, list[0].text)
	if err != nil || len(words) == 0 {
		return list[0].text, err
	}
	d := newDistances(word, math.MaxInt/4)
	nearest := slices.MinFunc(words, func(a, b wordCount) int {
		return cmp.Or(cmp.Compare(d.of(a.word, 0), d.of(b.word, 0)), cmp.Compare(b.count, a.count), strings.Compare(a.word, b.word))
	})
	return nearest.word, nil
}
