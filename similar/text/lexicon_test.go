package text

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkLexicon compares what a lexicon makes of a text with what Terms yields.
func checkLexicon(t *testing.T, l *Lexicon, s string) {
	t.Helper()
	var got, want []string
	l.Numbers(s, func(numbers []uint32) {
		for _, n := range numbers {
			got = append(got, strings.Clone(l.Term(n)))
		}
	})
	for term := range l.analyzer.Terms(s) {
		text, ok := term.Text, true
		if l.mapping != nil {
			text, ok = l.mapping(text)
		}
		if ok {
			want = append(want, text)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %q has the terms %q, want %q", l.analyzer.Config().Language, s, got, want)
	}
}

// odd maps some terms to others, some to themselves and some to none.
func odd(term string) (string, bool) {
	switch len(term) % 3 {
	case 0:
		return "#" + term[:len(term)/2], true
	case 1:
		return "", false
	}
	return term, true
}

// TestLexicon gives lexica random texts, in which words come again, of all lengths, and are stems
// of each other.
func TestLexicon(t *testing.T) {
	t.Parallel()
	for seed, c := range []Config{{}, {NGrams: 3}, {Language: "none"}, {Language: "turkish"}, {Language: "french"}, {StopWords: []string{}},
		{Accents: true, Identifiers: true, Symbols: true, Bigrams: true}, {Language: "german", Accents: true, Synonyms: [][]string{{"ab", "cd"}}}} {
		for _, mapping := range []func(string) (string, bool){nil, odd} {
			t.Run(fmt.Sprint(c.Language, c.NGrams, mapping != nil), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(seed), 2))
				a, err := NewAnalyzer(c)
				if err != nil {
					t.Fatal(err)
				}
				l := a.NewLexicon(mapping)
				known := map[string]uint32{}
				for range 300 {
					checkLexicon(t, l, randomText(r))
				}
				for n := range uint32(len(l.ends)) {
					if other, ok := known[l.Term(n)]; ok {
						t.Fatalf("term %q has the numbers %d and %d", l.Term(n), n, other)
					}
					known[strings.Clone(l.Term(n))] = n
				}
				if l.Len() < 300 || l.Full() {
					t.Errorf("the lexicon has %d words, and is full: %v", l.Len(), l.Full())
				}
			})
		}
	}
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(40) {
		switch r.IntN(12) {
		case 0:
			b.WriteString(pieces[r.IntN(len(pieces))])
		case 1:
			b.WriteString(strings.Repeat("ab", r.IntN(2*MaxWord)))
		case 2:
			b.WriteString(strings.Repeat("é", r.IntN(30)))
		default:
			for range 1 + r.IntN(12) {
				b.WriteByte("aabcdeINGs"[r.IntN(10)])
			}
			b.WriteString([]string{"", "s", "ing", "ed", "ly", "'s"}[r.IntN(6)])
		}
		b.WriteString([]string{" ", " ", "\n", ", ", ". ", ".", "-", "_", "9", "'"}[r.IntN(10)])
	}
	return b.String()
}

// TestTable has adjacent strings of all lengths that differ in their zeros alone.
func TestTable(t *testing.T) {
	t.Parallel()
	var tab table
	want := map[string]uint32{}
	r := rand.New(rand.NewPCG(21, 22))
	for i := range uint32(5000) {
		s := fmt.Sprintf("%016x", r.Uint64())[:r.IntN(17)] + strings.Repeat("\x00", r.IntN(3))
		h := hash(s)
		n, ok := tab.find(&h)
		if old, there := want[s]; there != ok || n != old {
			t.Fatalf("%q is %d, %v; want %d, %v", s, n, ok, old, there)
		}
		if !ok {
			tab.add(&h, i)
			want[s] = i
		}
	}
	if tab.len != len(want) {
		t.Errorf("%d strings, want %d", tab.len, len(want))
	}
}

// TestMatcher compares a matcher with a look at all terms, in every language.
func TestMatcher(t *testing.T) {
	t.Parallel()
	for i, name := range Languages() {
		for n := range 2 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			a, err := NewAnalyzer(Config{Language: name, NGrams: 2 * n})
			if err != nil {
				t.Fatal(err)
			}
			for range 60 {
				s := randomText(r) + randomText(r)
				m, terms := a.NewMatcher(), map[string]bool{}
				for term := range a.Terms(s + " x\u0301y e\u0301 É ing") {
					if r.IntN(4) == 0 {
						m.Add(term.Text)
						terms[term.Text] = true
					}
				}
				var want []Term
				for term := range a.Terms(s) {
					if terms[term.Text] {
						want = append(want, term)
					}
				}
				if got := slices.Collect(m.Matches(s)); !slices.Equal(got, want) || m.Len() != len(terms) {
					t.Fatalf("%s: %q in %q: %v, want %v", name, slices.Collect(maps.Keys(terms)), s, got, want)
				}
			}
		}
	}
}

// TestInitial holds languages to what they say of the beginning of a term.
func TestInitial(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(23, 24))
	for _, l := range languages {
		if !l.initial {
			continue
		}
		a, err := NewAnalyzer(Config{Language: l.name, StopWords: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		b.WriteString(strings.Join(languages[3].stopWords(), " ") + ` skis skies dying lying tying idly gently ugly early only singly
			sky news howe atlas cosmos bias andes yes yyy generate communism arsenal inning outing proceed exceed succeed`)
		for range 30_000 {
			b.WriteByte(' ')
			b.WriteByte("abcdefghijklmnopqrstuvwxyz0"[r.IntN(27)])
			for range r.IntN(4) {
				b.WriteByte("abceiostuy'"[r.IntN(11)])
			}
			b.WriteString([]string{"", "s", "ies", "ied", "ing", "ingly", "ational", "ization", "fulness", "eed", "ly", "'s", "e", "ll"}[r.IntN(14)])
		}
		words := b.String()
		for term := range a.Terms(words) {
			if words[term.Start] != term.Text[0] {
				t.Errorf("%s: %q becomes %q", l.name, words[term.Start:term.End], term.Text)
			}
		}
	}
}
