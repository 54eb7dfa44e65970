package segment

import (
	"math/bits"
	"slices"
)

// Pieces are byte strings, one after the other. Their ends are stored in groups of piecesGroup. A
// group has two numbers: the offset of its first piece, and 64 times the offset of its ends in
// ends, plus their width. An end is counted from the beginning of its group.
type pieces struct {
	data   []byte
	groups []uint64
	ends   []byte // packed
}

const piecesGroup = 32

// at returns a piece.
func (p *pieces) at(i int) []byte {
	from, to := p.bounds(i)
	return p.data[from:to:to]
}

func (p *pieces) bounds(i int) (from, to uint64) {
	g, n := i/piecesGroup*2, uint(i%piecesGroup)
	base, at, width := p.groups[g], p.groups[g+1]>>6, uint(p.groups[g+1]&63)
	b := p.ends[at:]
	to = window(b, n*width) & (1<<width - 1)
	if n > 0 {
		from = window(b, (n-1)*width) & (1<<width - 1)
	}
	return base + from, base + to
}

// A piecesWriter adds pieces: each is the bytes appended to data until end.
type piecesWriter struct {
	data []byte
	ends []uint64
}

func (w *piecesWriter) end() { w.ends = append(w.ends, uint64(len(w.data))) }

func (w *piecesWriter) reset() { w.data, w.ends = w.data[:0], w.ends[:0] }

// pieces returns the pieces, followed by zeros zero bytes. They have separate memory if the
// writer's is used again.
func (w *piecesWriter) pieces(zeros int, again bool) pieces {
	p := pieces{data: fitted(w.data, zeros, again)}
	base := uint64(0)
	for group := range slices.Chunk(w.ends, piecesGroup) {
		last := group[len(group)-1]
		width := uint(bits.Len64(last - base))
		p.groups = append(p.groups, base, uint64(len(p.ends))<<6|uint64(width))
		bw := bitWriter{bytes: p.ends}
		for _, end := range group {
			bw.put64(end-base, width)
		}
		p.ends, base = bw.end(), last
	}
	p.groups, p.ends = fitted(p.groups, 0, false), fitted(p.ends, padding, false)
	return p
}
