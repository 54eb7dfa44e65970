package similar

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/text"
)

// An index knows terms, which are stems, and not the words that they were made of. The documents
// with a term have its words.

// How many documents with a term are looked into for its words, the first by id, and how many bytes
// of each of a document's texts.
const (
	wordDocuments = 32
	wordBytes     = 32 << 10
)

// wordsOf calls yield with the words of a term in the first documents with it, until that returns
// false.
func (x *Index) wordsOf(v *view, term string, yield func(text.Word) bool) error {
	for _, at := range v.first(term, wordDocuments) {
		d, err := v.parts[at.part].document(at.ord)
		if err != nil {
			return err
		}
		more := true
		x.schema.texts(&d, func(s string, r rule) {
			if len(s) > wordBytes {
				s = s[:wordBytes]
			}
			for _, w := range x.speaks[r.analyzer].Words(s, term) {
				more = more && yield(w)
			}
		})
		if !more {
			break
		}
	}
	return nil
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
func (x *Index) shorterTerms(v *view, prefix string) (list []string, err error) {
	for n := len(prefix) - 1; n > 1 && err == nil; n-- {
		term := prefix[:n]
		if !utf8.RuneStart(prefix[n]) || v.df(term) == 0 {
			continue
		}
		found := false
		err = x.wordsOf(v, term, func(w text.Word) bool {
			found = strings.HasPrefix(w.Folded, prefix)
			return !found
		})
		if found {
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
// have is taken.
func (x *Index) Suggest(ctx context.Context, query string) (better string, changed bool, err error) {
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
func (x *Index) known(v *view, word string) bool {
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
func (x *Index) correct(v *view, word string) (string, error) {
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
	counts := map[string]int{}
	err = x.wordsOf(v, list[0].text, func(w text.Word) bool {
		counts[w.Folded]++
		return true
	})
	d := newDistances(word, math.MaxInt/4)
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.of(a, 0), d.of(b, 0)), cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	if len(words) == 0 {
		return list[0].text, err
	}
	return words[0], err
}
