package initcheck

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// loadTexel makes the results of a fetch of lanes hold what a texel held. The step of the
// instruction has cleared them. A fetch makes a number of 32 bits of each channel, so that one byte
// of a channel that nothing has written spoils the whole result.
func (c *Check) loadTexel(st *blockState, e *event.Access, lanes uint32) {
	w := &st.warps[e.Index]
	width := e.Size / e.Texel.Count
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		miss := c.missing(e.Space, e.Addrs[lane], e.Size)
		if miss == 0 {
			continue
		}
		u := c.usage(e.Site)
		for k := range e.Texel.Count {
			reg, part := u.dests[e.Texel.First+k], miss>>(k*width)&(1<<width-1)
			if reg < 0 || part == 0 {
				continue
			}
			addr := e.Addrs[lane] + uint64(k*width)
			t := taint{bytes: 0xf, origin: c.unwritten(addr+uint64(bits.TrailingZeros32(part)), origin{
				load: c.run.Site(e.Site), space: e.Space, addr: addr, size: width,
				block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
			})}
			c.set(w, regKey{e.Frame, reg}, lane, t)
		}
	}
}
