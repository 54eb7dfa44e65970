package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/page"
)

// maxBody is about the most bytes of documents that one request brings.
const maxBody = page.MaxWrite / 2

// Add adds documents, each in the place of the one with its id. It sends as many requests as the
// documents need: an error names the first document that was not added, and those before it are in
// the index. Vectors of documents are not sent, and are an error.
func (c *Client) Add(ctx context.Context, docs ...similar.Document) error {
	var body []byte
	first := 0
	for i, d := range docs {
		if d.Vector != nil {
			return fmt.Errorf("similar: document %d, %q, has a vector, which a server does not take", i, d.ID)
		}
		line, err := json.Marshal(page.Posted{ID: d.ID, Title: d.Title, Text: d.Text, Fields: d.Fields})
		if err != nil {
			return fmt.Errorf("similar: document %d, %q: %w", i, d.ID, err)
		}
		if len(body) > 0 && len(body)+len(line) > maxBody {
			if err := c.add(ctx, body, first, docs); err != nil {
				return err
			}
			body, first = body[:0], i
		}
		body = append(append(body, line...), '\n')
	}
	if len(body) == 0 {
		return nil
	}
	return c.add(ctx, body, first, docs)
}

// add sends documents from the first on.
func (c *Client) add(ctx context.Context, body []byte, first int, docs []similar.Document) error {
	_, err := do[page.Written](ctx, c, http.MethodPost, "/api/documents", nil, "application/x-ndjson", body)
	if err != nil {
		return fmt.Errorf("similar: from document %d, %q, on nothing was added: %w", first, docs[first].ID, err)
	}
	return nil
}

// Delete deletes a document. The Error of one that is not there has the status 404.
func (c *Client) Delete(ctx context.Context, id string) error {
	_, err := do[page.Written](ctx, c, http.MethodDelete, "/api/documents", url.Values{"id": {id}}, "", nil)
	return err
}

// syncEvery is how often Sync asks whether the sync has ended.
const syncEvery = 500 * time.Millisecond

// Sync makes the index equal to the sources that it records, and waits until that has ended, or the
// context has: the server goes on with the sync then. The error is of the status 409 while another
// sync of the server runs.
func (c *Client) Sync(ctx context.Context) (*page.Synced, error) {
	s, err := do[page.SyncState](ctx, c, http.MethodPost, "/api/sync", nil, "", nil)
	for err == nil && s.Running {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(syncEvery):
		}
		s, err = do[page.SyncState](ctx, c, http.MethodGet, "/api/sync", nil, "", nil)
	}
	switch {
	case err != nil:
		return nil, err
	case s.Error != "":
		return nil, fmt.Errorf("similar: the sync failed: %s", s.Error)
	case s.Report == nil:
		return nil, fmt.Errorf("similar: the server has forgotten the sync; was it started again?")
	}
	return s.Report, nil
}
