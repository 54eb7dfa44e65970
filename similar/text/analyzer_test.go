package text_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/similar/text"
)

// terms returns the texts of the terms of s.
func terms(t testing.TB, c text.Config, s string) []string {
	t.Helper()
	a, err := text.NewAnalyzer(c)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for term := range a.Terms(s) {
		list = append(list, term.Text)
	}
	return list
}

// TestTerms holds each language to examples: the words as Lucene's StandardAnalyzer parts them, the
// stems as Snowball's site lists them.
func TestTerms(t *testing.T) {
	t.Parallel()
	none := text.Config{Language: "none"}
	for _, c := range []struct {
		what   string
		config text.Config
		text   string
		want   string // parted by |
	}{
		{"nothing", text.Config{}, "", ""},
		{"stop words only", text.Config{}, "To be, or not to be!", ""},
		{"English", text.Config{}, "The generously flying generals consisted of consistency.", "generous|fli|general|consist|consist"},
		{"case", text.Config{}, "HEAP Heap heap", "heap|heap|heap"},
		{"contraction", text.Config{}, "I don't; I DON’T. They'll", ""},
		{"possessive", text.Config{}, "Frege's FREGE’S frege", "frege|frege|frege"},
		{"possessive, not stemmed", text.Config{NoStem: true}, "Frege's heaps that's", "frege|heaps"},
		{"Porter's stemmer", text.Config{Language: "porter"}, "Frege's skies", "frege|ski"},
		{"hyphen", none, "well-known B-52", "well|known|b|52"},
		{"numbers", none, "3.14 1,000,000 2:30 5; 0x1F v1.2 10% 1.", "3.14|1,000,000|2|30|5|0x1f|v1.2|10|1"},
		{"identifiers", none, "snake_case __init__ os.File io.EOF a.b.c x:y _ __", "snake_case|__init__|os|file|io|eof|a|b|c|x|y"},
		{"address", none, "mail@example.com http://go.dev/x?y=1", "mail|example|com|http|go|dev|x|y|1"},
		{"longer than what is remembered", text.Config{}, "Donaudampfschifffahrtsgesellschaften donaudampfschifffahrtsgesellschaften", "donaudampfschifffahrtsgesellschaften|donaudampfschifffahrtsgesellschaften"},
		{"no space", none, "the end.The next:word é.è ３．１４ ａ．ｂ", "the|end|the|next|word|é|è|3.14|a|b"},
		{"quotes", none, "'quoted' \"double\" rock'n'roll o''x", "quoted|double|rock'n'roll|o|x"},
		{"Han", none, "東京都", "東|京|都"},
		{"Hiragana, Katakana", none, "ひらカタカナ ｶﾀｶﾅ", "ひ|ら|カタカナ|カタカナ"},
		{"Hangul", none, "대한민국 서울", "대한민국|서울"},
		{"mixed", none, "Go言語1.26", "go|言|語|1.26"},
		{"emoji", none, "fine 👍🏽 flags 🇨🇭", "fine|flags"},
		{"sharp s", none, "Straße STRASSE STRAẞE", "strasse|strasse|strasse"},
		{"sigma", none, "ΟΔΟΣ οδός", "οδοσ|οδόσ"},
		{"composed and not", none, "caf\u00e9 cafe\u0301 CAFE\u0301", "café|café|café"},
		{"ligature, full width", none, "e\ufb03cient ｈｅａｐ ①", "efficient|heap|1"},
		{"soft hyphen", none, "co\u00adoperate cooperate\u2060", "cooperate|cooperate"},
		{"capitals that appear in decomposition", none, "ℋeap ™ Å", "heap|å"},
		{"Hebrew", none, "צה\"ל ג'ירפה", "צה\"ל|ג'ירפה"},
		{"invalid", none, "caf\xe9 \xff\xfe heap\xe2", "caf|heap"},
		{"French", text.Config{Language: "french"}, "L’avion jusqu'à aujourd'hui qu'elle majestueusement", "avion|aujourd'hui|majestu"},
		{"German", text.Config{Language: "german"}, "Die Häuser und die Aufeinanderfolgen", "haus|aufeinanderfolg"},
		{"Italian", text.Config{Language: "italian"}, "dell'amore abbandonata", "amor|abbandon"},
		{"Irish", text.Config{Language: "irish"}, "d'athair", "athair"},
		{"Turkish", text.Config{Language: "turkish"}, "ISPARTA'DA İstanbul’un IŞIK", "ıspar|istanbul|ışık"},
		{"Russian", text.Config{Language: "russian"}, "важнейшими и Вагоны", "важн|вагон"},
		{"Spanish", text.Config{Language: "spanish"}, "las torneos chicas", "torne|chic"},
		{"own list", text.Config{StopWords: []string{"HEAP", "don’t"}}, "the heap's Heap don't sort", "the|sort"},
		{"no list", text.Config{StopWords: []string{}}, "the heap", "the|heap"},
		{"bigrams", text.Config{NGrams: 2}, "State of the art, now", "state|art|state art|now|art now"},
		{"trigrams", text.Config{Language: "none", NGrams: 3}, "a b c d", "a|b|a b|c|b c|a b c|d|c d|b c d"},
		{"unigrams", text.Config{Language: "none", NGrams: 1}, "a b", "a|b"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(terms(t, c.config, c.text), "|"); got != c.want {
				t.Errorf("%q gives\n\t%s, want\n\t%s", c.text, got, c.want)
			}
		})
	}
}

// TestPlaces looks at the places of words that terms give.
func TestPlaces(t *testing.T) {
	t.Parallel()
	a, err := text.NewAnalyzer(text.Config{NGrams: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := "Der Löwe's \xff heaps of"
	var got []string
	for term := range a.Terms(s) {
		got = append(got, term.Text+"="+s[term.Start:term.End])
	}
	want := []string{"der=Der", "löwe=Löwe's", "der löwe=Der Löwe's", "heap=heaps", "löwe heap=Löwe's \xff heaps"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStop leaves the loop early, with and without n-grams.
func TestStop(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		a, err := text.NewAnalyzer(text.Config{NGrams: n})
		if err != nil {
			t.Fatal(err)
		}
		for term := range a.Terms("heap stack queue") {
			if term.Text == "stack" {
				break
			}
		}
	}
}

// TestLanguages builds every language, and stems a word of its script or leaves it.
func TestLanguages(t *testing.T) {
	t.Parallel()
	names := text.Languages()
	if !slices.IsSorted(names) || len(names) != 20 {
		t.Errorf("languages %q", names)
	}
	without := []string{"arabic", "none", "romanian", "tamil", "turkish"}
	for _, name := range names {
		list, err := text.StopWords(name)
		if err != nil {
			t.Fatal(err)
		}
		if has := len(list) > 0; has == slices.Contains(without, name) {
			t.Errorf("%s has %d stop words", name, len(list))
		}
		config := text.Config{Language: name}
		if got := terms(t, config, strings.Join(list, " ")); len(got) > 0 {
			t.Errorf("%s: the list leaves %q of itself", name, got)
		}
		// Words that are nothing but endings, or of another script, stay words.
		for _, word := range []string{"ing", "ung", "i", "ıları", "東京", "ال", "கள்", "1984"} {
			config.StopWords = []string{}
			if len(terms(t, config, word)) == 0 {
				t.Errorf("%s leaves nothing of %q", name, word)
			}
		}
	}
	if list, _ := text.StopWords("english"); len(list) != 174 {
		t.Errorf("%d English stop words, Snowball's list has 174", len(list))
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]text.Config{
		`text: unknown language "klingon"; want one of arabic, danish, `: {Language: "klingon"},
		`text: NGrams is 9; want 1 to 8`:                                 {NGrams: 9},
		`text: NGrams is -1; want 1 to 8`:                                {NGrams: -1},
		`text: stop word "of the" is not one word`:                       {StopWords: []string{"heap", "of the"}},
		`text: stop word "" is not one word`:                             {StopWords: []string{""}},
	} {
		if _, err := text.NewAnalyzer(c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := text.StopWords("klingon"); err == nil {
		t.Error("Klingon has a stop list")
	}
}

// TestLongWords shows that a word of 100 MB costs a term of 33 bytes, and that such words differ.
func TestLongWords(t *testing.T) {
	t.Parallel()
	n := 100 << 20
	if testing.Short() {
		n = 1 << 20
	}
	long := strings.Repeat("a", n)
	got := terms(t, text.Config{}, long+" heap "+long+" "+long[1:])
	if len(got) != 4 || got[0] != got[2] || got[0] == got[3] || len(got[0]) != 33 || got[0][0] != '#' || got[1] != "heap" {
		t.Errorf("got %q", got)
	}
	at := strings.Repeat("x", text.MaxWord)
	if got := terms(t, text.Config{Language: "none"}, at+" "+at+"x"); got[0] != at || len(got[1]) != 33 {
		t.Errorf("the bound gives %q", got)
	}
}

// TestConfig keeps a configuration as JSON, in which no list and an empty list differ.
func TestConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []text.Config{{}, {StopWords: []string{}}, {Language: "german", StopWords: []string{"und"}, NoStem: true, NGrams: 2}} {
		a, err := text.NewAnalyzer(c)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(a.Config())
		if err != nil {
			t.Fatal(err)
		}
		var back text.Config
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%s gives %+v, want %+v (%v)", b, back, c, err)
		}
	}
}

// TestConcurrent shares an analyzer, and its memory of words, between goroutines.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	a, err := text.NewAnalyzer(text.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				var got []string
				for term := range a.Terms("Queues of priorities, heaps; Frege's straße") {
					got = append(got, term.Text)
				}
				if want := []string{"queue", "prioriti", "heap", "frege", "strass"}; !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	all.Wait()
}

func TestValid(t *testing.T) {
	t.Parallel()
	if err := text.Valid("straße\n\ufffd"); err != nil {
		t.Error(err)
	}
	err := text.Valid("straße\n\xff")
	if !errors.Is(err, text.ErrInvalid) || err.Error() != "byte 8 (line 2) is 0xff: not UTF-8" {
		t.Errorf("got %v", err)
	}
}

func BenchmarkTerms(b *testing.B) {
	a, err := text.NewAnalyzer(text.Config{})
	if err != nil {
		b.Fatal(err)
	}
	s := strings.Repeat("A heap is a tree with the property that each node is the minimum-valued node in its subtree. ", 100)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		for range a.Terms(s) {
		}
	}
}
