package kernels

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// Chain hands what the tiles before a tile combine to from tile to tile, in one launch: the
// decoupled look-back of D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA 2016. Unlike theirs, a look-back combines from left to right, one tile after
// the other. So the result does not depend on which tiles were done first: it is
// ((t0 t1) t2) t3 …, of the sums of tiles.
type Chain[T any] struct {
	Flags   []uint32 // of each tile: the epoch times 4, and one of the states
	Sums    []T      // what a tile combines to
	Through []T      // what all tiles to this one combine to
	Ticket  []uint32
	Epoch   uint32 // of the launch: another than those of earlier launches with these flags
}

// The states of a tile.
const (
	hasSum     = 1
	hasThrough = 2
)

// before returns what the tiles before this one combine to, to all threads of the block. total is
// what this one combines to. The tile must not be the first one's block's alone to call it.
func (c *Chain[T]) before(tile int, total, identity T, combine func(a, b T) T) T {
	result := gpu.Shared[T]()
	if gpu.WarpID() == 0 {
		before := identity
		if tile > 0 {
			if gpu.LaneID() == 0 {
				c.Sums[tile] = total
				gpu.AtomicStore(&c.Flags[tile], c.Epoch*4+hasSum, gpu.Release)
			}
			before = c.lookBack(tile, combine)
		}
		if gpu.LaneID() == 0 {
			through := total
			if tile > 0 {
				through = combine(before, total)
			}
			c.Through[tile] = through
			gpu.AtomicStore(&c.Flags[tile], c.Epoch*4+hasThrough, gpu.Release)
			*result = before
		}
	}
	gpu.SyncThreads()
	return *result
}

// state waits until a tile has a state.
func (c *Chain[T]) state(tile int) uint32 {
	for {
		if f := gpu.AtomicLoad(&c.Flags[tile], gpu.Acquire); f/4 == c.Epoch {
			return f % 4
		}
	}
}

// lookBack finds the last tile before this one that knows what all tiles to it combine to, and
// combines that with the sums of the tiles in between. The lanes of a warp look at a tile each.
func (c *Chain[T]) lookBack(tile int, combine func(a, b T) T) T {
	lane := gpu.LaneID()
	known := tile
	for through := uint32(0); through == 0; {
		state := uint32(0)
		if t := known - 1 - lane; t >= 0 {
			state = c.state(t)
		}
		through = gpu.BallotSync(gpu.FullMask, state == hasThrough)
		if through == 0 {
			known -= gpu.WarpSize
		} else {
			known -= 1 + bits.TrailingZeros32(through)
		}
	}
	c.state(known)
	before := c.Through[known]
	for first := known + 1; first < tile; first += gpu.WarpSize {
		sum := before
		if first+lane < tile {
			c.state(first + lane)
			sum = c.Sums[first+lane]
		}
		for k := range min(gpu.WarpSize, tile-first) {
			before = combine(before, gpu.ShflSync(gpu.FullMask, sum, k))
		}
	}
	return before
}
