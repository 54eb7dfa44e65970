package segment

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A Source is a segment to merge, and which of its documents to leave out.
type Source struct {
	*Segment
	Dead func(ord int) bool // nil where all live
}

// Gone is the new ordinal of a document that was left out.
const Gone = math.MaxUint32

// Merge makes one segment of the documents of several that live. No id lives twice. It returns the
// new ordinals of the documents of each source, too.
func Merge(ctx context.Context, sources []Source) (*Segment, [][]uint32, error) {
	m := &merger{sources: sources, s: new(Segment)}
	m.documents()
	if len(m.s.ids) > maxBytes {
		return nil, nil, ErrTooLarge
	}
	if err := m.lists(ctx); err != nil {
		return nil, nil, err
	}
	m.s.rankTerms()
	if err := m.rows(ctx); err != nil {
		return nil, nil, err
	}
	return m.s, m.ords, m.s.seal()
}

type merger struct {
	sources []Source
	s       *Segment
	ords    [][]uint32 // of a source's document: its new ordinal
	origin  []origin   // of a new document: where it was
	numbers [][]uint32 // of a source's term: its new number
}

type origin struct{ source, ord uint32 }

// documents merges the ids, and what is stored of the documents.
func (m *merger) documents() {
	for i, src := range m.sources {
		m.ords = append(m.ords, make([]uint32, src.Len()))
		for ord := range src.Len() {
			m.ords[i][ord] = Gone
			if src.Dead == nil || !src.Dead(ord) {
				m.origin = append(m.origin, origin{uint32(i), uint32(ord)})
			}
		}
	}
	id := func(o origin) string { return m.sources[o.source].ID(int(o.ord)) }
	slices.SortStableFunc(m.origin, func(a, b origin) int { return cmp.Compare(id(a), id(b)) })
	s := m.s
	for n, o := range m.origin {
		src := m.sources[o.source]
		m.ords[o.source][o.ord] = uint32(n)
		s.ids = append(s.ids, id(o)...)
		s.idEnd = append(s.idEnd, uint32(len(s.ids)))
		s.bodies = append(s.bodies, src.Body(int(o.ord))...)
		s.bodyEnd = append(s.bodyEnd, uint64(len(s.bodies)))
		s.lengths = append(s.lengths, src.lengths[o.ord])
		s.length += int64(src.lengths[o.ord])
		s.addVector(n, src.Segment, int(o.ord))
	}
}

// posting is a document in the high half, so that postings are ordered as numbers, and a frequency.
type posting uint64

// lists merges the dictionaries, and the lists of each term.
func (m *merger) lists(ctx context.Context) error {
	next := make([]int, len(m.sources)) // the term that each source has come to
	for _, src := range m.sources {
		m.numbers = append(m.numbers, make([]uint32, src.Terms()))
	}
	var all, spare []posting
	var runs []int
	var docs, tfs []uint32
	var cursor Cursor
	for {
		term, ok := m.lowest(next)
		if !ok {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		all, runs = all[:0], append(runs[:0], 0)
		for i, src := range m.sources {
			if next[i] < src.Terms() && src.Term(next[i]) == term {
				m.numbers[i][next[i]] = uint32(m.s.Terms())
				cursor.Open(src.Segment, next[i])
				all = m.live(all, i, &cursor)
				runs = append(runs, len(all))
				next[i]++
			}
		}
		if len(all) == 0 {
			continue
		}
		all, spare = mergeRuns(all, spare, runs)
		docs, tfs = docs[:0], tfs[:0]
		for _, p := range all {
			docs, tfs = append(docs, uint32(p>>32)), append(tfs, uint32(p))
		}
		m.s.addList(term, docs, tfs)
	}
}

// lowest returns the lowest term that a source has come to.
func (m *merger) lowest(next []int) (term string, ok bool) {
	for i, src := range m.sources {
		if next[i] < src.Terms() {
			if t := src.Term(next[i]); !ok || t < term {
				term, ok = t, true
			}
		}
	}
	return term, ok
}

// live appends the postings of a term of a source that live, with their new ordinals.
func (m *merger) live(dst []posting, source int, c *Cursor) []posting {
	ords := m.ords[source]
	for more := c.DF() > 0; more; more = c.Next() {
		tfs := c.TFs()
		for i, d := range c.Docs() {
			if n := ords[d]; n != Gone {
				dst = append(dst, posting(n)<<32|posting(tfs[i]))
			}
		}
	}
	return dst
}

// mergeRuns orders what consists of ordered runs. It returns it, and memory for the next time.
func mergeRuns(all, spare []posting, runs []int) (ordered, other []posting) {
	if slices.IsSorted(all) {
		return all, spare
	}
	for len(runs) > 2 {
		spare = slices.Grow(spare[:0], len(all))
		ends := append(runs[:0:0], 0)
		for i := 0; i+1 < len(runs); i += 2 {
			a := all[runs[i]:runs[i+1]]
			var b []posting
			if i+2 < len(runs) {
				b = all[runs[i+1]:runs[i+2]]
			}
			spare = mergeTwo(spare, a, b)
			ends = append(ends, len(spare))
		}
		all, spare, runs = spare, all, ends
	}
	return all, spare
}

func mergeTwo(dst, a, b []posting) []posting {
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			dst, a = append(dst, a[0]), a[1:]
		} else {
			dst, b = append(dst, b[0]), b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// rows writes the rows anew, with the new ranks.
func (m *merger) rows(ctx context.Context) error {
	rank := make([][]uint32, len(m.sources)) // of a source's rank: the new one
	for i, src := range m.sources {
		rank[i] = make([]uint32, src.Terms())
		for r, term := range src.byRank {
			if n := m.numbers[i][term]; int(n) < m.s.Terms() {
				rank[i][r] = m.s.rank[n]
			}
		}
	}
	var row []RowTerm
	for n, o := range m.origin {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row = m.sources[o.source].Row(int(o.ord), row[:0])
		for i := range row {
			row[i].Rank = rank[o.source][row[i].Rank]
		}
		slices.SortFunc(row, func(a, b RowTerm) int { return cmp.Compare(a.Rank, b.Rank) })
		m.s.addRow(row)
	}
	return nil
}
