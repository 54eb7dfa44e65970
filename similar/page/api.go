package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/gridstride/gridstride/similar"
	"net/http"
	"slices"
	"strings"
)

// An Endpoint is one question or change of the API. It is answered with a JSON object.
type Endpoint struct {
	Method     string // GET where empty
	Path       string
	What       string
	Parameters []string // by name, in Parameters
	Example    string   // of the parameters
	Body       string   // the documents that the request brings, in short; none if empty
	Result     string   // the object, in short

	answer func(h *Handler, ctx context.Context, r *request) (any, error)
	body   any                                                                               // of the type of what Body describes
	cost   cost                                                                              // at least; words where the request says
	paste  func(req *http.Request, r *request) error                                         // reads the body, before answer
	write  func(h *Handler, ctx context.Context, req *http.Request, r *request) (any, error) // instead of answer; needs a token
	result any                                                                               // of the type of the object
}

// Address is the address of the example, after a method other than GET.
func (e Endpoint) Address() string {
	address := e.Path
	if e.Method != "" {
		address = e.Method + " " + address
	}
	if e.Example == "" {
		return address
	}
	return address + "?" + e.Example
}

func (e Endpoint) method() string { return cmp.Or(e.Method, http.MethodGet) }

// syncResult is a SyncState, in short.
const syncResult = `{"running", "started", "seconds", "error", "report": {"new", "changed", "unchanged", "deleted", "hidden", "skipped", "foreign", "documents"}}`

// Endpoints is the API: its pages, its routes and its documentation follow from this table.
var Endpoints = []Endpoint{
	{
		Path: "/api/search", What: "the documents most like a text, documents or both, the best first; of equal scores the lower id first. Long titles and values of fields are cut, and more is true where the answer ends early",
		Parameters: []string{"q", "syntax", "typing", "like", "terms", "good", "where", "k", "from", "sort", "threshold", "collapse"}, Example: "q=priority+queue&k=3",
		Result: `{"documents", "request", "took_ms", "more", "hits": [{"rank", "id", "title", "score", "fields", "snippet": [{"text", "marked"}]}], "suggestion"}`,
		answer: func(h *Handler, ctx context.Context, r *request) (any, error) { return h.search(ctx, r) }, result: Answer{}, cost: words,
	},
	{
		Method: http.MethodPost, Path: "/api/like", What: "the documents most like a text that the request brings, such as a ticket; answers as /api/search",
		Parameters: []string{"like", "terms", "where", "k", "from", "sort", "threshold", "collapse"}, Example: "k=3",
		Body:   `{"title", "text"}, or the text alone as text/plain, 256 kB at most`,
		Result: `as of /api/search`, body: Pasted{}, paste: readPasted,
		answer: func(h *Handler, ctx context.Context, r *request) (any, error) { return h.search(ctx, r) }, result: Answer{}, cost: costly,
	},
	{
		Path: "/api/facets", What: "how many of all documents that a search finds have each value of the fields, the most frequent first; of all documents where nothing is looked for",
		Parameters: []string{"field", "q", "syntax", "typing", "like", "terms", "where", "k"}, Example: "field=kind&q=queue",
		Result: `{"documents", "facets": [{"name", "values": [{"text", "documents"}]}]}`,
		answer: func(h *Handler, ctx context.Context, r *request) (any, error) { return h.counts(ctx, r) }, result: Counts{}, cost: costly,
	},
	{
		Path: "/api/why", What: "what each term gives to the score of one document, the largest share first, of 1,000 terms at most",
		Parameters: []string{"id", "q", "syntax", "typing", "like", "terms", "good"}, Example: "id=container/heap&q=priority+queue",
		Result: `{"id", "score", "terms", "shares": [{"term", "word", "score", "share"}]}`,
		answer: func(h *Handler, ctx context.Context, r *request) (any, error) { return h.why(ctx, r) }, result: Why{}, cost: words,
	},
	{
		Path: "/api/map", What: "the documents nearest to one, and how like each other they are, 0 to 1",
		Parameters: []string{"id", "k"}, Example: "id=container/heap",
		Result: `{"centre": {"id", "title", "similarity"}, "nodes": [as centre], "edges": [{"a", "b", "similarity"}]}`,
		answer: func(h *Handler, ctx context.Context, r *request) (any, error) { return h.neighbourhood(ctx, r) }, result: Map{}, cost: costly,
	},
	{
		Path: "/api/document", What: "one document; of a text of more than a megabyte the beginning, and shortened is true",
		Parameters: []string{"id"}, Example: "id=container/heap",
		Result: `{"id", "title", "text", "bytes", "shortened", "fields"}`,
		answer: func(h *Handler, ctx context.Context, r *request) (any, error) { return h.document(ctx, r) }, result: Text{}, cost: words,
	},
	{
		Path: "/api/sample", What: "the terms of a document, and how often it has each. An index that does not have the document finds others like it by them: see Query.Elsewhere of package similar",
		Parameters: []string{"id"}, Example: "id=container/heap",
		Result: `{"ID", "Terms": {term: count}, "Vector"}`, answer: (*Handler).sample, result: Sampled{}, cost: words,
	},
	{
		Path: "/api/index", What: "how many documents there are, and the limits of a request",
		Result: `{"name", "documents", "max_query_bytes", "max_k"}`,
		answer: func(h *Handler, _ context.Context, _ *request) (any, error) { return h.about(), nil }, result: About{},
	},
	{
		Method: http.MethodPost, Path: "/api/documents", What: "adds documents, each in the place of the one with its id, and saves the index; needs a token",
		Body:   `{"id", "title", "text", "fields": {name: text}}, one or several after each other, 32 MB at most`,
		Result: `{"added", "deleted", "documents"}`, body: Posted{}, write: (*Handler).add, cost: change, result: Written{},
	},
	{
		Method: http.MethodDelete, Path: "/api/documents", What: "deletes a document, and saves the index; needs a token",
		Parameters: []string{"id"}, Example: "id=draft",
		Result: `{"added", "deleted", "documents"}`, write: (*Handler).remove, cost: change, result: Written{},
	},
	{
		Method: http.MethodPost, Path: "/api/sync", What: "makes the index equal to the sources that it records, as similar sync does, and saves it; needs a token. An answer comes at the end, or where running is true while the sync goes on. Other changes get the status 409 meanwhile",
		Result: syncResult, write: (*Handler).sync, result: SyncState{},
	},
	{
		Path: "/api/sync", What: "how the last sync went, or goes; needs a token",
		Result: syncResult, write: (*Handler).syncState, result: SyncState{},
	},
}

// A Parameter is one of an address of the API.
type Parameter struct{ Name, What string }

// Parameters are the parameters of all endpoints.
var Parameters = []Parameter{
	{"q", "words to look for, or a query in the language of docs/query.md"},
	{"syntax", "\"words\" takes q for words, whatever they are"},
	{"typing", "not empty: q may not be complete, and documents with words that begin as its last are found, too"},
	{"like", "the id of a document: others like it. May be given several times"},
	{"terms", "how many of the terms that weigh most count, in liked documents and in a text in the body; 25 if not given, and all for all of them"},
	{"good", "the id of a document that was a good answer: more like it, without it. May be given several times"},
	{"where", "NAME=VALUE: documents whose field has this value alone; NAME!=VALUE: all others; NAME>=VALUE and NAME<=VALUE: with a number, or a date such as 1969-07. May be given several times, and all must hold"},
	{"field", "the name of a field. May be given several times"},
	{"id", "the id of the document that is asked about"},
	{"k", "how many documents at most; 10, and 12 of a map, which has 24 at most"},
	{"from", "how many of the best to leave out, for the next page"},
	{"sort", "the name of a field to sort by instead of the score, or -NAME for the highest value first. May be given several times, 8 at most"},
	{"threshold", "documents that score more than this alone"},
	{"collapse", "0 to 1: leaves out documents that share this part of their terms with a better one, such as 0.8. from and k end below rank 1,000 then"},
}

// About is the answer of /api/index.
type About struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	MaxQuery  int    `json:"max_query_bytes"`
	MaxK      int    `json:"max_k"`
}

func (h *Handler) about() About {
	return About{h.options.Name, h.docs.documents(), h.options.MaxQuery, h.options.MaxK}
}

// json answers at an endpoint.
func (h *Handler) json(e Endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		answer, err := h.ask(req, e)
		h.sendJSON(w, answer, err)
	}
}

// noEndpoint answers at paths without an endpoint.
func (h *Handler) noEndpoint(w http.ResponseWriter, req *http.Request) {
	err := fmt.Errorf("%s with %s is not in the API; /api says what is", req.URL.Path, req.Method)
	h.sendJSON(w, nil, &statusError{status: http.StatusNotFound, err: err})
}

// sendJSON sends an answer, or what went wrong.
func (l *limits) sendJSON(w http.ResponseWriter, answer any, err error) {
	var b body
	if err == nil {
		err = json.NewEncoder(&b).Encode(answer)
	}
	code := http.StatusOK
	if err != nil {
		b.Reset()
		code = status(err)
		said := map[string]any{"error": strings.TrimPrefix(err.Error(), "similar: ")}
		if e, ok := errors.AsType[*errNeeds](err); ok {
			said["needs"] = e.terms
		}
		text, _ := json.Marshal(said) // strings are JSON
		b.Buffer.Write(append(text, '\n'))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="similar"`)
	}
	l.send(w, code, b.Bytes(), retryAfter(err))
}

// ask checks the parameters and answers within the time limit.
func (h *Handler) ask(req *http.Request, e Endpoint) (any, error) {
	v, err := parameters(req)
	if err != nil {
		return nil, err
	}
	for name := range v {
		if !slices.Contains(e.Parameters, name) {
			return nil, badRequest("%s has no parameter %q; it has %s", e.Path, name, strings.Join(append(slices.Clip(e.Parameters), "no others"), ", "))
		}
	}
	ctx, cancel := h.until(req)
	defer cancel()
	var pasted *similar.Document
	var answer any
	err = h.answering(ctx, func(docs answerer) error {
		r, err := h.read(ctx, docs, v)
		if err == nil {
			err = r.misread()
		}
		if err != nil {
			return err
		}
		if e.write != nil {
			if err := h.mayWrite(req); err != nil {
				return err
			}
		}
		if e.paste != nil && pasted == nil {
			if err := e.paste(req, r); err != nil {
				return err
			}
			pasted = r.pasted
		}
		r.pasted = pasted
		leave, err := h.enter(ctx, r.most(e.cost))
		if err != nil {
			return err
		}
		defer leave()
		if e.write != nil {
			answer, err = e.write(h, ctx, req, r)
		} else {
			answer, err = e.answer(h, ctx, r)
		}
		return err
	})
	return answer, err
}
