package initcheck

import (
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// A lane of ldmatrix reads a line of 16 bytes for others: byte by byte, lanes have pairs of
// elements of 16 bits of each matrix of eight lines. stmatrix is the other way round.

// pairOf is the lane, the matrix and the byte of the register where a byte of a lane's line is.
func pairOf(e *event.Access, line, at int) (lane, matrix, part int) {
	row, element := line%8, at/2
	if slices.Contains(e.Site.Instr.Mods, "trans") {
		row, element = element, row
	}
	return 4*row + element/2, line / 8, element%2*2 + at%2
}

// loadMatrix makes the registers of all lanes hold what memory held.
func (c *Check) loadMatrix(st *blockState, e *event.Access, lanes uint32) {
	w, dests := &st.warps[e.Index], c.usage(e.Site).dests
	var taints [4][abi.WarpSize]taint
	for m := lanes; m != 0; m &= m - 1 {
		line := tool.LaneOf(m)
		for miss := c.missing(e.Space, e.Addrs[line], e.Size); miss != 0; miss &= miss - 1 {
			at := bits.TrailingZeros32(miss)
			lane, matrix, part := pairOf(e, line, at)
			from := c.unwritten(e.Addrs[line]+uint64(at), origin{
				load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[line] + uint64(at&^1), size: 2,
				block: int32(st.Linear), warp: int32(e.Index), lane: line, seq: e.Seq,
			})
			taints[matrix][lane] = taint{from, taints[matrix][lane].bytes | 1<<part}
		}
	}
	for matrix, reg := range dests {
		for lane := range abi.WarpSize {
			c.set(w, regKey{e.Frame, reg}, lane, taints[matrix][lane])
		}
	}
}

// storeMatrix makes memory hold what the registers of all lanes held.
func (c *Check) storeMatrix(st *blockState, e *event.Access, lanes uint32) {
	w, values := &st.warps[e.Index], c.usage(e.Site).values
	for m := lanes; m != 0; m &= m - 1 {
		line := tool.LaneOf(m)
		c.wrote(e.Space, e.Addrs[line], e.Size)
		for at := range e.Size {
			lane, matrix, part := pairOf(e, line, at)
			if t := w.get(regKey{e.Frame, values[matrix]}, lane); t.bytes>>part&1 != 0 {
				c.spread(st, &e.Warp, e.Space, line, e.Addrs[line]+uint64(at), 1, taint{t.origin, 1})
			}
		}
	}
}
