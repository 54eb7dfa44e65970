package page

import (
	"fmt"
	"testing"
)

// TestCounts asks for the values of fields: of all documents, of those that a search finds, and with
// conditions.
func TestCounts(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	for address, want := range map[string]string{
		"/api/facets?field=kind":                                "[{kind [{chain 1} {queue 1} {tree 1}]}]",
		"/api/facets?field=kind&field=none&field=kind":          "[{kind [{chain 1} {queue 1} {tree 1}]} {none []}]",
		"/api/facets?field=kind&q=linked":                       "[{kind [{chain 1}]}]",
		"/api/facets?field=kind&q=queue&where=kind=tree&k=1":    "[{kind [{queue 1}]}]",
		"/api/facets?field=kind&q=queue&where=kind!=tree":       "[{kind [{chain 1}]}]",
		"/api/facets?field=kind&like=container/list":            "[{kind [{queue 1} {tree 1}]}]",
		"/api/facets?field=kind&q=queue&where=kind%3E=1":        "[{kind []}]",
		"/api/facets?field=kind&q=queue&where=year%3E=1969-07":  "[{kind []}]",
		"/api/facets?field=kind&q=nothinghasthis&where=kind=no": "[{kind []}]",
	} {
		if c := ask[Counts](t, h, address); fmt.Sprint(c.Facets) != want || c.Documents != len(library) {
			t.Errorf("%s: %v, want %s", address, c.Facets, want)
		}
	}
	for address, want := range map[string]int{
		"/api/facets": 400, "/api/facets?field=kind&k=-1": 400, "/api/facets?field=kind&like=nobody": 404, "/api/facets?field=kind&good=sort": 400,
		"/api/facets?field=kind&where=kind": 400, "/api/facets?field=kind&where=kind%3E=big": 400, "/api/search?q=heap&where=year%3E=soon": 400,
	} {
		if code, body, _ := get(h, address); code != want {
			t.Errorf("%s: status %d, want %d: %s", address, code, want, body)
		}
	}
}
