package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/page"
)

// TestPapers finds what a person would: lists and sorting are near heaps, and the page shows it.
func TestPapers(t *testing.T) {
	t.Parallel()
	x, err := library(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if x.Len() < 100 {
		t.Errorf("the library has %d packages", x.Len())
	}
	var out strings.Builder
	if err := suggest(t.Context(), &out, x, "container/heap", 5); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  sort  ", "  container/list  ", fmt.Sprintf("of %d packages", x.Len())} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "  container/heap ") {
		t.Errorf("a package is like itself:\n%s", &out)
	}
	if err := suggest(t.Context(), &out, x, "no/such", 5); err == nil {
		t.Error("a package that is not there is like others")
	}
	h, err := page.New(x.Searcher, page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/map?id=container/heap", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "container/list") {
		t.Errorf("the map: status %d\n%s", w.Code, w.Body)
	}
}
