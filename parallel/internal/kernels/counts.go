package kernels

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Counts hands counts from tile to tile as [Chain] hands sums. A count and its state are one word,
// so that one access has both, and the order of additions does not matter.
type Counts struct {
	Words  []uint64 // a column of counts has one a tile
	Ticket []uint32
	Epoch  uint64 // of the launch, below 2^(64-epochBit): earlier launches with these words had others
}

// A word is a count below 2^34, a state and an epoch.
const (
	stateBit = 34
	epochBit = 36
)

// put publishes a count of a tile in a column.
func (c *Counts) put(at int, count, state uint64) {
	gpu.AtomicStore(&c.Words[at], c.Epoch<<epochBit|state<<stateBit|count)
}

// get waits for a count of a tile.
func (c *Counts) get(at int) (count, state uint64) {
	for {
		if w := gpu.AtomicLoad(&c.Words[at]); w>>epochBit == c.Epoch {
			return w & (1<<stateBit - 1), w >> stateBit & 3
		}
	}
}

// before returns the sum of the counts of the tiles before this one, which has count, to all threads
// of the block. There is one column. Tiles are in groups of 32, as in a [Chain]: the words of the
// groups follow the words of the tiles.
func (c *Counts) before(tile int, count uint64) uint64 {
	result := gpu.Shared[uint64]()
	if gpu.WarpID() == 0 {
		lane, own, group := gpu.LaneID(), tile%gpu.WarpSize, tile/gpu.WarpSize
		if lane == 0 {
			c.put(tile, count, hasSum)
		}
		v := uint64(0)
		if lane < own {
			v, _ = c.get(tile - own + lane)
		}
		sum := collective.WarpSum(v)
		last := own == gpu.WarpSize-1 && lane == 0
		at := gpu.GridDim.X + group
		if last && group > 0 {
			c.put(at, sum+count, hasSum)
		}
		sum += c.groups(group)
		if last {
			c.put(at, sum+count, hasThrough)
		}
		if lane == 0 {
			*result = sum
		}
	}
	gpu.SyncThreads()
	return *result
}

// groups is the sum of the counts of the groups before one, found by a warp.
func (c *Counts) groups(group int) (sum uint64) {
	lane := gpu.LaneID()
	for last, done := group-1, group == 0; !done; last -= gpu.WarpSize {
		v, state := uint64(0), uint64(hasThrough)
		if last-lane >= 0 {
			v, state = c.get(gpu.GridDim.X + last - lane)
		}
		through := gpu.BallotSync(gpu.FullMask, state == hasThrough)
		done = through != 0
		if lane > bits.TrailingZeros32(through) { // 32 if no lane's is
			v = 0
		}
		sum += collective.WarpSum(v)
	}
	return sum
}

// ahead is how many counts a thread that looks back reads at a time.
const ahead = 4

// column is before for the caller's own column of several, which other threads do not share.
func (c *Counts) column(tile, column, columns int, count uint64) (sum uint64) {
	if tile == 0 {
		c.put(column, count, hasThrough)
		return 0
	}
	c.put(tile*columns+column, count, hasSum)
	for t, done := tile-1, false; !done; {
		var words [ahead]uint64
		for k := range ahead {
			words[k] = gpu.AtomicLoad(&c.Words[max(t-k, 0)*columns+column])
		}
		waits := false
		for k := range ahead {
			waits = waits || words[k]>>epochBit != c.Epoch
			if !waits && !done {
				sum += words[k] & (1<<stateBit - 1)
				done = words[k]>>stateBit&3 == hasThrough
				t--
			}
		}
	}
	c.put(tile*columns+column, sum+count, hasThrough)
	return sum
}
