package page

import (
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// sorted reads the fields to sort by. Empty ones say nothing.
func (r *request) sorted(list []string) error {
	for _, text := range unique(list) {
		if text == "" {
			continue
		}
		o, err := similar.ParseOrder(text)
		if err != nil {
			return badRequest("sort: %w", err)
		}
		r.Sort, r.order = append(r.Sort, text), append(r.order, o)
	}
	if len(r.Sort) > maxSort {
		return badRequest("sort is there %d times; want it %d times at most", len(r.Sort), maxSort)
	}
	return nil
}

// By asks the same, sorted by a field, NAME or -NAME, where the fields that it is sorted by leave
// ties.
func (r request) By(order string) request {
	r.Sort = append(slices.Clone(r.Sort), order)
	r.From = 0
	return r
}

// orderText is a field to sort by, as people read it.
func orderText(s string) string {
	if name, highest := strings.CutPrefix(s, "-"); highest {
		return name + ", highest first"
	}
	return s
}

// sortable are the fields of the answers that they are not sorted by yet, no more than a request may
// add.
func sortable(v *view) []string {
	fields := map[string]bool{}
	for _, hit := range v.Answer.Hits {
		for name := range hit.Fields {
			fields[name] = true
		}
	}
	for _, o := range v.Request.order {
		delete(fields, o.Field)
	}
	names := slices.Sorted(maps.Keys(fields))
	return names[:min(len(names), maxSort-len(v.Request.order))]
}
