package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// save saves documents to a folder, in the place of what it holds.
func save(t *testing.T, dir string, docs ...similar.Document) {
	t.Helper()
	x, err := similar.Open(t.Context(), dir)
	if err != nil {
		x, err = similar.New(similar.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Add(t.Context(), docs...), x.Save(t.Context(), dir), x.Close()); err != nil {
		t.Fatal(err)
	}
}

// site opens a site of folders, by their names.
func site(t *testing.T, o Options, dirs ...string) *Site {
	t.Helper()
	var sources []Source
	for _, dir := range dirs {
		sources = append(sources, Source{filepath.Base(dir), dir})
	}
	s, err := NewSite(t.Context(), o, sources...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestReload serves what others save, while clients ask: each answer is of one generation, and none
// fails. A folder that is damaged leaves the index as it was, and health says so.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "books")
	save(t, dir, library...)
	s := site(t, Options{}, dir)
	var wait, watch sync.WaitGroup
	var stop atomic.Bool
	for range 3 {
		wait.Go(func() {
			for !stop.Load() {
				for _, address := range []string{"/?q=queue", "/map?id=sort", "/document?id=sort&q=heap", "/api/search?like=sort", "/healthz"} {
					if code, body, _ := get(s, address); code != 200 {
						t.Errorf("%s: status %d: %s", address, code, body)
						stop.Store(true)
					}
				}
			}
		})
	}
	watch.Go(func() { s.Watch(t.Context(), time.Millisecond) })
	for i := range 20 {
		save(t, dir, similar.Document{ID: fmt.Sprint("new", i), Text: "another heap"})
		soon(t, func() bool { return s.Len() == len(library)+i+1 })
	}
	stop.Store(true)
	wait.Wait()
	manifest := filepath.Join(dir, "manifest")
	good, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, manifest, good[:len(good)-1])
	soon(t, func() bool { return s.Health().Status == "stale" })
	if code, body, _ := get(s, "/api/document?id=new19"); code != 200 || !strings.Contains(body, "another heap") {
		t.Errorf("with a damaged folder: status %d: %s", code, body)
	}
	if code, body, _ := get(s, "/healthz"); code != 200 || !strings.Contains(body, `"status":"stale"`) || !json.Valid([]byte(body)) {
		t.Errorf("health: status %d: %s", code, body)
	}
	replace(t, manifest, good)
	soon(t, func() bool { return s.Health().Status == "ok" })
}

// replace puts a file in the place of another at once, as a save does.
func replace(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(name+".new", text, 0o644), os.Rename(name+".new", name)); err != nil {
		t.Fatal(err)
	}
}

// soon waits until something comes true.
func soon(t *testing.T, true func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came true")
		}
	}
}

// TestSeveral serves two indexes, each below its name, and a page that lists them. Every link leads
// somewhere.
func TestSeveral(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	books, notes := filepath.Join(dir, "books"), filepath.Join(dir, "nötes.2")
	save(t, books, library...)
	save(t, notes, similar.Document{ID: "a", Title: "only here", Text: "zebra"}, similar.Document{ID: "b", Text: "zebra crossing"})
	s := site(t, Options{}, books, notes)
	seen := map[string]bool{}
	var walk func(address string)
	walk = func(address string) {
		if seen[address] || strings.Contains(address, "trail=") { // there are ways without end over a map
			return
		}
		seen[address] = true
		code, body, header := get(s, address)
		if code != 200 {
			t.Errorf("%s: status %d: %.300s", address, code, body)
		}
		if strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			for _, link := range links(t, address, body) {
				walk(link)
			}
		}
	}
	walk("/")
	for _, address := range []string{"/", "/books/", "/n%C3%B6tes.2/", "/books/document?id=sort", "/n%C3%B6tes.2/api", "/books/api/openapi.json"} {
		if !seen[address] {
			t.Errorf("no link leads to %s; links lead to %d others", address, len(seen))
		}
	}
	for address, want := range map[string]string{
		"/": "books", "/books/?q=queue": `data-base="/books"`, "/n%C3%B6tes.2/?q=zebra": "only here", "/books/?q=zebra": "No document has these words",
		"/books/api/search?q=heap": `"documents":5`, "/healthz": `"name":"nötes.2","documents":2`,
	} {
		if code, body, _ := get(s, address); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, want %q in %s", address, code, want, body)
		}
	}
	for address, want := range map[string]int{"/none": 404, "/none/": 404, "/document?id=sort": 404, "/api/search?q=heap": 404, "/books": 307, "/books/none": 404, "/books/..%2fnotes": 404} {
		if code, _, _ := get(s, address); code != want && !(want == 307 && code == 301) {
			t.Errorf("%s: status %d, want %d", address, code, want)
		}
	}
	for _, names := range [][]string{{"a", "a"}, {"api", "b"}, {"a/b", "c"}, {"", "b"}, {"..", "b"}, {"{x}", "b"}, {"a b", "c"}, {"healthz", "b"}} {
		if s, err := NewSite(t.Context(), Options{}, Source{names[0], books}, Source{names[1], books}); err == nil {
			s.Close()
			t.Errorf("%q are taken as names", names)
		}
	}
	if _, err := NewSite(t.Context(), Options{}, Source{"x", filepath.Join(dir, "none")}); err == nil {
		t.Error("a folder that is not there is taken")
	}
}

const token = "a token of 23 characters"

// send asks a handler with a body, and headers as "Name: value".
func send(h http.Handler, method, address, body string, headers ...string) (int, string) {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestWrite adds and deletes documents with a token. What is answered with 200 is in the folder, and
// nothing else is.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "books")
	save(t, dir, library...)
	tokens, err := ReadTokens(strings.NewReader("# of the site\n\n another token, of others \n" + token + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := site(t, Options{Tokens: tokens}, dir)
	bearer, form := "Authorization: Bearer "+token, "Content-Type: application/json"
	const doc = `{"id": "new", "title": "New", "text": "a fresh zebra", "fields": {"kind": "animal"}}`
	for _, c := range []struct {
		method, address, body string
		headers               []string
		want                  int
		says                  string
	}{
		{"POST", "/api/documents", doc, []string{form}, 401, "needs a token"},
		{"POST", "/api/documents", doc, []string{form, "Authorization: Bearer wrong"}, 401, "needs a token"},
		{"POST", "/api/documents", doc, []string{form, "Authorization: " + token}, 401, "needs a token"},
		{"POST", "/api/documents", doc, []string{form, "Authorization: Basic " + token}, 401, "needs a token"},
		{"POST", "/api/documents", doc, []string{form, "Authorization: Bearer "}, 401, "needs a token"},
		{"POST", "/api/documents", doc, []string{bearer}, 415, "application/json"},
		{"POST", "/api/documents", doc, []string{bearer, "Content-Type: text/plain"}, 415, "application/json"},
		{"POST", "/api/documents", doc, []string{bearer, form, "Origin: http://evil.example"}, 403, "another site"},
		{"POST", "/api/documents", doc, []string{bearer, form, "Sec-Fetch-Site: cross-site"}, 403, "another site"},
		{"POST", "/api/documents", "", []string{bearer, form}, 400, "no document"},
		{"POST", "/api/documents", "{", []string{bearer, form}, 400, "document 1"},
		{"POST", "/api/documents", doc + `{"text": "x"}`, []string{bearer, form}, 400, "document 2 has no id"},
		{"POST", "/api/documents", doc + `{"id": "y", "body": "x"}`, []string{bearer, form}, 400, "body"},
		{"POST", "/api/documents", `[` + doc + `]`, []string{bearer, form}, 400, "document 1"},
		{"POST", "/api/documents", `{"id": "long", "text": "` + strings.Repeat("x", MaxWrite) + `"}`, []string{bearer, form}, 413, "32 MB"},
		{"POST", "/api/documents?id=x", doc, []string{bearer, form}, 400, "no parameter"},
		{"DELETE", "/api/documents?id=sort", "", nil, 401, "needs a token"},
		{"DELETE", "/api/documents", "", []string{bearer}, 400, "no id"},
		{"DELETE", "/api/documents?id=nobody", "", []string{bearer}, 404, "no such document"},
		{"DELETE", "/api/documents?id=a&id=b", "", []string{bearer}, 400, "2 times"},
		{"POST", "/api/search?q=heap", "", []string{bearer, form}, 404, "not in the API"},
	} {
		if code, body := send(s, c.method, c.address, c.body, c.headers...); code != c.want || !strings.Contains(body, c.says) {
			t.Errorf("%s %s %.40q %q: status %d, want %d and %q: %.300s", c.method, c.address, c.body, c.headers, code, c.want, c.says, body)
		}
	}
	if g, err := similar.ReadGeneration(dir); err != nil || g.Number != 1 {
		t.Fatalf("what was refused changed the folder: generation %d, %v", g.Number, err)
	}
	if code, body := send(s, "POST", "/api/documents", doc+doc+`{"id": "sort", "text": "replaced"}`, bearer, form); code != 200 || body != `{"added":3,"deleted":0,"documents":6}`+"\n" {
		t.Errorf("adding: status %d: %s", code, body)
	}
	if code, body := send(s, "DELETE", "/api/documents?id=container/ring", "", bearer); code != 200 || body != `{"added":0,"deleted":1,"documents":5}`+"\n" {
		t.Errorf("deleting: status %d: %s", code, body)
	}
	// Another writer saves: the site takes that up before it writes.
	save(t, dir, similar.Document{ID: "other", Text: "by another zebra"})
	if code, body := send(s, "POST", "/api/documents", `{"id": "last", "text": "zebra"}`, bearer, form); code != 200 || body != `{"added":1,"deleted":0,"documents":7}`+"\n" {
		t.Errorf("after another writer: status %d: %s", code, body)
	}
	x, err := similar.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	hits, err := x.Search(t.Context(), similar.Query{Text: "zebra"})
	if err != nil || len(hits) != 3 || x.Len() != 7 {
		t.Errorf("the folder has %d documents, %d of them with a zebra; %v", x.Len(), len(hits), err)
	}
	for _, h := range []http.Handler{site(t, Options{}, dir), serve(t, Options{Tokens: tokens}, library...)} {
		if code, body := send(h, "POST", "/api/documents", doc, bearer, form); code != 403 || !strings.Contains(body, "reads only") {
			t.Errorf("of a server that reads only: status %d: %s", code, body)
		}
	}
}

// TestWriteFails saves to a folder that cannot be written to: searches find what the folder holds.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Log("root writes everywhere, so the lock is in the way instead")
	}
	dir := filepath.Join(t.TempDir(), "books")
	save(t, dir, library...)
	tokens, err := ReadTokens(strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	s := site(t, Options{Tokens: tokens}, dir)
	lock := filepath.Join(dir, "lock")
	if err := errors.Join(os.RemoveAll(lock), os.Mkdir(lock, 0o755)); err != nil {
		t.Fatal(err)
	}
	code, body := send(s, "POST", "/api/documents", `{"id": "new", "text": "a zebra"}`, "Authorization: Bearer "+token, "Content-Type: application/json")
	if code != 500 {
		t.Errorf("status %d: %s", code, body)
	}
	if _, body, _ := get(s, "/api/search?q=zebra"); !strings.Contains(body, `"hits":[]`) {
		t.Errorf("what could not be saved is found: %s", body)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if code, body := send(s, "POST", "/api/documents", `{"id": "new", "text": "a zebra"}`, "Authorization: Bearer "+token, "Content-Type: application/json"); code != 200 {
		t.Errorf("afterwards: status %d: %s", code, body)
	}
}

// TestTokens refuses files of tokens that are none, or can be guessed.
func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "no token", "# only\n\n": "no token", "short\n": "can be guessed", token + "\nshort": "line 2"} {
		if _, err := ReadTokens(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestLog logs and observes each request once, whatever its address holds.
func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var seen []Observation
	h := serve(t, Options{Name: "books", Log: slog.New(slog.NewJSONHandler(&out, nil)), Observe: func(o Observation) { seen = append(seen, o) }}, library...)
	for _, c := range []struct {
		address, route string
		status         int
	}{
		{"/api/search?q=heap", "GET /api/search", 200}, {"/?q=%0a%1b[31m", "GET /{$}", 200}, {"/document?id=nobody", "GET /document", 404},
		{"/none" + strings.Repeat("/x", 1000), "/", 404}, {"/static/page.js", "GET /static/{name}", 200}, {"/api/search?k=x", "GET /api/search", 400},
	} {
		out.Reset()
		seen = nil
		_, body, _ := get(h, c.address)
		if len(seen) != 1 || seen[0].Index != "books" || seen[0].Route != c.route || seen[0].Status != c.status || seen[0].Bytes != int64(len(body)) || seen[0].Took <= 0 {
			t.Errorf("%.40s: observed %+v", c.address, seen)
		}
		var line struct {
			Msg, Path, Method string
			Status, Bytes     int
		}
		if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Status != c.status || line.Bytes != len(body) || line.Method != "GET" || len(line.Path) > maxLogged {
			t.Errorf("%.40s: logged %v, %s", c.address, err, &out)
		}
	}
}

// TestPublic tells addresses that other machines reach.
func TestPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		":80": false, "localhost:80": false, "LOCALHOST:80": false, "127.0.0.1:0": false, "[::1]:80": false,
		"0.0.0.0:80": true, "[::]:80": true, "10.0.0.1:80": true, "example.com:80": true, "": true,
	} {
		if got := Public(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
