package page

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/snippet"
)

// An Answer is the result of a search.
type Answer struct {
	Documents int      `json:"documents"` // of the index
	Request   *request `json:"request"`
	Took      float64  `json:"took_ms"`
	More      bool     `json:"more"` // whether there are hits after these
	Hits      []Hit    `json:"hits"`
	Missing   []int    `json:"missing,omitempty"` // the shards, by number, whose documents are not among these

	Suggestion string `json:"suggestion,omitempty"` // the query with words that documents have for those that none has

	best []string // the ids of the first answers, on whatever page
}

// A Hit is one document of an answer.
type Hit struct {
	Rank    int               `json:"rank"` // from 1
	ID      string            `json:"id"`
	Title   string            `json:"title,omitempty"`
	Score   float64           `json:"score"`
	Fields  map[string]string `json:"fields,omitempty"`
	Snippet []snippet.Part    `json:"snippet"`

	Name    string         `json:"-"` // the title, or the id if there is none
	Heading []snippet.Part `json:"-"` // the same, words marked
}

// explained is how many terms of a document's share in a score are marked, where the query is
// documents.
const explained = 8

const (
	budgetBytes = 4 << 20 // bytes looked at for all snippets of one answer: later ones are plain
	shownBytes  = 1 << 20 // of a text on a document's page
)

// search answers a request.
func (h *Handler) search(ctx context.Context, r *request) (*Answer, error) {
	start := time.Now()
	a := &Answer{Request: r, Hits: []Hit{}}
	if !r.Asks() {
		a.Documents = r.docs.documents()
		return a, nil
	}
	last := min(r.From+cmp.Or(r.K, pageHits), h.options.MaxK)
	matches, err := r.docs.matches(ctx, r, max(last+1, facetHits)) // one more than the last says whether there are more
	if err != nil {
		return nil, err
	}
	a.More = len(matches) > last && last < h.options.MaxK
	for _, match := range matches[:min(facetHits, len(matches))] {
		a.best = append(a.best, match.ID)
	}
	if a.Suggestion, err = h.suggest(ctx, r); err != nil {
		return nil, err
	}
	shown := matches[min(r.From, len(matches)):min(last, len(matches))]
	if len(shown) > 0 {
		hits, cut, err := r.docs.hits(ctx, r, shown)
		if err != nil {
			return nil, err
		}
		a.Hits, a.More = append(a.Hits, hits...), a.More || cut
	}
	a.Documents, a.Missing = r.docs.documents(), r.docs.missing()
	a.Took = time.Since(start).Seconds() * 1e3
	return a, ctx.Err()
}

// hitOf is a document as answers have it.
func hitOf(m *snippet.Marker, rank int, score float64, d *similar.Document) Hit {
	name := heading(d)
	fields, _ := shortened(d.Fields, hitField, hitFields)
	return Hit{
		Rank: rank, ID: d.ID, Title: strings.Clone(snippet.Head(d.Title, hitField)), Score: score, Fields: fields,
		Name: name, Snippet: m.Snippet(d.Text), Heading: m.Whole(name),
	}
}

// size is about what a hit takes as HTML, where its id is in five links.
func (h *Hit) size() int {
	n := 1500 + 12*len(h.ID) + 5*len(h.Name)
	for name, value := range h.Fields {
		n += 2 * (len(name) + len(value))
	}
	for _, p := range h.Snippet {
		n += 20 + len(p.Text)
	}
	return n
}

// The most bytes of a title or of a field's value, and of all fields, of a hit and of a document.
const (
	hitField, hitFields   = 1 << 10, 16 << 10
	textField, textFields = 64 << 10, shownBytes
)

// shortened returns fields with the beginnings of their values, the first by name where all are too
// long, and whether any is missing or cut.
func shortened(fields map[string]string, one, all int) (short map[string]string, cut bool) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := snippet.Head(fields[name], one)
		cut = cut || len(value) < len(fields[name])
		if all -= len(name) + len(value); all < 0 {
			return short, true
		}
		if short == nil {
			short = map[string]string{}
		}
		short[name] = strings.Clone(value)
	}
	return short, cut
}

// heading is the name of a document.
func heading(d *similar.Document) string {
	if d.Title != "" {
		return snippet.Head(d.Title, 1<<10)
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
func (h *Handler) document(ctx context.Context, r *request) (*Text, error) {
	if r.ID == "" {
		return nil, errNoID
	}
	return r.docs.text(ctx, r)
}

var errNoID = badRequest("no id: name a document with id=…")

// A Sampled is a similar.Sample as JSON.
type Sampled struct {
	ID     string           `json:"ID"`
	Terms  map[string]int64 `json:"Terms"`
	Vector []float32        `json:"Vector,omitempty"`
}

// sample returns the sample of a document.
func (h *Handler) sample(ctx context.Context, r *request) (any, error) {
	if r.ID == "" {
		return nil, errNoID
	}
	list, err := r.docs.samples(ctx, []string{r.ID})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("similar: %q: %w", r.ID, similar.ErrUnknown)
	}
	return Sampled(list[0]), nil
}
