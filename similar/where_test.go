package similar_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// fieldValues are values of the fields of random documents.
var fieldValues = []string{
	"a", "b", "a; b", "b; a; b", "", "; ", "a; ", "1", "2", "2.0", "-3", "1e3", "1; 7", "NaN", "Inf", "0x10", "1e400", "007",
	"1969", "1969-07", "1969-07-20", "1969-07-20T20:17:40Z", "1969-07-20T20:17:40+02:00", "1969-02-30", "20-07-1969", "\x00", "é", "; a", "name=value",
}

func pickOf[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// condition is a random condition.
func condition(r *rand.Rand, depth int) similar.Condition {
	field := pickOf(r, []string{"x", "y", "never", "x; y"})
	bound := func() float64 { return pickOf(r, []float64{math.Inf(-1), -3, 0, 1, 2, 7, 1000, math.Inf(1)}) }
	date := func() time.Time {
		return pickOf(r, []time.Time{{}, time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)})
	}
	list := func() (list []similar.Condition) {
		for range r.IntN(4) {
			list = append(list, condition(r, depth+1))
		}
		return list
	}
	n := r.IntN(9)
	if depth > 3 {
		n = r.IntN(5)
	}
	switch n {
	case 0:
		return similar.Is(field, pickOf(r, fieldValues))
	case 1:
		return similar.Has(field)
	case 2:
		return similar.Between(field, bound(), bound())
	case 3:
		return similar.Dated(field, date(), date())
	case 4:
		return similar.WithID("3", fmt.Sprint(r.IntN(300)), "nobody")
	case 5:
		return similar.All(list()...)
	case 6:
		return similar.Any(list()...)
	}
	return similar.Not(condition(r, depth+1))
}

// TestWhere holds searches with conditions to searches with the conditions' definition as the filter,
// bit for bit, while documents come and go.
func TestWhere(t *testing.T) {
	t.Parallel()
	compared, empty := 0, 0
	for seed := range uint64(60) {
		c := newCampaign(t, seed)
		for range 3 {
			c.change()
			var docs []similar.Document
			for range c.r.IntN(150) {
				d := c.document()
				d.Fields = map[string]string{}
				for _, name := range []string{"x", "y", "z"} {
					if c.r.IntN(3) > 0 {
						d.Fields[name] = pickOf(c.r, fieldValues)
					}
				}
				docs = append(docs, d)
			}
			c.ref.add(docs...)
			if err := c.x.Add(t.Context(), docs...); err != nil {
				t.Fatal(err)
			}
			for range 8 {
				q := c.query()
				q.Filter = nil
				plain := q
				q.Where = condition(c.r, 0)
				plain.Filter = q.Where.Match
				got, err := c.x.Search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				want := c.ref.search(plain)
				if compared += len(want); len(want) == 0 {
					empty++
				}
				heldCounts(t, c, q, plain)
				if len(got) != len(want) {
					t.Fatalf("%v: %d hits, want %d", q.Where, len(got), len(want))
				}
				for i := range want {
					if got[i].Document.ID != want[i].Document.ID || got[i].Score != want[i].Score {
						t.Fatalf("%v: hit %d is %q with %v, want %q with %v", q.Where, i, got[i].Document.ID, got[i].Score, want[i].Document.ID, want[i].Score)
					}
				}
			}
		}
		c.x.Close()
	}
	if compared < 2000 || empty > 1300 {
		t.Errorf("%d hits were compared, and %d of 1,440 answers were empty", compared, empty)
	}
}

// heldCounts holds the counts of values to those of all documents that the plain loop finds.
func heldCounts(t *testing.T, c *campaign, q, plain similar.Query) {
	t.Helper()
	got, err := c.x.Counts(t.Context(), q, -1, "x", "never", "y")
	if err != nil {
		t.Fatal(err)
	}
	plain.K = -1
	var found []similar.Document
	for _, h := range c.ref.search(plain) {
		found = append(found, h.Document)
	}
	if q.Text == "" && q.Document == nil && len(q.Like) == 0 && q.Threshold == 0 {
		for _, d := range c.ref.documents {
			if q.Where.Match(&d.Document) {
				found = append(found, d.Document)
			}
		}
	}
	for i, field := range []string{"x", "never", "y"} {
		counts := map[string]int{}
		for _, d := range found {
			have, ok := d.Fields[field]
			seen := map[string]bool{}
			for _, v := range strings.Split(have, "; ") {
				if ok && !seen[v] {
					counts[v]++
				}
				seen[v] = true
			}
		}
		if len(got[i]) != len(counts) {
			t.Fatalf("%+v: %d values of %s are counted, want %d", q, len(got[i]), field, len(counts))
		}
		for j, v := range got[i] {
			if v.Documents != counts[v.Value] || j > 0 && (got[i][j-1].Documents < v.Documents || got[i][j-1].Documents == v.Documents && got[i][j-1].Value >= v.Value) {
				t.Fatalf("%+v: %s is %q in %d documents after %+v, want %d", q, field, v.Value, v.Documents, got[i][max(0, j-1)], counts[v.Value])
			}
		}
	}
}

// TestParseConditions reads conditions, and holds them to what documents they are met by.
func TestParseConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // of the years below, by their last digit
		"year=1969": "9", "year!=1969": "018", "year>=1969": "9018", "year>1969": "018", "year<1970": "9", "year<=1970": "90",
		"day>=1970": "018", "day>1970-06": "18", "day<=1970-06": "90", "day<1970-06-30": "9", "day<=1970-06-30": "90", "day>1970-06-30T11:00:00Z": "18",
		"day<1970-06-30T12:00:00+02:00": "90", "kind=a": "90", "kind=b": "9", "kind=a; b": "9", "kind!=b": "018", "none!=x": "9018", "none=": "", "year>=1e4": "", "a=b=c": "0",
	} {
		c, err := similar.ParseConditions(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := ""
		for _, d := range []similar.Document{
			{ID: "9", Fields: map[string]string{"year": "1969", "day": "1969-07-20", "kind": "a; b"}},
			{ID: "0", Fields: map[string]string{"year": "1970", "day": "1970-06-30T09:59:59Z", "kind": "a", "a": "b=c"}},
			{ID: "1", Fields: map[string]string{"year": "1971", "day": "1971", "kind": "c"}},
			{ID: "8", Fields: map[string]string{"year": "2008", "day": "2008-01"}},
		} {
			if c.Match(&d) {
				got += d.ID
			}
		}
		if got != want {
			t.Errorf("%s is met by %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "name", "=value", "!=value", ">1", ">=1", "year>", "year>=", "year<soon", "year>NaN", "year>inf", "day>=1969-13", "day<1969-02-30"} {
		if c, err := similar.ParseConditions(text); err == nil {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

// TestWhereRefused gives a search conditions that it does not take.
func TestWhereRefused(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), similar.Document{ID: "a", Text: "heap", Fields: map[string]string{"x": "1"}}); err != nil {
		t.Fatal(err)
	}
	deep := similar.Is("x", "1")
	for range 100 {
		deep = similar.Not(deep)
	}
	wide := make([]similar.Condition, 5000)
	for i := range wide {
		wide[i] = similar.Has(strings.Repeat("x", i))
	}
	for name, c := range map[string]similar.Condition{
		"nested too deep": deep, "too many": similar.Any(wide...), "nil within": similar.All(nil), "nil negated": similar.Not(nil), "no number": similar.Between("x", math.NaN(), 1),
	} {
		if _, err := x.Search(t.Context(), similar.Query{Text: "heap", Where: c}); err == nil {
			t.Errorf("a condition is taken that is %s", name)
		}
	}
	if hits, err := x.Search(t.Context(), similar.Query{Text: "heap", Where: similar.Between("x", 1, 1)}); err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}
