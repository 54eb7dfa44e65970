package similar

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// A prefix and a fuzzy word are expanded to terms of the index before a search, the same ones over
// any segments and shards. All terms of one expansion are weighed by the frequency of the most
// frequent of them, or rare misspellings would come first.

// The most terms that a prefix and a fuzzy word are expanded to: of a prefix the most frequent, of a
// fuzzy word the nearest, and of these the most frequent.
const (
	MaxPrefixTerms = 256
	MaxFuzzyTerms  = 64
)

// An expansion is a term that a prefix or a fuzzy word is expanded to.
type expansion struct {
	text     string
	df       int64
	distance int
}

// compare orders expansions, the better first.
func (a expansion) compare(b expansion) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.df, a.df), strings.Compare(a.text, b.text))
}

// best keeps the best expansions.
type best struct {
	list    []expansion // a heap, the worst first
	most    int
	special bool // keywords are added, and no words
}

func (b *best) Len() int           { return len(b.list) }
func (b *best) Less(i, j int) bool { return b.list[i].compare(b.list[j]) > 0 }
func (b *best) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *best) Push(e any)         { b.list = append(b.list, e.(expansion)) }

// Pop is for container/heap.
func (b *best) Pop() any {
	last := len(b.list) - 1
	e := b.list[last]
	b.list = b.list[:last]
	return e
}

// add adds a term, which must come once. N-grams, and terms of no document, are not added.
func (b *best) add(e expansion) {
	if e.df == 0 || b.special != strings.HasPrefix(e.text, special) || !b.special && strings.Contains(e.text, " ") {
		return
	}
	if len(b.list) < b.most || e.compare(b.list[0]) < 0 {
		if heap.Push(b, e); len(b.list) > b.most {
			heap.Pop(b)
		}
	}
}

// withPrefix adds the terms that begin so.
func (v *view) withPrefix(b *best, prefix string) {
	for name, df := range v.dictionary(prefix) {
		if !strings.HasPrefix(name, prefix) {
			return
		}
		b.add(expansion{name, df, 0})
	}
}

// prefixTerms returns the terms of words that begin so: terms that begin so themselves, the term of
// the word itself, and shorter ones, if documents have a word with the prefix whose stem they are.
func (x *Searcher) prefixTerms(v *view, list []*text.Analyzer, prefix string) ([]expansion, error) {
	if err := x.expandable(); err != nil {
		return nil, err
	}
	b := &best{most: MaxPrefixTerms}
	v.withPrefix(b, prefix)
	var others []string
	for _, t := range termsOf(list, prefix) {
		if !strings.HasPrefix(t, prefix) {
			others = append(others, t)
		}
	}
	if slices.ContainsFunc(list, (*text.Analyzer).Stems) {
		short, err := x.shorterTerms(v, prefix)
		if err != nil {
			return nil, err
		}
		for _, t := range short {
			if !slices.Contains(others, t) {
				others = append(others, t)
			}
		}
	}
	for _, t := range others {
		b.add(expansion{text: t, df: v.df(t)})
	}
	return b.list, nil
}

// termsOf returns the terms that analyzers make of a word, each once.
func termsOf(list []*text.Analyzer, word string) (terms []string) {
	for _, a := range list {
		for t := range a.Terms(word) {
			if !slices.Contains(terms, t.Text) {
				terms = append(terms, t.Text)
			}
		}
	}
	return terms
}

// fuzzyTerms returns the terms that are near a word, or near its term.
func (x *Searcher) fuzzyTerms(v *view, list []*text.Analyzer, word string, distance, most int) ([]expansion, error) {
	if err := x.expandable(); err != nil {
		return nil, err
	}
	b := &best{most: most}
	near := map[string]int{}
	words := []string{word}
	for _, t := range termsOf(list, word) {
		if t != word {
			words = append(words, t)
		}
	}
	for _, word := range words {
		for _, names := range v.vocabularies() {
			d := newDistances(word, distance)
			names(func(name string, same int) bool {
				if n := d.of(name, same); n <= distance {
					if had, ok := near[name]; !ok {
						near[strings.Clone(name)] = n
					} else if n < had {
						near[name] = n
					}
				}
				return true
			})
		}
	}
	for t, n := range near {
		b.add(expansion{t, v.df(t), n})
	}
	return b.list, nil
}

// expandable returns an error for an index whose terms say nothing of words.
func (x *Searcher) expandable() error {
	if x.options.Vocabulary.Bits > 0 {
		return errors.New("the index has hashed terms, and knows no words that begin alike or differ little")
	}
	return nil
}

// expanded compiles the expansions of a word that is cut off, or fuzzy. Words before it, as of
// "well-kno", are terms like others.
func (m *compiler) expanded(s string, factor float64, o query.Occur, expand func(word string) ([]expansion, error)) (*condition, error) {
	before, word := m.analyzers()[0].Begun(s)
	c := &condition{}
	var all []int
	for _, t := range before {
		if t, ok := m.x.mapped(t); ok {
			m.count(t, factor)
			all = append(all, m.number(t))
		}
	}
	if o == query.Optional {
		for _, n := range all {
			c.words = append(c.words, []int{n})
		}
		all = nil
	}
	if word == "" {
		if all != nil {
			c.words = append(c.words, all)
		}
		return orNil(c), nil
	}
	list, err := expand(word)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return m.anyOf(c, all, list, factor), nil
}

// anyOf adds to a condition that a document has one of some expansions, and all of other terms.
func (m *compiler) anyOf(c *condition, all []int, list []expansion, factor float64) *condition {
	slices.SortFunc(list, func(a, b expansion) int { return strings.Compare(a.text, b.text) })
	df := int64(0)
	for _, e := range list {
		df = max(df, e.df)
	}
	for _, e := range list {
		if m.silent == 0 {
			m.terms = append(m.terms, occurrence{e.text, df, 1, factor / float64(1+e.distance)})
		}
		c.words = append(c.words, append(slices.Clone(all), m.number(e.text)))
	}
	if len(c.words) == 0 {
		c.words = [][]int{{m.number(absent)}} // no document has such a word
	}
	return c
}

// absent is a term that no text has.
const absent = " "

func orNil(c *condition) *condition {
	if len(c.words) == 0 {
		return nil
	}
	return c
}
