package memcheck

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// factor finds a factor of a product of a warpgroup that begins in one shared array, by its
// descriptor, and has lines that are not in it. Where none begins, nothing is said.
func (c *Check) factor(b *tool.Block, e *event.Access, lanes uint32) {
	in := c.run.SharedAt(e.Factor.Start)
	if in == nil {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		at := int64(e.Addrs[lane])
		if at >= in.From && at+int64(e.Size) <= in.To {
			continue
		}
		isC := tool.IsC(e.Site.Source.File)
		t := tool.AccessType(e.Site.Instr)
		f := &report.Finding{Tool: report.Memcheck, Kind: report.OutOfBounds, Level: report.Error, Space: e.Space,
			Object: c.run.Beside(in, at, e.Size, t, isC), Count: 1, Blocks: 1}
		way := "past the end of"
		if at < in.From {
			way = "before the start of"
		}
		f.Summary = fmt.Sprintf("%s of a product, shared memory, %s %s", e.Factor.Name, way, in.Name)
		f.Why = fmt.Sprintf("by its start, offsets and swizzle %s reads bytes %d..%d of %s, which has %d",
			e.Factor.Name, f.Object.From, f.Object.To, in.Name, in.To-in.From)
		if other := c.run.SharedAt(uint64(at)); other != nil {
			f.Why += ": they are of " + other.Name
		}
		f.Fix = "give the descriptor the tile's offsets and swizzle, and begin the tile where a swizzled tile may begin"
		w := c.run.Witness("product", e.Site)
		w.Thread = c.run.Thread(int32(b.Linear), int32(e.Index), 0)
		f.Witnesses = []report.Witness{w}
		c.run.Add(f, 0, e.Seq)
		return
	}
}
