package kernels

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/order"
)

// A tile of a selection is rows of a warp's elements: each warp has adjacent rows, as many as a
// thread has [order.ScanItems].
const selectWarps = Block / gpu.WarpSize

// SelectTiles is the grid of [Select], for n elements.
func SelectTiles[T any](n int) int { return ceil(n, Block*order.ScanItems[T]()) }

// Select writes the chosen elements of src to dst in their order, their indices to places, and the
// others to rest, the last one first, from rest's end. places and rest without elements are not
// wanted. count[0] becomes the number of chosen elements.
//
//gpu:kernel open block=256 minblocks=8
//gpu:nobounds
func Select[T any, C Chooser[T]](dst []T, places []int, rest, src []T, count []int, chain Chain[Count], choose With[C]) {
	tile, size := tileOf(chain.Ticket), Block*order.ScanItems[T]()
	first := tile * size
	s := selecting[T, C]{dst, places, rest, src, first, choose.Op}
	if n := len(src) - first; n >= size { // where the number is a constant, nothing is compared with it
		s.tile(size, tile, count, &chain)
	} else {
		s.tile(n, tile, count, &chain)
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

// SelectShared is the size of a tile in shared memory, in bytes.
func SelectShared[T any]() int { return order.ScanItems[T]() * Block * int(unsafe.Sizeof(*new(T))) }

// tile selects n elements. They wait in shared memory, and the choice in a bit each: registers would
// let fewer tiles wait at a time.
func (s *selecting[T, C]) tile(n, tile int, count []int, chain *Chain[Count]) {
	sums := gpu.Shared[[selectWarps]uint32]()
	warp, lane := gpu.ThreadIdx.X/gpu.WarpSize, gpu.ThreadIdx.X%gpu.WarpSize
	row := warp*order.ScanItems[T]()*gpu.WarpSize + lane
	own := gpu.DynamicShared[T]()[gpu.ThreadIdx.X:]
	var in [order.MaxScanItems]T
	for k := range order.ScanItems[T]() {
		if i := row + k*gpu.WarpSize; i < n {
			in[k] = s.src[s.first+i]
		}
	}
	chosen, sum := uint32(0), uint32(0)
	for k := range order.ScanItems[T]() {
		if i := row + k*gpu.WarpSize; i < n {
			own[k*Block] = in[k]
			if s.choose.Chooses(s.src, s.first+i, in[k]) {
				chosen |= 1 << k
			}
		}
		sum += uint32(bits.OnesCount32(gpu.BallotSync(gpu.FullMask, chosen&(1<<k) != 0)))
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
	at := int(chain.before(tile, Count(total), 0, addCounts))
	if tile == gpu.GridDim.X-1 && gpu.ThreadIdx.X == 0 {
		count[0] = at + int(total)
	}
	s.refuse(at, int(total), n)
	s.put(chosen, at+int(before), row, n)
}

// refuse fails where there is no place for the chosen elements of a tile, whose first one goes to at,
// or for the others.
func (s *selecting[T, C]) refuse(at, chosen, n int) {
	if at+chosen > len(s.dst) {
		panic("dst has too few elements for the elements that are chosen")
	}
	if len(s.places) > 0 && at+chosen > len(s.places) {
		panic("lengths has too few elements for the runs")
	}
	if len(s.rest) > 0 && s.first+n-at-chosen > len(s.rest) {
		panic("rest has too few elements for the elements that are not chosen")
	}
}

// put writes the elements of a warp with their indices. at is the number of chosen elements before
// the warp's.
func (s *selecting[T, C]) put(chosen uint32, at, row, n int) {
	own := gpu.DynamicShared[T]()[gpu.ThreadIdx.X:]
	lower := uint32(1)<<gpu.LaneID() - 1
	dst, places := s.dst[at:], s.places
	if len(places) > 0 {
		places = places[at:]
	}
	before := 0
	for k := range order.ScanItems[T]() {
		votes := gpu.BallotSync(gpu.FullMask, chosen&(1<<k) != 0)
		to, i := before+bits.OnesCount32(votes&lower), row+k*gpu.WarpSize
		switch {
		case chosen&(1<<k) != 0:
			dst[to] = own[k*Block]
			if len(places) > 0 {
				places[to] = s.first + i
			}
		case len(s.rest) > 0 && i < n:
			s.rest[len(s.rest)-1-(s.first+i-at-to)] = own[k*Block]
		}
		before += bits.OnesCount32(votes)
	}
}
