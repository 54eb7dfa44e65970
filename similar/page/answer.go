package page

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// An Answer is what a search found.
type Answer struct {
	Documents int      `json:"documents"` // of the index
	Request   *request `json:"request"`
	Took      float64  `json:"took_ms"`
	More      bool     `json:"more"` // whether there are hits after these
	Hits      []Hit    `json:"hits"`
}

// A Hit is one document of an answer.
type Hit struct {
	Rank    int               `json:"rank"` // from 1
	ID      string            `json:"id"`
	Title   string            `json:"title,omitempty"`
	Score   float64           `json:"score"`
	Fields  map[string]string `json:"fields,omitempty"`
	Snippet []Part            `json:"snippet"`

	Name    string `json:"-"` // the title, or the id where there is none
	Heading []Part `json:"-"` // the same, words marked
}

// explained is how many terms of a document's share in a score are marked, where the query is
// documents.
const explained = 8

// search answers a request.
func (h *Handler) search(ctx context.Context, r *request) (*Answer, error) {
	start := time.Now()
	a := &Answer{Documents: h.index.Len(), Request: r, Hits: []Hit{}}
	if !r.Asks() {
		return a, nil
	}
	q, last := r.query(), min(r.From+cmp.Or(r.K, pageHits), h.options.MaxK)
	q.K = last + 1 // one more says whether there are more
	hits, err := h.index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	a.More = len(hits) > last && last < h.options.MaxK
	hits = hits[min(r.From, len(hits)):min(last, len(hits))]
	m := newMarker(h.index.Analyzer(), r.Q)
	for i, hit := range hits {
		if err := h.markWhy(ctx, m, r, hit.Document.ID, i); err != nil {
			return nil, err
		}
		a.Hits = append(a.Hits, m.hit(r.From+i+1, hit))
	}
	a.Took = time.Since(start).Seconds() * 1e3
	return a, ctx.Err()
}

// markWhy adds the terms that liked documents and a hit share to those that are marked.
func (h *Handler) markWhy(ctx context.Context, m *marker, r *request, id string, i int) error {
	if len(r.Like)+len(r.Good) == 0 || i >= 100 {
		return nil
	}
	shares, err := h.index.Explain(ctx, r.query(), id)
	if err != nil {
		return gone(err)
	}
	for _, s := range shares[:min(explained, len(shares))] {
		m.terms.Add(s.Term)
	}
	return nil
}

// hit is a document as answers have it.
func (m *marker) hit(rank int, hit similar.Hit) Hit {
	d := hit.Document
	name := heading(&d)
	return Hit{
		Rank: rank, ID: d.ID, Title: d.Title, Score: hit.Score, Fields: d.Fields,
		Name: name, Snippet: m.snippet(d.Text), Heading: m.whole(name),
	}
}

// heading is what a document is called.
func heading(d *similar.Document) string {
	if d.Title != "" {
		return head(d.Title, 1<<10)
	}
	return d.ID
}

// A Field is a name and a value.
type Field struct {
	Name, Value string
	Short       bool
}

// sortedFields are a document's fields by name.
func sortedFields(fields map[string]string) []Field {
	var list []Field
	for name, value := range fields {
		list = append(list, Field{name, value, len(value) <= 120})
	}
	slices.SortFunc(list, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// A Text is one document in full.
type Text struct {
	ID        string            `json:"id"`
	Title     string            `json:"title,omitempty"`
	Text      string            `json:"text"`
	Bytes     int               `json:"bytes"` // of the text
	Shortened bool              `json:"shortened,omitempty"`
	Fields    map[string]string `json:"fields,omitempty"`
}

// document returns a document, and at most shownBytes of its text.
func (h *Handler) document(_ context.Context, r *request) (*Text, error) {
	d, err := h.find(r.ID)
	if err != nil {
		return nil, err
	}
	shown := head(d.Text, shownBytes)
	return &Text{d.ID, d.Title, shown, len(d.Text), len(shown) < len(d.Text), d.Fields}, nil
}

func (h *Handler) find(id string) (similar.Document, error) {
	if id == "" {
		return similar.Document{}, badRequest("no id: name a document with id=…")
	}
	return h.index.Document(id)
}
