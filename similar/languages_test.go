package similar_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// languagesOf returns the analyzers of the languages of the fields that are searched.
func languagesOf(t testing.TB, o similar.Options) map[string]*text.Analyzer {
	list := map[string]*text.Analyzer{}
	analyzer := func(name string) {
		c := o.Text
		if name != "" {
			c.Language = name
		}
		a, err := text.NewAnalyzer(c)
		if err != nil {
			t.Fatal(err)
		}
		list[name] = a
	}
	named := map[string]bool{}
	for _, f := range o.Fields {
		named[f.Name] = true
		switch {
		case f.Weight == 0:
		case f.Language == similar.AutoLanguage:
			analyzer("")
			for _, name := range text.Detectable() {
				analyzer(name)
			}
		default:
			analyzer(f.Language)
		}
	}
	for _, name := range []string{"title", "text", "*"} {
		if !named[name] {
			analyzer("")
		}
	}
	if len(list) == 0 {
		analyzer("")
	}
	return list
}

// speaker is the analyzer of a field of a document.
func (r *reference) speaker(f similar.Field, d similar.Document) *text.Analyzer {
	name := f.Language
	if name == similar.AutoLanguage {
		name = text.Detect(func(yield func(string) bool) {
			texts := []string{}
			add := func(name, s string) {
				if r.field(name).Language == similar.AutoLanguage {
					texts = append(texts, s)
				}
			}
			add("title", d.Title)
			add("text", d.Text)
			var names []string
			for name := range d.Fields {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				add(name, d.Fields[name])
			}
			for _, s := range texts {
				if !yield(s) {
					return
				}
			}
		})
	}
	if a := r.languages[name]; a != nil {
		return a
	}
	return r.analyzer // its words do not count
}

// in is the reference for a clause about a field: its words are of the field's language.
func (r *reference) in(field string) *reference {
	f := r.field(field)
	if f.Language == similar.AutoLanguage {
		return r
	}
	of := *r
	of.languages = map[string]*text.Analyzer{f.Language: r.speaker(f, similar.Document{})}
	return &of
}

// spoken appends the terms of a word in all languages, each once.
func (r *reference) spoken(dst []unit, word string, factor float64) []unit {
	type place struct{ start, end int }
	terms, df := map[place]map[string]int{}, map[place]int64{}
	for _, a := range r.languages {
		times := map[place]map[string]int{}
		for t := range a.Terms(word) {
			at := place{t.Start, t.End}
			if times[at] == nil {
				times[at] = map[string]int{}
			}
			times[at][t.Text]++
		}
		for at, of := range times {
			if terms[at] == nil {
				terms[at] = map[string]int{}
			}
			for t, n := range of {
				terms[at][t] = max(terms[at][t], n)
				df[at] = max(df[at], r.frequency[t])
			}
		}
	}
	for at, of := range terms {
		for t, n := range of {
			dst = append(dst, unit{t, df[at], int64(n), factor * float64(n)})
		}
	}
	return dst
}

// spokenWords are words whose terms depend on the language, and stop words.
var spokenWords = strings.Fields("houses house häuser haus hauses maison maisons running runs run laufen läuft heap heaps general generally generale " +
	"generalen nation nations nationale nationen die der und the and of les des est que el los para het een och att not ist sind Die Häuser")

// TestLanguages holds searches of fields in several languages to the plain loop, bit for bit.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for seed := range uint64(max(60, *rounds/4)) {
		c := newCampaign(t, 3)
		c.r = rand.New(rand.NewPCG(seed, 77))
		c.spoken = true
		o := similar.Options{Positions: seed%3 == 0}
		language := func() string { return []string{"", "german", "fr", "german", "english", "auto", "none"}[c.r.IntN(7)] }
		for _, name := range []string{"title", "text", "author", "*"} {
			if c.r.IntN(3) > 0 {
				f := similar.Field{Name: name, Weight: 1 + c.r.IntN(2), Language: language()}
				if f.Language == "fr" {
					f.Language = "french"
				}
				if c.r.IntN(4) == 0 {
					f.B = new(c.r.Float64())
				}
				o.Fields = append(o.Fields, f)
			}
		}
		x, err := similar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		c.x, c.ref = x, newReference(t, o)
		for range 4 {
			c.change()
			for range 4 {
				q := c.query()
				if c.r.IntN(2) == 0 {
					q.Text, q.Like, q.Document = "", nil, nil
					q.Clause = c.spokenClause(2)
				}
				got, err := x.Search(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				c.hold(q, fmt.Sprintf("seed %d: %v %+v: %v", seed, q.Clause, q, o.Fields), got, c.ref.searchClause(q))
			}
		}
		x.Close()
	}
}

// spokenClause is a random clause of words and phrases, also in fields.
func (c *campaign) spokenClause(depth int) query.Clause {
	switch n := c.r.IntN(8); {
	case n < 2 || depth == 0:
		return query.Words{Text: c.word()}
	case n == 2:
		return query.Words{Text: c.word() + " " + c.word()}
	case n == 3:
		return query.Phrase{Text: c.content() + " " + c.content(), Slop: c.r.IntN(3)}
	case n < 6:
		of := c.spokenClause(0)
		if c.r.IntN(3) == 0 {
			of = query.Phrase{Text: c.content() + " " + c.content()}
		}
		return query.Field{Name: []string{"title", "text", "author", "keywords"}[c.r.IntN(4)], Clause: of}
	}
	var g query.Group
	for range 1 + c.r.IntN(3) {
		g = append(g, query.Item{Occur: []query.Occur{query.Optional, query.Optional, query.Required, query.Excluded}[c.r.IntN(4)], Clause: c.spokenClause(depth - 1)})
	}
	return g
}

// content is a word that is no stop word of any language, as the plain loop's phrases want it.
func (c *campaign) content() string { return spokenWords[c.r.IntN(22)] }

// TestLanguageOfField has one word in fields of several languages, and documents of several.
func TestLanguageOfField(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Fields: []similar.Field{{Name: "titel", Weight: 1, Language: "de"}, {Name: "text", Weight: 1, Language: "auto"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	err = x.Add(t.Context(),
		similar.Document{ID: "a", Fields: similar.Fields{"titel": "Das Haus", "note": "houses"}},
		similar.Document{ID: "b", Text: "Die Häuser sind nicht aus Holz, und der Garten ist groß."},
		similar.Document{ID: "c", Text: "The houses are not of wood, and the garden is large."},
		similar.Document{ID: "d", Text: "Häuser"},
	)
	if err != nil {
		t.Fatal(err)
	}
	// Of d nothing tells the language. Its term is English, and one that another language makes of
	// Häusern.
	for _, x := range []*similar.Index{x, saveAndReopen(t, x)} {
		for text, want := range map[string]string{
			"titel:Häuser": "a", "titel:haus": "a", "titel:das": "", "text:Häusern": "b d", "Häuser": "a b d", "house": "a c", `"Häuser sind nicht aus Holz"`: "b",
			`text:"houses are not of wood"`: "c", `titel:"das Haus"`: "a", "haus*": "a b", "the": "", "Häusr~1": "a b d", "+Häusern -titel:Haus": "b d",
		} {
			if got := found(t, x, text); got != want {
				t.Errorf("%s finds %q, want %q", text, got, want)
			}
		}
	}
	m, err := x.Marker(t.Context(), similar.Query{Text: "Häuser houses"})
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	for _, p := range m.Whole("Das Haus, the house") {
		if p.Marked {
			marked = append(marked, p.Text)
		}
	}
	if !slices.Equal(marked, []string{"Haus", "house"}) {
		t.Errorf("marked %q", marked)
	}
	for _, bad := range []similar.Field{{Name: "a", Weight: 1, Language: "klingon"}, {Name: "a", Language: "de"}, {Name: "a", Type: similar.NumberField, Language: "de"}} {
		if _, err := similar.New(similar.Options{Fields: []similar.Field{bad}}); err == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
	if _, err := similar.ReadFields(strings.NewReader(`{"a": {"language": "klingon"}}`)); err == nil || !strings.Contains(err.Error(), `"a": "language": text: unknown language "klingon"; want one of ar, da,`) {
		t.Error(err)
	}
}
