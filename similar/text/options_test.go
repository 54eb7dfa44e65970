package text

import (
	"strings"
	"testing"
)

func termsWith(t *testing.T, c Config, s string) string {
	t.Helper()
	a, err := NewAnalyzer(c)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for term := range a.Terms(s) {
		list = append(list, term.Text)
	}
	checkLexicon(t, a.NewLexicon(nil), s)
	return strings.Join(list, " ")
}

// TestOptions has what each option does, and the same text without it.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config           Config
		text, want, none string
	}{
		{Config{Accents: true}, "Gödel Łukasz Ærø Ελλάς résumés", "godel lukasz aero ελλασ resum", "gödel łukasz ærø ελλάσ résumé"},
		{Config{Accents: true, Language: "german"}, "Häuser Gödel", "haus godel", "haus godel"},
		{Config{Accents: true, Language: "french"}, "élèves", "elev", "élev"},
		{Config{Accents: true, Language: "none"}, "が й क्षि e\u0301", "が й क्षि e", "が й क्षि é"},
		{Config{Identifiers: true}, "BinaryHeap binary_heap HTTPServer x", "binaryheap binari heap binary_heap binari heap httpserver http server x", "binaryheap binary_heap httpserver x"},
		{Config{Identifiers: true}, "_a1_ __ utf8Ok B", "_a1_ a1 utf8ok utf8 ok b", "_a1_ utf8ok b"},
		{Config{Symbols: true}, "C, C++ and C#; c++11 a+b i++ C#major F# d+", "c c++ c# c++ 11 b i++ c major f# d", "c c c c 11 b c major f d"},
		{Config{Bigrams: true}, "東京都 に 한국어 カタカナ abc漢", "東京 京都 に 한국 국어 カタ タカ カナ abc 漢", "東 京 都 に 한국어 カタカナ abc 漢"},
		{Config{Synonyms: [][]string{{"car", "automobiles", "Auto"}}}, "Cars and an automobile auto", "car car car", "car automobil auto"},
	} {
		if got := termsWith(t, c.config, c.text); got != c.want {
			t.Errorf("%+v: %q has %q, want %q", c.config, c.text, got, c.want)
		}
		if got := termsWith(t, Config{Language: c.config.Language}, c.text); got != c.none && c.none != "" {
			t.Errorf("%q has %q without options, want %q", c.text, got, c.none)
		}
	}
}

// TestOptionsRefused has configurations that make no sense.
func TestOptionsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		{Version: 1}, {Synonyms: [][]string{{"two words", "a1"}}}, {Synonyms: [][]string{{"the", "a1"}}}, {Synonyms: [][]string{{""}}},
		{Synonyms: [][]string{{"a1", "b1"}, {"c1", "b1"}}}, {Synonyms: [][]string{make([]string, maxSynonyms+1)}},
	} {
		if _, err := NewAnalyzer(c); err == nil {
			t.Errorf("%.60v is taken", c)
		}
	}
	for text, want := range map[string]int{"# none\n\ncar, auto # and so on\nheap\n": 2, "a => b": -1, strings.Repeat("a\n", maxSynonyms+1): -1} {
		groups, err := ReadSynonyms(strings.NewReader(text))
		if err == nil != (want >= 0) || err == nil && len(groups) != want {
			t.Errorf("%.20q: %d groups, %v", text, len(groups), err)
		}
	}
}

// TestWays has an identifier whole and in parts.
func TestWays(t *testing.T) {
	t.Parallel()
	a, err := NewAnalyzer(Config{Identifiers: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Ways("my-BinaryHeap"); len(got) != 2 || strings.Join(got[0], " ") != "binaryheap" || strings.Join(got[1], " ") != "binari heap" {
		t.Errorf("%q", got)
	}
	if got := a.Ways("heap"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
