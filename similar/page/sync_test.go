package page

import (
	"context"
	"errors"
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
