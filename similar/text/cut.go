package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutting says how words are cut, besides by segments.
type cutting struct{ identifiers, symbols, bigrams bool }

// of yields the words of s.
func (c cutting) of(s string) iter.Seq[span] {
	list := segments(s)
	if c.symbols {
		list = withSymbols(s, list)
	}
	if c.bigrams {
		list = withBigrams(s, list)
	}
	if c.identifiers {
		list = withParts(s, list)
	}
	return list
}

// withSymbols makes C++ and C# words: one letter of ASCII, and at once ++ or # that no letter
// follows.
func withSymbols(s string, list iter.Seq[span]) iter.Seq[span] {
	return func(yield func(span) bool) {
		for w := range list {
			if w.end-w.start == 1 {
				for _, symbol := range []string{"++", "#"} {
					if rest, ok := strings.CutPrefix(s[w.end:], symbol); ok {
						if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsLetter(r) {
							w.end += len(symbol)
						}
						break
					}
				}
			}
			if !yield(w) {
				return
			}
		}
	}
}

// withBigrams makes two neighbouring characters of Chinese, Japanese and Korean a word, and a
// character without a neighbour, as Lucene's CJKBigramFilter does.
func withBigrams(s string, list iter.Seq[span]) iter.Seq[span] {
	return func(yield func(span) bool) {
		run := span{}
		for w := range list {
			asian := !strings.ContainsFunc(s[w.start:w.end], func(r rune) bool { return !isCJK(r) })
			if asian && run.end > run.start && run.end == w.start {
				run.end = w.end
				continue
			}
			if !yieldBigrams(s, run, yield) {
				return
			}
			run = span{}
			if asian {
				run = w
			} else if !yield(w) {
				return
			}
		}
		yieldBigrams(s, run, yield)
	}
}

// yieldBigrams yields the bigrams of a run of characters.
func yieldBigrams(s string, run span, yield func(span) bool) bool {
	for at := run.start; at < run.end; {
		_, n := utf8.DecodeRuneInString(s[at:])
		end := at + n
		if end == run.end {
			return at > run.start || yield(span{at, end})
		}
		_, m := utf8.DecodeRuneInString(s[end:])
		if !yield(span{at, end + m}) {
			return false
		}
		at = end
	}
	return true
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
}

// withParts yields the words of identifiers after them: BinaryHeap, Binary, Heap.
func withParts(s string, list iter.Seq[span]) iter.Seq[span] {
	return func(yield func(span) bool) {
		for w := range list {
			if !yield(w) {
				return
			}
			if w.end-w.start > MaxWord {
				continue
			}
			for part := range partsOf(s, w) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// partsOf yields the parts of an identifier, none of a word that is not one. A part ends before an
// underline, before a capital after a small letter, and before one that follows capitals or
// digits if a small letter follows it: HTTP and Server.
func partsOf(s string, w span) iter.Seq[span] {
	return func(yield func(span) bool) {
		start := w.start
		var before rune
		end := func(at int) bool {
			from := start
			start = at
			return from == at || from == w.start && at == w.end || yield(span{from, at})
		}
		for at, r := range s[w.start:w.end] {
			at += w.start
			after, _ := utf8.DecodeRuneInString(s[at+utf8.RuneLen(r) : w.end])
			switch {
			case r == '_':
				if !end(at) {
					return
				}
				start = at + 1
			case unicode.IsUpper(r) && (unicode.IsLower(before) || (unicode.IsUpper(before) || unicode.IsDigit(before)) && unicode.IsLower(after)):
				if !end(at) {
					return
				}
			}
			before = r
		}
		end(w.end)
	}
}

// Ways returns the terms of s, and, where s has identifiers, the terms of their parts instead. A
// document has the word s if it has all terms of one of them.
func (a *Analyzer) Ways(s string) [][]string {
	whole := cutting{symbols: a.words.cut.symbols, bigrams: a.words.cut.bigrams}
	ways := [][]string{a.termsOf(s, whole.of(s))}
	if a.words.cut.identifiers {
		var parts []span
		split := false
		for w := range whole.of(s) {
			n := len(parts)
			for part := range partsOf(s, w) {
				parts = append(parts, part)
			}
			if split = split || len(parts) > n; len(parts) == n {
				parts = append(parts, w)
			}
		}
		if split {
			ways = append(ways, a.termsOf(s, func(yield func(span) bool) {
				for _, w := range parts {
					if !yield(w) {
						return
					}
				}
			}))
		}
	}
	return ways
}

func (a *Analyzer) termsOf(s string, words iter.Seq[span]) (list []string) {
	for t := range a.termsIn(s, words) {
		list = append(list, t.Text)
	}
	return list
}
