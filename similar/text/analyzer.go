// Package text turns text into terms: Unicode words, folded, without stop words, stemmed.
//
// Terms follow Lucene's StandardAnalyzer and its analyzers of single languages:
//
//   - A word is a segment of Unicode's word segmentation (UAX #29) with a letter or a digit.
//     "3.14", "1,000" and "snake_case" are one word each, "well-known" is two. Each Han ideograph
//     and each Hiragana letter is a word; a run of Katakana or Hangul is one. Scripts without
//     spaces that need a dictionary, such as Thai, come letter by letter. Other than in Lucene a
//     period or a colon between letters parts words: "heap.Init" is two, and so is a sentence's end
//     whose space is missing.
//   - A word is folded: case by Unicode's full case folding (Turkish by its own rules), then
//     compatibility characters to plain ones (NFKC: a ligature to its letters, a full-width letter
//     to a narrow one), and invisible format characters, such as soft hyphens, are dropped.
//   - The typographic apostrophe is the plain one. "Frege's" is "frege" in English, "l'avion" is
//     "avion" in French, "Ankara'da" is "ankara" in Turkish; "don't" is a stop word.
//   - Words on the stop list are dropped. Snowball stems the others.
package text

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// Config says how text becomes terms. It is plain data, so that an index keeps it and treats
// queries as it treated documents. The zero value is English: words folded, stop words left out,
// the rest stemmed.
type Config struct {
	// Language is one of Languages; "english" where empty, "none" for words that are only folded.
	Language string `json:"language"`
	// StopWords are the words to drop. Nil is the language's list, an empty list is none. JSON
	// keeps the difference.
	StopWords []string `json:"stopWords"`
	// NoStem leaves words as they are once folded.
	NoStem bool `json:"noStem,omitempty"`
	// NGrams adds to each term the sequences of 2 to NGrams terms that end in it, joined by spaces;
	// 0 and 1 add none. Terms are neighbours that only stop words and punctuation part.
	NGrams int `json:"nGrams,omitempty"`
	// Accents says that letters of Latin and Greek lose their accents: Gödel is Godel, Łukasz is
	// Lukasz.
	Accents bool `json:"accents,omitempty"`
	// Identifiers says that the parts of an identifier are words, too, besides the whole: BinaryHeap
	// and binary_heap have binary and heap.
	Identifiers bool `json:"identifiers,omitempty"`
	// Symbols says that C++ and C# are words: a letter and at once ++ or #.
	Symbols bool `json:"symbols,omitempty"`
	// Bigrams says that two neighbouring characters of Chinese, Japanese or Korean are a word.
	Bigrams bool `json:"bigrams,omitempty"`
	// Synonyms are groups of words that mean the same. The terms of a group are one term.
	Synonyms [][]string `json:"synonyms,omitempty"`
	// Version is the version of the rules. There is 0 alone; an index of later rules is not read.
	Version int `json:"version,omitempty"`
}

// MaxWord and MaxNGrams bound what one word of a text can cost.
const (
	// MaxWord is how many bytes a word may have to be folded and stemmed. A longer one becomes a
	// term of 33 bytes: "#" and the first 128 bits of its SHA-256 in hexadecimal. So it is found
	// by itself, letter for letter, in any language, and it cannot fill an index.
	MaxWord = 256
	// MaxNGrams is the largest Config.NGrams.
	MaxNGrams = 8
)

// A Term is a term and its place in the text.
type Term struct {
	Text       string
	Start, End int // bytes of the text that the word, or the n-gram's words, came from
}

// Analyzer turns text into terms. Any number of goroutines may use it at once.
type Analyzer struct {
	config Config
	words  *normalizer
	ngrams int
}

// NewAnalyzer returns the analyzer of a configuration. The error of a language it does not know
// names those it knows.
func NewAnalyzer(c Config) (*Analyzer, error) {
	l, err := languageOf(c.Language)
	if err != nil {
		return nil, err
	}
	if c.NGrams < 0 || c.NGrams > MaxNGrams {
		return nil, fmt.Errorf("text: NGrams is %d; want 1 to %d", c.NGrams, MaxNGrams)
	}
	if c.Version != 0 {
		return nil, fmt.Errorf("text: rules of version %d; want 0, or a newer program", c.Version)
	}
	n := &normalizer{language: l, cut: cutting{c.Identifiers, c.Symbols, c.Bigrams}}
	// A stemmer of another language looks at accents.
	n.accentsFirst = c.Accents && l.initial
	n.accentsLast = c.Accents && !l.initial
	if c.NoStem {
		n.language.stem = nil
	}
	stop := c.StopWords
	if stop == nil {
		stop = l.stopWords()
	}
	if n.stop, err = n.stopSet(stop); err != nil {
		return nil, err
	}
	if err := n.setSynonyms(c.Synonyms); err != nil {
		return nil, err
	}
	if len(c.Synonyms) > 0 {
		n.language.initial = false
	}
	c.StopWords, c.Synonyms = slices.Clone(c.StopWords), slices.Clone(c.Synonyms)
	return &Analyzer{config: c, words: n, ngrams: c.NGrams}, nil
}

// stopSet folds a list as words of a text are folded.
func (n *normalizer) stopSet(list []string) (map[string]bool, error) {
	set := make(map[string]bool, len(list))
	for _, w := range list {
		words := slices.Collect(segments(w))
		if len(words) != 1 || len(w) > MaxWord {
			return nil, fmt.Errorf("text: stop word %q is not one word of at most %d bytes, and could never be left out", w, MaxWord)
		}
		set[n.fold(w[words[0].start:words[0].end])] = true
	}
	return set, nil
}

// Config returns what the analyzer was made of.
func (a *Analyzer) Config() Config {
	c := a.config
	c.StopWords, c.Synonyms = slices.Clone(c.StopWords), slices.Clone(c.Synonyms)
	return c
}

// Terms yields the terms of s in order. An n-gram follows its last term, the shorter first. Bytes
// that are not UTF-8 part words, as a space does; see Valid. Terms share no memory with s.
func (a *Analyzer) Terms(s string) iter.Seq[Term] {
	if a.ngrams > 1 {
		return a.grams(s)
	}
	return a.unigrams(s)
}

func (a *Analyzer) unigrams(s string) iter.Seq[Term] { return a.termsIn(s, a.words.cut.of(s)) }

// termsIn yields the terms of some words of s.
func (a *Analyzer) termsIn(s string, words iter.Seq[span]) iter.Seq[Term] {
	return func(yield func(Term) bool) {
		var env snowballstem.Env
		for w := range words {
			if t := a.words.term(s[w.start:w.end], &env); t != "" && !yield(Term{t, w.start, w.end}) {
				return
			}
		}
	}
}

func (a *Analyzer) grams(s string) iter.Seq[Term] {
	return func(yield func(Term) bool) {
		last := make([]Term, 0, a.ngrams) // the latest terms, the newest last
		for t := range a.unigrams(s) {
			if len(last) == a.ngrams {
				last = slices.Delete(last, 0, 1)
			}
			last = append(last, t)
			gram := t
			for i := len(last) - 1; ; i-- {
				if !yield(gram) {
					return
				}
				if i == 0 {
					break
				}
				gram.Text, gram.Start = last[i-1].Text+" "+gram.Text, last[i-1].Start
			}
		}
	}
}

// ErrInvalid is the error of Valid.
var ErrInvalid = errors.New("not UTF-8")

// Valid returns an ErrInvalid with the offset of the first byte that is not UTF-8, or nil.
func Valid(s string) error {
	if utf8.ValidString(s) {
		return nil
	}
	at := validPrefix(s)
	line := 1 + strings.Count(s[:at], "\n")
	return fmt.Errorf("byte %d (line %d) is %#x: %w", at, line, s[at], ErrInvalid)
}
