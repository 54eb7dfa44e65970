package similar

import (
	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A part is a segment and which of its documents were deleted. It is immutable.
type part struct {
	*segment.Segment
	dead    deaths
	columns *columns
}

func newPart(s *segment.Segment) *part { return &part{Segment: s, columns: new(columns)} }

// deaths counts the deleted documents of a segment, in all and by term.
type deaths struct {
	weight.Collection
	bits pages[uint64]
	df   pages[uint32] // by rank
}

func (p *part) isDead(ord int) bool {
	return p.dead.Documents > 0 && p.dead.bits.at(ord/64)>>(ord%64)&1 != 0
}

// live counts the documents that live.
func (p *part) live() weight.Collection {
	return weight.Collection{
		Documents: int64(p.Len()) - p.dead.Documents,
		Terms:     p.Length() - p.dead.Terms,
		Postings:  p.Postings() - p.dead.Postings,
	}
}

// liveDF returns in how many living documents a term is.
func (p *part) liveDF(t segment.Term) int64 { return int64(t.DF) - int64(p.dead.df.at(int(t.Rank))) }

// find returns the ordinal of the living document with an id.
func (p *part) find(id string) (ord int, ok bool) {
	ord, ok = p.Find(id, 0)
	return ord, ok && !p.isDead(ord)
}

// without returns the part with documents deleted, which live.
func (p *part) without(ords []int) (*part, error) {
	d := p.dead
	bits, df := d.bits.edit(), d.df.edit()
	var row []segment.RowTerm
	for _, ord := range ords {
		*bits.of(ord / 64) |= 1 << (ord % 64)
		var err error
		if row, err = p.Row(ord, row[:0]); err != nil {
			return nil, err
		}
		for _, t := range row {
			*df.of(int(t.Rank()))++
		}
		d.Collection = d.Collection.Add(weight.Collection{Documents: 1, Terms: int64(p.Lengths()[ord]), Postings: int64(len(row))})
	}
	d.bits, d.df = bits.now, df.now
	return &part{p.Segment, d, p.columns}, nil
}
