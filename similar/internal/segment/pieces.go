package segment

import (
	"math/bits"
	"sync/atomic"
)

// Pieces are byte strings, one after the other, with their ends.
type pieces struct {
	data []byte
	ends ends
}

// at returns a piece: an empty one if the file is damaged there, which Err says.
func (p *pieces) at(i int) []byte {
	from, to := p.ends.bounds(i)
	b := p.data[from:to:to]
	if l := p.ends.lazy; l != nil && !l.s.guard.whole(b) {
		l.s.fail("the %s of document %d have another checksum", l.what, i)
		return nil
	}
	return b
}

// ends are where pieces end, in groups of piecesGroup. A group has two numbers: the offset of its
// first piece, and 64 times the offset of its ends in packed, plus their width. An end is counted
// from the beginning of its group.
type ends struct {
	groups []uint64
	packed []byte
	n      int    // the number of pieces
	all    uint64 // the end of the last
	lazy   *lazy
}

const piecesGroup = 32

// lazy notes which groups of a file were checked. It is nil where all were, or need not be.
type lazy struct {
	s    *Segment
	what string
	done []atomic.Uint64
}

func newLazy(s *Segment, what string, groups int) *lazy {
	return &lazy{s, what, make([]atomic.Uint64, (groups+63)/64)}
}

func (l *lazy) checked(g int) bool { return l.done[g/64].Load()>>(g%64)&1 != 0 }
func (l *lazy) note(g int)         { l.done[g/64].Or(1 << (g % 64)) }

// bounds returns where a piece begins and ends: twice 0 if the file is damaged there, which Err says.
func (e *ends) bounds(i int) (from, to uint64) {
	if l := e.lazy; l != nil && !l.checked(i/piecesGroup) {
		if !e.checkGroup(i/piecesGroup, l.s.guard) {
			l.s.fail("the %s of document %d do not end where they should", l.what, i)
			return 0, 0
		}
		l.note(i / piecesGroup)
	}
	g, n := i/piecesGroup*2, uint(i%piecesGroup)
	base, at, width := e.groups[g], e.groups[g+1]>>6, uint(e.groups[g+1]&63)
	b := e.packed[at:]
	to = window(b, n*width) & (1<<width - 1)
	if n > 0 {
		from = window(b, (n-1)*width) & (1<<width - 1)
	}
	return base + from, base + to
}

// shaped reports whether the arrays have the right lengths for n pieces with the given end.
func (e *ends) shaped(n int, all uint64) bool {
	e.n, e.all = n, all
	return len(e.groups) == 2*((n+piecesGroup-1)/piecesGroup) && len(e.packed) >= padding && (n > 0 || all == 0)
}

// checkGroup reports whether the ends of a group rise from its beginning to the beginning of the
// next group.
func (e *ends) checkGroup(g int, guard *guard) bool {
	if !guard.whole(bytesOf(e.groups[2*g : min(2*g+4, len(e.groups))])) {
		return false
	}
	last, next := e.groups[2*g], e.all
	if 2*g+2 < len(e.groups) {
		next = e.groups[2*g+2]
	}
	in := min(piecesGroup, e.n-g*piecesGroup)
	at, width := e.groups[2*g+1]>>6, uint(e.groups[2*g+1]&63)
	if g == 0 && last != 0 || next > e.all || width > maxUnary || at > uint64(len(e.packed)) || packed(in, width)+padding > len(e.packed)-int(at) {
		return false
	}
	b, base := e.packed[at:], last
	if !guard.whole(b[:packed(in, width)]) {
		return false
	}
	for i := range in {
		end := base + window(b, uint(i)*width)&(1<<width-1)
		if end < last || end > e.all {
			return false
		}
		last = end
	}
	return last == next
}

// check checks all groups.
func (e *ends) check(guard *guard) bool {
	for g := range len(e.groups) / 2 {
		if !e.checkGroup(g, guard) {
			return false
		}
	}
	return true
}

// An endsWriter adds ends.
type endsWriter struct {
	groups []uint64
	packed []byte
	group  []uint64 // the ends of the group that is not full
	base   uint64
}

func (w *endsWriter) reset() { *w = endsWriter{w.groups[:0], w.packed[:0], w.group[:0], 0} }

// add adds an end, counted from the beginning of the first piece.
func (w *endsWriter) add(end uint64) {
	if w.group = append(w.group, end); len(w.group) == piecesGroup {
		w.flush()
	}
}

func (w *endsWriter) flush() {
	last := w.group[len(w.group)-1]
	width := uint(bits.Len64(last - w.base))
	w.groups = append(w.groups, w.base, uint64(len(w.packed))<<6|uint64(width))
	b := bitWriter{bytes: w.packed}
	for _, end := range w.group {
		b.put64(end-w.base, width)
	}
	w.packed, w.base, w.group = b.end(), last, w.group[:0]
}

// ends returns the ends of n pieces, in separate memory if the writer's is used again.
func (w *endsWriter) ends(n int, again bool) ends {
	if len(w.group) > 0 {
		w.flush()
	}
	return ends{groups: fitted(w.groups, 0, again), packed: fitted(w.packed, padding, again), n: n, all: w.base}
}

// A piecesWriter adds pieces: each is the bytes appended to data.bytes until end.
type piecesWriter struct {
	data stream
	ends endsWriter
	n    int
}

func (w *piecesWriter) end() {
	w.ends.add(w.data.size())
	w.n++
	w.data.spill()
}

func (w *piecesWriter) reset() {
	w.data.reset()
	w.ends.reset()
	w.n = 0
}

// pieces returns the pieces, followed by zeros zero bytes. They have separate memory if the
// writer's is used again.
func (w *piecesWriter) pieces(zeros int, again bool) pieces {
	return pieces{w.data.section(zeros, again), w.ends.ends(w.n, again)}
}

// A stream is the bytes of a section, which go to a file as they come if there is one.
type stream struct {
	bytes []byte
	gone  uint64 // how many bytes went to the file
	out   *containerWriter
}

// spillBytes is the size of the part of a section that is held in memory before it goes to the
// file.
const spillBytes = 1 << 18

func (s *stream) reset()       { *s = stream{bytes: s.bytes[:0]} }
func (s *stream) size() uint64 { return s.gone + uint64(len(s.bytes)) }

// spill writes what is there, if it is much and there is a file.
func (s *stream) spill() {
	if s.out != nil && len(s.bytes) >= spillBytes {
		s.write()
	}
}

func (s *stream) write() {
	s.out.write(s.bytes)
	s.gone += uint64(len(s.bytes))
	s.bytes = s.bytes[:0]
}

// to has the bytes go to a file from now on, as a section of it, until done.
func (s *stream) to(out *containerWriter, kind int) {
	if out != nil {
		out.begin(kind)
		s.out = out
	}
}

// done ends the section of the file, if there is one, with some zeros.
func (s *stream) done(zeros int) {
	if s.out != nil {
		s.write()
		s.out.write(make([]byte, zeros))
		s.out.end()
	}
}

// section returns the bytes, followed by zeros, unless they went to a file.
func (s *stream) section(zeros int, again bool) []byte {
	if s.out != nil {
		return nil
	}
	return fitted(s.bytes, zeros, again)
}
