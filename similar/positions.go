package similar

import (
	"maps"
	"math"
	"slices"

	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// The words of the texts of a document are numbered one after the other: the text's, whose places are
// short numbers then, the title's, the fields' by name. textGap numbers between two texts belong to
// no word, so that no phrase goes from one into the next. Earlier indices have the title first.
const textGap = 2 * query.MaxSlop

// maxPlaced is how many fields and keywords a document may have: its places are below 2^32.
const maxPlaced = 1 << 20

// addPlaces adds the terms of a document, with their places.
func (a *analyst) addPlaces(d *Document) {
	place := uint32(0)
	add := func(s string, r rule) {
		if r.weight == 0 || s == "" {
			return
		}
		a.builder.Weight(r.weight)
		a.of(r).Words(s, func(numbers []uint32) {
			a.builder.Words(numbers, place, text.Omitted)
			a.count(r, numbers)
			place += uint32(len(numbers))
		})
		place += textGap
	}
	w := &a.index.schema
	resolve := w.resolver(d)
	add(d.Text, resolve(w.text))
	add(d.Title, resolve(w.title))
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		add(d.Fields[name], resolve(w.of(name)))
	}
	a.builder.Weight(1)
	a.keywords(d, func(number []uint32) {
		a.builder.Words(number, place, text.Omitted)
		place += textGap
	})
	a.mark(place)
}

// placed reports whether places tell where a phrase is: its own words are not further from each
// other than two texts.
func (p *phrase) placed() bool {
	first, last := math.MaxInt, 0
	for _, t := range p.terms {
		first, last = min(first, t.offsets[0]), max(last, t.offsets[len(t.offsets)-1])
	}
	return last-first+p.slop < textGap
}
