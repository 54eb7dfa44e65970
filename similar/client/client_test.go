package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/client"
	"github.com/gridstride/gridstride/similar/page"
)

const token = "0123456789abcdef"

var library = []similar.Document{
	{ID: "heap", Title: "A heap", Text: "A heap is a tree that serves as a priority queue.", Fields: map[string]string{"kind": "tree", "year": "1964"}},
	{ID: "list", Title: "A list", Text: "A linked list serves as a queue.", Fields: map[string]string{"kind": "chain", "year": "1956"}},
	{ID: "a/b ?&#", Text: "An odd name, and a tree.", Fields: map[string]string{"kind": "tree", "year": "2000"}},
}

// serve serves an index of the library and another, and returns the first one's address.
func serve(t *testing.T, timeout time.Duration, sync func(context.Context, string) (page.Synced, error)) string {
	t.Helper()
	tokens, err := page.ReadTokens(strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	var sources []page.Source
	for _, name := range []string{"books", "notes"} {
		dir := filepath.Join(t.TempDir(), name)
		x, err := similar.New(similar.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(x.Add(t.Context(), library...), x.Save(t.Context(), dir), x.Close()); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, page.Source{Name: name, Dir: dir})
	}
	s, err := page.NewSite(t.Context(), page.Options{Tokens: tokens, Sync: sync, Timeout: timeout}, sources...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL + "/books/"
}

func connect(t *testing.T, address string, o client.Options) *client.Client {
	t.Helper()
	c, err := client.New(address, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAsk asks a server everything.
func TestAsk(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := connect(t, serve(t, 0, nil), client.Options{})
	about, err := c.Index(ctx)
	if err != nil || about.Name != "books" || about.Documents != 3 {
		t.Errorf("the index is %+v, %v", about, err)
	}
	for _, q := range []struct {
		what string
		client.Query
		want string // the ids
	}{
		{"words", client.Query{Words: "queue"}, "list heap"},
		{"one", client.Query{Words: "queue", K: 1}, "list"},
		{"the next", client.Query{Words: "queue", K: 1, From: 1}, "heap"},
		{"a query", client.Query{Words: "queue -linked"}, "heap"},
		{"plain words", client.Query{Words: "queue -linked", Plain: true, K: 1}, "list"},
		{"like", client.Query{Like: []string{"heap"}, Terms: client.All, K: 1}, "a/b ?&#"},
		{"conditions", client.Query{Words: "tree queue", Where: []string{"kind=tree", "year>=1970"}}, "a/b ?&#"},
		{"sorted", client.Query{Words: "tree queue", Sort: []string{"-year"}}, "a/b ?&# heap list"},
		{"collapsed", client.Query{Words: "tree queue", Collapse: 0.1}, "heap"},
		{"a threshold", client.Query{Words: "queue", Threshold: 1000}, ""},
	} {
		a, err := c.Search(ctx, q.Query)
		if err != nil {
			t.Errorf("%s: %v", q.what, err)
			continue
		}
		var ids []string
		for _, h := range a.Hits {
			ids = append(ids, h.ID)
		}
		if got := strings.Join(ids, " "); got != q.want {
			t.Errorf("%s: got %q, want %q", q.what, got, q.want)
		}
	}
	if a, err := c.Like(ctx, "ticket", "my linked list is slow", client.Query{K: 1, Terms: 5}); err != nil || len(a.Hits) != 1 || a.Hits[0].ID != "list" {
		t.Errorf("like a ticket: %+v, %v", a, err)
	}
	if d, err := c.Document(ctx, "a/b ?&#"); err != nil || d.ID != "a/b ?&#" || d.Fields["year"] != "2000" {
		t.Errorf("the document is %+v, %v", d, err)
	}
	if n, err := c.Counts(ctx, client.Query{Words: "tree"}, "kind", "year"); err != nil || len(n.Facets) != 2 || n.Facets[0].Values[0].Documents != 2 {
		t.Errorf("counts: %+v, %v", n, err)
	}
	if w, err := c.Why(ctx, "heap", client.Query{Words: "tree queue"}); err != nil || len(w.Shares) != 2 {
		t.Errorf("why: %+v, %v", w, err)
	}
	if m, err := c.Map(ctx, "heap", 1); err != nil || m.Centre.ID != "heap" || len(m.Nodes) != 1 {
		t.Errorf("the map: %+v, %v", m, err)
	}
}

// TestSync syncs, and the requests may not take as long as a sync does.
func TestSync(t *testing.T) {
	t.Parallel()
	goOn := make(chan bool)
	address := serve(t, 10*time.Millisecond, func(context.Context, string) (page.Synced, error) {
		if <-goOn {
			return page.Synced{Changed: 7}, nil
		}
		return page.Synced{}, errors.New("a bad disk")
	})
	c := connect(t, address, client.Options{Token: token})
	for _, good := range []bool{true, false} {
		go func() {
			time.Sleep(100 * time.Millisecond) // so that the first answer says that it runs
			goOn <- good
		}()
		s, err := c.Sync(t.Context())
		if good && (err != nil || s.Changed != 7) || !good && (err == nil || !strings.Contains(err.Error(), "the sync failed: a bad disk")) {
			t.Errorf("the sync: %+v, %v", s, err)
		}
	}
}

// TestChange adds and deletes.
func TestChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	address := serve(t, time.Minute, nil)
	c := connect(t, address, client.Options{Token: token})
	large := "zebra" + strings.Repeat(" ", 9<<20)
	docs := []similar.Document{{ID: "1", Text: large}, {ID: "2", Title: "Two", Text: large, Fields: map[string]string{"n": "2"}}, {ID: "3", Text: "zebra"}}
	if err := c.Add(ctx, docs...); err != nil {
		t.Fatal(err)
	}
	if a, err := c.Search(ctx, client.Query{Words: "zebra"}); err != nil || len(a.Hits) != 3 {
		t.Errorf("%d were added, %v", len(a.Hits), err)
	}
	if d, err := c.Document(ctx, "2"); err != nil || d.Title != "Two" || d.Fields["n"] != "2" || d.Bytes != len(large) || !d.Shortened {
		t.Errorf("added: %+v, %v", d.Fields, err)
	}
	if err := c.Delete(ctx, "1"); err != nil {
		t.Error(err)
	}
	if err := c.Add(ctx); err != nil {
		t.Errorf("no documents: %v", err)
	}

	refused := func(what string, err error, status int, message string) {
		t.Helper()
		e, ok := errors.AsType[*client.Error](err)
		if (status != 0) != ok || ok && e.Status != status || err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want the status %d and %q", what, err, status, message)
		}
	}
	refused("deleted", c.Delete(ctx, "1"), 404, "no such document")
	refused("no id", c.Add(ctx, similar.Document{ID: "x"}, similar.Document{Text: "x"}), 400, `from document 0, "x", on nothing was added: similar: the server says: document 2 has no id`)
	refused("a vector", c.Add(ctx, similar.Document{ID: "x", Vector: []float32{1}}), 0, "has a vector")
	refused("no token", connect(t, address, client.Options{}).Delete(ctx, "2"), 401, "needs a token")
	_, err := c.Search(ctx, client.Query{Words: `"open`})
	refused("a syntax error", err, 400, "status 400")
	_, err = connect(t, address+"none", client.Options{}).Index(ctx)
	refused("no index", err, 404, "status 404")
}

// TestBadServers asks servers that have no room, that break off, and that are none of ours.
func TestBadServers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case strings.HasPrefix(r.URL.Path, "/busy"), strings.HasPrefix(r.URL.Path, "/soon") && n <= 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasPrefix(r.URL.Path, "/soon") && n <= 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case strings.HasPrefix(r.URL.Path, "/soon"):
			fmt.Fprint(w, `{"name": "soon"}`)
		case strings.HasPrefix(r.URL.Path, "/short"):
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
		case strings.HasPrefix(r.URL.Path, "/endless"):
			line := []byte(strings.Repeat(" ", 1<<20))
			for range 70 {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		default:
			fmt.Fprint(w, "<html>")
		}
	}))
	t.Cleanup(server.Close)
	a, err := connect(t, server.URL+"/soon", client.Options{}).Index(ctx)
	if err != nil || a.Name != "soon" || asked.Load() != 3 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
	for path, want := range map[string]string{"/busy": "status 503", "/short": "broke off", "/endless": "more than 32 MB", "/other": "none of similar serve"} {
		if _, err := connect(t, server.URL+path, client.Options{Retries: -1}).Index(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	soon, stop := context.WithTimeout(ctx, time.Millisecond)
	defer stop()
	if _, err := connect(t, server.URL+"/busy", client.Options{Retries: 100}).Index(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: %v", err)
	}
	for _, address := range []string{"", "localhost:8080", "ftp://x", "http://", "http://x?q=1", "http://x#y", "http://[", "/papers"} {
		if _, err := client.New(address, client.Options{}); err == nil {
			t.Errorf("%q is the address of an index", address)
		}
	}
	if _, err := client.New("http://localhost", client.Options{Token: "a\nb"}); err == nil {
		t.Error("a token with a line end is one")
	}
}
