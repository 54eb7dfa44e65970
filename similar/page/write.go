package page

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// MaxWrite is the most bytes of documents that one request may add.
const MaxWrite = 32 << 20

// Tokens are those that let a client write. A request has one in its header Authorization: Bearer
// TOKEN.
type Tokens struct{ sums [][sha256.Size]byte }

// minToken is the fewest bytes of a token, so that it cannot be guessed.
const minToken = 16

// ReadTokens reads tokens, one a line. Empty lines, and lines that begin with #, are none.
func ReadTokens(r io.Reader) (*Tokens, error) {
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return nil, err
	}
	t, n := &Tokens{}, 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case len(line) < minToken:
			return nil, fmt.Errorf("line %d: a token of %d bytes can be guessed; want %d or more", n, len(line), minToken)
		default:
			t.sums = append(t.sums, sha256.Sum256([]byte(line)))
		}
	}
	if len(t.sums) == 0 {
		return nil, errors.New("there is no token")
	}
	return t, nil
}

// allow is an error for a request without one of the tokens.
func (t *Tokens) allow(r *http.Request) error {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum, found := sha256.Sum256([]byte(strings.TrimSpace(token))), 0
	for i := range t.sums {
		found |= subtle.ConstantTimeCompare(sum[:], t.sums[i][:])
	}
	if found == 0 || !strings.EqualFold(kind, "Bearer") {
		return &statusError{status: http.StatusUnauthorized, err: errors.New("this needs a token: Authorization: Bearer TOKEN")}
	}
	return nil
}

// A Written is the changes, and the number of documents after them.
type Written struct {
	Added     int `json:"added"`
	Deleted   int `json:"deleted"`
	Documents int `json:"documents"`
}

// Posted is a document as a client sends it to be added.
type Posted struct {
	ID     string            `json:"id"`
	Title  string            `json:"title"`
	Text   string            `json:"text"`
	Fields map[string]string `json:"fields"`
}

// add adds the documents of a request's body.
func (h *Handler) add(ctx context.Context, req *http.Request, _ *request) (any, error) {
	kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && kind != "application/x-ndjson" {
		return nil, &statusError{status: http.StatusUnsupportedMediaType, err: errors.New("want documents as application/json or application/x-ndjson")}
	}
	docs, err := readPosted(http.MaxBytesReader(nil, req.Body, MaxWrite))
	if err != nil {
		return nil, err
	}
	w := &Written{Added: len(docs)}
	return w, h.changed(ctx, func(x *similar.Index) error {
		err := x.Add(ctx, docs...)
		w.Documents = x.Len()
		return err
	})
}

// readPosted reads documents that follow each other.
func readPosted(r io.Reader) (docs []similar.Document, err error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	for {
		var p Posted
		err := decoder.Decode(&p)
		switch large := (*http.MaxBytesError)(nil); {
		case err == io.EOF && len(docs) > 0:
			return docs, nil
		case err == io.EOF:
			return nil, badRequest("there is no document")
		case errors.As(err, &large):
			return nil, &statusError{status: http.StatusRequestEntityTooLarge, err: fmt.Errorf("more than %d MB: send fewer documents at a time", MaxWrite>>20)}
		case err != nil:
			return nil, badRequest("document %d: %w", len(docs)+1, err)
		case p.ID == "":
			return nil, badRequest("document %d has no id", len(docs)+1)
		}
		docs = append(docs, similar.Document{ID: p.ID, Title: p.Title, Text: p.Text, Fields: p.Fields})
	}
}

// remove deletes the document of a request's address.
func (h *Handler) remove(ctx context.Context, _ *http.Request, r *request) (any, error) {
	if r.ID == "" {
		return nil, errNoID
	}
	w := &Written{}
	return w, h.changed(ctx, func(x *similar.Index) error {
		n, err := x.Delete(r.ID)
		if err == nil && n == 0 {
			err = fmt.Errorf("similar: %q: %w", r.ID, similar.ErrUnknown)
		}
		w.Deleted, w.Documents = n, x.Len()
		return err
	})
}

// changed changes the index of a site, if it may be written to.
func (h *Handler) changed(ctx context.Context, change func(*similar.Index) error) error {
	err := h.write(ctx, change)
	if errors.Is(err, similar.ErrLocked) || errors.Is(err, similar.ErrConflict) {
		return &statusError{status: http.StatusConflict, err: err}
	}
	return err
}

// mayWrite is an error for a request that may not change the index.
func (h *Handler) mayWrite(req *http.Request) error {
	if h.write == nil || h.options.Tokens == nil {
		return &statusError{status: http.StatusForbidden, err: errors.New("this server reads only: it was given no tokens")}
	}
	return h.options.Tokens.allow(req)
}
