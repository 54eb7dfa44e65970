package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// dated are documents about queues, from four years and of two kinds.
var dated = []similar.Document{
	{ID: "a", Text: "queue queue queue", Fields: similar.Fields{"year": "1969", "kind": "tree"}},
	{ID: "b", Text: "queue", Fields: similar.Fields{"year": "2003-07", "kind": "chain"}},
	{ID: "c", Text: "queue queue", Fields: similar.Fields{"year": "1984", "kind": "tree"}},
	{ID: "d", Text: "a queue of others", Fields: similar.Fields{"kind": "chain"}},
}

// TestSort sorts answers by fields: over pages, with conditions, with several fields, and liked ones.
func TestSort(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, dated...)
	for _, tt := range []struct{ parameters, want string }{
		{"q=queue&sort=year", "a c b d"},
		{"q=queue&sort=-year", "b c a d"},
		{"q=queue&sort=kind&sort=-year", "b d c a"},
		{"q=queue&sort=kind&sort=kind", "b d a c"},
		{"q=queue&sort=-year&k=2&from=1", "c a"},
		{"q=queue&sort=-year&where=kind=tree", "c a"},
		{"q=queue&sort=none", "a b c d"},
		{"q=queue&sort=&sort=year", "a c b d"},
		{"like=a&sort=-year", "b c d"},
	} {
		var ids []string
		for i, hit := range ask[Answer](t, h, "/api/search?"+tt.parameters).Hits {
			ids = append(ids, hit.ID)
			if from := strings.Count(tt.parameters, "from=1"); hit.Rank != from+i+1 {
				t.Errorf("%s: answer %d has rank %d", tt.parameters, i, hit.Rank)
			}
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.parameters, got, tt.want)
		}
	}
	var many url.Values = map[string][]string{"q": {"queue"}}
	for i := range 9 {
		many.Add("sort", fmt.Sprint(i))
	}
	for parameters, want := range map[string]string{
		"q=queue&sort=-":       `sort: similar: the order \"-\"; want NAME, or -NAME for the highest first`,
		many.Encode():          "sort is there 9 times; want it 8 times at most",
		"q=queue&sort=year%zz": "the address cannot be read",
	} {
		if code, text, _ := get(h, "/api/search?"+parameters); code != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %s; want 400 with %s", parameters, code, text, want)
		}
	}
	code, text := send(h, "POST", "/api/like?sort=-year", `{"text": "queue"}`, "Content-Type: application/json")
	if i, j := strings.Index(text, `"id":"b"`), strings.Index(text, `"id":"c"`); code != 200 || i < 0 || j < i {
		t.Errorf("like a text, by year: status %d, %s", code, text)
	}
}

// TestSortPage has the page offer the fields of its answers, and show what they are sorted by.
func TestSortPage(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, append(dated, similar.Document{ID: "e", Text: "queue", Fields: similar.Fields{hostile: "x"}})...)
	_, text, _ := get(h, "/?q=queue")
	for _, want := range []string{`href="/?q=queue&amp;sort=year"`, `href="/?q=queue&amp;sort=-kind"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, hostile) {
		t.Error("the name of a field is not escaped")
	}
	_, text, _ = get(h, "/?q=queue&from=2&sort=-year")
	for _, want := range []string{`sorted by <b><bdi>year, highest first</bdi></b>`, `<input form="search" type="hidden" name="sort" value="-year">`,
		`href="/?q=queue&amp;sort=-year&amp;sort=kind"`, `class="drop" href="/?q=queue"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the sorted page lacks %s", want)
		}
	}
	if strings.Contains(text, "sort=-year&amp;sort=year") {
		t.Error("the sorted page offers to sort by year again")
	}
}
