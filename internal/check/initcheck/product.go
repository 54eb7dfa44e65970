package initcheck

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/ptx"
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

// sum is the registers of a warp's rows of the sum of a product of a warpgroup, and of its rows of A
// where those are in registers.
type sum struct {
	frame    uint64
	d, a     []int
	elements int // of d in a register
}

// sumOf is that of an instruction.
func (c *Check) sumOf(e *sim.Access) sum {
	in := e.Site.Instr
	s := sum{frame: e.Frame, d: e.Site.Writes, elements: 1}
	if slices.Contains(in.Mods[:slices.IndexFunc(in.Mods, isShape)+2], "f16") {
		s.elements = 2
	}
	if _, ok := in.Args[1].(ptx.Vec); ok {
		s.a = c.elementsOf(e.Site, in.Args[1])
	}
	return s
}

func isShape(mod string) bool { return strings.HasPrefix(mod, "m64n") }

// fetchFactor takes unwritten data through a product of a warpgroup, which reads lines of a factor.
// A row of A spoils a row of the sum, and a column of B a column.
func (c *Check) fetchFactor(st *blockState, e *sim.Access, lanes uint32) {
	w, s := &st.warps[e.Index], c.sumOf(e)
	if e.Agent.Number != w.product {
		w.product = e.Agent.Number
		c.beginSum(w, e, &s)
	}
	for m := lanes; m != 0; m &= m - 1 {
		line := tool.LaneOf(m)
		for miss := c.missing(e.Space, e.Addrs[line], e.Size); miss != 0; miss &= miss - 1 {
			at := bits.TrailingZeros32(miss)
			t := taint{c.unwritten(e.Addrs[line]+uint64(at), origin{
				load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[line], size: e.Size,
				block: int32(st.Linear), warp: int32(e.Index), lane: line, seq: e.Seq,
			}), 0xff}
			along := e.Factor.First[line] + at*e.Factor.Along/e.Size
			if e.Factor.Name == "A" {
				c.spoil(w, e.Site, &s, along, -1, t)
			} else {
				c.spoil(w, e.Site, &s, -1, along, t)
			}
		}
	}
}

// beginSum makes the registers of a sum that nothing is added to be as new, and takes unwritten
// rows of A in registers into it.
func (c *Check) beginSum(w *warpState, e *sim.Access, s *sum) {
	if len(w.regs) == 0 {
		return
	}
	for lane := range sim.WarpSize {
		for _, reg := range s.d {
			if !e.Factor.Adds {
				c.set(w, regKey{s.frame, reg}, lane, taint{})
			}
		}
	}
	for i, reg := range s.a {
		for lane := range sim.WarpSize {
			if t := w.get(regKey{s.frame, reg}, lane); t.bytes != 0 {
				c.spoil(w, e.Site, s, lane>>2+8*(i&1), -1, t)
			}
		}
	}
}

// spoil makes a row of a sum, or a column, one of unwritten data. The other of the two is -1.
func (c *Check) spoil(w *warpState, at *sim.Site, s *sum, row, col int, t taint) {
	origin := c.usedBy(at, t).origin
	for lane := range sim.WarpSize {
		if row >= 0 && row&7 != lane>>2 || col >= 0 && col&7>>1 != lane&3 {
			continue
		}
		for i, reg := range s.d {
			var bytes uint8
			for part := range s.elements {
				element := i*s.elements + part
				if row >= 0 && element>>1&1 == row>>3 || col >= 0 && element>>2 == col>>3 && element&1 == col&1 {
					bytes |= uint8(0xf) >> (4 - 4/s.elements) << (2 * part)
				}
			}
			if bytes == 0 {
				continue
			}
			key := regKey{s.frame, reg}
			c.set(w, key, lane, taint{origin, w.get(key, lane).bytes | bytes})
		}
	}
}
