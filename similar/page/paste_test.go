package page

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// paste sends a body and returns the status and the answer.
func paste(h http.Handler, address, kind, body string) (int, string) {
	r := httptest.NewRequest("POST", address, strings.NewReader(body))
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestPaste asks what is like a text that the request brings, of the API and of the page.
func TestPaste(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	for _, c := range []struct{ kind, body, address string }{
		{"text/plain", "a linked list at both ends", "/api/like"},
		{"text/plain; charset=utf-8", "a linked list at both ends", "/api/like?k=1&terms=all"},
		{"application/json", `{"title": "linked", "text": "list"}`, "/api/like?terms=2"},
		{"application/json", `{"text": "heap"}`, "/api/like?like=container/ring&where=kind=chain"},
	} {
		code, body := paste(h, c.address, c.kind, c.body)
		var a Answer
		if err := json.Unmarshal([]byte(body), &a); err != nil || code != 200 || len(a.Hits) == 0 || a.Hits[0].ID != "container/list" {
			t.Errorf("%s %s: status %d, %v: %s", c.address, c.body, code, err, body)
		}
	}
	code, body := paste(h, "/like", "application/x-www-form-urlencoded", url.Values{"text": {"a linked list </textarea><img>"}}.Encode())
	if code != 200 || !strings.Contains(body, `href="/document?id=container%2Flist"`) || strings.Contains(body, "<img") || !strings.Contains(body, "a <mark>queue</mark>") && !strings.Contains(body, "<mark>linked</mark>") {
		t.Errorf("the page: status %d: %s", code, body)
	}
	if code, body, _ := get(h, "/like"); code != 200 || !strings.Contains(body, "<textarea") {
		t.Errorf("the form: status %d: %s", code, body)
	}
}

// TestPasteRefused sends what is no text, or too much of it.
func TestPasteRefused(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	long := strings.Repeat("heap ", maxPaste/5+1)
	for _, c := range []struct {
		address, kind, body string
		want                int
	}{
		{"/api/like", "", "heap", 415},
		{"/api/like", "text/html", "heap", 415},
		{"/api/like", "application/x-www-form-urlencoded", "text=heap", 415},
		{"/api/like", "text/plain", "", 400},
		{"/api/like", "text/plain", " \n", 400},
		{"/api/like", "text/plain", long, 413},
		{"/api/like", "application/json", `{"text": "` + long + `"}`, 413},
		{"/api/like", "application/json", `{"text": "heap"} {"text": "heap"}`, 400},
		{"/api/like", "application/json", `{"text": "heap", "id": "x"}`, 400},
		{"/api/like", "application/json", `{"text": 7}`, 400},
		{"/api/like", "application/json", `{`, 400},
		{"/api/like?terms=0", "text/plain", "heap", 400},
		{"/api/like?terms=-1", "text/plain", "heap", 400},
		{"/api/like?terms=10001", "text/plain", "heap", 400},
		{"/api/like?terms=none", "text/plain", "heap", 400},
		{"/api/like?terms=1&terms=2", "text/plain", "heap", 400},
		{"/api/like?q=heap", "text/plain", "heap", 400},
		{"/api/like?like=nobody", "text/plain", "heap", 404},
		{"/like", "application/x-www-form-urlencoded", "text=", 400},
		{"/like", "application/x-www-form-urlencoded", "text=" + long, 413},
		{"/like", "application/x-www-form-urlencoded", "text=%zz", 400},
		{"/like", "application/x-www-form-urlencoded", "text=" + strings.Repeat("%41", maxPaste+2), 413},
		{"/like", "text/plain", "heap", 400},
	} {
		if code, body := paste(h, c.address, c.kind, c.body); code != c.want {
			t.Errorf("%s, %s, %.40q: status %d, want %d: %.300s", c.address, c.kind, c.body, code, c.want, body)
		}
	}
	// Bytes that are no UTF-8 part words, and no more.
	if code, body := paste(h, "/api/like", "text/plain", "heap\xff\xfe queue\x00"); code != 200 || !json.Valid([]byte(body)) {
		t.Errorf("a text that is no UTF-8: status %d: %s", code, body)
	}
	if code, body := paste(h, "/like", "application/x-www-form-urlencoded", "text=heap%ff%00"); code != 200 {
		t.Errorf("a form's text that is no UTF-8: status %d: %.300s", code, body)
	}
}
