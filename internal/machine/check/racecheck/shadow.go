package racecheck

import (
	"slices"
	"unsafe"
)

// Shadow memory of racecheck: which access wrote each word of four bytes last, and which have read
// it since, or each byte where accesses are narrower than a word.
//
// Threads of a warp mostly access consecutive words or bytes, so a line of 128 bytes remembers
// spans: "this instruction of that warp wrote words 0 to 31, lane by lane". If the accesses have no
// such order, the line has a cell for every word or byte instead. Each half of the cells exists
// only while it holds anything.

const (
	lineSize  = 128
	pageLines = 8
	pageSize  = pageLines * lineSize
	dirPages  = 512
	dirSize   = dirPages * pageSize

	wordShift = 2 // the logarithm of a word's bytes
	maxSpans  = 24
)

// line is the history of 128 bytes.
type line struct {
	spans  []span
	writes half   // the last write of each cell
	rests  half   // reads since then, writes that race with the last, and what later ones do not cover
	stamp  uint32 // the clock when it was looked at last
	shift  uint8  // the logarithm of the bytes of a cell: wordShift or 0
	seen   bool
}

// span is the accesses of consecutive lanes to consecutive elements. Spans of writes do not
// overlap.
type span struct {
	first    ref   // the access to the first cell; the cells after it are by the lanes that follow
	from, to uint8 // cells of the line; to is the one after the last
	write    bool
}

// half is a ref for each cell of a line; no refs while all are 0.
type half struct {
	refs []ref
	used int // how many are not 0
}

// cell is the history of a word or a byte.
type cell struct {
	write ref
	rest  ref
}

// area has the lines of a block's shared memory or of an allocation. It is a tree that has only the
// parts that were accessed.
type area struct {
	base, size uint64
	dirs       []*[dirPages]*page
}

type page [pageLines]line

func newArea(base, size uint64) *area {
	return &area{base: base, size: size, dirs: make([]*[dirPages]*page, (size+dirSize-1)/dirSize)}
}

// line is the line of an offset, and the cell for an access of some bytes there.
func (h *history) line(a *area, off uint64, size int) (*line, int) {
	dir := a.dirs[off/dirSize]
	if dir == nil {
		dir = new([dirPages]*page)
		a.dirs[off/dirSize] = dir
	}
	p := dir[off%dirSize/pageSize]
	if p == nil {
		p = new(page)
		dir[off%dirSize/pageSize] = p
	}
	l := &p[off%pageSize/lineSize]
	switch {
	case !l.seen:
		l.seen, l.shift = true, wordShift
		h.lines++
	case l.stamp <= h.recBase: // all of it is forgotten
		l.spans = l.spans[:0]
		h.drop(l, &l.writes)
		h.drop(l, &l.rests)
	}
	l.stamp = h.now()
	if size < 1<<wordShift && l.shift == wordShift {
		h.narrow(l)
	}
	return l, int(off % lineSize >> l.shift)
}

// narrow gives a line of words a cell for every byte.
func (h *history) narrow(l *line) {
	for i := range l.spans {
		l.spans[i].from <<= wordShift
		l.spans[i].to <<= wordShift
	}
	writes, rests := l.writes.refs, l.rests.refs
	l.writes, l.rests, l.shift = half{}, half{}, 0
	for i, r := range writes {
		for b := range 1 << wordShift {
			h.set(l, &l.writes, i<<wordShift+b, r)
		}
	}
	var list []entry
	for i, r := range rests {
		list = h.entries(list[:0], r)
		h.release(r)
		for b := range 1 << wordShift {
			h.set(l, &l.rests, i<<wordShift+b, h.pack(list))
		}
	}
	h.keep(writes, wordShift)
	h.keep(rests, wordShift)
}

// set changes a ref of a half, which comes with its first and goes with its last.
func (h *history) set(l *line, f *half, i int, r ref) {
	if f.refs == nil {
		if r == 0 {
			return
		}
		f.refs = h.newRefs(l.shift)
	}
	before := f.refs[i]
	f.refs[i] = r
	switch {
	case before == 0 && r != 0:
		f.used++
	case before != 0 && r == 0:
		f.used--
	}
	if f.used == 0 {
		h.drop(l, f)
	}
}

// drop takes away a half whose refs are forgotten or 0.
func (h *history) drop(l *line, f *half) {
	h.keep(f.refs, l.shift)
	*f = half{}
}

func (h *history) newRefs(shift uint8) []ref {
	list := h.spare[shift]
	if n := len(list); n > 0 {
		h.spare[shift] = list[:n-1]
		return list[n-1]
	}
	h.held += lineSize >> shift
	return make([]ref, lineSize>>shift)
}

// keep puts refs aside that no line needs any more.
func (h *history) keep(refs []ref, shift uint8) {
	if refs != nil {
		clear(refs)
		h.spare[shift] = append(h.spare[shift], refs)
	}
}

// at is the access of a span to a cell of a line.
func (h *history) at(l *line, s span, i int) ref {
	step := h.record(uint32(s.first>>5)).width - l.shift // lanes are that much further apart than cells
	return s.first + ref(i>>step-int(s.from)>>step)
}

// written is the last write of a cell.
func (h *history) written(l *line, i int) ref {
	if l.writes.refs != nil {
		return l.writes.refs[i]
	}
	for _, s := range l.spans {
		if s.write && int(s.from) <= i && i < int(s.to) && !h.old(s.first) {
			return h.at(l, s, i)
		}
	}
	return 0
}

// rest returns what a cell remembers besides its last write.
func (h *history) rest(l *line, i int) ref {
	h.spread(l, &l.rests, false)
	if l.rests.refs == nil {
		return 0
	}
	return l.rests.refs[i]
}

// setWritten changes the last write of a cell.
func (h *history) setWritten(l *line, i int, r ref) {
	h.spread(l, &l.writes, true)
	h.set(l, &l.writes, i, r)
}

// spread makes cells of a line's spans of writes, or of the others.
func (h *history) spread(l *line, f *half, writes bool) {
	if !slices.ContainsFunc(l.spans, func(s span) bool { return s.write == writes }) {
		return
	}
	var list []entry
	for _, s := range l.spans {
		if s.write != writes || h.old(s.first) {
			continue
		}
		for i := int(s.from); i < int(s.to); i++ {
			at := h.at(l, s, i)
			if writes || f.refs == nil || f.refs[i] == 0 {
				h.set(l, f, i, at)
				continue
			}
			list = h.entries(list[:0], f.refs[i])
			h.release(f.refs[i])
			list = h.remember(list, entry{uint32(at >> 5), 1 << (at & 31)}, h.record(uint32(at>>5)))
			h.set(l, f, i, h.pack(list))
		}
	}
	l.spans = slices.DeleteFunc(l.spans, func(s span) bool { return s.write == writes })
}

// crowded reports that the shadow takes nearly 8 bytes for each byte of the lines that were
// accessed. That happens if several threads each access bytes in no order. From then on a cell
// remembers only one of its readers.
func (h *history) crowded() bool {
	const (
		few      = 256 << 10 // bytes that lists of readers may take in any case
		perLine  = int(unsafe.Sizeof(line{}))
		perEntry = int(unsafe.Sizeof(node{}))
	)
	if (len(h.nodes)-len(h.free))*perEntry < few {
		return false
	}
	return h.lines*perLine+h.held*int(unsafe.Sizeof(ref(0)))+cap(h.nodes)*perEntry+
		cap(h.recs)*int(unsafe.Sizeof(record{})) > 7*lineSize*h.lines
}

// Memory is how many bytes the shadow of global memory takes.
func (r *Check) Memory() uint64 {
	h := r.global
	n := cap(h.copies)*int(unsafe.Sizeof(copyRecord{})) + cap(h.recs)*int(unsafe.Sizeof(record{})) + cap(h.nodes)*int(unsafe.Sizeof(node{})) +
		cap(h.free)*4 + h.held*int(unsafe.Sizeof(ref(0)))
	for _, list := range h.spare {
		n += cap(list) * int(unsafe.Sizeof([]ref(nil)))
	}
	for _, a := range r.areas {
		n += len(a.dirs) * int(unsafe.Sizeof(uintptr(0)))
		for _, dir := range a.dirs {
			if dir == nil {
				continue
			}
			n += int(unsafe.Sizeof(*dir))
			for _, p := range dir {
				if p == nil {
					continue
				}
				n += int(unsafe.Sizeof(*p))
				for i := range p {
					n += cap(p[i].spans) * int(unsafe.Sizeof(span{}))
				}
			}
		}
	}
	return uint64(n)
}
