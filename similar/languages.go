package similar

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/gridstride/gridstride/similar/text"
)

// The schema may give a field a language, or have each document's found out. A document's words are
// analysed by the language of the field. So is a word of a query about a field. Other words are
// analysed by all languages of the schema: a word means the terms that these make of it, and all of
// these are weighed by the frequency of the most frequent one, as a prefix's terms are. Terms are of
// no language: a term that two languages make is one term.

// ofDocument is the analyzer of a field whose language is found out for each document.
const ofDocument = -1

// speak gives a rule the analyzer of a field's language.
func (s *schema) speak(r *rule, f Field) error {
	if f.Language == AutoLanguage {
		r.analyzer, s.auto = ofDocument, true
		for _, name := range text.Detectable() {
			s.analyzer(name)
		}
		return nil
	}
	name, err := text.LanguageNamed(f.Language)
	if err != nil {
		return fmt.Errorf("similar: the field %q: %w", f.Name, err)
	}
	r.analyzer = s.analyzer(name)
	return nil
}

// analyzer returns the number of the analyzer of a language.
func (s *schema) analyzer(language string) int {
	at := slices.Index(s.languages, language)
	if at < 0 {
		at, s.languages = len(s.languages), append(s.languages, language)
	}
	return at + 1
}

// analyzers returns the analyzers by number: the first, and one for each of the schema's languages,
// with the rules of the first and the language's stop words.
func (s *schema) analyzers(first *text.Analyzer) ([]*text.Analyzer, error) {
	list := []*text.Analyzer{first}
	for _, name := range s.languages {
		c := first.Config()
		if c.Language = name; len(c.StopWords) > 0 {
			c.StopWords = nil // they are of another language
		}
		a, err := text.NewAnalyzer(c)
		if err != nil {
			return nil, fmt.Errorf("similar: the language %s of a field: %w", name, err)
		}
		list = append(list, a)
	}
	return list, nil
}

// searched returns the numbers of the analyzers that make terms of documents, rising.
func (s *schema) searched() (list []int) {
	if s.auto {
		for n := range len(s.languages) + 1 {
			list = append(list, n)
		}
		return list
	}
	for _, r := range append(slices.Collect(maps.Values(s.named)), s.title, s.text, s.others) {
		if r.weight > 0 {
			list = append(list, r.analyzer)
		}
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 0 {
		list = []int{0}
	}
	return list
}

// resolver returns what makes of the rule of a field its rule in one document.
func (s *schema) resolver(d *Document) func(rule) rule {
	if !s.auto {
		return func(r rule) rule { return r }
	}
	n := s.detect(d)
	return func(r rule) rule {
		if r.analyzer == ofDocument {
			r.analyzer = n
		}
		return r
	}
}

// detect returns the number of the analyzer of a document's language, found in the fields whose
// language is AutoLanguage: the title, the text, and the fields by name.
func (s *schema) detect(d *Document) int {
	name := text.Detect(func(yield func(string) bool) {
		if s.title.analyzer == ofDocument && !yield(d.Title) || s.text.analyzer == ofDocument && !yield(d.Text) {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
			if s.of(name).analyzer == ofDocument && !yield(d.Fields[name]) {
				return
			}
		}
	})
	return slices.Index(s.languages, name) + 1
}

// analyzers returns those that make terms of the present clause's words.
func (m *compiler) analyzers() []*text.Analyzer {
	if m.field == "" {
		return m.x.Analyzers()
	}
	if n := m.x.schema.ofAny(m.field).analyzer; n != ofDocument {
		return m.x.speaks[n : n+1]
	}
	return m.x.Analyzers()
}

// A cutter cuts a text into terms.
type cutter func(a *text.Analyzer, s string) iter.Seq[text.Term]

func allTerms(a *text.Analyzer, s string) iter.Seq[text.Term] { return a.Terms(s) }

// wordTerms leaves sequences of words out.
func wordTerms(a *text.Analyzer, s string) iter.Seq[text.Term] {
	return func(yield func(text.Term) bool) {
		for _, t := range a.Places(s) {
			if !yield(t) {
				return
			}
		}
	}
}

// countText counts the terms of a text that are not left out, and yields each.
func (m *compiler) countText(s string, cut cutter, factor float64, yield func(term string)) {
	m.x.spoken(m.v, m.analyzers(), s, cut, factor, func(o occurrence) {
		if m.silent == 0 {
			m.terms = append(m.terms, o)
		}
		yield(o.text)
	})
}

// spoken yields the terms that analyzers make of a text. The terms of one word are weighed by the
// frequency of the most frequent one.
func (x *Searcher) spoken(v *view, list []*text.Analyzer, s string, cut cutter, factor float64, yield func(occurrence)) {
	if len(list) == 1 {
		for t := range cut(list[0], s) {
			if term, ok := x.mapped(t.Text); ok {
				yield(occurrence{term, v.df(term), 1, factor})
			}
		}
		return
	}
	type word struct{ start, end int }
	var words []word
	terms := map[word][]string{}
	for _, a := range list {
		for t := range cut(a, s) {
			w := word{t.Start, t.End}
			if terms[w] == nil {
				words = append(words, w)
			}
			if !slices.Contains(terms[w], t.Text) {
				terms[w] = append(terms[w], t.Text)
			}
		}
	}
	for _, w := range words {
		df := int64(0)
		for _, t := range terms[w] {
			df = max(df, v.df(t))
		}
		for _, t := range terms[w] {
			yield(occurrence{t, df, 1, factor})
		}
	}
}
