// Package pipelines holds matrix products to the host, bit for bit, whose tiles are on their way to
// shared memory while others are multiplied by tensor cores.
package pipelines

import "github.com/gridstride/gridstride/gpu"

// A block of four warps makes a tile of c, of tileRows by tileCols elements, a quarter each warp.
// It takes as many rows of a and columns of b, some elements deep at a time, through stages places
// in shared memory: while one is multiplied the copies to the others are on their way.
const (
	tileRows, tileCols = 64, 64
	stages             = 3
	threads            = 4 * gpu.WarpSize
)

// ring has one more warp, after the others. It fetches as soon as a place is empty, and the others
// use the place as soon as it is full. fetched arrives for a thread that has fetched, and signals
// when the fetched data is there.
func ring(rounds int, fetch func(round int), fetched func(full *gpu.MBarrier), use func(round int)) {
	full, empty := gpu.Shared[[stages]gpu.MBarrier](), gpu.Shared[[stages]gpu.MBarrier]()
	if i := gpu.ThreadIdx.X; i < stages {
		gpu.MBarrierInit(&full[i], gpu.WarpSize)
		gpu.MBarrierInit(&empty[i], threads/gpu.WarpSize)
	}
	gpu.SyncThreads()
	for round := range rounds {
		place, parity := round%stages, round/stages%2
		if gpu.ThreadIdx.X >= threads {
			gpu.MBarrierWaitParity(&empty[place], 1-parity)
			fetch(round)
			fetched(&full[place])
			continue
		}
		gpu.MBarrierWaitParity(&full[place], parity)
		use(round)
		gpu.SyncWarp(gpu.FullMask)
		if gpu.LaneID() == 0 {
			gpu.MBarrierArrive(&empty[place])
		}
	}
	gpu.CpAsyncWaitAll()
}

// stream has a place used in each round, and fetched stages-1 rounds before. Both functions are of
// all threads of the block.
func stream(rounds int, fetch, use func(round int)) {
	start := func(round int) {
		if round < rounds {
			fetch(round)
		}
		gpu.CpAsyncCommitGroup() // an empty group after the last round
	}
	for round := range stages - 1 {
		start(round)
	}
	for round := range rounds {
		gpu.CpAsyncWaitGroup(stages - 2) // the thread's own copies of this round,
		gpu.SyncThreads()                // and all; and nobody uses the last round's place any more
		start(round + stages - 1)
		use(round)
	}
}

// matrix is a matrix of rows by cols elements, row by row.
type matrix[T any] struct {
	x          []T
	rows, cols int
}

// from is the rest of a row from a column on, empty beyond an edge.
func (m matrix[T]) from(row, col int) []T {
	if row >= m.rows {
		return m.x[:0]
	}
	return m.x[row*m.cols:][min(col, m.cols):m.cols]
}

// lines are lines of a place, of width elements each. The next begins pitch elements later.
type lines[T any] struct {
	x                   []T
	count, width, pitch int
}

// crew are the threads that do something together: how many, and which one this is.
type crew struct{ size, me int }

// block is all threads of a block without a warp that fetches.
func block() crew { return crew{threads, gpu.ThreadIdx.X} }

// fetch copies a part of m that begins at a row and a column to the lines. write copies a number of
// elements at a time, and writes zeros for elements that m does not have.
func fetch[T any](by crew, to lines[T], m matrix[T], row, col, elements int, write func(dst, src []T)) {
	for i := elements * by.me; i < to.count*to.width; i += elements * by.size {
		line, at := i/to.width, i%to.width
		write(to.x[line*to.pitch+at:], m.from(row+line, col+at))
	}
}

// quarter is where a warp's part of the tile begins.
func quarter() (row, col int) {
	return tileRows / 2 * (gpu.WarpID() / 2), tileCols / 2 * (gpu.WarpID() % 2)
}

// put writes a warp's part of c, which begins at a row and a column.
func put[T any](c matrix[T], row, col int, sum *[2][4]gpu.C16x8[T]) {
	for i := range sum {
		for j := range sum[i] {
			for e := range sum[i][j] {
				r, s := sum[i][j].At(gpu.LaneID(), e)
				if r, s = row+16*i+r, col+8*j+s; r < c.rows && s < c.cols {
					c.x[r*c.cols+s] = sum[i][j][e]
				}
			}
		}
	}
}
