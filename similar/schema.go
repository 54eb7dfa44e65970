package similar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Field says what a field of documents is, and how much its words count. Documents are scored by
// BM25 extended to fields (Robertson, Zaragoza and Taylor, Simple BM25 extension to multiple weighted
// fields, CIKM 2004): a word counts Weight times for each time that it is in the field, before its
// weight is computed. The length of a document is the sum of its fields' lengths, each Weight times.
// The same counts go into other schemes.
//
// The mean of the counts grows with the weights, and the authors advise to let BM25's K1 grow by the
// same factor.
type Field struct {
	Name   string    // "title", "text", the name of a field, or "*" for all fields that are not named
	Weight int       // 1 for a field that is not named; 0: its words are not searched; MaxWeight at most
	Type   FieldType `json:",omitempty"` // text where empty

	// B is how far the length of this field counts, 0 to 1, apart from the others. Its counts and
	// its length are then taken by themselves, as BM25 extended to fields does (Zaragoza and
	// others, 2004), and all fields without a B are one field, with the scheme's B. It is for BM25.
	B *float64 `json:",omitempty"`

	// Language is the language of the field's words: a name or a code of [text.LanguageNamed], or
	// AutoLanguage. It is Options.Text.Language where empty.
	Language string `json:",omitempty"`
}

// AutoLanguage is the language of a field in which each document has its own, as [text.Detect]
// finds it in all such fields of the document. It is Options.Text.Language where that cannot say.
const AutoLanguage = "auto"

// FieldType says what kind of values a field has.
type FieldType string

const (
	// TextField is a field of words.
	TextField FieldType = "text"
	// KeywordField is a field each of whose values is one term, letter by letter. A clause about the
	// field finds it. Parts of a value that are parted by "; " are values. Words of the values count
	// besides, Weight times.
	KeywordField FieldType = "keyword"
	// NumberField and DateField are fields of numbers and dates, as [Between] and [Dated] read them.
	// Add refuses a document with another value. A clause about the field is a condition. The words
	// of the values count Weight times.
	NumberField FieldType = "number"
	DateField   FieldType = "date"
	// StoredField is a field that documents have and searches ignore. Its Weight is 0.
	StoredField FieldType = "stored"
)

// fieldTypes are all types. A vector is no field: a document has one, Document.Vector.
var fieldTypes = []FieldType{TextField, KeywordField, NumberField, DateField, StoredField}

// MaxWeight is the greatest weight of a field.
const MaxWeight = 100

// maxFields is the most fields that a schema may name.
const maxFields = 1024

// otherFields is the name of all fields that are not named.
const otherFields = "*"

// A rule describes a field, as the schema says.
type rule struct {
	kind   FieldType // never empty
	weight uint32
	stream int // the number of its stream, 0 of the first

	analyzer int // the number of its analyzer, or ofDocument
}

// A schema has the rules of all fields.
type schema struct {
	title, text, others rule
	named               map[string]rule
	streams             []float64 // the B of each stream but the first
	languages           []string  // of each analyzer but the first
	auto                bool      // there is a rule whose analyzer is ofDocument
	typed               bool      // earlier programs do not know what it says
}

func newSchema(list []Field) (schema, error) {
	plain := rule{kind: TextField, weight: 1}
	s := schema{title: plain, text: plain, others: plain, named: map[string]rule{}}
	if len(list) > maxFields {
		return s, fmt.Errorf("similar: a schema of %d fields; want %d at most", len(list), maxFields)
	}
	seen := map[string]bool{}
	for _, f := range slices.SortedFunc(slices.Values(list), func(a, b Field) int { return strings.Compare(a.Name, b.Name) }) {
		if err := f.check(); err != nil {
			return s, err
		}
		if seen[f.Name] {
			return s, fmt.Errorf("similar: the field %q is in the schema twice; want each name once", f.Name)
		}
		seen[f.Name] = true
		r := f.rule()
		if f.B != nil {
			s.streams = append(s.streams, *f.B)
			r.stream, s.typed = len(s.streams), true
		}
		if f.Language != "" {
			s.typed = true
			if err := s.speak(&r, f); err != nil {
				return s, err
			}
		}
		s.typed = s.typed || r.kind != TextField && r.kind != StoredField
		switch f.Name {
		case titleField:
			s.title = r
		case textField:
			s.text = r
		case otherFields:
			s.others = r
		default:
			s.named[f.Name] = r
		}
	}
	if len(s.streams) > maxStreams {
		return s, fmt.Errorf("similar: %d fields of the schema have a B; want %d at most", len(s.streams), maxStreams)
	}
	return s, nil
}

// check says what is wrong with a field of a schema.
func (f *Field) check() error {
	switch {
	case f.Name == "":
		return fmt.Errorf("similar: a field of the schema has no name")
	case f.Weight < 0 || f.Weight > MaxWeight:
		return fmt.Errorf("similar: the field %q has the weight %d; want 0 to %d", f.Name, f.Weight, MaxWeight)
	case f.Type != "" && !slices.Contains(fieldTypes, f.Type):
		return fmt.Errorf("similar: the field %q has the type %q; want one of %s", f.Name, f.Type, typeNames())
	case f.Type == StoredField && f.Weight > 0:
		return fmt.Errorf("similar: the field %q is stored and has the weight %d; want 0, or another type", f.Name, f.Weight)
	case (f.Name == titleField || f.Name == textField) && !f.rule().ofWords():
		return fmt.Errorf("similar: %q of a document has the type %q; want text or stored", f.Name, f.Type)
	case f.B != nil && !(*f.B >= 0 && *f.B <= 1):
		return fmt.Errorf("similar: the field %q has the B %v; want 0 to 1", f.Name, *f.B)
	case f.Language != "" && f.Weight == 0:
		return fmt.Errorf("similar: the field %q has the language %q, and its words are not searched; want a weight", f.Name, f.Language)
	case f.B != nil && f.Weight == 0:
		return fmt.Errorf("similar: the field %q has the B %v, and its words are not searched; want a weight", f.Name, *f.B)
	}
	return nil
}

// typeNames are the types as errors list them.
func typeNames() string {
	var names []string
	for _, t := range fieldTypes {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

func (f *Field) rule() rule {
	r := rule{kind: f.Type, weight: uint32(f.Weight)}
	if r.kind == "" {
		r.kind = TextField
	}
	return r
}

// ofWords reports whether a clause about the field is about words of its values.
func (r rule) ofWords() bool { return r.kind == TextField || r.kind == StoredField }

// of returns the rule of a field that is neither title nor text.
func (s *schema) of(name string) rule {
	if r, ok := s.named[name]; ok {
		return r
	}
	return s.others
}

// ofAny returns the rule of a field, the title or the text.
func (s *schema) ofAny(name string) rule {
	switch name {
	case titleField:
		return s.title
	case textField:
		return s.text
	}
	return s.of(name)
}

// has reports whether the schema names a field.
func (s *schema) has(name string) bool { _, ok := s.named[name]; return ok }

// texts yields the texts of a document whose words are searched, with their rules.
func (s *schema) texts(d *Document, yield func(s string, r rule)) {
	some := func(s string, r rule) {
		if r.weight > 0 {
			yield(s, r)
		}
	}
	resolve := s.resolver(d)
	some(d.Title, resolve(s.title))
	some(d.Text, resolve(s.text))
	for name, v := range d.Fields {
		some(v, resolve(s.of(name)))
	}
}

// keywords yields the terms of a document's keywords, by the names of the fields.
func (s *schema) keywords(d *Document, yield func(term string)) {
	if !s.typed {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		if s.of(name).kind != KeywordField {
			continue
		}
		for v := range strings.SplitSeq(d.Fields[name], listed) {
			if v != "" {
				yield(keywordTerm(name, v))
			}
		}
	}
}

// placed returns how many fields and keywords of a document need separate places.
func (s *schema) placed(d *Document) int {
	n := len(d.Fields)
	s.keywords(d, func(string) { n++ })
	return n
}

// size returns how many bytes of text are searched, each as often as it counts.
func (s *schema) size(d *Document) (n int) {
	s.texts(d, func(s string, r rule) { n += len(s) * int(r.weight) })
	for name, v := range d.Fields {
		if s.typed && s.of(name).kind == KeywordField {
			n += len(v)
		}
	}
	return n
}

// A FieldError is the error of a document with a field that is not of the type which the schema says.
type FieldError struct {
	ID, Field string
	Value     string // the part of the field that is wrong
	Type      FieldType
}

func (e *FieldError) Error() string {
	want := "a number, such as 12 or -0.5"
	if e.Type == DateField {
		want = "a date, such as 1969, 1969-07, 1969-07-20 or 1969-07-20T20:17:40Z"
	}
	value := e.Value
	if len(value) > maxShownValue {
		value = strings.ToValidUTF8(value[:maxShownValue], "") + "…"
	}
	return fmt.Sprintf("document %q: the field %s is %q; the schema wants %s", e.ID, e.Field, value, want)
}

// maxShownValue is how many bytes of a value an error shows.
const maxShownValue = 100

// CheckFields returns a *FieldError for a document that Add would refuse, as a number or a date of it
// is none. An empty field has no value.
func (x *Searcher) CheckFields(d *Document) error {
	if !x.schema.typed {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		r := x.schema.of(name)
		if r.kind != NumberField && r.kind != DateField || d.Fields[name] == "" {
			continue
		}
		for v := range strings.SplitSeq(d.Fields[name], listed) {
			if !r.holds(v) {
				return &FieldError{d.ID, name, v, r.kind}
			}
		}
	}
	return nil
}

// holds reports whether a value is a number or a date, as the rule says.
func (r rule) holds(v string) (ok bool) {
	if r.kind == DateField {
		_, ok = dateOf(v)
	} else {
		_, ok = numberOf(v)
	}
	return ok
}
