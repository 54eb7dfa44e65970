// Package conformance is the kernels of the checks' conformance table: each has a known verdict.
package conformance

import "github.com/gridstride/gridstride/gpu"

// OneCell lets every thread write its number to one place.
//
//gpu:kernel
func OneCell() {
	cells := gpu.Shared[[1]int32]()
	cells[0] = int32(gpu.ThreadIdx.X)
}

// SharedPerBlock has one variable a block: its threads race, the blocks do not.
//
//gpu:kernel
func SharedPerBlock() {
	v := gpu.Shared[int32]()
	*v = int32(gpu.ThreadIdx.X)
}

// LargeShared reads what the thread at the other end of the block wrote, in more shared memory than a
// kernel can have statically.
//
//gpu:kernel
func LargeShared(out []int32) {
	first, second := gpu.Shared[[10000]int32](), gpu.Shared[[10000]int32]()
	t := gpu.ThreadIdx.X
	first[t], second[t] = int32(t), int32(-t)
	gpu.SyncThreads()
	other := gpu.BlockDim.X - 1 - t
	out[gpu.BlockIdx.X*gpu.BlockDim.X+t] = first[other] + second[t]
}

// LargeSharedRace does so without a barrier.
//
//gpu:kernel
func LargeSharedRace(out []int32) {
	first, second := gpu.Shared[[10000]int32](), gpu.Shared[[10000]int32]()
	t := gpu.ThreadIdx.X
	first[t], second[t] = int32(t), int32(-t)
	other := gpu.BlockDim.X - 1 - t
	out[gpu.BlockIdx.X*gpu.BlockDim.X+t] = first[t] + second[other]
}

// WidthMix fills 32 bytes with words: every thread all of them.
//
//gpu:kernel
func WidthMix() {
	words := gpu.Shared[[8]int32]()
	for i := range 8 {
		words[i] = int32(gpu.ThreadIdx.X)
	}
}

// TreeNoBarriers is a reduction whose author forgot every barrier.
//
//gpu:kernel
func TreeNoBarriers(in, out []int32) {
	p := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	p[t] = in[t]
	for d := 32; d > 0; d /= 2 {
		if t < d {
			p[t] += p[t+d]
		}
	}
	if t == 0 {
		out[0] = p[0]
	}
}

// TreeBarriers is the same with all of them.
//
//gpu:kernel
func TreeBarriers(in, out []int32) {
	p := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	p[t] = in[t]
	gpu.SyncThreads()
	for d := 32; d > 0; d /= 2 {
		if t < d {
			p[t] += p[t+d]
		}
		gpu.SyncThreads()
	}
	if t == 0 {
		out[0] = p[0]
	}
}

// Closure finds in rounds which cells two steps connect. What it writes depends on data, and no two threads ever touch one cell
// in a round when the graph is closed already.
//
//gpu:kernel
func Closure(g []int32) {
	p := gpu.Shared[[64]int32]()
	x, y := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	p[8*y+x] = g[8*y+x]
	gpu.SyncThreads()
	for k := range 8 {
		if p[8*y+x] == 0 && p[8*y+k] != 0 && p[8*k+x] != 0 {
			p[8*y+x] = int32(k + 2)
		}
		gpu.SyncThreads()
	}
	g[8*y+x] = p[8*y+x]
}

// ScanOneBarrier is an inclusive scan with a barrier between reading and writing, but none before the next round reads.
//
//gpu:kernel
func ScanOneBarrier(a []int32) {
	s := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	s[t] = a[t]
	gpu.SyncThreads()
	for i := 1; i < 64; i *= 2 {
		var tmp int32
		if i <= t {
			tmp = s[t-i]
		}
		gpu.SyncThreads()
		if i <= t {
			s[t] += tmp
		}
	}
	a[t] = s[t]
}

// LeaderSums lets thread 0 add up what the others are still writing.
//
//gpu:kernel
func LeaderSums(d, out []int32) {
	m := gpu.Shared[[128]int32]()
	t := gpu.ThreadIdx.X
	m[t] = d[t] + int32(t)
	if t == 0 {
		var sum int32
		for i := range 128 {
			sum += m[i]
		}
		out[0] = sum
	}
}

// LoopCarried reduces vector after vector in the same array: the next round fills it while thread 0 may still read.
//
//gpu:kernel
func LoopCarried(in, out []int32, vectors int) {
	acc := gpu.Shared[[8]int32]()
	t := gpu.ThreadIdx.X
	for v := range vectors {
		acc[t] = in[8*v+t]
		for d := 4; d > 0; d /= 2 {
			gpu.SyncThreads()
			if t < d {
				acc[t] += acc[t+d]
			}
		}
		gpu.SyncThreads()
		if t == 7 {
			out[v] = acc[0]
		}
	}
}

// Neighbour adds the element four on, which its owner changes meanwhile.
//
//gpu:kernel
func Neighbour(a []int32) {
	t := gpu.ThreadIdx.X
	a[t] += a[t+4]
}

// NeighbourSync reads first.
//
//gpu:kernel
func NeighbourSync(a []int32) {
	t := gpu.ThreadIdx.X
	tmp := a[t+4]
	gpu.SyncThreads()
	a[t] += tmp
}

// Saxpy numbers its elements by the thread in the block: right for one block only.
//
//gpu:kernel
func Saxpy(a float32, x, y []float32) {
	t := gpu.ThreadIdx.X
	y[t] = a*x[t] + y[t]
}

// HiddenByOrder has block 1 write what block 0 reads.
//
//gpu:kernel
func HiddenByOrder(d, o []int32) {
	b := gpu.BlockIdx.X
	o[b] = d[0]
	if b == 1 {
		d[0] = int32(b)
	}
}

// BlocksUnordered takes its barrier for one of the grid.
//
//gpu:kernel
func BlocksUnordered(d []int32) {
	t, b := gpu.ThreadIdx.X, gpu.BlockIdx.X
	if t == 0 {
		d[b] = int32(b)
	}
	gpu.SyncThreads()
	if t == 0 && b == 0 {
		var sum int32
		for i := range gpu.GridDim.X {
			sum += d[i]
		}
		d[0] = sum
	}
	gpu.SyncThreads()
}

// ValueDecides has two writers that meet when x is 185.
//
//gpu:kernel
func ValueDecides(a []int32, x int) {
	t := gpu.ThreadIdx.X
	if t == 15 {
		a[t+x] = int32(t)
	}
	if t == 200 {
		a[t] = int32(t)
	}
}

// SameValue has all threads write one value to one place.
//
//gpu:kernel
func SameValue(a []int32) {
	a[0] = 7
}

// Histogram counts without atomics.
//
//gpu:kernel
func Histogram(in, counts []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(in) {
		counts[in[i]] += 1
	}
}

// HistogramAtomic counts with atomics.
//
//gpu:kernel
func HistogramAtomic(in, counts []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(in) {
		gpu.AtomicAdd(&counts[in[i]], 1)
	}
}

// SharedMax keeps a block's largest element without atomics.
//
//gpu:kernel
func SharedMax(in, out []int32) {
	most := gpu.Shared[[1]int32]()
	t := gpu.ThreadIdx.X
	if t == 0 {
		most[0] = 0
	}
	gpu.SyncThreads()
	most[0] = max(most[0], in[t])
	gpu.SyncThreads()
	if t == 0 {
		out[0] = most[0]
	}
}

// FirstElement writes an element that another block adds to.
//
//gpu:kernel
func FirstElement(out []int32) {
	if gpu.BlockIdx.X == 0 {
		out[0] = 1
	} else {
		gpu.AtomicAdd(&out[0], 1)
	}
}
