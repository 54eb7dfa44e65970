package kernels

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// A radix sort orders the keys by 8 bits at a time, from the lowest. A pass reads and writes each
// key once: A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit
// Radix Sort for GPUs", NVIDIA 2022.
const (
	digitBits = 8
	// Digits is the number of values of a digit: one for each thread of a block.
	Digits     = 1 << digitBits
	maxPasses  = 8
	radixRows  = 16
	radixWarps = Block / gpu.WarpSize
	// RadixTile is the number of keys of a tile.
	RadixTile = Block * radixRows
)

// RadixTiles is the grid of [RadixPass], for n keys.
func RadixTiles(n int) int { return ceil(n, RadixTile) }

// Passes is the number of passes for keys of a type.
func Passes[K any]() int { return int(unsafe.Sizeof(*new(K))) }

// digitOf is a key's digit of a pass.
func digitOf[K gpu.Number](key K, pass int, flip uint64) uint32 {
	bits, at := collective.SortKey(key)^flip, uint(pass*digitBits)
	if Passes[K]() <= 4 {
		return uint32(bits) >> (at & 31) % Digits
	}
	return uint32(bits>>(at&63)) % Digits
}

// RadixCounts counts the digits of all passes, into bins of zeros. flip is all ones to sort the
// largest key first, else 0.
//
//gpu:kernel open block=256
func RadixCounts[K gpu.Number](bins []uint64, keys []K, flip uint64) {
	counts := gpu.Shared[[maxPasses][Digits]uint32]()
	passes := Passes[K]()
	for p := range passes {
		counts[p][gpu.ThreadIdx.X] = 0
	}
	gpu.SyncThreads()
	for i := range gpu.GridStride(len(keys)) {
		bits := collective.SortKey(keys[i]) ^ flip
		for p := range passes {
			gpu.AtomicAdd(&counts[p][bits>>(p*digitBits)%Digits], 1)
		}
	}
	gpu.SyncThreads()
	for p := range passes {
		if n := counts[p][gpu.ThreadIdx.X]; n > 0 {
			gpu.AtomicAdd(&bins[p*Digits+gpu.ThreadIdx.X], uint64(n))
		}
	}
}

// RadixStarts turns the counts of each pass into where the keys of each digit begin. Launch a block
// for each pass.
//
//gpu:kernel block=256
func RadixStarts(bins []uint64) {
	at := gpu.BlockIdx.X*Digits + gpu.ThreadIdx.X
	before, _ := collective.BlockExclusiveSum(bins[at])
	bins[at] = before
}

// RadixPass moves the keys, and their values if there are any, to where their digit of a pass puts
// them. starts are the pass's of [RadixStarts].
//
//gpu:kernel open block=256
//gpu:nobounds
func RadixPass[K gpu.Number, V any](keysTo, keys []K, valuesTo, values []V, starts []uint64, pass int, flip uint64, counts Counts) {
	tile := tileOf(counts.Ticket)
	first := tile * RadixTile
	p := passing[K, V]{keysTo, keys[first:], valuesTo, values, starts, pass, flip}
	if len(values) > 0 {
		p.values = values[first:]
	}
	if n := len(keys) - first; n >= RadixTile { // where the number is a constant, nothing is compared with it
		p.tile(RadixTile, tile, &counts)
	} else {
		p.tile(n, tile, &counts)
	}
}

// passing is a pass of a tile: keys and values begin with the tile's.
type passing[K gpu.Number, V any] struct {
	keysTo, keys     []K
	valuesTo, values []V
	starts           []uint64
	pass             int
	flip             uint64
}

// tile moves n keys.
func (p *passing[K, V]) tile(n, tile int, counts *Counts) {
	warps := gpu.Shared[[radixWarps][Digits]uint32]()
	tid := gpu.ThreadIdx.X
	warp, row := tid/gpu.WarpSize, tid/gpu.WarpSize*radixRows*gpu.WarpSize+tid%gpu.WarpSize
	for w := range radixWarps {
		warps[w][tid] = 0
	}
	var in [radixRows]K
	for k := range radixRows {
		if i := row + k*gpu.WarpSize; i < n {
			in[k] = p.keys[i]
		}
	}
	gpu.SyncThreads()
	var rank [radixRows]uint32 // among the keys of the warp with the same digit
	for k := range radixRows {
		rank[k] = rankOf(&warps[warp], p.digit(in[k]), row+k*gpu.WarpSize < n)
	}
	gpu.SyncThreads()
	to := p.begin(warps, tile, counts)
	gpu.SyncThreads()

	sorted := gpu.Shared[[RadixTile]K]()
	for k := range radixRows {
		rank[k] += warps[warp][p.digit(in[k])]
		if row+k*gpu.WarpSize < n {
			sorted[rank[k]] = in[k]
		}
	}
	gpu.SyncThreads()
	var out [radixRows]int
	for k := range radixRows {
		if i := tid + k*Block; i < n {
			key := sorted[i]
			out[k] = int(to[p.digit(key)]) + i
			p.keysTo[out[k]] = key
		}
	}
	if len(p.values) > 0 {
		p.move(&rank, &out, row, n)
	}
}

func (p *passing[K, V]) digit(key K) uint32 { return digitOf(key, p.pass, p.flip) }

// begin returns where the tile's first key of each digit goes, less its place in the sorted tile, and
// turns the counts of the warps into places there. Each thread has a digit.
func (p *passing[K, V]) begin(warps *[radixWarps][Digits]uint32, tile int, counts *Counts) *[Digits]uint64 {
	to := gpu.Shared[[Digits]uint64]()
	tid, sum := gpu.ThreadIdx.X, uint32(0)
	var c [radixWarps]uint32
	for w := range radixWarps {
		c[w] = warps[w][tid]
		sum += c[w]
	}
	before, _ := collective.BlockExclusiveSum(sum)
	at := before
	for w := range radixWarps {
		warps[w][tid] = at
		at += c[w]
	}
	to[tid] = p.starts[tid] + counts.column(tile, tid, Digits, uint64(sum)) - uint64(before)
	return to
}

// move moves the values. rank are their places in the sorted tile, out where those places go.
func (p *passing[K, V]) move(rank *[radixRows]uint32, out *[radixRows]int, row, n int) {
	moved := gpu.Shared[[RadixTile]V]()
	var in [radixRows]V
	for k := range radixRows {
		if i := row + k*gpu.WarpSize; i < n {
			in[k] = p.values[i]
		}
	}
	for k := range radixRows {
		if row+k*gpu.WarpSize < n {
			moved[rank[k]] = in[k]
		}
	}
	gpu.SyncThreads()
	for k := range radixRows {
		if i := gpu.ThreadIdx.X + k*Block; i < n {
			p.valuesTo[out[k]] = moved[i]
		}
	}
}

// rankOf is the number of keys of the caller's warp with its digit, in earlier rows and lanes, which
// it adds up in counts.
func rankOf(counts *[Digits]uint32, digit uint32, in bool) uint32 {
	same := gpu.BallotSync(gpu.FullMask, in)
	for b := range digitBits {
		ones := gpu.BallotSync(gpu.FullMask, digit>>b&1 != 0)
		same &= ones ^ (digit>>b&1 - 1)
	}
	before := uint32(0)
	if in {
		before = counts[digit]
	}
	gpu.SyncWarp(gpu.FullMask)
	lower := same & (1<<gpu.LaneID() - 1)
	if in && lower == 0 {
		counts[digit] = before + uint32(bits.OnesCount32(same))
	}
	gpu.SyncWarp(gpu.FullMask)
	return before + uint32(bits.OnesCount32(lower))
}
