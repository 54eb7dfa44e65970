package initcheck

import (
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/sim"
)

// mma is the registers of a product of matrices, by number.
type mma struct {
	frame      uint64
	d, a, b, c []int
	rows       int // of D, in eights
}

// product takes unwritten data through mma: an element of D is made of a row of A, a column of B,
// and an element of C. Rows that nobody reads may be unwritten, as those of a tile at the edge of a
// matrix are.
func (c *Check) product(w *warpState, e *sim.WarpSync) {
	in := e.Site.Instr
	registers := func(i int) []int { return c.elementsOf(e.Site, in.Args[i]) }
	p := mma{frame: e.Frame, d: e.Site.Writes, a: registers(1), b: registers(2), c: registers(3), rows: 2}
	if slices.Contains(in.Mods, "m8n8k4") {
		p.rows = 1
	}
	var out [4][sim.WarpSize]taint
	for lane := range sim.WarpSize {
		for i := range p.d {
			out[i][lane] = p.element(w, i, lane)
		}
	}
	for i, reg := range p.d {
		for lane, t := range out[i] {
			bytes := t.bytes
			t = c.usedBy(e.Site, t)
			t.bytes = bytes
			c.set(w, regKey{p.frame, reg}, lane, t)
		}
	}
}

// element is the taint of register i of D in a lane: of one element, or of two of 16 bits that lie
// side by side.
func (p *mma) element(w *warpState, i, lane int) taint {
	columns := 2 * p.rows / len(p.d)
	first := i * columns
	t := w.get(regKey{p.frame, p.c[i]}, lane)
	for part := range 4 { // the lanes that have the row
		for k := first / 2; k < len(p.a); k += p.rows {
			t = t.or(w.get(regKey{p.frame, p.a[k]}, lane&^3+part))
		}
	}
	if t.bytes != 0 {
		return taint{t.origin, 0xff}
	}
	for j := range columns {
		column, bytes := 2*(lane&3)+first%2+j, uint8(0xff)
		if columns == 2 {
			bytes = 3 << (2 * j)
		}
		for part := range 4 { // the lanes that have the column
			for _, reg := range p.b {
				if u := w.get(regKey{p.frame, reg}, 4*column+part); u.bytes != 0 {
					t = taint{u.origin, t.bytes | bytes}
				}
			}
		}
	}
	return t
}

// fetchFactor takes unwritten data through a product of a warpgroup, which reads lines of a factor:
// any of it, or of A in registers, spoils all that the warp has of D.
func (c *Check) fetchFactor(st *blockState, e *sim.Access, lanes uint32) {
	w := &st.warps[e.Index]
	var t taint
	for m := lanes; m != 0 && t.bytes == 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		if miss := c.missing(st, e.Space, e.Addrs[lane], e.Size); miss != 0 {
			at := e.Addrs[lane] + uint64(bits.TrailingZeros32(miss))
			t = taint{c.unwritten(st, at, origin{
				load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[lane], size: e.Size,
				block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
			}), 0xff}
		}
	}
	for _, reg := range e.Site.Reads {
		for lane := range sim.WarpSize {
			t = t.or(w.get(regKey{e.Frame, reg}, lane))
		}
	}
	if t.bytes == 0 {
		return
	}
	t = c.usedBy(e.Site, taint{t.origin, 0xff})
	for _, reg := range e.Site.Writes {
		for lane := range sim.WarpSize {
			c.set(w, regKey{e.Frame, reg}, lane, t)
		}
	}
}
