package kernels

import (
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/order"
)

// ScanTiles is the grid of [Scan], for n elements.
func ScanTiles[T any](n int) int { return ceil(n, Block*order.ScanItems[T]()) }

// Scan writes what the elements of src to this one combine to, or those before it if exclusive is
// set. dst may be src. It has as many elements.
//
//gpu:kernel open block=256 minblocks=8
//gpu:nobounds
func Scan[T any, O Operator[T]](dst, src []T, exclusive bool, chain Chain[T], o With[O]) {
	scanTile(len(src), exclusive, &chain, o.Op.Identity(),
		func(a, b T) T { return o.Op.Combine(a, b) },
		func(i int) T { return src[i] },
		func(i int, v T) { dst[i] = v })
}

// ScanShared is the size of a tile in shared memory, in bytes.
func ScanShared[T any]() int {
	return order.ScanItems[T]() * (Block + Block/pad[T]()) * int(unsafe.Sizeof(*new(T)))
}

// pad is after how many elements a tile in shared memory has a gap of one, which keeps the threads of
// a warp apart in the banks.
func pad[T any]() int {
	if unsafe.Sizeof(*new(T)) <= 4 {
		return 32
	}
	return 16
}

// scanTile scans the next tile of n elements in all. They wait in shared memory: registers would let
// fewer tiles wait at a time.
func scanTile[T any](n int, exclusive bool, chain *Chain[T], identity T, combine func(a, b T) T, load func(i int) T, store func(i int, v T)) {
	tile, size := tileOf(chain.Ticket), Block*order.ScanItems[T]()
	first := tile * size
	if n-first >= size { // where the number is a constant, nothing is compared with it
		toShared(size, func(i int) T { return load(first + i) })
		scanShared(size, tile, exclusive, chain, identity, combine)
		fromShared(size, func(i int, v T) { store(first+i, v) })
	} else {
		toShared(n-first, func(i int) T { return load(first + i) })
		scanShared(n-first, tile, exclusive, chain, identity, combine)
		fromShared(n-first, func(i int, v T) { store(first+i, v) })
	}
}

// scanShared scans the n elements of a tile in shared memory.
func scanShared[T any](n, tile int, exclusive bool, chain *Chain[T], identity T, combine func(a, b T) T) {
	own, first := ownOf[T](), gpu.ThreadIdx.X*order.ScanItems[T]()
	sum := identity
	for k := range order.ScanItems[T]() {
		if first+k < n {
			sum = combine(sum, own[k])
		}
	}
	through, total := collective.BlockExclusiveScan(sum, identity, combine)
	before := chain.before(tile, total, identity, combine)
	if tile > 0 {
		through = combine(before, through)
	}
	for k := range order.ScanItems[T]() {
		if first+k < n {
			next := combine(through, own[k])
			own[k] = next
			if exclusive {
				own[k] = through
			}
			through = next
		}
	}
}

// ownOf are the caller's elements of a tile, side by side.
func ownOf[T any]() []T {
	own := gpu.ThreadIdx.X * order.ScanItems[T]()
	return gpu.DynamicShared[T]()[own+own/pad[T]():]
}

// toShared loads the n elements of a tile.
func toShared[T any](n int, load func(i int) T) {
	all, tid := gpu.DynamicShared[T](), gpu.ThreadIdx.X
	var v [order.MaxScanItems]T
	for k := range order.ScanItems[T]() {
		if i := tid + k*Block; i < n {
			v[k] = load(i)
		}
	}
	for k := range order.ScanItems[T]() {
		if tid+k*Block < n {
			all[tid+tid/pad[T]()+k*(Block+Block/pad[T]())] = v[k]
		}
	}
	gpu.SyncThreads()
}

// fromShared stores the n elements of a tile.
func fromShared[T any](n int, store func(i int, v T)) {
	all, tid := gpu.DynamicShared[T](), gpu.ThreadIdx.X
	gpu.SyncThreads()
	for k := range order.ScanItems[T]() {
		if i := tid + k*Block; i < n {
			store(i, all[tid+tid/pad[T]()+k*(Block+Block/pad[T]())])
		}
	}
}
