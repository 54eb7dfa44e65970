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
}

// counts counts the values of the fields that a request names, in all documents that it finds.
func (h *Handler) counts(ctx context.Context, r *request) (*Counts, error) {
	if len(r.Field) == 0 {
		return nil, badRequest("no field: name one with field=…")
	}
	list, err := h.index.Counts(ctx, r.query(), cmp.Or(r.K, pageHits), r.Field...)
	if err != nil {
		return nil, err
	}
	c, size := &Counts{Documents: h.index.Len()}, 0
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
