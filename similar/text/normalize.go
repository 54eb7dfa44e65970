package text

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"io"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// normalizer turns one word into its term. It remembers terms of words seen before, in a table of a
// bounded size that goroutines share.
type normalizer struct {
	language language
	stop     map[string]bool // folded
	cut      cutting
	synonyms map[string]string // terms, and the term that they are instead

	accentsFirst, accentsLast bool // accents are dropped before words are stemmed, or after

	cache [1 << cacheBits]atomic.Pointer[remembered]
}

// cacheBits is the logarithm of the number of words that are remembered.
const cacheBits = 16

// remembered is a word and its term, which is empty if the word is left out. The word is inside, so
// that a look at it is a look at one cache line; few words are longer.
type remembered struct {
	term  string
	bytes uint8
	word  [31]byte
}

// term returns the term of a word, or "" of a stop word. env is the caller's alone.
func (n *normalizer) term(word string, env *snowballstem.Env) string {
	if len(word) > MaxWord {
		return longTerm(word)
	}
	if len(word) > len(remembered{}.word) {
		return strings.Clone(n.compute(word, env)) // a piece of word would keep all of the text alive
	}
	slot := &n.cache[maphash.String(seed, word)>>(64-cacheBits)]
	if r := slot.Load(); r != nil && string(r.word[:r.bytes]) == word {
		return r.term
	}
	r := &remembered{term: strings.Clone(n.compute(word, env)), bytes: uint8(len(word))}
	copy(r.word[:], word)
	slot.Store(r)
	return r.term
}

// longTerm is the term of a word that is too long to be folded.
func longTerm(word string) string {
	h := sha256.New()
	// The limit keeps Copy from the string's own WriteTo, which would copy all of it at once.
	io.Copy(h, io.LimitReader(strings.NewReader(word), int64(len(word))))
	return "#" + hex.EncodeToString(h.Sum(nil)[:16])
}

// compute is term without the memory.
func (n *normalizer) compute(word string, env *snowballstem.Env) string {
	term := n.stemmed(word, env)
	if n.accentsLast {
		term = withoutAccents(term)
	}
	if n.synonyms != nil {
		if other, ok := n.synonyms[term]; ok {
			return other
		}
	}
	return term
}

// stemmed folds and stems a word.
func (n *normalizer) stemmed(word string, env *snowballstem.Env) string {
	folded := n.fold(word)
	if n.stop[folded] {
		return ""
	}
	if n.language.trim != nil {
		if trimmed := n.language.trim(folded); trimmed != folded {
			if folded = trimmed; n.stop[folded] {
				return ""
			}
		}
	}
	if n.language.stem == nil {
		return folded
	}
	env.SetCurrent(folded)
	n.language.stem(env)
	if env.Current() == "" {
		return folded // a stemmer may take all of a word that is nothing but endings
	}
	return env.Current()
}

// fold folds a word: case, compatibility, apostrophes, invisible characters.
func (n *normalizer) fold(word string) string {
	if isASCII(word) && !n.language.turkic {
		return strings.ToLower(word)
	}
	if n.accentsFirst {
		return withoutAccents(n.foldUnicode(word))
	}
	return n.foldUnicode(word)
}

// begun folds the beginning of a word.
func (n *normalizer) begun(word string) string {
	if word = n.fold(word); n.accentsLast {
		return withoutAccents(word)
	}
	return word
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldUnicode is fold for all words. It is Unicode's NFKC_Casefold (Unicode Standard, 3.13, R5)
// with format characters (Cf) for those that are ignorable by default. Case is folded twice, as
// compatibility characters may decompose to capitals.
func (n *normalizer) foldUnicode(word string) string {
	word = strings.Map(func(r rune) rune {
		switch {
		case r == '\u2018', r == '\u2019', r == '\u201b', r == '\uff07':
			return '\''
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, word)
	word = n.foldCase(norm.NFKC.String(word))
	return norm.NFKC.String(n.foldCase(norm.NFKC.String(word)))
}

func (n *normalizer) foldCase(word string) string {
	if n.language.turkic {
		return strings.ToLowerSpecial(unicode.TurkishCase, word)
	}
	return cases.Fold().String(word)
}
