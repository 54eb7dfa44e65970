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
//
// A sum has a place: the sums of the tiles' elements first, then those of the groups', and then those
// of all elements to the end of a group. A number is there in words that each have the epoch beside
// a part of it, so that one access says whether it is there, and no other access has to be ordered.
type Chain[T any] struct {
	Words  []uint64 // of each place, as many as [ChainWords] says
	Values []T      // of each place, of a type that words do not hold
	Ticket []uint32
	Epoch  uint64 // of the launch, below 2^(64-epochBit): earlier launches with these words had others
}

// epochBit is where the epoch begins in a word. Below it is a part of a sum.
const epochBit = 36

// Count is a number of elements, below 2^epochBit, which one word holds.
type Count uint64

func addCounts(a, b Count) Count { return a + b }

// Groups is the number of groups of some tiles.
func Groups(tiles int) int { return ceil(tiles, gpu.WarpSize) }

// ChainPlaces is the number of places of a chain of tiles.
func ChainPlaces(tiles int) int { return tiles + 2*Groups(tiles) }

// ChainWords is the number of words of n places, and values the number of values.
func ChainWords[T any](n int) (words, values int) {
	if _, each := wordsOf(*new(T)); each > 0 {
		return n * each, 0
	}
	return n, n
}

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
		c.put(tile, total)
	}
	sum := total
	if lane < own {
		sum = c.wait(tile - own + lane)
	}
	sum = collective.WarpInclusiveScan(sum, combine) // of the tiles of the lanes to this one
	whole := gpu.ShflSync(gpu.FullMask, sum, own)
	within := gpu.ShflSync(gpu.FullMask, sum, max(own-1, 0))
	if own == 0 {
		within = identity
	}
	last := own == gpu.WarpSize-1 && lane == 0
	if last && group > 0 { // of the first group a look-back waits for the other sum, which is the same
		c.put(c.sum(group), whole)
	}
	before := identity
	if group > 0 {
		before = c.lookBack(group, combine)
		whole = combine(before, whole)
	}
	if last {
		c.put(c.through(group), whole)
	}
	switch {
	case group == 0:
		return within
	case own == 0:
		return before
	}
	return combine(before, within)
}

// sum is the place of a group's sum, and through the place of the sum of all elements to its end.
func (c *Chain[T]) sum(group int) int     { return gpu.GridDim.X + group }
func (c *Chain[T]) through(group int) int { return gpu.GridDim.X + Groups(gpu.GridDim.X) + group }

// lookBack returns the sum of the groups before this one. The lanes of a warp look at a group each,
// further and further back, until one knows the sum of all groups to it.
func (c *Chain[T]) lookBack(group int, combine func(a, b T) T) T {
	known, from := group-1, 0
	var v T
	for through := uint32(0); through == 0; {
		var all bool
		v, all = c.look(known - gpu.LaneID())
		through = gpu.BallotSync(gpu.FullMask, all)
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
		v = c.wait(c.sum(known - gpu.LaneID()))
	}
}

// look waits for a group's sum, or for the sum of all elements to its end: then it reports true.
func (c *Chain[T]) look(group int) (v T, all bool) {
	if group < 0 {
		return v, false
	}
	for {
		through, all := c.get(c.through(group))
		sum, ok := c.get(c.sum(group))
		switch {
		case all:
			return through, true
		case ok:
			return sum, false
		}
	}
}

// wait waits for a sum.
func (c *Chain[T]) wait(at int) T {
	for {
		if v, ok := c.get(at); ok {
			return v
		}
	}
}

// put publishes a sum.
func (c *Chain[T]) put(at int, v T) {
	w, words := wordsOf(v)
	if words == 0 {
		c.Values[at] = v
		gpu.AtomicStore(&c.Words[at], c.Epoch<<epochBit, gpu.Release)
		return
	}
	for k := range words {
		gpu.AtomicStore(&c.Words[at*words+k], c.Epoch<<epochBit|w[k])
	}
}

// get returns a sum, if it is there.
func (c *Chain[T]) get(at int) (v T, ok bool) {
	_, words := wordsOf(v)
	if words == 0 {
		if ok = gpu.AtomicLoad(&c.Words[at], gpu.Acquire)>>epochBit == c.Epoch; ok {
			v = c.Values[at]
		}
		return v, ok
	}
	var w [2]uint64
	for k := range words {
		w[k] = gpu.AtomicLoad(&c.Words[at*words+k])
	}
	ok = w[0]>>epochBit == c.Epoch
	if words == 2 {
		ok = ok && w[1]>>epochBit == c.Epoch
	}
	return ofWords[T](w), ok
}
