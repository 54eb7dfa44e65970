package text

import (
	"iter"

	"github.com/blevesearch/snowballstem"
)

// Places yields the terms of s that are words, not n-grams, each with its place: its number among all
// words of s, also those that are left out as stop words.
func (a *Analyzer) Places(s string) iter.Seq2[int, Term] {
	return a.places(s, func(string) bool { return true }, func(string) bool { return true })
}

// Places yields what Analyzer.Places yields, if it is one of the terms.
func (m *Matcher) Places(s string) iter.Seq2[int, Term] {
	may := m.may
	if !m.analyzer.words.language.initial {
		may = func(string) bool { return true }
	}
	return m.analyzer.places(s, may, func(t string) bool { return m.terms[t] })
}

// places yields terms that are wanted, of words that may give one.
func (a *Analyzer) places(s string, may, wanted func(string) bool) iter.Seq2[int, Term] {
	return func(yield func(int, Term) bool) {
		var env snowballstem.Env
		place := -1
		for w := range a.words.cut.of(s) {
			place++
			word := s[w.start:w.end]
			if !may(word) {
				continue
			}
			if t := a.words.term(word, &env); t != "" && wanted(t) && !yield(place, Term{t, w.start, w.end}) {
				return
			}
		}
	}
}
