package text

import (
	"slices"
	"strings"
	"testing"
)

// TestDetect tells languages of a few sentences from each other, the first sentences of the Universal
// Declaration of Human Rights and others, and says nothing if there is little to go by.
func TestDetect(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]string{
		"danish":     "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
		"dutch":      "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
		"english":    "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
		"finnish":    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
		"french":     "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
		"german":     "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
		"hungarian":  "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
		"irish":      "Saoláitear na daoine uile saor agus comhionann ina ndínit agus ina gcearta. Tá bua an réasúin agus an choinsiasa acu agus dlíd gníomhú i dtreo a chéile i spiorad an bhráithreachais.",
		"italian":    "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
		"norwegian":  "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er utstyrt med fornuft og samvittighet, og ikke noe mer, hvis jeg ikke husker feil.",
		"portuguese": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
		"russian":    "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
		"spanish":    "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
		"swedish":    "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap.",
		"":           "Gödel 1931; x = 3",
	} {
		for _, s := range []string{s, strings.ToUpper(s), s + strings.Repeat(" x", 5000), "\xff " + s} {
			if got := Detect(slices.Values([]string{s})); got != want {
				t.Errorf("%.40q is %q, want %q", s, got, want)
			}
		}
	}
	both := []string{"the of and", "der und nicht", "der und nicht"}
	if got := Detect(slices.Values(both)); got != "german" {
		t.Errorf("more of German is %q", got)
	}
	if got := Detect(slices.Values([]string{"und"})); got != "" {
		t.Errorf("one word is enough for %q", got)
	}
	if got := Detect(slices.Values([]string{strings.Repeat("x ", 2048), "the of and"})); got != "" {
		t.Errorf("words after 4 KiB say %q", got)
	}
	if n := len(Detectable()); n != 14 || wholeVote%n != 0 {
		t.Errorf("%d languages share %d votes", n, wholeVote)
	}
}

// TestLanguageNamed knows names and codes.
func TestLanguageNamed(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"de": "german", "german": "german", "none": "none", "porter": "porter", "": "", "De": "", "xx": ""} {
		if got, err := LanguageNamed(s); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

// TestLexiconsBeside has two lexicons of one numbering: equal terms have one number, whichever met
// them first, and the terms are the analyzers'.
func TestLexiconsBeside(t *testing.T) {
	t.Parallel()
	english, _ := NewAnalyzer(Config{})
	german, _ := NewAnalyzer(Config{Language: "german"})
	base := english.NewLexicon(nil)
	beside := base.Beside(german)
	number := map[string]uint32{}
	for _, s := range []string{"running houses Haus general", "Häuser Haus house running general", "hous haus und the " + strings.Repeat("x", 300)} {
		for l, a := range map[*Lexicon]*Analyzer{base: english, beside: german} {
			var got []string
			l.Numbers(s, func(numbers []uint32) {
				for _, n := range numbers {
					term := base.Term(n)
					if had, ok := number[term]; ok && had != n {
						t.Errorf("%q has the numbers %d and %d", term, had, n)
					}
					number[term] = n
					got = append(got, term)
				}
			})
			var want []string
			for term := range a.Terms(s) {
				want = append(want, term.Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q has the terms %q, want %q", s, got, want)
			}
		}
	}
}
