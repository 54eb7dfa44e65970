package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// TestCollapse leaves near-duplicates out of the answers of the API and of the page, page by page.
func TestCollapse(t *testing.T) {
	t.Parallel()
	var docs []similar.Document
	for i := range 40 {
		docs = append(docs, similar.Document{ID: fmt.Sprintf("%02d", i), Text: fmt.Sprint("a zebra of the kind number", i/2)})
	}
	h := serve(t, Options{}, docs...)
	for address, want := range map[string]string{
		"/api/search?q=zebra&k=3":                       `"00","01","02"`,
		"/api/search?q=zebra&k=3&collapse=0.9":          `"00","02","04"`,
		"/api/search?q=zebra&k=3&collapse=0.9&from=3":   `"06","08","10"`,
		"/api/search?q=zebra&k=30&collapse=0.9&from=18": `"36","38"`,
		"/api/search?q=zebra&k=30&collapse=0.2":         `"00"`,
	} {
		a := ask[Answer](t, h, address)
		var ids []string
		for _, hit := range a.Hits {
			ids = append(ids, `"`+hit.ID+`"`)
		}
		if got := strings.Join(ids, ","); got != want || a.More != (len(ids) == 3) {
			t.Errorf("%s: got %s and more is %v, want %s", address, got, a.More, want)
		}
	}
	_, body, _ := get(h, "/?q=zebra&collapse=0.9")
	for _, want := range []string{"no near-duplicates <b>0.9</b>", `name="collapse" value="0.9"`, "Without the omission of near-duplicates", "collapse=0.9&amp;from=10"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for address, want := range map[string]string{
		"/api/search?q=zebra&collapse=1.5":            "want a number of 0..1",
		"/api/search?q=zebra&collapse=NaN":            "want a number of 0..1",
		"/api/search?q=zebra&collapse=0.5&from=990":   "want less than 1000 with collapse",
		"/api/search?q=zebra&collapse=0.5&k=1000":     "want less than 1000 with collapse",
		"/api/search?q=zebra&threshold=-1":            "not negative",
		"/api/search?q=zebra&collapse=0.5&collapse=1": "2 times",
	} {
		if code, body, _ := get(h, address); code != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: status %d: %s", address, code, body)
		}
	}
}
