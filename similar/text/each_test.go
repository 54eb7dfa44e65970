package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEach holds Each to Terms, for all languages, of random texts.
func TestEach(t *testing.T) {
	t.Parallel()
	pieces := []string{"heap", "Heap", "THE", "the", "frege's", "don't", "l'avion", "Straße", "ﬁne", "İstanbul", "ISI", "漢字", "\u200b", "\xff", "C++", "a_b",
		"BinaryHeap", "3.14", " ", " ", ".", "\n", "e\u0301", "running", "łódź", strings.Repeat("x", MaxWord+1), strings.Repeat("X", MaxWord)}
	var configs []Config
	for _, language := range Languages() {
		configs = append(configs, Config{Language: language}, Config{Language: language, NoStem: true, StopWords: []string{}, Accents: true})
	}
	configs = append(configs, Config{NGrams: 3}, Config{Language: "none", Synonyms: [][]string{{"heap", "pile"}}},
		Config{Language: "none", StopWords: []string{"heap"}}, Config{Language: "none", Identifiers: true, Symbols: true, Bigrams: true})
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range configs {
		a, err := NewAnalyzer(c)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			var b strings.Builder
			for range r.IntN(30) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			var got, want []string
			for term := range a.Each(b.String()) {
				got = append(got, strings.Clone(term))
			}
			for term := range a.Terms(b.String()) {
				want = append(want, term.Text)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v: terms of %q are %q, want %q", c, b.String(), got, want)
			}
		}
	}
}
