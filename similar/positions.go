package similar

import (
	"maps"
	"slices"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// The words of the texts of a document are numbered one after the other: the title's, the text's,
// the fields' by name. textGap numbers between two texts belong to no word, so that no phrase goes
// from one into the next.
const textGap = 2 * query.MaxSlop

// maxPlaced is how many fields a document may have: its places are below 2^32.
const maxPlaced = 1 << 20

// addPlaces adds the terms of a document, with their places.
func (a *analyst) addPlaces(d *Document) {
	place := uint32(0)
	add := func(s string, weight uint32) {
		if weight == 0 {
			return
		}
		a.builder.Weight(weight)
		a.lexicon.Words(s, func(numbers []uint32) {
			a.builder.Words(numbers, place, text.Omitted)
			place += uint32(len(numbers))
		})
		place += textGap
	}
	w := &a.index.weights
	add(d.Title, w.title)
	add(d.Text, w.text)
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		add(d.Fields[name], w.of(name))
	}
}

// placed reports whether places tell where a phrase is: its own words are not further from each
// other than two texts.
func (p *phrase) placed() bool {
	first, last := p.words[0].offset, p.words[0].offset
	for _, w := range p.words {
		first, last = min(first, w.offset), max(last, w.offset)
	}
	return last-first+p.slop < textGap
}

// A placeReader reads the places of terms of the documents of one part.
type placeReader struct {
	row    []segment.RowTerm
	places []uint32
	ends   []int
}

// read notes where a document has the terms of a phrase.
func (r *placeReader) read(p *part, doc uint32, ranks map[uint32]string, o *occurrences) (err error) {
	if r.row, err = p.Row(int(doc), r.row[:0]); err != nil {
		return err
	}
	if r.places, r.ends, err = p.Places(int(doc), len(r.row), r.places[:0], r.ends[:0]); err != nil {
		return err
	}
	at := 0
	for i, t := range r.row {
		if term, ok := ranks[t.Rank()]; ok {
			for _, place := range r.places[at:r.ends[i]] {
				o.places[term] = append(o.places[term], int(place))
			}
		}
		at = r.ends[i]
	}
	return nil
}

// ranks returns the terms of the filter that the part has, by their ranks.
func (m *matcher) ranks() map[uint32]string {
	if m.byRank == nil {
		m.byRank = map[uint32]string{}
		for i := range m.lookups {
			if l := &m.lookups[i]; l.there {
				m.byRank[l.rank] = l.text
			}
		}
	}
	return m.byRank
}
