package counters

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// bulkPass is how many bytes of a copy in bulk go to shared memory in one turn of its banks.
const bulkPass = Banks * 4

// bulk is the copy in bulk under way, whose accesses come one by one: 16 bytes of shared memory and
// those at the other end. A multicast is a copy for each block, and they follow each other.
type bulk struct {
	at     bulkAt
	number uint64 // of the copy to the first block
	sector uint64 // the last one that was touched, and one more
	bytes  struct{ shared, global uint64 }
}

// bulkAt tells copies in bulk apart: one is of a lane of a warp that runs an instruction.
type bulkAt struct {
	block *event.Block
	index int // of the warp
	site  *event.Site
	seq   uint64
	lanes uint32
}

// byAgent counts an access of an agent, which happens asynchronously to the warp's instructions.
func (c *Counter) byAgent(e *event.Access) {
	switch e.Agent.Engine {
	case event.MatrixEngine:
		// The four warps of a warpgroup read B together. The order of a factor's lines is unknown,
		// except that each bank gives one word at a time.
		if e.Factor != nil && e.Factor.Name == "B" && e.Index%event.Warpgroup != 0 {
			return
		}
		n := c.at(e.Site)
		n.SharedRequests++
		passes, ideal := sharedPasses(e.Mask, e.Addrs, e.Size, abi.WarpSize)
		n.SharedPasses += uint64(passes)
		n.SharedIdealPasses += uint64(ideal)
		return
	case event.BulkEngine:
		c.bulkPart(e)
	default:
		c.access(&e.Warp, e.Kind, e.Space, e.Addrs, e.Size)
	}
	n := c.at(e.Site)
	if e.Kind != event.Store {
		return
	}
	n.CopiedBytes += uint64(bits.OnesCount32(e.Mask) * e.Size)
	if e.Agent.Engine == event.CopyEngine {
		n.Copies++
	}
	if e.Space == ptx.SharedSpace {
		c.start(e)
	}
}

// bulkPart counts a part of a copy in bulk. The copy is one request at each end.
func (c *Counter) bulkPart(e *event.Access) {
	n, b := c.at(e.Site), &c.bulk
	if at := (bulkAt{e.Block, e.Index, e.Site, e.Seq, e.Mask}); at != b.at {
		*b = bulk{at: at, number: e.Agent.Number}
		n.Copies++
		n.GlobalRequests++
		n.SharedRequests++
	}
	size := uint64(e.Size)
	if e.Space == ptx.SharedSpace {
		passes := grown(&b.bytes.shared, size, bulkPass)
		n.SharedPasses += passes
		n.SharedIdealPasses += passes
		return
	}
	if e.Agent.Number != b.number {
		return // what goes to several blocks is read once
	}
	n.MemorySectors += c.touched.first(e.Kind, e.Mask, e.Addrs, e.Size)
	n.GlobalIdealSectors += grown(&b.bytes.global, size, SectorSize)
	if sector := e.Addrs[bits.TrailingZeros32(e.Mask)]/SectorSize + 1; sector != b.sector {
		b.sector = sector
		n.GlobalSectors++
	}
}

// grown adds to a number of bytes, and gives how many more pieces of a size they fill.
func grown(bytes *uint64, more, size uint64) uint64 {
	before := (*bytes + size - 1) / size
	*bytes += more
	return (*bytes+size-1)/size - before
}
