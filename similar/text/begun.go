package text

import (
	"slices"

	"github.com/blevesearch/snowballstem"
)

// Begun returns the terms of all words of s except the last, and the last word as it is folded, which
// may be the beginning of another word. The word is empty if s has none, or one that is longer than
// MaxWord.
func (a *Analyzer) Begun(s string) (terms []string, word string) {
	cut := a.words.cut
	cut.identifiers = false
	list := slices.Collect(cut.of(s))
	if len(list) == 0 {
		return nil, ""
	}
	var env snowballstem.Env
	last := list[len(list)-1]
	for _, w := range list[:len(list)-1] {
		if t := a.words.term(s[w.start:w.end], &env); t != "" {
			terms = append(terms, t)
		}
	}
	if last.end-last.start > MaxWord {
		return terms, ""
	}
	return terms, a.words.begun(s[last.start:last.end])
}

// Word is a word of a text, folded, and its term.
type Word struct{ Folded, Term string }

// Words returns the words of s that have one of some terms, folded. Terms of several words are not
// found.
func (a *Analyzer) Words(s string, terms ...string) []Word {
	var list []Word
	m := &Matcher{analyzer: &Analyzer{config: a.config, words: a.words}, terms: map[string]bool{}}
	m.Add(terms...)
	for t := range m.Matches(s) {
		if t.End-t.Start <= MaxWord {
			list = append(list, Word{a.words.begun(s[t.Start:t.End]), t.Text})
		}
	}
	return list
}

// Stems reports whether a term may be another word than the one that it was made of.
func (a *Analyzer) Stems() bool { return a.words.language.stem != nil || a.words.language.trim != nil }
