package kernels

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Chain hands the sum of the tiles before a tile from tile to tile, in one launch: the
// decoupled look-back of D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA 2016. Unlike theirs, a look-back combines in an order that does not depend on
// which tiles were done first. Tiles are in groups of 32. A warp scans the sums of a group, and the
// groups are combined from left to right: ((g0 g1) g2) g3 …
type Chain[T any] struct {
	Flags   []uint32 // of each tile, and then of each group: the epoch times 4, and one of the states
	Sums    []T      // of the elements of a tile or a group
	Through []T      // of all elements to the end of a group
	Ticket  []uint32
	Epoch   uint32 // of the launch: earlier launches with these flags had others
}

// The states of a tile or a group.
const (
	hasSum     = 1
	hasThrough = 2
)

// Groups is the number of groups of some tiles.
func Groups(tiles int) int { return ceil(tiles, gpu.WarpSize) }

// before returns the sum of the tiles before this one to all threads of the block. total is the sum
// of this one. A sum is the elements, combined.
func (c *Chain[T]) before(tile int, total, identity T, combine func(a, b T) T) T {
	result := gpu.Shared[T]()
	if gpu.WarpID() == 0 {
		before := c.find(tile, total, identity, combine)
		if gpu.LaneID() == 0 {
			*result = before
		}
	}
	gpu.SyncThreads()
	return *result
}

// find is before, for one warp.
func (c *Chain[T]) find(tile int, total, identity T, combine func(a, b T) T) T {
	lane, own, group := gpu.LaneID(), tile%gpu.WarpSize, tile/gpu.WarpSize
	if lane == 0 && own < gpu.WarpSize-1 {
		c.Sums[tile] = total
		c.set(tile, hasSum)
	}
	sum := total
	if lane < own {
		c.state(tile - own + lane)
		sum = c.Sums[tile-own+lane]
	}
	sum = collective.WarpInclusiveScan(sum, combine) // of the tiles of the lanes to this one
	whole := gpu.ShflSync(gpu.FullMask, sum, own)
	within := gpu.ShflSync(gpu.FullMask, sum, max(own-1, 0))
	if own == 0 {
		within = identity
	}
	last := own == gpu.WarpSize-1 && lane == 0
	at := gpu.GridDim.X + group
	if last && group > 0 {
		c.Sums[at] = whole
		c.set(at, hasSum)
	}
	before := identity
	if group > 0 {
		before = c.lookBack(group, combine)
		whole = combine(before, whole)
	}
	if last {
		c.Through[group] = whole
		c.set(at, hasThrough)
	}
	switch {
	case group == 0:
		return within
	case own == 0:
		return before
	}
	return combine(before, within)
}

// set publishes a state.
func (c *Chain[T]) set(at int, state uint32) {
	gpu.AtomicStore(&c.Flags[at], c.Epoch*4+state, gpu.Release)
}

// state waits until there is a state.
func (c *Chain[T]) state(at int) uint32 {
	for {
		if f := gpu.AtomicLoad(&c.Flags[at], gpu.Acquire); f/4 == c.Epoch {
			return f % 4
		}
	}
}

// lookBack returns the sum of the groups before this one. The lanes of a warp look at a group each,
// further and further back, until one knows the sum of all groups to it.
func (c *Chain[T]) lookBack(group int, combine func(a, b T) T) T {
	known, from := group-1, 0
	var v T
	for through := uint32(0); through == 0; {
		var state uint32
		state, v = c.look(known - gpu.LaneID())
		through = gpu.BallotSync(gpu.FullMask, state == hasThrough)
		from = bits.TrailingZeros32(through)
		if through == 0 {
			known -= gpu.WarpSize
		}
	}
	before := gpu.ShflSync(gpu.FullMask, v, from)
	for {
		for k := from - 1; k >= 0; k-- {
			before = combine(before, gpu.ShflSync(gpu.FullMask, v, k))
		}
		if known == group-1 {
			return before
		}
		known += gpu.WarpSize
		from = gpu.WarpSize
		v = c.sum(known - gpu.LaneID())
	}
}

// look waits for a group's state, and returns what it knows.
func (c *Chain[T]) look(group int) (state uint32, v T) {
	if group < 0 {
		return 0, v
	}
	state = c.state(gpu.GridDim.X + group)
	if state == hasThrough {
		return state, c.Through[group]
	}
	return state, c.Sums[gpu.GridDim.X+group]
}

// sum returns the sum of a group that has a state.
func (c *Chain[T]) sum(group int) T {
	c.state(gpu.GridDim.X + group)
	return c.Sums[gpu.GridDim.X+group]
}
