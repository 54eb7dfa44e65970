package kernels

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// A tile of a selection is rows of a warp's elements: each warp has adjacent rows.
const (
	selectRows  = 16
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
//gpu:nobounds
func Select[T any, C Chooser[T]](dst []T, places []int, rest, src []T, count []int, counts Counts, choose With[C]) {
	tile := tileOf(counts.Ticket)
	first := tile * SelectTile
	s := selecting[T, C]{dst, places, rest, src, first, choose.Op}
	if n := len(src) - first; n >= SelectTile { // where the number is a constant, nothing is compared with it
		s.tile(SelectTile, tile, count, &counts)
	} else {
		s.tile(n, tile, count, &counts)
	}
}

// selecting is a selection of a tile, whose first element has index first.
type selecting[T any, C Chooser[T]] struct {
	dst    []T
	places []int
	rest   []T
	src    []T
	first  int
	choose C
}

// tile selects n elements.
func (s *selecting[T, C]) tile(n, tile int, count []int, counts *Counts) {
	sums := gpu.Shared[[selectWarps]uint32]()
	warp, lane := gpu.ThreadIdx.X/gpu.WarpSize, gpu.ThreadIdx.X%gpu.WarpSize
	row := warp*selectRows*gpu.WarpSize + lane
	var in [selectRows]T
	var wanted [selectRows]bool
	for k := range selectRows {
		if i := row + k*gpu.WarpSize; i < n {
			in[k] = s.src[s.first+i]
			wanted[k] = s.choose.Chooses(s.src, s.first+i)
		}
	}
	var chosen [selectRows]uint32 // the lanes' votes
	sum := uint32(0)
	for k := range selectRows {
		chosen[k] = gpu.BallotSync(gpu.FullMask, wanted[k])
		sum += uint32(bits.OnesCount32(chosen[k]))
	}
	if lane == 0 {
		sums[warp] = sum
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
	s.refuse(at, int(total), n)
	at += int(before)
	for k := range selectRows {
		i := row + k*gpu.WarpSize
		to := at + bits.OnesCount32(chosen[k]&(1<<lane-1))
		at += bits.OnesCount32(chosen[k])
		if i < n {
			s.put(in[k], wanted[k], s.first+i, to)
		}
	}
}

// refuse fails where there is no place for the chosen elements of a tile, whose first one goes to at,
// or for the others.
func (s *selecting[T, C]) refuse(at, chosen, n int) {
	if len(s.dst) > 0 && at+chosen > len(s.dst) {
		panic("dst has too few elements for the elements that are chosen")
	}
	if len(s.places) > 0 && at+chosen > len(s.places) {
		panic("lengths has too few elements for the runs")
	}
	if len(s.rest) > 0 && s.first+n-at-chosen > len(s.rest) {
		panic("rest has too few elements for the elements that are not chosen")
	}
}

// put writes an element with its index. to is the number of chosen elements before it.
func (s *selecting[T, C]) put(v T, chosen bool, i, to int) {
	switch {
	case chosen:
		if len(s.dst) > 0 {
			s.dst[to] = v
		}
		if len(s.places) > 0 {
			s.places[to] = i
		}
	case len(s.rest) > 0:
		s.rest[len(s.rest)-1-(i-to)] = v
	}
}
