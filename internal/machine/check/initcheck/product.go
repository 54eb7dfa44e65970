package initcheck

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"

	"github.com/gridstride/gridstride/internal/ptx"
)

// product takes unwritten data through mma. An element of D is made of a row of A, a column of B,
// and an element of C. Rows that nobody reads may be unwritten, as in a tile at the edge of a
// matrix.
func (c *Check) product(w *warpState, e *event.WarpSync) {
	in := e.Site.Instr
	a, b, sum, d := lanes.MatricesOf(in)
	rows, columns, before := map[int]taint{}, map[int]taint{}, map[[2]int]taint{}
	each := func(m *lanes.Matrix, arg int, f func(row, col int, t taint)) {
		c.unwrittenElements(w, m, regsOf{e.Frame, c.elementsOf(e.Site, in.Args[arg])}, f)
	}
	each(&a, 1, func(row, _ int, t taint) { rows[row] = t })
	each(&b, 2, func(_, col int, t taint) { columns[col] = t })
	each(&sum, 3, func(row, col int, t taint) { before[[2]int{row, col}] = t })
	size := max(d.Bits, 32) / 8
	for lane := range abi.WarpSize {
		made := make([]taint, len(e.Site.Writes))
		for i := range d.Elements {
			row, col := d.Place(lane, i)
			t := cmp.Or(rows[row], columns[col], before[[2]int{row, col}])
			if t.bytes != 0 {
				at := i * d.Bits / 8
				made[at/size] = taint{c.usedBy(e.Site, t).origin, made[at/size].bytes | bytesOf(d.Bits)<<(at%size)}
			}
		}
		for i, reg := range e.Site.Writes {
			c.set(w, regKey{e.Frame, reg}, lane, made[i])
		}
	}
}

// regsOf are registers of a frame, by number.
type regsOf struct {
	frame uint64
	regs  []int
}

// bytesOf has a bit for each byte of an element with the given number of bits.
func bytesOf(bits int) uint8 { return uint8(1<<(bits/8) - 1) }

// unwrittenElements calls f for each element of a matrix that is unwritten in the registers, at
// least in part.
func (c *Check) unwrittenElements(w *warpState, m *lanes.Matrix, in regsOf, f func(row, col int, t taint)) {
	size := max(m.Bits, 32) / 8
	for i := range m.Elements {
		at := i * m.Bits / 8
		held := w.regs[regKey{in.frame, in.regs[at/size]}]
		if held == nil {
			continue
		}
		for lane, t := range held {
			if t.bytes&(bytesOf(m.Bits)<<(at%size)) != 0 {
				row, col := m.Place(lane, i)
				f(row, col, t)
			}
		}
	}
}

// sum is the registers of a warp's rows of the sum of a product of a warpgroup, and of its rows of
// A where those are in registers.
type sum struct {
	frame    uint64
	d, a     []int
	elements int // of d in a register
}

// sumOf returns the registers of a product's sum.
func (c *Check) sumOf(e *event.Access) sum {
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
func (c *Check) fetchFactor(st *blockState, e *event.Access, lanes uint32) {
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
func (c *Check) beginSum(w *warpState, e *event.Access, s *sum) {
	if len(w.regs) == 0 {
		return
	}
	for lane := range abi.WarpSize {
		for _, reg := range s.d {
			if !e.Factor.Adds {
				c.set(w, regKey{s.frame, reg}, lane, taint{})
			}
		}
	}
	for i, reg := range s.a {
		for lane := range abi.WarpSize {
			if t := w.get(regKey{s.frame, reg}, lane); t.bytes != 0 {
				c.spoil(w, e.Site, s, lane>>2+8*(i&1), -1, t)
			}
		}
	}
}

// spoil makes a row of a sum, or a column, one of unwritten data. The other of the two is -1.
func (c *Check) spoil(w *warpState, at *event.Site, s *sum, row, col int, t taint) {
	origin := c.usedBy(at, t).origin
	for lane := range abi.WarpSize {
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
