package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// A tile of a scan is scanItems adjacent elements for each thread.
const (
	scanItems = 16
	// ScanTile is the number of elements of a tile.
	ScanTile = Block * scanItems
)

// ScanTiles is the grid of [Scan], for n elements.
func ScanTiles(n int) int { return ceil(n, ScanTile) }

// spread is where an element of a tile is in shared memory: a thread's elements are side by side, and
// the gaps keep the threads of a warp apart in the banks.
func spread(i int) int { return i + i/32 }

// Scan writes what the elements of src to this one combine to, or those before it if exclusive is
// set. dst may be src. It has as many elements.
//
//gpu:kernel open block=256
//gpu:nobounds
func Scan[T any, O Operator[T]](dst, src []T, exclusive bool, chain Chain[T], o With[O]) {
	tile := tileOf(chain.Ticket)
	first := tile * ScanTile
	if n := len(src) - first; n >= ScanTile { // where the number is a constant, nothing is compared with it
		scanTile(dst[first:], src[first:], ScanTile, tile, exclusive, &chain, o.Op)
	} else {
		scanTile(dst[first:], src[first:], n, tile, exclusive, &chain, o.Op)
	}
}

// scanTile scans the n elements of a tile.
func scanTile[T any, O Operator[T]](dst, src []T, n, tile int, exclusive bool, chain *Chain[T], op O) {
	combine := func(a, b T) T { return op.Combine(a, b) }
	tid := gpu.ThreadIdx.X
	all := gpu.Shared[[ScanTile + ScanTile/32]T]()
	var v [scanItems]T
	for k := range scanItems {
		if i := tid + k*Block; i < n {
			v[k] = src[i]
		}
	}
	for k := range scanItems {
		if i := tid + k*Block; i < n {
			all[spread(i)] = v[k]
		}
	}
	gpu.SyncThreads()
	for k := range scanItems {
		v[k] = op.Identity()
		if i := tid*scanItems + k; i < n {
			v[k] = all[spread(i)]
		}
	}
	sum := v[0]
	for k := 1; k < scanItems; k++ {
		sum = combine(sum, v[k])
	}
	through, total := collective.BlockExclusiveScan(sum, op.Identity(), combine)
	before := chain.before(tile, total, op.Identity(), combine)
	if tile > 0 {
		through = combine(before, through)
	}
	for k := range scanItems {
		next := combine(through, v[k])
		v[k] = next
		if exclusive {
			v[k] = through
		}
		through = next
	}
	for k := range scanItems {
		if i := tid*scanItems + k; i < n {
			all[spread(i)] = v[k]
		}
	}
	gpu.SyncThreads()
	for k := range scanItems {
		if i := tid + k*Block; i < n {
			dst[i] = all[spread(i)]
		}
	}
}
