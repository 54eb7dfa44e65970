package text

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var sequence = flag.Int("sequence", 2, "the `number` of the sequence of random texts")

// pieces are characters of every property that the word boundary rules speak of.
var pieces = []string{
	"a", "B", "z", "0", "9", "_", "'", ".", ":", ",", ";", "\"", "-", " ", "  ", "\t", "\r", "\n", "/", "@", "\x00", "\x7f",
	"é", "ß", "я", "א", "ב", "ア", "ｶ", "あ", "東", "한", "ก", "\u0301", "\u00ad", "\u200d", "\u200b", "\u2019", "·", "٠", "\u066c",
	"👍", "🏽", "🇨", "🇭", "\u2028", "\ufffd", "ﬁ", "①", "\u037e", "\u203f", "．", "：",
}

// slowSegments is segments by package words alone, for valid text: it parts the text before each
// period and colon that does not follow a digit, and then the parts.
func slowSegments(s string) (list []span) {
	part := func(start, end int) {
		for i := start; i < end; {
			n, word := unicodeSegment(s[i:end])
			if word {
				list = append(list, span{i, i + n})
			}
			i += n
		}
	}
	start, behind := 0, false
	for i, r := range s {
		if strings.ContainsRune(".:．：", r) && !behind {
			part(start, i)
			start = i
		}
		behind = unicode.IsDigit(r) || behind && (unicode.IsMark(r) || unicode.Is(unicode.Cf, r))
	}
	part(start, len(s))
	return list
}

// TestSegments compares the path for ASCII with package words on random text: the same words, and
// the same folding.
func TestSegments(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, uint64(*sequence)))
	words := &normalizer{}
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	for i := range n {
		var b strings.Builder
		for range rng.IntN(12) {
			switch rng.IntN(4) {
			case 0:
				b.WriteString("abcXYZabcdefg"[rng.IntN(7):][:1+rng.IntN(6)])
			case 1, 2:
				b.WriteString(pieces[rng.IntN(22)]) // ASCII
			default:
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
		}
		s := b.String()
		got, want := slices.Collect(segments(s)), slowSegments(s)
		if !slices.Equal(got, want) {
			t.Fatalf("text %d, %q: words at %v, package words says %v", i, s, got, want)
		}
		for _, w := range got {
			if word := s[w.start:w.end]; words.fold(word) != words.foldUnicode(word) {
				t.Fatalf("%q folds to %q and %q", word, words.fold(word), words.foldUnicode(word))
			}
		}
	}
}

// TestFoldTwice folds what is folded: nothing changes.
func TestFoldTwice(t *testing.T) {
	t.Parallel()
	n := &normalizer{}
	for r := rune(1); r <= 0x2ffff; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		once := n.fold(string(r))
		if twice := n.fold(once); twice != once {
			t.Fatalf("%U folds to %+q, and that to %+q", r, once, twice)
		}
	}
}

// FuzzTerms looks for a text that breaks a stemmer, whose terms have wrong places, that gives other
// terms with a lexicon, or whose words differ from package words's.
func FuzzTerms(f *testing.F) {
	for _, s := range pieces {
		f.Add(s+"ing", uint8(len(s)))
	}
	f.Add("caf\xe9's", uint8(3))
	var analyzers []*Analyzer
	for _, name := range Languages() {
		a, err := NewAnalyzer(Config{Language: name, NGrams: 2})
		if err != nil {
			f.Fatal(err)
		}
		analyzers = append(analyzers, a)
	}
	f.Fuzz(func(t *testing.T, s string, language uint8) {
		a := analyzers[int(language)%len(analyzers)]
		for term := range a.Terms(s) {
			if term.Text == "" || term.Start >= term.End || !utf8.ValidString(term.Text) {
				t.Errorf("%s: %q gives %+v", a.Config().Language, s, term)
			}
		}
		checkLexicon(t, a.NewLexicon(nil), s)
		plain, err := NewAnalyzer(Config{Language: a.Config().Language})
		if err != nil {
			t.Fatal(err)
		}
		all, err := NewAnalyzer(Config{Language: a.Config().Language, Accents: true, Identifiers: true, Symbols: true, Bigrams: true})
		if err != nil {
			t.Fatal(err)
		}
		checkLexicon(t, all.NewLexicon(nil), s)
		all.Ways(s)
		all.Begun(s)
		l := plain.NewLexicon(nil)
		checkLexicon(t, l, s)
		checkLexicon(t, l, s+" "+s)
		if utf8.ValidString(s) {
			if got, want := slices.Collect(segments(s)), slowSegments(s); !slices.Equal(got, want) {
				t.Errorf("%q: words at %v, package words says %v", s, got, want)
			}
		}
	})
}
