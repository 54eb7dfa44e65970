package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// syncSite is a site of two indexes whose sync is a test's.
func syncSite(t *testing.T, timeout time.Duration, sync func(context.Context, string) (Synced, error)) *Site {
	t.Helper()
	dir := t.TempDir()
	books, notes := filepath.Join(dir, "books"), filepath.Join(dir, "notes")
	save(t, books, library...)
	save(t, notes, library...)
	tokens, err := ReadTokens(strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	return site(t, Options{Tokens: tokens, Sync: sync, Timeout: timeout}, books, notes)
}

// says holds the answer to a request with a token to a status and a text.
func says(t *testing.T, s *Site, method, address string, code int, text string) {
	t.Helper()
	if got, body := send(s, method, address, "", "Authorization: Bearer "+token); got != code || !strings.Contains(body, text) {
		t.Errorf("%s %s: status %d, want %d and %q: %s", method, address, got, code, text, body)
	}
}

// TestSync syncs: what the answer says is served.
func TestSync(t *testing.T) {
	t.Parallel()
	s := syncSite(t, 0, func(_ context.Context, dir string) (Synced, error) {
		save(t, dir, similar.Document{ID: "new", Text: "a zebra"})
		return Synced{New: 1, Unchanged: 5, Documents: 6}, nil
	})
	says(t, s, "GET", "/books/api/sync", 200, `{"running":false,"seconds":0}`)
	says(t, s, "POST", "/books/api/sync", 200, `"report":{"new":1,"changed":0,"unchanged":5,`)
	says(t, s, "GET", "/books/api/search?q=zebra", 200, `"id":"new"`)
	says(t, s, "GET", "/books/api/sync", 200, `"documents":6}}`)
	says(t, s, "GET", "/notes/api/sync", 200, `{"running":false,"seconds":0}`)
	for _, method := range []string{"GET", "POST"} {
		if code, _ := send(s, method, "/books/api/sync", ""); code != 401 {
			t.Errorf("%s without a token: status %d", method, code)
		}
	}
	without := syncSite(t, 0, nil)
	says(t, without, "POST", "/books/api/sync", 403, "does not sync")
	says(t, without, "GET", "/books/api/sync", 403, "does not sync")
}

// TestSyncLong asks for a sync that takes longer than a request may. No other runs meanwhile, and
// closing the site ends it.
func TestSyncLong(t *testing.T) {
	t.Parallel()
	goOn, failed := make(chan bool), errors.New("a bad disk")
	s := syncSite(t, 50*time.Millisecond, func(ctx context.Context, _ string) (Synced, error) {
		select {
		case <-ctx.Done():
			return Synced{}, ctx.Err()
		case <-goOn:
			return Synced{}, failed
		}
	})
	says(t, s, "POST", "/books/api/sync", 200, `{"running":true,"started":"2`)
	says(t, s, "POST", "/books/api/sync", 409, "a sync of books is running")
	says(t, s, "POST", "/notes/api/sync", 409, "a sync of books is running")
	says(t, s, "GET", "/books/api/sync", 200, `{"running":true,"started":"2`)
	says(t, s, "GET", "/books/api/search?q=heap", 200, `"id":"container/heap"`)
	goOn <- true
	<-s.list[0].synced.Load().done
	says(t, s, "GET", "/books/api/sync", 200, `"error":"a bad disk"`)
	says(t, s, "POST", "/notes/api/sync", 200, `"running":true`)
	s.syncs.close()
	says(t, s, "GET", "/notes/api/sync", 200, `"error":"context canceled"`)
	says(t, s, "POST", "/notes/api/sync", 503, "stopping")
}

// TestStopWhileSyncing stops a server while a client waits for a sync: the sync ends, and the client
// learns that.
func TestStopWhileSyncing(t *testing.T) {
	t.Parallel()
	began := make(chan bool)
	s := syncSite(t, time.Minute, func(ctx context.Context, _ string) (Synced, error) {
		close(began)
		<-ctx.Done()
		return Synced{}, ctx.Err()
	})
	ctx, stop := context.WithCancel(t.Context())
	addresses, served := make(chan string, 1), make(chan error, 1)
	go func() { served <- Serve(ctx, "localhost:0", s, func(url string) { addresses <- url }) }()
	answered := make(chan string, 1)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, <-addresses+"books/api/sync", nil)
		if err != nil {
			answered <- err.Error()
			return
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		answered <- fmt.Sprint(string(body), err)
	}()
	<-began
	stop()
	if err := <-served; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if got := <-answered; !strings.Contains(got, `"error":"context canceled"`) {
		t.Errorf("the client got %s", got)
	}
}
