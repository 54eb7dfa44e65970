package page

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// TestTypes has fields of dates and numbers, as a schema says: facets are years, and a year narrows
// down.
func TestTypes(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Fields: []similar.Field{{Name: "sent", Type: similar.DateField}, {Name: "kind", Type: similar.KeywordField}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	err = x.Add(t.Context(),
		similar.Document{ID: "a", Text: "queue", Fields: similar.Fields{"sent": "1969-07-20; 1969-08", "kind": "binary tree"}},
		similar.Document{ID: "b", Text: "queue", Fields: similar.Fields{"sent": "1969-12-01", "kind": "binary tree"}},
		similar.Document{ID: "c", Text: "queue", Fields: similar.Fields{"sent": "1970", "kind": "tree"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(x.Searcher, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"/api/facets?field=sent": "[{sent [{1969 2} {1970 1}]}]", "/api/facets?field=kind&where=sent=1969": "[{kind [{binary tree 2}]}]",
		"/api/facets?field=sent&q=kind:%22binary+tree%22": "[{sent [{1969 2}]}]",
	} {
		if c := ask[Counts](t, h, address); fmt.Sprint(c.Facets) != want {
			t.Errorf("%s: %v, want %s", address, c.Facets, want)
		}
	}
	for address, want := range map[string]string{
		"/?q=queue": "sent%3D1969", "/?q=kind:%22binary+tree%22": `/document?id=b`, "/?q=sent:1970": "/document?id=c", "/": "sent%3D1969",
	} {
		if code, body, _ := get(h, address); code != http.StatusOK || !strings.Contains(body, want) || strings.Contains(body, "1969-07%") || strings.Contains(body, "too frequent") {
			t.Errorf("%s: status %d, without %s: %s", address, code, want, body)
		}
	}
	for _, address := range []string{"/api/search?q=queue&where=sent=soon", "/api/search?q=sent:soon"} {
		if code, body, _ := get(h, address); code != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", address, code, body)
		}
	}
	if got := status(&similar.FieldError{}); got != http.StatusBadRequest {
		t.Errorf("a document that is not of the schema is answered with the status %d", got)
	}
}
