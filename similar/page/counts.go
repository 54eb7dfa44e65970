package page

import (
	"cmp"
	"context"
	"strings"

	"github.com/gridstride/gridstride/similar/snippet"
)

// Counts is how many documents that a search finds have which values of fields.
type Counts struct {
	Documents int     `json:"documents"` // of the index
	Facets    []Facet `json:"facets"`
	Missing   []int   `json:"missing,omitempty"` // the shards, by number, whose documents are not counted
}

// counts counts the values of the fields that a request names, in all documents that it finds.
func (h *Handler) counts(ctx context.Context, r *request) (*Counts, error) {
	if len(r.Field) == 0 {
		return nil, badRequest("no field: name one with field=…")
	}
	list, err := r.docs.values(ctx, r, cmp.Or(r.K, pageHits))
	if err != nil {
		return nil, err
	}
	c, size := &Counts{Documents: r.docs.documents(), Missing: r.docs.missing()}, 0
	for i, name := range r.Field {
		f := Facet{Name: name, Values: []Value{}}
		for _, v := range list[i] {
			if size += len(v.Value); size > answerBytes {
				break
			}
			f.Values = append(f.Values, Value{strings.Clone(snippet.Head(v.Value, hitField)), v.Documents})
		}
		c.Facets = append(c.Facets, f)
	}
	return c, ctx.Err()
}
