package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
	"github.com/gridstride/gridstride/similar/snippet"
)

// A server of a shard answers a front below /shard: package scatter says how a front asks. The
// questions are the methods of an answerer. A question has the parameters of the request that the
// front answers, and in its body what the front knows of other shards.

// shardOf returns the searcher of the index of a page, which has the statistics of a collection if
// it is a shard of one, and the options with the version of that.
func shardOf(x *similar.Searcher, o Options) (*similar.Searcher, Options, error) {
	if o.Table == nil {
		return x, o, nil
	}
	if o.Version == "" {
		o.Version = VersionOf(o.Table)
	}
	with, err := x.With(o.Table)
	return with, o, err
}

// VersionOf is the version of a collection that has a table: a hash of the table.
func VersionOf(t *similar.Table) string {
	h := sha256.New()
	_, _ = t.WriteTo(h) // a hash takes all bytes
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A front asks a server of a shard a question, besides the parameters of a request.
type question struct {
	Pasted    *similar.Document         `json:"pasted,omitempty"`
	Fields    []string                  `json:"fields,omitempty"`    // of the query, which documents have; or the fields in question
	Elsewhere []similar.Sample          `json:"elsewhere,omitempty"` // liked and good documents of other shards
	Words     map[string][]similar.Word `json:"words,omitempty"`     // of terms
	N         int                       `json:"n,omitempty"`
	Suggest   bool                      `json:"suggest,omitempty"` // whether the front wants a better query, too
	Places    []place                   `json:"places,omitempty"`
	IDs       []string                  `json:"ids,omitempty"`
	Queries   []string                  `json:"queries,omitempty"` // ids of documents as queries
	Terms     []string                  `json:"terms,omitempty"`
}

// The most bytes of a question, documents that it names, and values of fields that an answer has.
const (
	maxQuestion = 32 << 20
	maxNamed    = 20_001
	maxValues   = 200_000
)

type shardMatches struct {
	Matches    []similar.Ranked `json:"matches"`
	Suggestion string           `json:"suggestion,omitempty"`
}

// A shardHit is a hit with what a page shows of it.
type shardHit struct {
	Hit
	Name    string         `json:"name"`
	Heading []snippet.Part `json:"heading"`
}

type shardHits struct {
	Hits []shardHit `json:"hits"`
	Gone []string   `json:"gone,omitempty"` // documents that were asked for and are not there
	Cut  bool       `json:"cut,omitempty"`  // whether the list ends early
}

type shardTally struct {
	Fields    tally              `json:"fields"`
	Documents int                `json:"documents"`
	Begin     []similar.Document `json:"begin,omitempty"`
}

// A shardMethod answers one kind of question.
type shardMethod struct {
	cost   cost
	answer func(l *oneIndex, ctx context.Context, r *request, q *question) (any, error)
}

var shardMethods = map[string]shardMethod{
	"matches": {words, func(l *oneIndex, ctx context.Context, r *request, q *question) (any, error) {
		query := r.query()
		query.K = q.N
		list, err := l.of(r).Ranked(ctx, query)
		a := &shardMatches{Matches: list}
		if err == nil && q.Suggest {
			a.Suggestion, err = l.suggest(ctx, r)
		}
		return a, err
	}},
	"hits": {words, func(l *oneIndex, ctx context.Context, r *request, q *question) (any, error) {
		hits, cut, err := l.hits(ctx, r, q.Places)
		a := &shardHits{Hits: []shardHit{}, Cut: cut}
		for _, h := range hits {
			a.Hits = append(a.Hits, shardHit{h, h.Name, h.Heading})
		}
		for _, p := range q.Places {
			if !cut && !slices.ContainsFunc(hits, func(h Hit) bool { return h.ID == p.ID }) {
				a.Gone = append(a.Gone, p.ID)
			}
		}
		return a, err
	}},
	"values": {costly, func(l *oneIndex, ctx context.Context, r *request, _ *question) (any, error) {
		list, err := l.values(ctx, r, -1)
		n := 0
		for _, values := range list {
			n += len(values)
		}
		if n > maxValues {
			return nil, &statusError{status: http.StatusUnprocessableEntity, err: fmt.Errorf("the fields have %d values in one shard; %d are the most: ask for fewer fields, or with a condition", n, maxValues)}
		}
		return list, err
	}},
	"why":  {words, func(l *oneIndex, ctx context.Context, r *request, _ *question) (any, error) { return l.why(ctx, r) }},
	"text": {words, func(l *oneIndex, ctx context.Context, r *request, _ *question) (any, error) { return l.text(ctx, r) }},
	"reading": {words, func(l *oneIndex, ctx context.Context, r *request, q *question) (any, error) {
		return l.reading(ctx, r, q.Terms)
	}},
	"titled": {words, func(l *oneIndex, ctx context.Context, _ *request, q *question) (any, error) {
		return l.titled(ctx, q.IDs)
	}},
	"samples": {words, func(l *oneIndex, ctx context.Context, _ *request, q *question) (any, error) {
		return l.samples(ctx, q.IDs)
	}},
	"scores": {costly, func(l *oneIndex, ctx context.Context, r *request, q *question) (any, error) {
		return l.scores(ctx, q.Queries, q.IDs, q.Elsewhere)
	}},
	"tally": {words, func(l *oneIndex, ctx context.Context, _ *request, q *question) (any, error) {
		t, n, err := l.tally(ctx, q.IDs)
		return &shardTally{Fields: t, Documents: n}, err
	}},
	"overview": {costly, func(l *oneIndex, ctx context.Context, _ *request, _ *question) (any, error) {
		g, err := l.glance(ctx)
		return &shardTally{g.fields, g.looked, g.begin}, err
	}},
	"words": {words, func(l *oneIndex, ctx context.Context, _ *request, q *question) (any, error) {
		list := map[string][]similar.DocumentWords{}
		for _, term := range q.Terms {
			words, err := l.x.Words(term)
			if err := firstOf(err, ctx.Err()); err != nil {
				return nil, err
			}
			list[term] = words
		}
		return list, nil
	}},
	"fields": {words, func(l *oneIndex, ctx context.Context, _ *request, q *question) (any, error) {
		list := []string{}
		for _, name := range q.Fields {
			if l.x.HasField(name) {
				list = append(list, name)
			}
		}
		return list, ctx.Err()
	}},
}

// An asked answerer reads queries as a front says.
type asked struct {
	*oneIndex
	fields []string
}

func (a asked) hasField(_ context.Context, name string) (bool, error) {
	for _, f := range a.fields {
		if f == name {
			return true, nil
		}
	}
	return false, nil
}

// routeShard adds the addresses that fronts ask.
func (h *Handler) routeShard(l *oneIndex) {
	h.mux.HandleFunc("GET "+scatter.StatusPath, func(w http.ResponseWriter, _ *http.Request) {
		status, err := h.shardStatus()
		w.Header().Set(scatter.VersionHeader, h.options.Version)
		h.sendJSON(w, &status, err)
	})
	for name, m := range shardMethods {
		h.mux.HandleFunc("POST /shard/"+name, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set(scatter.VersionHeader, h.options.Version)
			answer, err := h.answerShard(req, l, m)
			h.sendJSON(w, answer, err)
		})
	}
}

// shardStatus describes the shard of a page to fronts.
func (h *Handler) shardStatus() (scatter.Status, error) {
	l, o := h.docs.(*oneIndex), h.options
	options, err := json.Marshal(l.x.Options())
	return scatter.Status{Version: o.Version, Documents: l.documents(), Options: options, Shard: o.Shard, Of: o.Of}, err
}

// errNeeds is the error of a question that lacks the words of terms.
type errNeeds struct{ terms []string }

func (e *errNeeds) Error() string { return "the words of terms are needed" }

// answerShard answers a front.
func (h *Handler) answerShard(req *http.Request, l *oneIndex, m shardMethod) (any, error) {
	if asks := req.Header.Get(scatter.VersionHeader); asks != h.options.Version {
		return nil, &statusError{status: http.StatusConflict, err: fmt.Errorf("this is the version %s", h.options.Version)}
	}
	v, err := parameters(req)
	if err != nil {
		return nil, err
	}
	q, err := readQuestion(req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := h.until(req)
	defer cancel()
	r, err := h.read(ctx, asked{l, q.Fields}, v)
	if err != nil {
		return nil, err
	}
	r.pasted, r.elsewhere, r.words = q.Pasted, q.Elsewhere, &termWords{given: q.Words}
	leave, err := h.enter(ctx, r.most(m.cost))
	if err != nil {
		return nil, err
	}
	defer leave()
	answer, err := m.answer(l, ctx, r, q)
	if err == nil && len(r.words.needs) > 0 {
		err = &errNeeds{r.words.needs}
	}
	return answer, err
}

// readQuestion reads the body of a front's request.
func readQuestion(req *http.Request) (*question, error) {
	text, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, maxQuestion))
	if err != nil {
		return nil, badRequest("the question cannot be read: %w", err)
	}
	var q question
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return nil, badRequest("the question: %w", err)
	}
	if q.N < 0 || q.N > maxNamed || len(q.Places) > maxNamed || len(q.IDs) > maxNamed || len(q.Queries) > mapMost+1 || len(q.Terms) > maxTerms {
		return nil, badRequest("the question asks for more than a front does")
	}
	return &q, nil
}

// serveTable answers with the statistics of the index.
func (h *Handler) serveTable(w http.ResponseWriter, req *http.Request) {
	l := h.docs.(*oneIndex)
	ctx, cancel := h.until(req)
	defer cancel()
	leave, err := h.enter(ctx, costly)
	if err == nil {
		defer leave()
		var t *similar.Table
		if t, err = l.own.Table(ctx); err == nil {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = t.WriteTo(w) // an error is of the client's connection
			return
		}
	}
	h.sendJSON(w, nil, err)
}
