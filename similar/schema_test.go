package similar_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// TestWeightsOfFields computes the scores of a few documents by the paper's formula. The random
// collections have weights of fields, too, and are held to the plain loop bit for bit.
func TestWeightsOfFields(t *testing.T) {
	t.Parallel()
	docs := []similar.Document{
		{ID: "a", Title: "heap", Text: "queue tree", Fields: map[string]string{"url": "heap heap", "note": "tree"}},
		{ID: "b", Title: "tree", Text: "heap heap queue queue"},
		{ID: "c", Text: "list"},
	}
	x, err := similar.New(similar.Options{
		Weight: weight.BM25(2, 0.5),
		Fields: []similar.Field{{Name: "title", Weight: 3}, {Name: "url", Weight: 0}, {Name: "*", Weight: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	// heap counts 3 in a and 2 in b. The lengths of a, b and c are 3+2+2, 3+4 and 1.
	mean, idf := 15.0/3, math.Log(1+(3-2+0.5)/(2+0.5))
	for id, c := range map[string]struct{ tf, length float64 }{"a": {3, 7}, "b": {2, 7}} {
		want := idf * c.tf * 3 / (c.tf + 2*(0.5+0.5*c.length/mean))
		hits, err := x.Search(t.Context(), similar.Query{Text: "heap", Where: similar.WithID(id)})
		if err != nil || len(hits) != 1 || math.Abs(hits[0].Score-want) > 1e-14 {
			t.Errorf("%s scores %v, want %v; %v", id, hits, want, err)
		}
	}
	for s, want := range map[string]string{"url:heap": "", "note:tree": "a", "title:tree": "b", `"heap heap"`: "b"} {
		c, err := query.Parse(s, query.Options{Field: x.HasField})
		if err != nil {
			t.Fatal(err)
		}
		matches, err := x.Matches(t.Context(), similar.Query{Clause: c})
		ids := ""
		for _, m := range matches {
			ids += m.ID
		}
		if ids != want || err != nil {
			t.Errorf("%s finds %q, want %q; %v", s, ids, want, err)
		}
	}
	again := saveAndReopen(t, x)
	if !reflect.DeepEqual(again.Options().Fields, x.Options().Fields) {
		t.Errorf("the weights are %v after a save", again.Options().Fields)
	}
}

func saveAndReopen(t *testing.T, x *similar.Index) *similar.Index {
	t.Helper()
	dir := t.TempDir()
	if err := x.Save(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	again, err := similar.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// TestReadFields reads schemas, and says what is wrong with others: the field, the member, the
// value and what is allowed.
func TestReadFields(t *testing.T) {
	t.Parallel()
	list, err := similar.ReadFields(strings.NewReader(`{"title": 3, "url": 0, "*": 2, "tag": {"type": "keyword"}, "year": {"type": "number", "search": true},
		"sent": {"type": "date", "weight": 2}, "raw": {"type": "stored"}, "note": {"type": "text", "weight": 4}, "none": {"search": false}, "all": {}}`))
	want := []similar.Field{
		{Name: "*", Weight: 2}, {Name: "all", Weight: 1}, {Name: "none"}, {Name: "note", Weight: 4}, {Name: "raw", Type: similar.StoredField},
		{Name: "sent", Weight: 2, Type: similar.DateField}, {Name: "tag", Type: similar.KeywordField}, {Name: "title", Weight: 3}, {Name: "url"},
		{Name: "year", Weight: 1, Type: similar.NumberField},
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("read %v, %v", list, err)
	}
	for bad, says := range map[string]string{
		"": "no JSON object", "[]": "no JSON object", "3": "no JSON object", `{"title": 1`: "EOF", `{"a": 1} {}`: "more after",
		`{"title": "3"}`: `"title": "3" is no weight; want a whole number of 0 to 100`, `{"title": -1}`: "-1 is no weight", `{"title": 101}`: "101", `{"title": 1.5}`: "1.5",
		`{"": 1}`: "no name", `{"a": 1, "a": 2}`: `"a" comes twice`, `{"a": {"type": "text", "type": "date"}}`: `"a": the member "type" comes twice`,
		`{"a": {"type": "int"}}`: `"a": "type": "int" is no type; want one of text, keyword, number, date, stored`, `{"a": {"type": 1}}`: "1 is no type", `{"a": {"type": "vector"}}`: "Options.Vectors",
		`{"a": {"weight": "2"}}`: `"a": "weight": "2"`, `{"a": {"search": 1}}`: "true or false", `{"a": {"wait": 1}}`: `"wait": there is no such member; want type, weight`,
		`{"a": {"type": "stored", "weight": 1}}`: "stored is not searched", `{"a": {"type": "stored", "search": true}}`: "stored", `{"a": {"search": false, "weight": 1}}`: `"search" is false`,
		`{"a": {"search": true, "weight": 0}}`: `"weight" is 0`, `{"title": {"type": "keyword"}}`: "want text or stored", `{"text": {"type": "date"}}`: "want text or stored",
		strings.Repeat(" ", 1<<20+1): "more than", "{" + membersOf(1025) + "}": "1024 at most",
	} {
		if list, err := similar.ReadFields(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q gives %v, %v; want an error with %q", bad, list, err, says)
		}
	}
	if _, err := similar.New(similar.Options{Fields: []similar.Field{{Name: "a", Weight: 1}, {Name: "a", Weight: 2}}}); err == nil {
		t.Error("a name that comes twice")
	}
	typed := []similar.Field{{Name: "tag", Type: similar.KeywordField}}
	if _, err := similar.New(similar.Options{Fields: typed, Vocabulary: similar.Vocabulary{Bits: 10}}); err == nil {
		t.Error("keywords in an index of hashed terms")
	}
}

// membersOf are members of so many fields.
func membersOf(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"f%d": 1`, i))
	}
	return strings.Join(list, ", ")
}

// library is documents with fields of all types.
var library = []similar.Document{
	{ID: "a", Title: "heap", Text: "a queue", Fields: map[string]string{"tag": "New York; tree", "pages": "9", "sent": "1969-07-20", "raw": "secret"}},
	{ID: "b", Text: "heap heap", Fields: map[string]string{"tag": "York", "pages": "10", "sent": "1969-12"}},
	{ID: "c", Text: "list", Fields: map[string]string{"tag": "new york", "pages": "1e2; 7", "sent": "1970; 1969-01-01T00:00:00+02:00"}},
	{ID: "d", Text: "list of trees", Fields: map[string]string{"tag": "", "pages": "", "note": strings.Repeat("x", 300)}},
}

var libraryFields = []similar.Field{
	{Name: "tag", Type: similar.KeywordField}, {Name: "pages", Type: similar.NumberField}, {Name: "sent", Type: similar.DateField},
	{Name: "raw", Type: similar.StoredField}, {Name: "note", Weight: 1, Type: similar.KeywordField},
}

func found(t *testing.T, x *similar.Index, text string) string {
	t.Helper()
	c, err := query.Parse(text, query.Options{Field: x.HasField})
	if err != nil {
		t.Fatal(err)
	}
	matches, err := x.Matches(t.Context(), similar.Query{Clause: c})
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, m := range matches {
		list = append(list, m.ID)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestTypes has queries about fields of all types, before and after a save, with positions and
// without.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, positions := range []bool{false, true} {
		x, err := similar.New(similar.Options{Fields: libraryFields, Positions: positions})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.Add(t.Context(), library...); err != nil {
			t.Fatal(err)
		}
		for _, x := range []*similar.Index{x, saveAndReopen(t, x)} {
			for text, want := range map[string]string{
				`tag:York`: "b", `tag:"New York"`: "a", `tag:tree`: "a", `tag:"New York; tree"`: "", `tag:york`: "", `tag:Yo*`: "b", `tag:*`: "", `tag:N*`: "a",
				`york`: "", `new*`: "", `yrk~1`: "", `tag:York OR list`: "b c d", `heap -tag:York`: "a", `+list +tag:"new york"`: "c", `tag:(York OR tree)`: "a b",
				`note:` + strings.Repeat("x", 300): "d", strings.Repeat("x", 300): "d",
				`pages:9`: "a", `pages:9.0`: "a", `pages:100`: "c", `pages:7`: "c", `pages:9..10`: "a b", `heap -pages:10`: "a", `pages:(9 OR 10)`: "a b", `10`: "", `-pages:10 list`: "c d",
				`sent:1969`: "a b", `sent:1969-07`: "a", `sent:1968`: "c", `sent:"1968-12-31T22:00:00Z"`: "c", `sent:>=1969-08`: "b c", `secret`: "", `raw:secret`: "",
				`pages:many`: "similar: the query cannot be answered: pages:\"many\": the field is of numbers; want one such as 12 or -0.5",
				`sent:soon`:  "similar: the query cannot be answered: sent:\"soon\": the field is of dates; want one such as 1969, 1969-07 or 1969-07-20",
				`pages:1*`:   "similar: the query cannot be answered: 1* in the field pages, whose type is number; want a value or a range",
				`tag:Yrk~1`:  "similar: the query cannot be answered: Yrk~1 in the field tag, whose type is keyword; want a value or a range",
			} {
				if got := found(t, x, text); got != want {
					t.Errorf("%.40s finds %q, want %q", text, got, want)
				}
			}
			sorted, err := x.Matches(t.Context(), similar.Query{Sort: []similar.Order{{Field: "pages"}}})
			if err != nil || len(sorted) != 4 || sorted[0].ID != "c" || sorted[1].ID != "a" || sorted[2].ID != "b" || sorted[3].ID != "d" {
				t.Errorf("by number: %v, %v", sorted, err)
			}
			shares, err := x.Explain(t.Context(), similar.Query{Clause: query.Field{Name: "tag", Clause: query.Phrase{Text: "New York"}}}, "a")
			if err != nil || len(shares) != 1 || shares[0].Term != `tag:"New York"` {
				t.Errorf("shares %v, %v", shares, err)
			}
		}
	}
}

// TestTypesRefused has documents that are not of their schema. None of a call is added.
func TestTypesRefused(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Fields: libraryFields})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, f := range []struct{ name, value, wrong string }{
		{"pages", "many", "many"}, {"pages", "1; ", ""}, {"pages", "1; x; 2", "x"}, {"pages", "NaN", "NaN"}, {"pages", "1e999", "1e999"}, {"sent", "20.7.1969", "20.7.1969"}, {"sent", "1969-02-30", "1969-02-30"},
	} {
		err := x.Add(t.Context(), library[0], similar.Document{ID: "z", Fields: map[string]string{f.name: f.value}})
		if e, ok := errors.AsType[*similar.FieldError](err); !ok || e.ID != "z" || e.Field != f.name || e.Value != f.wrong || x.Len() != 0 {
			t.Errorf("%s %q: %v, %d documents", f.name, f.value, err, x.Len())
		}
	}
}

// TestTypesAndEarlierPrograms sees that an index with types says that its rules are of a later
// version, which earlier programs refuse, and that one without says nothing of it.
func TestTypesAndEarlierPrograms(t *testing.T) {
	t.Parallel()
	for _, typed := range []bool{false, true} {
		o := similar.Options{Fields: []similar.Field{{Name: "tag", Weight: 2}}}
		if typed {
			o.Fields = libraryFields
		}
		x, err := similar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := errors.Join(x.Save(t.Context(), dir), x.Close()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "manifest"))
		if err != nil || strings.Contains(string(b), `"version":1`) != typed || strings.Contains(string(b), "Type") != typed {
			t.Errorf("types %v: the manifest is %q; %v", typed, b, err)
		}
	}
	if _, err := text.NewAnalyzer(text.Config{Version: 1}); err == nil {
		t.Error("rules of version 1 are not refused")
	}
}
