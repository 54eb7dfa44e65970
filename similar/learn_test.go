package similar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// TestLearn learns the types of fields from documents, writes them, and reads them again.
func TestLearn(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Fields: []similar.Field{{Name: "fixed", Weight: 3}, {Name: "raw", Type: similar.StoredField}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i := range 10 {
		fields := map[string]string{
			"year": fmt.Sprint(1960 + i), "sent": fmt.Sprintf("1969-%02d", 1+i), "pages": fmt.Sprint(i), "kind": []string{"tree", "list"}[i%2], "title2": fmt.Sprint("title ", i),
			"listed": []string{"tree; list", "list"}[i%2], "numbers": "1; 2", "almost": "12", "empty": "", "long": strings.Repeat("x", 65), "fixed": "1", "raw": "1",
		}
		if i == 7 {
			fields["almost"] = "twelve"
		}
		if err := x.Add(t.Context(), similar.Document{ID: fmt.Sprint(i), Fields: fields}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Add(t.Context(), similar.Document{ID: "gone", Fields: map[string]string{"year": "late"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	list, err := x.Learn(t.Context())
	want := []similar.Field{
		{Name: "almost", Type: similar.KeywordField}, {Name: "fixed", Weight: 3}, {Name: "kind", Type: similar.KeywordField}, {Name: "listed", Type: similar.KeywordField},
		{Name: "numbers", Type: similar.NumberField}, {Name: "pages", Type: similar.NumberField}, {Name: "raw", Type: similar.StoredField},
		{Name: "sent", Type: similar.DateField}, {Name: "year", Type: similar.NumberField},
	}
	if err != nil || !slices.Equal(list, want) {
		t.Fatalf("learnt %v, want %v; %v", list, want, err)
	}
	var b strings.Builder
	if err := similar.WriteFields(&b, list); err != nil {
		t.Fatal(err)
	}
	again, err := similar.ReadFields(strings.NewReader(b.String()))
	if err != nil || !slices.Equal(again, list) {
		t.Errorf("read %v of %s, %v", again, b.String(), err)
	}
	many := similar.Document{ID: "many", Fields: map[string]string{}}
	for i := range 1025 {
		many.Fields[fmt.Sprint("f", i)] = "1"
	}
	if err := x.Add(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	if list, err := x.Learn(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 1024 fields") {
		t.Errorf("of 1,025 fields %d are learnt; %v", len(list), err)
	}
}

// TestTypesInConditions compares numbers and dates as such, counts dates by years, and holds both to
// conditions of a schema without types.
func TestTypesInConditions(t *testing.T) {
	t.Parallel()
	typed, err := similar.New(similar.Options{Fields: libraryFields})
	if err != nil {
		t.Fatal(err)
	}
	defer typed.Close()
	plain := indexOf(t, similar.Options{})
	for _, x := range []*similar.Index{typed, plain} {
		if err := x.Add(t.Context(), library...); err != nil {
			t.Fatal(err)
		}
	}
	for where, want := range map[string]string{
		"pages=9.0": "a | ", "pages=100": "c | ", "pages!=10": "acd | acd", "pages=": "d | d", "sent=1969": "ab | ", "sent=1969-07": "a | ", "sent!=1969": "cd | abcd", "sent=1968": "c | ", "sent>=1969-12": "bc | bc",
		"tag=York": "b | b", "tag=New York": "a | a", "pages=many": "error | ", "sent!=soon": "error | abcd", "sent": "error | error", "=1": "error | error",
	} {
		got := ""
		for i, x := range []*similar.Index{typed, plain} {
			got += []string{"", " | "}[i]
			of, err := x.Conditions(where)
			if err != nil {
				got += "error"
				continue
			}
			matches, err := x.Matches(t.Context(), similar.Query{Where: of, Sort: []similar.Order{{Field: "none"}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range matches {
				got += m.ID
			}
		}
		if got != want {
			t.Errorf("%s finds %s, want %s", where, got, want)
		}
	}
	counts, err := typed.Counts(t.Context(), similar.Query{}, -1, "sent", "pages", "tag")
	if want := "[[{1969 2} {1968 1} {1970 1}] [{ 1} {10 1} {1e2 1} {7 1} {9 1}] [{ 1} {New York 1} {York 1} {new york 1} {tree 1}]]"; err != nil || fmt.Sprint(counts) != want {
		t.Errorf("counts %v, want %s; %v", counts, want, err)
	}
	counts, err = plain.Counts(t.Context(), similar.Query{}, 1, "sent")
	if want := "[[{1969-01-01T00:00:00+02:00 1}]]"; err != nil || fmt.Sprint(counts) != want {
		t.Errorf("counts %v without types, want %s; %v", counts, want, err)
	}
}
