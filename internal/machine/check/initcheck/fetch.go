package initcheck

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// A cp.async sends events for its reads, in up to three parts a lane, and then for its writes. A
// bulk copy does so for every 16 bytes of shared memory. The other side of such a copy may consist
// of several parts. Initcheck follows both as copies that go through no register.

// maxCopy is the most bytes that a lane copies at once.
const maxCopy = 16

// fetched has the unwritten data that the last copy of a warp has read.
type fetched struct {
	number  uint64 // of the copy, as its agent counts
	lanes   uint32 // the lanes that have read,
	wrote   uint32 // and the lanes that have also written some of what they read
	base    [abi.WarpSize]uint64
	origins [abi.WarpSize][maxCopy]uint32 // of each byte; 0 if the byte was written
}

// fetch notes a part of a copy's reads.
func (c *Check) fetch(st *blockState, e *event.Access, lanes uint32) {
	w := &st.warps[e.Index]
	if w.fetched == nil {
		w.fetched = &fetched{}
	}
	f := w.fetched
	if f.number != e.Agent.Number {
		*f = fetched{number: e.Agent.Number}
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		addr := e.Addrs[lane]
		// A write has ended the lane's last read, or the last read has no write: its destination is
		// outside of the tensor.
		if (f.lanes&^f.wrote)>>lane&1 == 0 || addr-f.base[lane] >= maxCopy {
			f.lanes |= 1 << lane
			f.wrote &^= 1 << lane
			f.base[lane] = addr - uint64(e.Agent.Part)
			f.origins[lane] = [maxCopy]uint32{}
		}
		miss := c.missing(e.Space, addr, e.Size)
		for i := range e.Size {
			if miss>>i&1 != 0 {
				f.origins[lane][addr-f.base[lane]+uint64(i)] = c.unwritten(addr+uint64(i), origin{
					load: c.run.Site(e.Site), space: e.Space, addr: addr, size: e.Size,
					block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
				})
			}
		}
	}
}

// deliver notes a part of a copy's writes.
func (c *Check) deliver(st *blockState, e *event.Access, lanes uint32) {
	f := st.warps[e.Index].fetched
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		if e.Reduces {
			c.reduced(st, e, lane)
		}
		c.wrote(e.Space, e.Addrs[lane], e.Size)
		if f == nil || f.number != e.Agent.Number || f.lanes>>lane&1 == 0 || f.wrote>>lane&1 != 0 && e.Agent.Part == 0 {
			continue
		}
		f.wrote |= 1 << lane
		for i, from := range f.origins[lane][e.Agent.Part:][:e.Size] {
			switch {
			case from != 0 && e.Reduces:
				c.arithmetic(st, &e.Warp, e.Space, lane, e.Addrs[lane]+uint64(i), 1, taint{from, 1})
			case from != 0:
				c.spread(st, &e.Warp, e.Space, lane, e.Addrs[lane]+uint64(i), 1, taint{from, 1})
			}
		}
	}
}

// reduced is a reduction of a lane, which computes with what is at its destination.
func (c *Check) reduced(st *blockState, e *event.Access, lane int) {
	miss := c.missing(e.Space, e.Addrs[lane], e.Size)
	if miss == 0 {
		return
	}
	at := e.Addrs[lane] + uint64(bits.TrailingZeros32(miss))
	from := c.unwritten(at, origin{
		load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[lane], size: e.Size,
		block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
	})
	c.arithmetic(st, &e.Warp, e.Space, lane, at, 1, taint{from, 1})
}
