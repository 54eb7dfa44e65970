package initcheck

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// A lane of wmma's loads and stores accesses the pieces of a matrix that it has one by one. The
// accesses say where in its registers they go.

// loadFragment makes parts of registers hold what memory held.
func (c *Check) loadFragment(st *blockState, e *event.Access, lanes uint32) {
	w, u := &st.warps[e.Index], c.usage(e.Site)
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		miss := c.missing(e.Space, e.Addrs[lane], e.Size)
		if miss == 0 && c.tainted == 0 {
			continue
		}
		for k := 0; k < e.Size; {
			key := regKey{e.Frame, u.dests[(e.Part+k)/u.width]}
			from := (e.Part + k) % u.width
			n := min(u.width-from, e.Size-k)
			mask := uint32(1<<n - 1)
			t := w.get(key, lane)
			t.bytes &^= uint8(mask << from)
			if lost := miss >> k & mask; lost != 0 {
				t.bytes |= uint8(lost << from)
				t.origin = c.unwritten(e.Addrs[lane]+uint64(k+bits.TrailingZeros32(lost)), origin{
					load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[lane] + uint64(k), size: n,
					block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
				})
			}
			c.set(w, key, lane, t)
			k += n
		}
	}
}

// storeFragment makes memory hold what parts of registers held.
func (c *Check) storeFragment(st *blockState, e *event.Access, lanes uint32) {
	w, u := &st.warps[e.Index], c.usage(e.Site)
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		c.wrote(e.Space, e.Addrs[lane], e.Size)
		if c.tainted == 0 {
			continue
		}
		for k := range e.Size {
			at := e.Part + k
			if t := w.get(regKey{e.Frame, u.values[at/u.width]}, lane); t.bytes>>(at%u.width)&1 != 0 {
				c.spread(st, &e.Warp, e.Space, lane, e.Addrs[lane]+uint64(k), 1, taint{t.origin, 1})
			}
		}
	}
}
