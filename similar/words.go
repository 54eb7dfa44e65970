package similar

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// A Word is a word, folded, and how often it was found.
type Word struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// DocumentWords are the words of one document that have a term. See [Searcher.Words].
type DocumentWords struct {
	ID    string `json:"id"`
	Words []Word `json:"words"`
}

// wordLists are the words of terms in one view. Any number of goroutines may use it at once.
type wordLists struct {
	mu   sync.Mutex
	list map[string][]Word
}

// of returns what find finds for a term, which it does not call for a term that it remembers.
func (l *wordLists) of(term string, find func() ([]Word, error)) ([]Word, error) {
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
		l.list = map[string][]Word{}
	}
	l.list[strings.Clone(term)] = words
	return words, nil
}

// wordsOf returns the words of a term in the first documents with it.
func (x *Searcher) wordsOf(v *view, term string) ([]Word, error) {
	if x.words != nil {
		return x.words(term), nil
	}
	return v.words.of(term, func() ([]Word, error) {
		list, err := x.wordsBy(v, term)
		return MergeWords(list), err
	})
}

// wordsBy returns the words of a term in the first documents with it, document by document.
func (x *Searcher) wordsBy(v *view, term string) (list []DocumentWords, err error) {
	for _, at := range v.first(term, wordDocuments) {
		d, err := v.parts[at.part].beginning(at.ord, wordBytes)
		if err != nil {
			return nil, err
		}
		counts := map[string]int{}
		x.schema.texts(&d, func(s string, r rule) {
			for _, w := range x.speaks[r.analyzer].Words(s[:min(len(s), wordBytes)], term) {
				counts[w.Folded]++
			}
		})
		list = append(list, DocumentWords{strings.Clone(v.parts[at.part].ID(at.ord)), wordList(counts)})
	}
	return list, nil
}

// wordList returns words in byte order.
func wordList(counts map[string]int) (list []Word) {
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Word{strings.Clone(word), counts[word]})
	}
	return list
}

// Words returns the words that have a term, which is a stem, in the first 32 documents with it by
// id. A prefix that is longer than the stem, and Suggest, ask for them. Indexes that have a
// collection together answer as one if each is given the words of all, by [MergeWords] and
// [Searcher.WithWords].
//
// Errors: ErrClosed, ErrDamaged.
func (x *Searcher) Words(term string) (list []DocumentWords, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if list, err = x.wordsBy(v, term); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return list, nil
}

// MergeWords returns the words of a term in the first 32 documents, by id, of several lists.
func MergeWords(lists ...[]DocumentWords) []Word {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b DocumentWords) int { return strings.Compare(a.ID, b.ID) })
	counts := map[string]int{}
	for _, d := range all[:min(wordDocuments, len(all))] {
		for _, w := range d.Words {
			counts[w.Text] += w.Count
		}
	}
	return wordList(counts)
}

// WithWords returns a searcher of the same documents that asks a function for the words of a term,
// instead of reading its own documents. Several goroutines may call the function at once.
func (x *Searcher) WithWords(words func(term string) []Word) *Searcher {
	y := x.over(x.state)
	y.words = words
	return y
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
		var words []Word
		words, err = x.wordsOf(v, term)
		if slices.ContainsFunc(words, func(w Word) bool { return strings.HasPrefix(w.Text, prefix) }) {
			list = append(list, term)
		}
	}
	return list, err
}

// maxCorrected is how many words of a query are corrected at most.
const maxCorrected = 4

// Suggest returns a query with the words that no document has replaced by the nearest ones that
// documents have, and whether there are any: "did you mean". Words of three to five letters are
// corrected by one edit, and longer ones by up to two. Of equally near words the one that most
// documents have wins.
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
	nearest := slices.MinFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(d.of(a.Text, 0), d.of(b.Text, 0)), cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return nearest.Text, nil
}
