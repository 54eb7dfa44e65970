package racecheck

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Accesses of many lanes at once, in the simple cases: neighbours that access neighbouring
// elements, and lanes that read one element. The result is the same as if lane had looked at each
// lane.

// minRun is the fewest lanes that are looked at together.
const minRun = 4

// lanes looks at the accesses of lanes.
func (r *Check) lanes(addrs *[abi.WarpSize]uint64, lanes uint32) {
	c := &r.cur
	for m := lanes; m != 0; {
		lane := tool.LaneOf(m)
		n, step := 1, uint64(0)
		if follow := bits.TrailingZeros32(^(m >> lane)); follow >= minRun {
			step = addrs[lane+1] - addrs[lane]
			for n < follow && addrs[lane+n]-addrs[lane+n-1] == step {
				n++
			}
		}
		weak := c.record.flags&isStrong == 0
		switch {
		case n >= minRun && weak && step == uint64(c.size):
			r.neighbours(addrs, lane, n)
		case n >= minRun && weak && step == 0 && c.record.flags&isWrite == 0 && r.together(addrs[lane], lane, n):
		default:
			r.each(addrs, lane, n)
		}
		m &^= (1<<n - 1) << lane
	}
}

// rows is lanes for an access of rows.
func (r *Check) rows(e *event.Access) {
	c := &r.cur
	weak, write := c.record.flags&isStrong == 0, c.record.flags&isWrite != 0
	for i := range e.Rows {
		row := &e.Rows[i]
		switch many := row.Lanes >= minRun && weak; {
		case many && row.Step != 0:
			r.neighbours(e.Addrs, row.First, row.Lanes)
		case many && !write && r.together(e.Addrs[row.First&31], row.First, row.Lanes):
		default:
			r.each(e.Addrs, row.First, row.Lanes)
		}
	}
}

// each looks at the accesses of n lanes one by one.
func (r *Check) each(addrs *[abi.WarpSize]uint64, lane, n int) {
	for ; n > 0; lane, n = lane+1, n-1 {
		r.cur.addr = addrs[lane]
		r.lane(lane)
	}
}

// neighbours looks at n lanes that access neighbouring elements.
func (r *Check) neighbours(addrs *[abi.WarpSize]uint64, lane, n int) {
	c := &r.cur
	for n > 0 {
		a, off := r.find(c.home, c.h, addrs[lane])
		l, cell := c.h.line(a, off, c.size)
		fit := min(n, (lineSize-int(off%lineSize))/c.size)
		cells := fit * c.size >> l.shift
		if !r.span(l, span{ref(c.rec<<5) | ref(lane), uint8(cell), uint8(cell + cells), c.record.flags&isWrite != 0}) {
			r.each(addrs, lane, fit)
		}
		lane, n = lane+fit, n-fit
	}
}

// span makes a line remember a span, and forget what that makes superfluous. It says false where
// only a look at each cell can tell.
func (r *Check) span(l *line, s span) bool {
	if l.writes.refs != nil || l.rests.refs != nil {
		return false
	}
	if n := len(l.spans); n > 0 && l.spans[n-1] == s {
		return true
	}
	keep := r.spans[:0]
	var alike [2]int // in keep, reads at the same instruction by other warps
	found := 0
	for _, e := range l.spans {
		switch {
		case r.cur.h.old(e.first):
		case e.to <= s.from || s.to <= e.from:
			keep = append(keep, e)
		default:
			when := r.when(l, e, s)
			if when == unclear || when == open && (e.write || s.write) {
				return false
			}
			if when == before && (s.write || !e.write) {
				keep = r.cur.h.outside(keep, l, e, s)
				break
			}
			keep = append(keep, e)
			if rec := r.cur.h.record(uint32(e.first >> 5)); !e.write && rec.site == r.cur.record.site &&
				e.first>>5 != s.first>>5 && e.from <= s.from && s.to <= e.to && found < len(alike) {
				alike[found] = len(keep) - 1
				found++
			}
		}
	}
	if found == len(alike) && !s.write {
		keep = r.represent(keep, alike, l, s)
	} else {
		keep = append(keep, s)
	}
	r.spans = keep
	if len(keep) > maxSpans {
		return false
	}
	l.spans = append(l.spans[:0], keep...)
	return true
}

// represent makes two reads at the instruction at hand, of a list, do for a third as well: two that
// are apart are enough, as in remember.
func (r *Check) represent(list []span, alike [2]int, l *line, s span) []span {
	h := r.cur.h
	second := list[alike[1]]
	a, b := h.record(uint32(list[alike[0]].first>>5)), h.record(uint32(second.first>>5))
	if h.apart(a, b) || !h.apart(a, &r.cur.record) {
		return list
	}
	list = append(list[:alike[1]], list[alike[1]+1:]...)
	return append(h.outside(list, l, second, s), s)
}

// outside appends the parts of a span e that are not in s.
func (h *history) outside(list []span, l *line, e, s span) []span {
	if e.from < s.from {
		list = append(list, span{e.first, e.from, s.from, e.write})
	}
	if s.to < e.to {
		list = append(list, span{h.at(l, e, int(s.to)), s.to, e.to, e.write})
	}
	return list
}

// order is how an earlier access and the one at hand are ordered.
type order uint8

const (
	before  order = iota
	open          // by nothing
	unclear       // by what is known of single lanes only
)

// when says how an earlier span is ordered to the one at hand, where both are.
func (r *Check) when(l *line, e, s span) order {
	n := uint32(e.first >> 5)
	rec := r.cur.h.record(n)
	known := r.whole(n, rec)
	if known != unclear || rec.block != r.cur.record.block || rec.warp != r.cur.record.warp {
		return known
	}
	if rec.flags&isCopy != 0 {
		return unclear
	}
	if rec.width != r.cur.record.width {
		return unclear
	}
	at := int(max(e.from, s.from))
	switch {
	case (r.cur.h.at(l, e, at)^r.cur.h.at(l, s, at))&31 == 0: // each lane meets its own access
		return before
	case r.cur.ws.known != nil || r.cur.ws.met != nil || r.mayHaveHeard(n, rec):
		return unclear
	}
	return open
}

// whole says how an earlier record is ordered to the one at hand, if that is so for all lanes
// alike.
func (r *Check) whole(n uint32, rec *record) order {
	c := &r.cur
	if rec.flags&isCopy != 0 {
		if n = c.h.copyOf(n).done; n == 0 {
			return unclear
		}
	}
	if rec.block == c.record.block {
		switch {
		case n < c.st.barrier[c.h.which]:
			return before
		case rec.warp == c.record.warp && n < c.ws.sync[c.h.which]:
			return before
		case rec.warp == c.record.warp || c.st.partial != nil:
			return unclear
		}
	}
	if rec.flags&isStrong != 0 || c.ws.met != nil || r.mayHaveHeard(n, rec) {
		return unclear
	}
	return open
}

// together looks at n lanes that read one element. It says false where only a look at each lane can
// tell. To look twice does no harm.
func (r *Check) together(addr uint64, lane, n int) bool {
	c := &r.cur
	if c.ws.known != nil || c.ws.met != nil || c.st.partial != nil {
		return false
	}
	a, off := r.find(c.home, c.h, addr)
	l, first := c.h.line(a, off, c.size)
	self := entry{c.rec, (1<<n - 1) << lane}
	for i := first; i < first+max(1, c.size>>l.shift); i++ {
		if !r.readers(l, i, self) {
			return false
		}
	}
	return true
}

// readers makes a cell remember lanes that read it.
func (r *Check) readers(l *line, i int, self entry) bool {
	h := r.cur.h
	rest := h.rest(l, i)
	if rest&nodeBit != 0 && !h.old(rest) {
		if n := h.node(rest); n.e[0].rec == self.rec && self.lanes&^n.e[0].lanes == 0 {
			return true
		}
	}
	if w := h.written(l, i); w != 0 && !h.old(w) && r.whole(uint32(w>>5), h.record(uint32(w>>5))) != before {
		return false
	}
	list := h.entries(r.list[:0], rest)
	keep := r.keep[:0]
	for _, e := range list {
		rec := h.record(e.rec)
		if rec.flags&(isWrite|isStrong|isCopy) != 0 {
			return false
		}
		if r.whole(e.rec, rec) == before {
			continue
		}
		if r.mayHaveHeard(e.rec, rec) {
			return false
		}
		if rec.block == r.cur.record.block && rec.warp == r.cur.record.warp && e.rec != self.rec {
			e.lanes &^= self.lanes
		}
		if e.lanes != 0 {
			keep = append(keep, e)
		}
	}
	h.release(rest)
	keep = h.remember(keep, self, &r.cur.record)
	h.set(l, &l.rests, i, h.pack(keep))
	r.list, r.keep = list, keep
	return true
}
