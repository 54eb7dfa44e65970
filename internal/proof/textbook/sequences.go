package main

import "github.com/gridstride/gridstride/gpu"

// Strings of bytes: alignments, distances, automata and checksums.

const (
	query  = 128 // the letters of a query, and the threads of a block
	word   = 24  // the letters of a word
	record = 64  // the bytes of a record
)

// Align scores the best local alignment of a query and a target for each block, a thread for each
// letter of the query, along the diagonals that do not depend on themselves: T. Smith and M.
// Waterman, "Identification of common molecular subsequences", 1981.
//
//gpu:kernel block=128
func Align(queries, targets []uint8, scores []int32, length int) {
	diagonals := gpu.Shared[[3][query + 1]int32]()
	best := gpu.Shared[int32]()
	t := gpu.ThreadIdx.X
	q := queries[gpu.BlockIdx.X*query+t]
	for d := 0; d < 3; d++ {
		diagonals[d][t+1] = 0
		if t == 0 {
			diagonals[d][0] = 0
		}
	}
	if t == 0 {
		*best = 0
	}
	gpu.SyncThreads()
	var most int32
	for d := 0; d < query+length-1; d++ {
		now, last, older := d%3, (d+2)%3, (d+1)%3
		j := d - t
		if j >= 0 && j < length {
			score := int32(-1)
			if targets[gpu.BlockIdx.X*length+j] == q {
				score = 2
			}
			h := max(0, diagonals[older][t]+score, diagonals[last][t]-1, diagonals[last][t+1]-1)
			diagonals[now][t+1] = h
			most = max(most, h)
		}
		gpu.SyncThreads()
	}
	gpu.AtomicMax(best, most)
	gpu.SyncThreads()
	if t == 0 {
		scores[gpu.BlockIdx.X] = *best
	}
}

// Levenshtein counts the edits from one word to another, for a pair of words in each thread.
//
//gpu:kernel block=128
func Levenshtein(a, b []uint8, edits []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(edits) {
		return
	}
	var row [word + 1]int32
	for k := 0; k <= word; k++ {
		row[k] = int32(k)
	}
	for j := 0; j < word; j++ {
		letter := b[i*word+j]
		corner := row[0]
		row[0] = int32(j + 1)
		for k := 0; k < word; k++ {
			cost := corner
			if a[i*word+k] != letter {
				cost++
			}
			corner = row[k+1]
			row[k+1] = min(cost, corner+1, row[k]+1)
		}
	}
	edits[i] = row[word]
}

// Automaton runs a table of states and bytes over a record in each thread.
//
//gpu:kernel block=256
func Automaton(text, next, states []uint8) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(states) {
		return
	}
	state := uint8(0)
	for _, b := range text[i*record : (i+1)*record] {
		state = next[int(state)*256+int(b)]
	}
	states[i] = state
}

// crcTable is the table of IEEE's polynomial.
var crcTable = func() (t [256]uint32) {
	for i := range t {
		c := uint32(i)
		for range 8 {
			c = c>>1 ^ 0xedb88320*(c&1)
		}
		t[i] = c
	}
	return t
}()

// Checksums computes the CRC-32 of a record in each thread.
//
//gpu:kernel block=256
func Checksums(text []uint8, sums []uint32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(sums) {
		return
	}
	sum := ^uint32(0)
	for k := 0; k < record; k++ {
		sum = crcTable[uint8(sum)^text[i*record+k]] ^ sum>>8
	}
	sums[i] = ^sum
}

// Segments adds up in each warp the elements from the last head up to each: M. Harris, S. Sengupta
// and J. Owens, "Parallel prefix sum (scan) with CUDA", 2007.
//
//gpu:kernel block=256
func Segments(x []int32, heads []bool, sums []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	lane := gpu.ThreadIdx.X % 32
	sum, head := int32(0), true
	if i < len(x) {
		sum, head = x[i], heads[i]
	}
	for d := 1; d < 32; d *= 2 {
		s := gpu.ShflUpSync(gpu.FullMask, sum, d)
		h := gpu.ShflUpSync(gpu.FullMask, head, d)
		if lane >= d && !head {
			sum += s
			head = h
		}
	}
	if i < len(sums) {
		sums[i] = sum
	}
}
