package picture

import "github.com/gridstride/gridstride/internal/machine/sim/event"

// Grid says how the blocks of a grid fill the multiprocessors of a small GPU. The clock is the clock of
// the warps: a block takes as long as its slowest warp.
type Grid struct {
	Multiprocessors int `json:"multiprocessors"`
	// Resident is how many blocks a multiprocessor has at once.
	Resident int      `json:"resident"`
	Places   []Placed `json:"blocks"`
	Length   int      `json:"length"`
	Dropped  int      `json:"dropped"` // blocks beyond MaxBlocks
}

// Placed is a block in its place: the slot counts through all multiprocessors.
type Placed struct {
	Block int `json:"block"`
	Slot  int `json:"slot"`
	At    int `json:"at"`
	Count int `json:"n"`
}

// MaxBlocks is how many blocks a Grid has.
const MaxBlocks = 1024

// The small GPU of a Grid. A multiprocessor has as many threads and as much shared memory as an H100's
// (CUDA C++ Programming Guide, Technical Specifications per Compute Capability), but there are only 4.
const (
	multiprocessors = 4
	mostThreads     = 2048
	mostBlocks      = 32
	mostShared      = 228 << 10
	mostSlots       = 8 // that are drawn of each
)

// resident is how many blocks fit a multiprocessor at once.
func resident(b *event.Block) int {
	n := min(mostBlocks, mostThreads/max(b.Threads(), 1), mostSlots)
	if b.Shared > 0 {
		n = min(n, mostShared/b.Shared)
	}
	return max(n, 1)
}

// place gives each block, in order, the slot that is free first. A GPU's scheduler does so too, as far as
// is known. lengths are by block.
func (g *Grid) place(lengths []int) {
	free := make([]int, g.Multiprocessors*g.Resident)
	for block, n := range lengths {
		if block == MaxBlocks {
			g.Dropped = len(lengths) - MaxBlocks
			return
		}
		// Slots of different multiprocessors follow each other, so that blocks spread.
		best := 0
		for i := range free {
			if free[i] < free[best] {
				best = i
			}
		}
		slot := best%g.Multiprocessors*g.Resident + best/g.Multiprocessors
		g.Places = append(g.Places, Placed{block, slot, free[best], n})
		free[best] += n
		g.Length = max(g.Length, free[best])
	}
}

// grid draws up the Grid of what the recorder has seen.
func (r *Recorder) grid() *Grid {
	g := &Grid{Multiprocessors: multiprocessors, Resident: max(r.resident, 1), Places: []Placed{}}
	lengths := make([]int, r.blocks)
	for k, c := range r.warps {
		if k.block < len(lengths) {
			lengths[k.block] = max(lengths[k.block], c.now)
		}
	}
	g.place(lengths)
	return g
}
