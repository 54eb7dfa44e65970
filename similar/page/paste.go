package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// maxPaste is the most bytes of a text that others are to be like.
const maxPaste = 256 << 10

// Pasted is a text that is not in the index, as a client sends it.
type Pasted struct {
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// readPasted reads the body of a request as the document that others are to be like.
func readPasted(req *http.Request, r *request) error {
	kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && kind != "text/plain" {
		return &statusError{status: http.StatusUnsupportedMediaType, err: errors.New("want a document as application/json, or a text as text/plain")}
	}
	text, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, maxPaste))
	if err != nil {
		return pasteError(err)
	}
	p := Pasted{Text: string(text)}
	if kind == "application/json" {
		p = Pasted{}
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&p); err != nil {
			return badRequest("the document: %w", err)
		}
		if decoder.More() {
			return badRequest("there is more than one document")
		}
	}
	return r.paste(p)
}

// paste makes a document part of what is looked for.
func (r *request) paste(p Pasted) error {
	if strings.TrimSpace(p.Title+p.Text) == "" {
		return badRequest("there is no text")
	}
	r.pasted = &similar.Document{Title: p.Title, Text: p.Text}
	return nil
}

// pasteError says why a body could not be read.
func pasteError(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &statusError{status: http.StatusRequestEntityTooLarge, err: fmt.Errorf("more than %d kB: send the part that says most", maxPaste>>10)}
	}
	return badRequest("the text cannot be read: %w", err)
}

// pastePage shows the form for a text, and the documents that are like the text of a form. A form's
// text is in the body of the request, which the page's filler does not have: it is read first.
func (h *Handler) pastePage(w http.ResponseWriter, req *http.Request) {
	var text string
	var err error
	if req.Method == http.MethodPost {
		req.Body = http.MaxBytesReader(w, req.Body, 3*maxPaste) // an escaped byte takes three
		if err = req.ParseForm(); err != nil {
			err = pasteError(err)
		} else if text = req.PostForm.Get("text"); len(text) > maxPaste {
			err = pasteError(&http.MaxBytesError{Limit: maxPaste})
		}
	}
	h.html("like", free, func(ctx context.Context, v *view) error {
		if v.Pasted = text; err != nil || req.Method != http.MethodPost {
			return err
		}
		if err := v.Request.paste(Pasted{Text: text}); err != nil {
			return err
		}
		leave, err := h.enter(ctx, costly)
		if err != nil {
			return err
		}
		defer leave()
		v.Answer, err = h.search(ctx, v.Request)
		return err
	})(w, req)
}
