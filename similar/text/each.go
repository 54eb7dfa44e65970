package text

import (
	"iter"

	"github.com/blevesearch/snowballstem"
)

// Each yields the terms of s, in the order of Terms and without their places. A term may be a part of
// s: whoever keeps it keeps a clone. Without a stop list, stems and synonyms, a word of ASCII in lower
// case costs nothing more than to find it.
func (a *Analyzer) Each(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if a.ngrams > 1 {
			for t := range a.grams(s) {
				if !yield(t.Text) {
					return
				}
			}
			return
		}
		n := a.words
		asItIs := n.language.stem == nil && n.language.trim == nil && len(n.stop) == 0 && n.synonyms == nil
		var env snowballstem.Env
		for w := range n.cut.of(s) {
			word := s[w.start:w.end]
			if !asItIs || len(word) > MaxWord || !isLower(word) {
				word = n.term(word, &env)
			}
			if word != "" && !yield(word) {
				return
			}
		}
	}
}

// isLower reports whether a word is of ASCII and has no capitals.
func isLower(word string) bool {
	for i := range len(word) {
		if c := word[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
