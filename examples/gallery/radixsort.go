package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/gpu/rand"
)

var radixSortExhibit = exhibit{
	name: "radixsort", file: "radixsort.go", size: 10_000, show: showRadixSort,
	algorithm: "the radix sort of Satish, Harris and Garland",
	shows:     "several kernels and blocks, `collective.BlockHistogram`, `BlockSortByKey`, `BlockExclusiveSum`",
}

// A digit has 8 bits, so that each of a block's threads stands for one. A tile is the keys of a
// block.
const (
	sortBlock = 256
	sortTile  = 1024
)

// CountDigits counts the keys of each tile by the digit from bit shift on: counts of digit d and
// tile b is number d*tiles + b. It is the first of three kernels for a pass: N. Satish, M. Harris
// and M. Garland, "Designing efficient sorting algorithms for manycore GPUs", IPDPS 2009. Launch
// with a block for each tile.
//
//gpu:kernel block=256
func CountDigits(keys []uint32, shift int, counts []uint32) {
	bins := gpu.Shared[[sortBlock]uint32]()
	tile := keys[gpu.BlockIdx.X*sortTile : min((gpu.BlockIdx.X+1)*sortTile, len(keys))]
	collective.BlockHistogram(bins[:], len(tile), func(i int) int { return int(tile[i] >> shift & 255) })
	counts[gpu.ThreadIdx.X*gpu.GridDim.X+gpu.BlockIdx.X] = bins[gpu.ThreadIdx.X]
}

// AddCounts replaces each count by the sum of those before it, which is where the keys go that it
// counts. Launch with one block.
//
//gpu:kernel block=256
func AddCounts(counts []uint32) {
	var sum uint32
	for first := 0; first < len(counts); first += sortBlock {
		i := first + gpu.ThreadIdx.X
		var n uint32
		if i < len(counts) {
			n = counts[i]
		}
		before, total := collective.BlockExclusiveSum(n)
		if i < len(counts) {
			counts[i] = sum + before
		}
		sum += total
	}
}

// MoveKeys puts each key where those with its digit go. A block sorts its tile by the digit first,
// so that keys which go side by side are written side by side. Launch with a block for each tile.
//
//gpu:kernel block=256
func MoveKeys(keys, sorted []uint32, shift int, counts []uint32) {
	tile := gpu.Shared[[sortTile]uint32]()
	digits := gpu.Shared[[sortTile]uint8]()
	tileScratch := gpu.Shared[[sortTile]uint32]()
	digitScratch := gpu.Shared[[sortTile]uint8]()
	bins := gpu.Shared[[sortBlock]uint32]()
	n := min(sortTile, len(keys)-gpu.BlockIdx.X*sortTile)
	for i := gpu.ThreadIdx.X; i < n; i += sortBlock {
		tile[i] = keys[gpu.BlockIdx.X*sortTile+i]
		digits[i] = uint8(tile[i] >> shift)
	}
	collective.BlockSortByKey(digits[:n], tile[:n], digitScratch[:], tileScratch[:])
	collective.BlockHistogram(bins[:], n, func(i int) int { return int(digits[i]) })
	digit := gpu.ThreadIdx.X
	before, _ := collective.BlockExclusiveSum(bins[digit])
	bins[digit] = counts[digit*gpu.GridDim.X+gpu.BlockIdx.X] - before // offset from a key's place in the tile
	gpu.SyncThreads()
	for i := gpu.ThreadIdx.X; i < n; i += sortBlock {
		sorted[bins[digits[i]]+uint32(i)] = tile[i]
	}
}

// radixSortOnHost sorts by the same passes, with one tile.
func radixSortOnHost(keys []uint32) []uint32 {
	for shift := 0; shift < 32; shift += 8 {
		var next [sortBlock + 1]int
		for _, k := range keys {
			next[k>>shift&255+1]++
		}
		for d := range sortBlock {
			next[d+1] += next[d]
		}
		sorted := make([]uint32, len(keys))
		for _, k := range keys {
			d := k >> shift & 255
			sorted[next[d]] = k
			next[d]++
		}
		keys = sorted
	}
	return keys
}

func showRadixSort(v *visit, n int) {
	v.input = fmt.Sprintf("%d uint32", n)
	host := make([]uint32, n)
	r := rand.New(3, 0)
	for i := range host {
		host[i] = r.Uint32() >> (i % 3 * 10)
	}
	keys, sorted := copyOf(v, host), room[uint32](v, n)
	tiles := max((n+sortTile-1)/sortTile, 1)
	counts := room[uint32](v, sortBlock*tiles)
	count, add, move := load(v, LoadCountDigits), load(v, LoadAddCounts), load(v, LoadMoveKeys)
	for shift := 0; shift < 32; shift += 8 {
		v.launch(func() error { return count.Launch(v.stream, gridstride.Grid(tiles), keys, shift, counts) })
		v.launch(func() error { return add.Launch(v.stream, gridstride.Grid(1), counts) })
		v.launch(func() error { return move.Launch(v.stream, gridstride.Grid(tiles), keys, sorted, shift, counts) })
		keys, sorted = sorted, keys
	}
	compare(v, "key", keys, radixSortOnHost(host))
}
