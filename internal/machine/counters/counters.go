// Package counters counts what the instructions of a launch do, by source line: instructions,
// active lanes, memory sectors, bank conflicts, products of tensor cores, asynchronous copies,
// waits and divergent branches. It watches the event stream of package sim, with the checks or
// without them.
package counters

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Counter counts what the instructions of a launch do. It observes the launch, which must send its
// steps. It is not for use from several goroutines at once.
type Counter struct {
	numbers map[*event.Site]int
	sites   []*event.Site
	steps   []Counts     // what each time that a warp runs one adds, by number
	lanes   []Operations // of each lane that runs one, by number
	counts  []Counts     // by number
	touched touched
	bulk    bulk

	blocks  map[*event.Block]*block
	current *event.Block // whose state is the last that was asked for
	state   *block
}

// New makes a Counter that has counted nothing.
func New() *Counter {
	return &Counter{numbers: map[*event.Site]int{}, blocks: map[*event.Block]*block{}}
}

// Observe implements event.Observer.
func (c *Counter) Observe(e event.Event) {
	switch e := e.(type) {
	case *event.Access:
		switch {
		case e.Agent != nil:
			c.byAgent(e)
			return
		case isTexel(e.Site):
			return
		}
		c.access(&e.Warp, e.Kind, e.Space, e.Addrs, e.Size)
	case *event.Step:
		c.step(e)
	case *event.Branch:
		c.branch(e)
	case *event.Atomic:
		if e.Agent != nil {
			c.arrived(e)
			return
		}
		if strings.HasPrefix(e.Op, "mbarrier.") {
			c.mbarrier(e)
		}
		if e.Element > 0 { // counted with the vector's first
			return
		}
		c.at(e.Site).Atomics++
		size := e.Size * max(e.Elements, 1)
		if e.Space == ptx.GlobalSpace { // it reads and writes
			c.at(e.Site).MemorySectors += c.touched.first(event.Load, e.Mask, e.Addrs, size)
		}
		c.access(&e.Warp, event.Store, e.Space, e.Addrs, size)
	case *event.BarrierArrive:
		c.arrive(e)
	case *event.BarrierComplete:
		c.complete(e)
	case *event.ClusterComplete:
		c.completeCluster(e)
	case *event.ClusterPass:
		c.passCluster(e)
	case *event.AgentOp:
		c.told(e)
	case *event.Exit:
		c.warp(&e.Warp).last = e.Site
	case *event.BlockStart:
		c.blocks[e.Block] = newBlock()
		c.current = nil
	case *event.BlockEnd:
		c.ended(e.Block)
	}
}

// at is the counters of an instruction.
func (c *Counter) at(site *event.Site) *Counts {
	n, ok := c.numbers[site]
	if !ok {
		n = len(c.sites)
		c.numbers[site] = n
		c.sites = append(c.sites, site)
		c.steps = append(c.steps, stepOf(site.Instr))
		c.lanes = append(c.lanes, laneOperations(site.Instr))
		c.counts = append(c.counts, Counts{})
	}
	return &c.counts[n]
}

func (c *Counter) step(e *event.Step) {
	n := c.at(e.Site)
	n.Add(&c.steps[c.numbers[e.Site]])
	lanes := uint64(bits.OnesCount32(e.Mask))
	n.LaneInstructions += lanes
	n.Operations.add(&c.lanes[c.numbers[e.Site]], lanes)
	c.warp(&e.Warp).clock++
}

func (c *Counter) branch(e *event.Branch) {
	n := c.at(e.Site)
	n.Branches++
	if e.Taken != 0 && e.Taken != e.Mask {
		n.Divergent++
	}
}

// isTexel says whether an instruction accesses a texture or a surface. A GPU keeps the places of
// texels in memory to itself, so that there are no sectors to count.
func isTexel(site *event.Site) bool {
	return site.Does.Accesses(ptx.TexelSize)
}

// access counts a request to global or shared memory.
func (c *Counter) access(w *event.Warp, kind event.AccessKind, space ptx.Space, addrs *[abi.WarpSize]uint64, size int) {
	n := c.at(w.Site)
	switch space {
	case ptx.GlobalSpace:
		n.GlobalRequests++
		touched, ideal := Sectors(w.Mask, addrs, size)
		n.GlobalSectors += uint64(touched)
		n.GlobalIdealSectors += uint64(ideal)
		n.MemorySectors += c.touched.first(kind, w.Mask, addrs, size)
	case ptx.SharedSpace:
		n.SharedRequests++
		passes, ideal := SharedPasses(w.Mask, addrs, size)
		n.SharedPasses += uint64(passes)
		n.SharedIdealPasses += uint64(ideal)
	}
}

// SectorSize is the size in bytes of a sector of global memory.
const SectorSize = 32

// Sectors counts the sectors that lanes touch, and the fewest that could hold what they touch.
// Accesses are aligned, so that two lanes touch the same bytes or none in common.
func Sectors(lanes uint32, addrs *[abi.WarpSize]uint64, size int) (touched, ideal int) {
	var list, elems [abi.WarpSize]uint64
	n := 0
	for m := lanes; m != 0; m &= m - 1 {
		elems[n] = addrs[bits.TrailingZeros32(m)]
		list[n] = elems[n] / SectorSize
		n++
	}
	bytes := distinct(elems[:n]) * size
	return distinct(list[:n]), (bytes + SectorSize - 1) / SectorSize
}

// distinct counts the different numbers of a list, which it sorts.
func distinct(list []uint64) int {
	slices.Sort(list)
	n := 0
	for i := range list {
		if i == 0 || list[i] != list[i-1] {
			n++
		}
	}
	return n
}

// Banks is the number of banks of shared memory.
const Banks = 32

// SharedPasses counts the turns that a request to shared memory takes, and the fewest for as many
// words. In one turn each of 32 banks gives one word of 4 bytes, to all lanes that want it. The lanes
// of a warp are served together, or of half a warp for accesses of 8 bytes, or of a quarter for 16
// bytes (CUDA C++ Programming Guide, Shared Memory, 32-bit and wider strided access).
func SharedPasses(lanes uint32, addrs *[abi.WarpSize]uint64, size int) (passes, ideal int) {
	return sharedPasses(lanes, addrs, size, abi.WarpSize/max(size/4, 1))
}

// sharedPasses is SharedPasses, for a number of lanes that are served together.
func sharedPasses(lanes uint32, addrs *[abi.WarpSize]uint64, size, group int) (passes, ideal int) {
	for first := 0; first < abi.WarpSize; first += group {
		part := lanes >> first & uint32(1<<group-1)
		if part == 0 {
			continue
		}
		var words []uint64
		for ; part != 0; part &= part - 1 {
			word := addrs[first+bits.TrailingZeros32(part)] / 4
			for k := range uint64(max(size/4, 1)) {
				words = append(words, word+k)
			}
		}
		slices.Sort(words)
		words = slices.Compact(words)
		var use [Banks]int
		most := 0
		for _, word := range words {
			use[word%Banks]++
			most = max(most, use[word%Banks])
		}
		passes += most
		ideal += (len(words) + Banks - 1) / Banks
	}
	return passes, ideal
}
