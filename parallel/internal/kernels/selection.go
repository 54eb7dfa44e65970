package kernels

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// A tile of a selection is rows of a warp's elements: each warp has adjacent rows.
const (
	selectRows  = 8
	selectWarps = Block / gpu.WarpSize
	// SelectTile is the number of elements of a tile.
	SelectTile = Block * selectRows
)

// SelectTiles is the grid of [Select], for n elements.
func SelectTiles(n int) int { return ceil(n, SelectTile) }

// Select writes the chosen elements of src to dst in their order, their indices to places, and the
// others to rest, the last one first, from rest's end. Of the three, those without elements are not
// wanted. count[0] becomes the number of chosen elements.
//
//gpu:kernel open block=256
func Select[T any, C Chooser[T]](dst []T, places []int, rest, src []T, count []int, counts Counts, choose With[C]) {
	sums := gpu.Shared[[selectWarps]uint32]()
	tile := tileOf(counts.Ticket)
	warp, lane := gpu.WarpID(), gpu.LaneID()
	first := tile*SelectTile + warp*selectRows*gpu.WarpSize + lane
	var chosen [selectRows]uint32 // the lanes' votes
	n := uint32(0)
	for k := range selectRows {
		i := first + k*gpu.WarpSize
		chosen[k] = gpu.BallotSync(gpu.FullMask, i < len(src) && choose.Op.Chooses(src, i))
		n += uint32(bits.OnesCount32(chosen[k]))
	}
	if lane == 0 {
		sums[warp] = n
	}
	gpu.SyncThreads()
	before, total := uint32(0), uint32(0)
	for w := range selectWarps {
		if w < warp {
			before += sums[w]
		}
		total += sums[w]
	}
	at := int(counts.before(tile, uint64(total)))
	if tile == gpu.GridDim.X-1 && gpu.ThreadIdx.X == 0 {
		count[0] = at + int(total)
	}
	at += int(before)
	for k := range selectRows {
		i := first + k*gpu.WarpSize
		to := at + bits.OnesCount32(chosen[k]&(1<<lane-1))
		at += bits.OnesCount32(chosen[k])
		switch {
		case i >= len(src):
		case chosen[k]>>lane&1 != 0:
			if len(dst) > 0 {
				dst[to] = src[i]
			}
			if len(places) > 0 {
				places[to] = i
			}
		case len(rest) > 0:
			rest[len(rest)-1-(i-to)] = src[i]
		}
	}
}
