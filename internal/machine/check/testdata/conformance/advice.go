package conformance

import "github.com/gridstride/gridstride/gpu"

// OuterLoop lacks a barrier at the end of the outer loop: a diagonal of a table is computed from the
// one before, by the threads that have an element of it.
//
//gpu:kernel
func OuterLoop(out []int32, rounds int) {
	table := gpu.Shared[[2][65]int32]()
	t := gpu.ThreadIdx.X
	table[0][t], table[1][t] = 1, 1
	gpu.SyncThreads()
	for d := range rounds {
		for i := t; i < d; i += gpu.BlockDim.X {
			left := table[d&1][i]
			table[1-d&1][i+1] = left + 1
		}
	}
	gpu.SyncThreads()
	out[t] = table[0][t]
}

// GridMissing lacks the barrier of the grid between its two rounds.
//
//gpu:kernel
func GridMissing(a, b, c []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	n := gpu.GridDim.X * gpu.BlockDim.X
	a[i] = int32(i)
	b[i] = a[(i+1)%n]
	gpu.SyncGrid()
	c[i] = b[(i+1)%n]
}

// BothInside has a missing barrier inside a branch that only part of the block enters.
//
//gpu:kernel
func BothInside(out []int32) {
	s := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	if t < 48 {
		s[t] = int32(t)
		out[t] = s[47-t]
	}
}

// Ways lacks one barrier, which orders eight pairs of places.
//
//gpu:kernel
func Ways(out []int32) {
	s := gpu.Shared[[128]int32]()
	t := gpu.ThreadIdx.X
	s[t] = int32(t)
	s[t+64] = int32(2 * t)
	x := s[63-t]
	x += s[127-t]
	if x > 5 {
		x -= s[(t+9)%64]
	} else {
		x -= s[64+(t+9)%64]
	}
	out[t] = x
}
