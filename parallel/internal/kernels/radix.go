package kernels

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/order"
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

// RadixTiles is the grid of [RadixKeys] and [RadixPairs], for n keys.
func RadixTiles(n int) int { return ceil(n, RadixTile) }

// RadixShared is the shared memory that [RadixKeys] and, for values of some size, [RadixPairs] ask
// for: keys and values are there one after the other.
func RadixShared[K, V any]() int {
	return RadixTile * int(max(unsafe.Sizeof(*new(K)), unsafe.Sizeof(*new(V))))
}

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
//gpu:nobounds
func RadixCounts[K gpu.Number](bins []uint64, keys []K, flip uint64) {
	counts := gpu.Shared[[maxPasses][Digits]uint32]()
	passes := Passes[K]()
	for p := range passes {
		counts[p][gpu.ThreadIdx.X] = 0
	}
	gpu.SyncThreads()
	const rows = countRows
	for first := gpu.BlockIdx.X * rows * Block; first < len(keys); first += gpu.GridDim.X * rows * Block {
		var in [rows]K
		whole := first+rows*Block <= len(keys)
		at := first + gpu.ThreadIdx.X
		for k := range rows {
			if whole || at+k*Block < len(keys) {
				in[k] = keys[at+k*Block]
			}
		}
		for k := range rows {
			if whole || at+k*Block < len(keys) {
				bits := collective.SortKey(in[k]) ^ flip
				for p := range passes {
					gpu.AtomicAdd(&counts[p][bits>>(p*digitBits)%Digits], 1)
				}
			}
		}
	}
	gpu.SyncThreads()
	for p := range passes {
		if n := counts[p][gpu.ThreadIdx.X]; n > 0 {
			gpu.AtomicAdd(&bins[p*Digits+gpu.ThreadIdx.X], uint64(n))
		}
	}
}

// countRows is how many keys a thread loads before it counts them.
const countRows = 8

// CountBlocks is the grid of [RadixCounts] for n keys: blocks wait for memory, and each adds its counts to
// all others'.
func CountBlocks(n int) int { return min(ceil(n, Block*countRows), 1024) }

// RadixStarts turns the counts of each pass into where the keys of each digit begin. Launch a block
// for each pass.
//
//gpu:kernel block=256
func RadixStarts(bins []uint64) {
	at := gpu.BlockIdx.X*Digits + gpu.ThreadIdx.X
	before, _ := collective.BlockExclusiveSum(bins[at])
	bins[at] = before
}

// RadixKeys moves keys to where their digit of a pass puts them.
//
//gpu:kernel open block=256 minblocks=4
//gpu:nobounds
func RadixKeys[K gpu.Number](keysTo, keys []K, pass RadixPass) {
	tile := tileOf(pass.Ticket)
	first := tile * RadixTile
	p := passing[K]{keysTo, keys[first:], &pass, tile}
	if n := len(keys) - first; n >= RadixTile { // where the number is a constant, nothing is compared with it
		p.moveKeys(RadixTile)
	} else {
		p.moveKeys(n)
	}
}

// RadixOne sorts the keys of one tile, with one block.
//
//gpu:kernel open block=256
//gpu:nobounds
func RadixOne[K gpu.Number](keys []K, flip uint64) {
	if len(keys) <= RadixTile/4 {
		sortKeys(keys, radixRows/4, flip)
	} else {
		sortKeys(keys, radixRows, flip)
	}
}

// sortKeys sorts keys of which each thread has rows.
func sortKeys[K gpu.Number](keys []K, rows int, flip uint64) {
	var in [radixRows]K
	row, sorted := firstRow(rows), gpu.DynamicShared[K]()
	for k := range rows {
		if i := row + k*gpu.WarpSize; i < len(keys) {
			in[k] = keys[i]
		}
	}
	var to [radixRows]uint32
	pass := RadixPass{Flip: flip}
	p := passing[K]{pass: &pass}
	for n := range Passes[K]() {
		pass.Pass = n
		p.place(&in, &to, rows, len(keys))
		gpu.SyncThreads()
		for k := range rows {
			if i := row + k*gpu.WarpSize; i < len(keys) {
				in[k] = sorted[i]
			}
		}
	}
	for k := range rows {
		if i := row + k*gpu.WarpSize; i < len(keys) {
			keys[i] = in[k]
		}
	}
}

// RadixPairs is [RadixKeys], and moves values[i] as keys[i].
//
//gpu:kernel open block=256 minblocks=3
//gpu:nobounds
func RadixPairs[K gpu.Number, V any](keysTo, keys []K, valuesTo, values []V, pass RadixPass) {
	tile := tileOf(pass.Ticket)
	first := tile * RadixTile
	p := passing[K]{keysTo, keys[first:], &pass, tile}
	if n := len(keys) - first; n >= RadixTile {
		movePairs(&p, valuesTo, values[first:], RadixTile)
	} else {
		movePairs(&p, valuesTo, values[first:], n)
	}
}

// RadixPass is a pass over a part of the keys. The next part's keys go behind this one's.
type RadixPass struct {
	Starts, Next []uint64 // where the keys of each digit of this part go, and of the next part
	Words        []uint32 // of each tile and digit: 0, or of the pass before
	Ticket       []uint32
	Pass         int
	Flip         uint64
}

// A word is a count, below 2^digitState, and above it one of these states, of a pass that is even or
// odd.
const (
	digitState   = 29
	digitSum     = 1
	digitThrough = 2
	digitOdd     = 4
)

// RadixPart is the most keys of a part.
const RadixPart = 1 << 28

// put publishes a count of a tile.
func (p *RadixPass) put(tile int, count, state uint32) {
	state |= uint32(p.Pass) & 1 * digitOdd
	gpu.AtomicStore(&p.Words[tile*Digits+gpu.ThreadIdx.X], state<<digitState|count)
}

// ahead is how many counts a thread that looks back reads at a time.
const ahead = 4

// lookBack returns the count of the caller's digit in the tiles before this one, which has count.
func (p *RadixPass) lookBack(tile int, count uint32) (sum uint32) {
	if tile == 0 {
		return 0
	}
	digit, odd := gpu.ThreadIdx.X, uint32(p.Pass)&1*digitOdd
	for t, done := tile-1, false; !done; {
		var words [ahead]uint32
		for k := range ahead {
			words[k] = gpu.AtomicLoad(&p.Words[max(t-k, 0)*Digits+digit])
		}
		waits := false
		for k := range ahead {
			state := words[k]>>digitState ^ odd
			waits = waits || state != digitSum && state != digitThrough
			if !waits && !done {
				sum += words[k] & (1<<digitState - 1)
				done = state == digitThrough
				t--
			}
		}
	}
	p.put(tile, sum+count, digitThrough)
	return sum
}

// passing is a pass of a tile, whose keys are the first of keys.
type passing[K gpu.Number] struct {
	keysTo, keys []K
	pass         *RadixPass
	number       int // of the tile
}

// moveKeys moves n keys.
func (p *passing[K]) moveKeys(n int) {
	var to [radixRows]uint32
	in := p.load(n)
	count, before := p.place(&in, &to, radixRows, n)
	starts := p.begin(count, before)
	p.put(starts, n)
}

// place sorts n keys, of which the caller has rows, into shared memory. to becomes where each key of
// the caller's is there. It returns the count of the digit that the caller has, and where its keys
// begin there.
func (p *passing[K]) place(in *[radixRows]K, to *[radixRows]uint32, rows, n int) (count, before uint32) {
	warps := gpu.Shared[[radixWarps][Digits]uint32]()
	tid, warp, row := gpu.ThreadIdx.X, gpu.ThreadIdx.X/gpu.WarpSize, firstRow(rows)
	for w := range radixWarps {
		warps[w][tid] = 0
	}
	gpu.SyncThreads()
	for k := range rows {
		digit := p.digit(in[k])
		to[k] = rankOf(&warps[warp], digit, row+k*gpu.WarpSize < n, k%matchEvery == 0)<<16 | digit
	}
	gpu.SyncThreads()
	count, before = p.count(warps)
	sorted := gpu.DynamicShared[K]()
	for k := range rows {
		to[k] = to[k]>>16 + warps[warp][to[k]%Digits]
		if row+k*gpu.WarpSize < n {
			sorted[to[k]] = in[k]
		}
	}
	return count, before
}

// load loads the caller's keys.
func (p *passing[K]) load(n int) (in [radixRows]K) {
	for k := range radixRows {
		if i := firstRow(radixRows) + k*gpu.WarpSize; i < n {
			in[k] = p.keys[i]
		}
	}
	return in
}

// firstRow is the index of the caller's first element, where each warp has rows that are adjacent.
func firstRow(rows int) int {
	return gpu.ThreadIdx.X/gpu.WarpSize*rows*gpu.WarpSize + gpu.ThreadIdx.X%gpu.WarpSize
}

// put writes the sorted keys. It returns the digits of those that the caller has written, four to a
// word. starts are where the tile's first key of each digit goes, less its place in shared memory.
func (p *passing[K]) put(starts *[Digits]uint64, n int) (digits [radixRows / 4]uint32) {
	sorted := gpu.DynamicShared[K]()
	for k := range radixRows {
		if i := gpu.ThreadIdx.X + k*Block; i < n {
			key := sorted[i]
			digit := p.digit(key)
			digits[k/4] |= digit << (k % 4 * 8)
			p.keysTo[int(starts[digit])+i] = key
		}
	}
	return digits
}

func (p *passing[K]) digit(key K) uint32 { return digitOf(key, p.pass.Pass, p.pass.Flip) }

// count turns the counts of the warps into places in the sorted tile. It returns the count of the
// caller's digit in the tile, and where its keys begin there.
func (p *passing[K]) count(warps *[radixWarps][Digits]uint32) (count, before uint32) {
	tid := gpu.ThreadIdx.X
	var c [radixWarps]uint32
	for w := range radixWarps {
		c[w] = warps[w][tid]
		count += c[w]
	}
	switch {
	case len(p.pass.Words) == 0: // no other tile asks
	case p.number > 0:
		p.pass.put(p.number, count, digitSum)
	default:
		p.pass.put(0, count, digitThrough)
	}
	before, _ = collective.BlockExclusiveSum(count)
	at := before
	for w := range radixWarps {
		warps[w][tid] = at
		at += c[w]
	}
	gpu.SyncThreads()
	return count, before
}

// begin finds where the keys of each digit go.
func (p *passing[K]) begin(count, before uint32) (starts *[Digits]uint64) {
	starts = gpu.Shared[[Digits]uint64]()
	tid := gpu.ThreadIdx.X
	start := p.pass.Starts[tid] + uint64(p.pass.lookBack(p.number, count))
	if p.number == gpu.GridDim.X-1 {
		p.pass.Next[tid] = start + uint64(count)
	}
	starts[tid] = start - uint64(before)
	gpu.SyncThreads()
	return starts
}

// movePairs moves n keys with their values. Values are loaded, as many as a thread's registers hold,
// before the counts of other tiles are waited for.
func movePairs[K gpu.Number, V any](p *passing[K], dst, src []V, n int) {
	var to [radixRows]uint32
	keys := p.load(n)
	count, before := p.place(&keys, &to, radixRows, n)
	row, rows := firstRow(radixRows), order.ScanItems[V]()
	var in [radixRows]V
	for k := range rows {
		if i := row + k*gpu.WarpSize; i < n {
			in[k] = src[i]
		}
	}
	starts := p.begin(count, before)
	digits := p.put(starts, n)
	gpu.SyncThreads() // the keys have been read, where the values go
	moved := gpu.DynamicShared[V]()
	for k := range rows {
		if row+k*gpu.WarpSize < n {
			moved[to[k]] = in[k]
		}
	}
	for k := rows; k < radixRows; k++ {
		if i := row + k*gpu.WarpSize; i < n {
			moved[to[k]] = src[i]
		}
	}
	gpu.SyncThreads()
	for k := range radixRows {
		if i := gpu.ThreadIdx.X + k*Block; i < n {
			dst[int(starts[digits[k/4]>>(k%4*8)%Digits])+i] = moved[i]
		}
	}
}

// matchEvery is which rows are ranked by an instruction that compares lanes, the others by votes: they
// are done by other parts of a multiprocessor, at the same time.
const matchEvery = 3

// rankOf is the number of keys of the caller's warp with its digit, in earlier rows and lanes, which
// it adds up in counts.
func rankOf(counts *[Digits]uint32, digit uint32, in, match bool) uint32 {
	var same uint32
	if match {
		if same = digit; !in {
			same = Digits
		}
		same = gpu.MatchAnySync(gpu.FullMask, same)
	} else {
		same = gpu.BallotSync(gpu.FullMask, in)
		for b := 0; b < digitBits; b += 2 {
			same &= sameBit(digit, b) & sameBit(digit, b+1)
		}
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

// sameBit are the lanes of a warp whose digit has a bit as the caller's has it.
func sameBit(digit uint32, b int) uint32 {
	ones := gpu.BallotSync(gpu.FullMask, digit&(1<<b) != 0)
	if digit&(1<<b) == 0 {
		ones = ^ones
	}
	return ones
}
