package memcheck

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// A copy of a tensor's box exchanges pieces of 16 bytes by the swizzle of its tensor map. A product
// of a warpgroup finds them by the swizzle of its matrix descriptor. If the two differ, the product
// takes other elements.

// pieceBytes is the unit of bytes that a swizzle exchanges.
const pieceBytes = 16

// piece describes 16 bytes of shared memory that a copy of a box has written.
type piece struct {
	swizzle int // in bytes, 0 for none
	site    *event.Site
	by      report.Thread
}

// pieces are the pieces of the blocks in flight, by slot and then by number.
type pieces []map[uint64]piece

// start forgets the pieces of an ended block that had this slot.
func (p *pieces) start(b *tool.Block) {
	if b.Slot < len(*p) {
		(*p)[b.Slot] = nil
	}
}

// of returns the pieces of a block. If make is set, it makes a map if there is none.
func (p *pieces) of(b *tool.Block, make bool) map[uint64]piece {
	if !make {
		if b.Slot < len(*p) {
			return (*p)[b.Slot]
		}
		return nil
	}
	for len(*p) <= b.Slot {
		*p = append(*p, nil)
	}
	if (*p)[b.Slot] == nil {
		(*p)[b.Slot] = map[uint64]piece{}
	}
	return (*p)[b.Slot]
}

// swizzled follows what copies of boxes leave in shared memory, and looks at what products read.
func (c *Check) swizzled(b *tool.Block, e *event.Access, lanes uint32) {
	if e.Space != ptx.SharedSpace || e.Kind != event.Store && e.Factor == nil {
		return
	}
	home := b
	if e.Home != nil && e.Home != b.Block {
		home = c.run.InFlight(e.Home)
	}
	box := e.Agent != nil && e.Agent.Box
	known := c.pieces.of(home, box)
	if known == nil {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		at := e.Addrs[lane] / pieceBytes
		switch {
		case e.Factor != nil:
			if p, ok := known[at]; ok && p.swizzle != e.Factor.Swizzle {
				c.otherSwizzle(b, e, p)
				return
			}
		case box:
			known[at] = piece{e.Agent.Swizzle, e.Site, *c.run.Thread(int32(b.Linear), int32(e.Index), lane)}
		default:
			for end := (e.Addrs[lane] + uint64(e.Size) - 1) / pieceBytes; at <= end; at++ {
				delete(known, at)
			}
		}
	}
}

// otherSwizzle reports a product that reads pieces of a box by another swizzle.
func (c *Check) otherSwizzle(b *tool.Block, e *event.Access, p piece) {
	copied, product := c.run.Witness("copy", p.site), c.run.Witness("product", e.Site)
	copied.Thread, product.Thread = &p.by, c.run.Thread(int32(b.Linear), int32(e.Index), 0)
	c.run.Add(&report.Finding{
		Tool: report.Memcheck, Kind: report.Misaligned, Level: report.Error, Cause: report.OtherSwizzle, Space: e.Space,
		Summary: fmt.Sprintf("%s of a product has %s, and the box that was copied there %s",
			e.Factor.Name, swizzleName(e.Factor.Swizzle), swizzleName(p.swizzle)),
		Witnesses: []report.Witness{copied, product}, Count: 1, Blocks: 1,
		Why: "a copy exchanges the 16 bytes of each line as its tensor map says, and a product looks for them as its " +
			"matrix says: it takes elements of other columns",
		Fix: "give the tensor map and the matrix descriptor, gpu.MatrixOf's, one swizzle",
	}, 0, e.Seq)
}

func swizzleName(bytes int) string {
	if bytes == 0 {
		return "no swizzle"
	}
	return fmt.Sprintf("a swizzle of %d bytes", bytes)
}
