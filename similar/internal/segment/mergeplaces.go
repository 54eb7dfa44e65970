package segment

import "context"

// places writes the places of each term's postings, which are copied as they are. A segment has
// places if all those have them that it is merged of.
func (m *merger) places(ctx context.Context) error {
	m.w.placed = len(m.sources) > 0
	for _, src := range m.sources {
		m.w.placed = m.w.placed && src.HasPlaces()
	}
	if !m.w.placed {
		return nil
	}
	w := &m.w.places
	w.blocks.data.to(m.w.out, kindPlaces)
	merger := placesMerger{blocks: make([]int, len(m.sources))}
	err := m.terms(ctx, func(_ string, of []sourceTerm) error {
		merger.begin()
		for _, t := range of {
			if err := merger.add(m.sources[t.source].Segment, t, m.ords[t.source]); err != nil {
				return err
			}
		}
		if all := merger.merged(); len(all) > 0 {
			w.add(len(all), func(dst []byte, i int) []byte { return append(dst, merger.of(all[i])...) })
		}
		return nil
	})
	w.blocks.data.done(0)
	return err
}

// A placesMerger merges the places of one term.
type placesMerger struct {
	blocks     []int // of each source: how many blocks the lists of the terms before have
	all, spare []posting
	runs       []int
	bytes      []byte // the places of the postings that live, in the order in which they came
	ends       []int  // of each of these its end in bytes
	cursor     Cursor
	reader     PlaceReader
}

func (p *placesMerger) begin() {
	p.all, p.runs, p.bytes, p.ends = p.all[:0], append(p.runs[:0], 0), p.bytes[:0], append(p.ends[:0], 0)
}

// add adds the places of the postings of a source's term that live.
func (p *placesMerger) add(s *Segment, t sourceTerm, ords []uint32) error {
	c := &p.cursor
	c.Open(s, t.Term)
	p.reader.open(s, p.blocks[t.source])
	p.blocks[t.source] += blocksOf(int(t.DF))
	for more := true; more; more = c.Next() {
		for i, d := range c.Docs() {
			b, err := p.reader.take(c.Block(), i)
			if err != nil {
				return err
			}
			if n := ords[d]; n != Gone {
				p.all = append(p.all, posting(n)<<32|posting(len(p.ends)-1))
				p.bytes = append(p.bytes, b...)
				p.ends = append(p.ends, len(p.bytes))
			}
		}
	}
	p.runs = append(p.runs, len(p.all))
	return c.Err()
}

// merged returns the postings in order. They are good until the next begin.
func (p *placesMerger) merged() []posting {
	p.all, p.spare = mergeRuns(p.all, p.spare, p.runs)
	return p.all
}

// of returns the places of a posting.
func (p *placesMerger) of(posting posting) []byte {
	i := uint32(posting)
	return p.bytes[p.ends[i]:p.ends[i+1]]
}
