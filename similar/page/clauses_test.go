package page

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/snippet"
)

var algols = []similar.Document{
	{ID: "a", Text: "algol and fortran"},
	{ID: "b", Text: "fortran fortran algol cobol"},
	{ID: "c", Text: "algol on a drum"},
}

// TestQueryLanguage asks with operators, by the API.
func TestQueryLanguage(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, algols...)
	for q, want := range map[string]string{
		"algol -fortran": "c", "fortran AND cobol": "b", "drum OR (cobol AND algol)": "b c", "+algol -(drum cobol)": "a",
	} {
		var ids []string
		for _, hit := range ask[Answer](t, h, "/api/search?q="+url.QueryEscape(q)).Hits {
			ids = append(ids, hit.ID)
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s finds %s, want %s", q, got, want)
		}
	}
	if n := len(ask[Answer](t, h, "/api/search?syntax=words&q="+url.QueryEscape("algol -fortran (")).Hits); n != 3 {
		t.Errorf("words as they are find %d documents, want 3", n)
	}
	for q, want := range map[string]int{"text:drum": http.StatusOK, "year:>1969": http.StatusOK, "text:>1969": http.StatusBadRequest, "+algol +text:>x": http.StatusBadRequest} {
		r := httptest.NewRecorder()
		h.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/api/search?q="+url.QueryEscape(q), nil))
		if r.Code != want {
			t.Errorf("%s: %d, want %d; %s", q, r.Code, want, r.Body)
		}
	}
	if w := ask[Why](t, h, "/api/why?id=c&q="+url.QueryEscape("algol -fortran")); w.Terms != 1 {
		t.Errorf("why: %+v", w)
	}
}

// TestTyping finds words by their beginnings while one types, and marks them.
func TestTyping(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, algols...)
	a := ask[Answer](t, h, "/api/search?typing=1&q=cob")
	if len(a.Hits) != 1 || a.Hits[0].ID != "b" || !slices.Contains(a.Hits[0].Snippet, snippet.Part{Text: "cobol", Marked: true}) || a.Suggestion != "" {
		t.Errorf("cob: %+v", a)
	}
	if a := ask[Answer](t, h, "/api/search?q=cob"); len(a.Hits) != 0 {
		t.Errorf("cob, complete: %+v", a)
	}
	if a := ask[Answer](t, h, "/api/search?typing=1&q=algol+-fort"); len(a.Hits) != 3 {
		t.Errorf("a word to leave out is no prefix: %+v", a)
	}
}

// TestSuggestion has a word that no document has.
func TestSuggestion(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, algols...)
	if a := ask[Answer](t, h, "/api/search?q=fortrna+algol"); a.Suggestion != "fortran algol" || len(a.Hits) != 3 {
		t.Errorf("%+v", a)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/?q=fortrna", nil))
	if !strings.Contains(w.Body.String(), `Did you mean <a href="/?q=fortran">fortran</a>?`) {
		t.Error(w.Body.String())
	}
}

// TestQueryFaults has a fault in a query: the API refuses it, and the page answers its words.
func TestQueryFaults(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, algols...)
	get := func(address string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
		return w.Code, w.Body.String()
	}
	for _, q := range []string{"drum AND", "drum (", `drum "x`, "drum) OR"} {
		code, body := get("/api/search?q=" + url.QueryEscape(q))
		if code != http.StatusBadRequest || !strings.Contains(body, "column ") {
			t.Errorf("%s: %d %s", q, code, body)
		}
		code, body = get("/?q=" + url.QueryEscape(q))
		if code != http.StatusOK || !strings.Contains(body, "have a fault at column ") || !strings.Contains(body, `class="hit"`) {
			t.Errorf("%s: the page says %d\n%s", q, code, body)
		}
	}
	if code, body := get("/api/search?q=a&syntax=sql"); code != http.StatusBadRequest || !strings.Contains(body, "words") {
		t.Errorf("syntax=sql: %d %s", code, body)
	}
	_, body := get("/?q=" + url.QueryEscape("algol -fortran"))
	if !strings.Contains(body, "Read as <code>algol -fortran</code>") || !strings.Contains(body, "syntax=words") {
		t.Errorf("the page does not say how it read a query:\n%s", body)
	}
	if _, body := get("/?q=algol"); strings.Contains(body, "Read as") {
		t.Error("words alone are read as a query")
	}
}

// TestOperatorChips has a chip for each operator of a query, whose link asks without it.
func TestOperatorChips(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, algols...)
	page := func(address string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
		return w.Body.String()
	}
	chip := func(q string) string {
		return `class="drop" href="/?q=` + strings.ReplaceAll(url.QueryEscape(q), "+", "&#43;") + `"`
	}
	for _, c := range []struct {
		q     string
		chips []string // what is said, the clause, and the query without it
	}{
		{"algol -fortran", []string{"without", "fortran", "algol"}},
		{`+algol drum "a b"~2 -x*`, []string{
			"with", "algol", `drum OR "a b"~2 -x*`,
			"also", `&#34;a b&#34;~2`, "+algol drum -x*",
			"without", "x*", `+algol drum OR "a b"~2`}},
		{"algol AND (drum OR fortran)", []string{"with", "algol", "+(drum OR fortran)", "with", "drum OR fortran", "+algol"}},
		{"text:drum", []string{"with", "text:drum", ""}},
	} {
		body := page("/?q=" + url.QueryEscape(c.q))
		for i := 0; i < len(c.chips); i += 3 {
			link := chip(c.chips[i+2])
			if c.chips[i+2] == "" {
				link = `class="drop" href="/"`
			}
			if !strings.Contains(body, c.chips[i]+" <b><bdi>"+c.chips[i+1]+"</bdi></b>") || !strings.Contains(body, link) {
				t.Errorf("%s: no chip says %q with %s:\n%s", c.q, c.chips[i:i+2], link, body)
			}
		}
		if n := strings.Count(body, `class="drop"`); n != len(c.chips)/3 {
			t.Errorf("%s has %d chips, want %d", c.q, n, len(c.chips)/3)
		}
	}
	for _, address := range []string{"/?q=algol+drum", "/?q=algol+-fortran&syntax=words"} {
		if strings.Contains(page(address), `class="drop"`) {
			t.Errorf("%s has chips", address)
		}
	}
}
