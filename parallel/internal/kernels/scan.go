package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// A tile of a scan is scanItems adjacent elements for each thread.
const (
	scanItems = 8
	// ScanTile is the number of elements of a tile.
	ScanTile = Block * scanItems
)

// ScanTiles is the grid of [Scan], for n elements.
func ScanTiles(n int) int { return ceil(n, ScanTile) }

// spread is where an element of a tile is in shared memory: a thread's elements are side by side, and
// the gaps keep the threads of a warp apart in the banks.
func spread(i int) int { return i + i/32 }

// Scan writes what the elements of src to this one combine to, or those before it if exclusive is
// set. dst may be src.
//
//gpu:kernel open block=256
func Scan[T any, O Operator[T]](dst, src []T, exclusive bool, chain Chain[T], o With[O]) {
	combine := func(a, b T) T { return o.Op.Combine(a, b) }
	tid := gpu.ThreadIdx.X
	tile := tileOf(chain.Ticket)
	first := tile * ScanTile
	n := min(len(src)-first, ScanTile)
	all := gpu.Shared[[ScanTile + ScanTile/32]T]()
	for k := range scanItems {
		if i := tid + k*Block; i < n {
			all[spread(i)] = src[first+i]
		}
	}
	gpu.SyncThreads()
	var v [scanItems]T
	sum := o.Op.Identity()
	for k := range scanItems {
		v[k] = o.Op.Identity()
		if i := tid*scanItems + k; i < n {
			v[k] = all[spread(i)]
		}
		if k == 0 {
			sum = v[0]
		} else {
			sum = combine(sum, v[k])
		}
	}
	through, total := collective.BlockExclusiveScan(sum, o.Op.Identity(), combine)
	before := chain.before(tile, total, o.Op.Identity(), combine)
	if tile > 0 {
		through = combine(before, through)
	}
	for k := range scanItems {
		next := combine(through, v[k])
		if i := tid*scanItems + k; i < n {
			if exclusive {
				all[spread(i)] = through
			} else {
				all[spread(i)] = next
			}
		}
		through = next
	}
	gpu.SyncThreads()
	for k := range scanItems {
		if i := tid + k*Block; i < n {
			dst[first+i] = all[spread(i)]
		}
	}
}
