package text

import (
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// A Matcher finds the words of texts that are certain terms. Any number of goroutines may use it at
// once, except for Add.
type Matcher struct {
	analyzer *Analyzer
	others   []*Analyzer // whose terms count, too
	terms    map[string]bool
	initials [utf8.RuneSelf]bool // the letters that terms begin with, in both cases
}

// NewMatcher returns a matcher of some of the analyzer's terms.
func (a *Analyzer) NewMatcher(terms ...string) *Matcher {
	m := &Matcher{analyzer: a, terms: map[string]bool{}}
	m.Add(terms...)
	return m
}

// Add adds terms to look for.
func (m *Matcher) Add(terms ...string) {
	for _, t := range terms {
		m.terms[t] = true
		if t != "" && t[0] < utf8.RuneSelf {
			m.initials[t[0]] = true
			if kinds[t[0]] == letter {
				m.initials[t[0]^0x20] = true
			}
		}
	}
}

// With returns a matcher of the same terms and others. It shares nothing with this one that changes.
func (m *Matcher) With(terms ...string) *Matcher {
	w := *m
	w.others, w.terms = slices.Clone(m.others), maps.Clone(m.terms)
	w.Add(terms...)
	return &w
}

// Also has Matches yield words that are one of the terms by another analyzer, too.
func (m *Matcher) Also(analyzers ...*Analyzer) { m.others = append(m.others, analyzers...) }

// Len returns the number of terms.
func (m *Matcher) Len() int { return len(m.terms) }

// Matches yields what Analyzer.Terms yields, if it is one of the terms.
func (m *Matcher) Matches(s string) iter.Seq[Term] {
	return func(yield func(Term) bool) {
		if len(m.terms) == 0 {
			return
		}
		a := m.analyzer
		if len(m.others) > 0 {
			m.matchAny(s, yield)
			return
		}
		if a.ngrams > 1 || !a.words.language.initial {
			for t := range a.Terms(s) {
				if m.terms[t.Text] && !yield(t) {
					return
				}
			}
			return
		}
		var env snowballstem.Env
		for w := range a.words.cut.of(s) {
			word := s[w.start:w.end]
			if !m.may(word) {
				continue
			}
			if t := a.words.term(word, &env); m.terms[t] && !yield(Term{t, w.start, w.end}) {
				return
			}
		}
	}
}

// matchAny yields the words of s that are one of the terms by one of the analyzers.
func (m *Matcher) matchAny(s string, yield func(Term) bool) {
	var env snowballstem.Env
	for w := range m.analyzer.words.cut.of(s) {
		for _, a := range append([]*Analyzer{m.analyzer}, m.others...) {
			if t := a.words.term(s[w.start:w.end], &env); m.terms[t] {
				if !yield(Term{t, w.start, w.end}) {
					return
				}
				break
			}
		}
	}
}

// may reports whether a word may be one of the terms, by its first letter. A mark after that may
// make another letter of it, and long words become terms of another kind.
func (m *Matcher) may(word string) bool {
	return word[0] >= utf8.RuneSelf || m.initials[word[0]] || len(word) > 1 && word[1] >= utf8.RuneSelf || len(word) > MaxWord
}
