package page

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/snippet"
)

const (
	facetHits    = 30       // answers whose fields are counted
	facetBytes   = 8 << 20  // of documents that are read for it
	facetFields  = 6        // shown
	facetValues  = 6        // shown of a field
	facetLength  = 40       // the most bytes of a value that is shown
	sampled      = 200      // documents that the start page looks at
	sampledBytes = 32 << 20 // of documents that are read for it
	begins       = 6        // documents that the start page names
)

// A Facet is a field, and how many documents have which values of it.
type Facet struct {
	Name   string  `json:"name"`
	Values []Value `json:"values"` // the most frequent first
}

// A Value is one of a field's, which conditions of a search can name.
type Value struct {
	Text      string `json:"text"`
	Documents int    `json:"documents"`
}

// A tally counts the fields of documents.
type tally map[string]map[string]int

// add counts a document's fields. One that lists values, parted by "; ", has each of them. Of dates
// the years count, where the schema of the index says that they are dates.
func (t tally) add(x *similar.Searcher, d *similar.Document) {
	for name, text := range d.Fields {
		met := map[string]bool{}
		for value := range strings.SplitSeq(snippet.Head(text, hitField), "; ") {
			if value == "" || len(value) > facetLength || len(name) > facetLength {
				continue
			}
			if value = x.FacetOf(name, value); met[value] {
				continue
			}
			met[value] = true
			if t[name] == nil {
				t[name] = map[string]int{}
			}
			t[strings.Clone(name)][strings.Clone(value)]++
		}
	}
}

// facets are the fields that tell documents apart: with a value that several of them have, and not
// all.
func (t tally) facets(documents int) []Facet {
	var list []Facet
	for name, values := range t {
		f := Facet{Name: name}
		for text, n := range values {
			if n > 1 && n < documents {
				f.Values = append(f.Values, Value{text, n})
			}
		}
		slices.SortFunc(f.Values, func(a, b Value) int {
			return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Text, b.Text))
		})
		if f.Values = f.Values[:min(facetValues, len(f.Values))]; len(f.Values) > 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b Facet) int { return cmp.Compare(a.Name, b.Name) })
	return list[:min(facetFields, len(list))]
}

// facets counts the fields of the first documents of a list, without fields that a condition names.
func (h *Handler) facets(ctx context.Context, r *request, ids []string) ([]Facet, error) {
	t, n, err := r.docs.tally(ctx, ids)
	for name := range r.Where {
		delete(t, name)
	}
	return t.facets(n), err
}

// bytesOf is about how much memory a document takes.
func bytesOf(d *similar.Document) int {
	n := len(d.Title) + len(d.Text)
	for name, value := range d.Fields {
		n += len(name) + len(value)
	}
	return n
}

// An Overview is the start page's description of an index.
type Overview struct {
	Looked int     // how many documents were looked at
	Facets []Facet // of these
	Begin  []similar.Document
}

// A glance is the values of documents from all over an index.
type glance struct {
	looked int
	fields tally
	begin  []similar.Document
}

// glances keeps the glance at an index until it changes.
type glances struct {
	mu        sync.Mutex
	last      *glance
	documents int // of the index, when last was made
	made      time.Time
}

// overviewTime is how long an overview of an index that changes is shown.
const overviewTime = time.Minute

func (l *oneIndex) overview(ctx context.Context) (*Overview, error) {
	g, err := l.glance(ctx)
	if err != nil {
		return nil, err
	}
	return &Overview{g.looked, g.fields.facets(g.looked), g.begin}, nil
}

// glance looks at documents all over the index. The caller does not change it.
func (l *oneIndex) glance(ctx context.Context) (*glance, error) {
	o := &l.glances
	o.mu.Lock()
	defer o.mu.Unlock()
	n := l.x.Len()
	if o.last != nil && (n == o.documents || time.Since(o.made) < overviewTime) {
		return o.last, nil
	}
	g, size := &glance{fields: tally{}}, 0
	step, place := max(1, n/sampled), 0
	for id := range l.x.IDs("") {
		if place++; (place-1)%step != 0 {
			continue
		}
		d, err := l.x.Document(id)
		if gone(err) != nil || ctx.Err() != nil {
			return nil, firstOf(gone(err), ctx.Err())
		}
		if g.looked%max(1, min(n, sampled)/begins) == 0 && len(g.begin) < begins && len(id) <= hitField {
			g.begin = append(g.begin, similar.Document{ID: id, Title: strings.Clone(snippet.Head(d.Title, hitField))})
		}
		g.looked++
		g.fields.add(l.x, &d)
		if size += bytesOf(&d); size > sampledBytes || g.looked == sampled {
			break
		}
	}
	o.last, o.documents, o.made = g, n, time.Now()
	return g, nil
}
