package collective

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// BlockSort puts keys into ascending order. Floating-point numbers are in IEEE 754's totalOrder: -0
// precedes +0, and NaN is first if its sign bit is set, else last.
//
//	collective.BlockSort(keys[:len(row)], scratch[:])
//
// All threads of the block give the same slices, of any length: in shared memory, or of
// global memory that only the block uses. scratch is at least as long as keys and does not
// overlap them. Its contents afterwards are undefined. The call begins with a barrier, so
// that keys may be written right before it, and ends with one, so that they may be read right
// after it.
//
// It is a radix sort: it takes a pass for each 5 bits in which keys differ, so up to 7 passes of 32
// bits and 13 of 64, and of integers below 1000 two or three. A pass takes two barriers, and reads
// a key twice and writes it once. Before the first one the keys are read once, with three barriers,
// and after an odd number of passes they are copied back, with one. The block has 4 KB of shared
// memory besides the slices for its accounts, which all sorts of a kernel share. Each warp of 32
// threads takes a part of the keys. The threads of a partial warp wait. In a block of fewer than 32
// threads each key is compared with all others.
func BlockSort[K gpu.Number](keys, scratch []K) {
	sort(keys, scratch, keys, scratch, false, false)
}

// BlockSortDescending is [BlockSort] with the largest key first: the order is the reverse.
func BlockSortDescending[K gpu.Number](keys, scratch []K) {
	sort(keys, scratch, keys, scratch, false, true)
}

// BlockSortByKey is [BlockSort] of pairs: values[i] moves as keys[i] does. The values of equal keys
// stay in the order they were in.
//
// A pass writes each value once. Do not sort values of many bytes: sort their indices by key, and
// then move each once.
func BlockSortByKey[K gpu.Number, V any](keys []K, values []V, keyScratch []K, valueScratch []V) {
	sort(keys, keyScratch, values, valueScratch, true, false)
}

// BlockSortByKeyDescending is [BlockSortByKey] with the largest key first. The values of equal keys
// stay in the order they were in.
func BlockSortByKeyDescending[K gpu.Number, V any](keys []K, values []V, keyScratch []K, valueScratch []V) {
	sort(keys, keyScratch, values, valueScratch, true, true)
}

// A pass of the sort orders the keys by one digit. There are as many digits as lanes in a warp:
// each lane keeps the account of one.
const (
	digitBits = 5
	digits    = 1 << digitBits
)

// sort sorts keys, and values too if paired is set. It counts the digits in each warp's part of the
// keys, adds up the counts to know where each part's keys with a digit begin, and moves them (N.
// Satish, M. Harris and M. Garland, "Designing efficient sorting algorithms for manycore GPUs",
// IPDPS 2009). A row of 32 keys is counted by votes (A. Davidson and others, "GPU multisplit",
// PPoPP 2016).
func sort[K gpu.Number, V any](keys, keysTo []K, values, valuesTo []V, paired, descending bool) {
	counts := gpu.Shared[[maxWarps][digits]int32]() // of each digit in each warp's part
	s := sorter[K, V]{keys, keysTo[:len(keys)], values[:len(keys)], valuesTo[:len(keys)], paired, 0, descending}
	warps, warp := blockThreads()/gpu.WarpSize, gpu.WarpID() // full ones
	gpu.SyncThreads()
	if warps == 0 {
		s.enumerate()
		s.copyBack()
		return
	}
	p, differing, swapped := partOf(len(keys), warps, warp), s.differing(), false
	for ; s.bit < keyBits[K](); s.bit += digitBits {
		if differing>>s.bit%digits == 0 {
			continue
		}
		if warp < warps {
			counts[warp%maxWarps][gpu.LaneID()] = s.count(p)
		}
		gpu.SyncThreads()
		if warp < warps {
			s.move(p, begin(counts, warps, warp))
		}
		gpu.SyncThreads()
		s, swapped = s.swapped(), !swapped
	}
	if swapped {
		s = s.swapped()
		s.copyBack()
	}
}

// sorter is a sort under way: keys and values are in the first of two slices each, and a pass moves
// them to the second by the digit from bit on.
type sorter[K gpu.Number, V any] struct {
	keys, keysTo     []K
	values, valuesTo []V
	paired           bool
	bit              int
	descending       bool
}

func (s *sorter[K, V]) swapped() sorter[K, V] {
	return sorter[K, V]{s.keysTo, s.keys, s.valuesTo, s.values, s.paired, s.bit, s.descending}
}

// differing is the bits of the order in which not all keys are alike.
func (s *sorter[K, V]) differing() uint64 {
	var bits uint64
	for i := linearThread(); i < len(s.keys); i += blockThreads() {
		bits |= order(s.keys[i]) ^ order(s.keys[0])
	}
	if keyBits[K]() <= 32 {
		return uint64(BlockReduce(uint32(bits), or[uint32]))
	}
	return BlockReduce(bits, or[uint64])
}

func or[T uint32 | uint64](x, y T) T { return x | y }

// part is the keys of a warp: rows of one key per lane. Only the last row may be partial.
type part struct{ first, end int }

// partOf is a warp's part of n keys.
func partOf(n, warps, warp int) part {
	rows := (n + gpu.WarpSize - 1) / gpu.WarpSize
	each := (rows + warps - 1) / warps * gpu.WarpSize
	return part{min(warp*each, n), min(warp*each+each, n)}
}

// row is the lane's key in a row, and the lanes of it with the same digit. mine are those whose
// digit is the caller's lane.
func (s *sorter[K, V]) row(i int) (key K, digit int, same, mine uint32) {
	in := uint(i) < uint(len(s.keys))
	if in {
		key = s.keys[i]
	}
	digit = int(digitOf(key, s.bit))
	if s.descending {
		digit = digits - 1 - digit
	}
	all := gpu.BallotSync(gpu.FullMask, in)
	same, mine = all, all
	for b := range digitBits {
		ones := gpu.BallotSync(gpu.FullMask, digit>>b&1 != 0)
		same &= ones ^ (uint32(digit>>b)&1 - 1)
		mine &= ones ^ (uint32(gpu.LaneID()>>b)&1 - 1)
	}
	return key, digit, same, mine
}

// count is the number of keys in a part whose digit is the caller's lane.
func (s *sorter[K, V]) count(p part) (n int32) {
	for first := p.first; first < p.end; first += gpu.WarpSize {
		_, _, _, mine := s.row(first + gpu.LaneID())
		n += int32(bits.OnesCount32(mine))
	}
	return n
}

// begin is the destination of the keys of the warp's part whose digit is the caller's lane. It
// follows the keys with a smaller digit, and the keys of earlier parts with the same digit.
func begin(counts *[maxWarps][digits]int32, warps, warp int) int32 {
	var before, total int32
	for w := range min(warps, maxWarps) {
		n := counts[w][gpu.LaneID()]
		if w < warp {
			before += n
		}
		total += n
	}
	return before + WarpInclusiveSum(total) - total
}

// move moves the keys of a part, and their values. next is where the next key goes whose digit is
// the caller's lane.
func (s *sorter[K, V]) move(p part, next int32) {
	below := uint32(1)<<gpu.LaneID() - 1
	for first := p.first; first < p.end; first += gpu.WarpSize {
		i := first + gpu.LaneID()
		key, digit, same, mine := s.row(i)
		to := int(gpu.ShflSync(gpu.FullMask, next, digit)) + bits.OnesCount32(same&below)
		next += int32(bits.OnesCount32(mine))
		if i < len(s.keys) {
			s.put(to, i, key)
		}
	}
}

func (s *sorter[K, V]) put(to, from int, key K) {
	s.keysTo[to] = key
	if s.paired {
		s.valuesTo[to] = s.values[from]
	}
}

// enumerate moves each key after the keys that precede it in order.
func (s *sorter[K, V]) enumerate() {
	n := len(s.keys)
	for i := linearThread(); i < n; i += blockThreads() {
		to, key := 0, order(s.keys[i])
		for j := range n {
			other := order(s.keys[j])
			if s.descending && other > key || !s.descending && other < key || other == key && j < i {
				to++
			}
		}
		s.put(to, i, s.keys[i])
	}
	gpu.SyncThreads()
}

// copyBack copies the second slices to the first.
func (s *sorter[K, V]) copyBack() {
	for i := linearThread(); i < len(s.keys); i += blockThreads() {
		s.keys[i] = s.keysTo[i]
		if s.paired {
			s.values[i] = s.valuesTo[i]
		}
	}
	gpu.SyncThreads()
}
