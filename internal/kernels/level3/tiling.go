package level3

import "github.com/gridstride/gridstride/gpu"

// A tiling is how a block computes a tile of C. Its warps are dealt to slices, which share k: a
// stage has depth columns of A, and rows of B, for each slice in turn. The warps of a slice lie on
// the tile, so many side by side; each has 64 columns of it and four times as many rows as a thread
// has. It is known when a kernel is compiled.
type tiling struct {
	threads, rows, cols int
	threadRows          int // of C, that a thread computes; it has perCols columns
	warpCols            int // warps side by side
	slices, depth       int
	vector              int // elements of 16 bytes
}

// The tilings of the kernels. With largeTile, a thread takes 24 words from shared memory for 128
// multiply-adds: it is the scheme of V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense
// linear algebra" (SC 2008), with the order of the threads in a warp of NVIDIA's CUTLASS. The
// others share k among warps, as the "sliced" kernels there do.
func largeTile() tiling {
	return tiling{threads: 128, rows: 128, cols: 128, threadRows: 16, warpCols: 2, slices: 1, depth: 8, vector: 4}
}

func halfTile() tiling {
	return tiling{threads: 256, rows: 64, cols: 128, threadRows: 16, warpCols: 2, slices: 4, depth: 4, vector: 4}
}

func mediumTile() tiling {
	return tiling{threads: 128, rows: 64, cols: 64, threadRows: 8, warpCols: 1, slices: 2, depth: 8, vector: 4}
}

func smallTile() tiling {
	return tiling{threads: 128, rows: 32, cols: 64, threadRows: 8, warpCols: 1, slices: 4, depth: 8, vector: 4}
}

func tinyTile() tiling {
	return tiling{threads: 128, rows: 16, cols: 64, threadRows: 4, warpCols: 1, slices: 4, depth: 8, vector: 4}
}

func anyTile() tiling {
	return tiling{threads: 256, rows: 128, cols: 128, threadRows: 8, warpCols: 2, slices: 1, depth: 8, vector: 4}
}

func tile64() tiling {
	return tiling{threads: 256, rows: 128, cols: 128, threadRows: 8, warpCols: 2, slices: 1, depth: 8, vector: 2}
}

const (
	mostRows  = 16                         // of a thread, in any tiling
	perCols   = 8                          // columns of a thread
	pad       = 4                          // elements behind a row of a tile in shared memory: its columns then begin in different banks
	words32   = 2 * 32 * (32 + 64 + 2*pad) // of shared memory: two stages of A and of B
	words64   = 2 * 8 * (128 + 128 + 2*pad)
	groupRows = 16 // rows of tiles that are computed together
)

// sums are the sums of a thread.
type sums[T gpu.Float] [mostRows][perCols]T

// groups is in how many groups, of vector each, a thread's rows are.
func (t tiling) groups() int { return t.threadRows / t.vector }

// row and col are how far a thread's i-th row and column are from its first. The groups of a warp's
// threads, 4 by 8 of them, lie side by side.
func (t tiling) row(i int) int { return i/t.vector*(4*t.vector) + i%t.vector }
func (t tiling) col(i int) int { return i/t.vector*(8*t.vector) + i%t.vector }

// position is where a thread's elements of C are: the first row and column of its block's tile, and
// of its own in that, and its slice.
type position struct {
	tileRow, tileCol, row, col, slice int
}

// place is the position of the thread. There is none where the triangle has nothing of the tile.
//
// Blocks that run at the same time take tiles of a group of rows, column after column, so that what
// they read of A and B is still in the second-level cache. Lanes that follow each other lie in
// squares of 2 by 2: shared memory serves 16 bytes a lane in half as many passes where each lane
// reads the same as one of the next two.
func place(s Shape, t tiling) (p position, ok bool) {
	rows, cols := (s.M+t.rows-1)/t.rows, (s.N+t.cols-1)/t.cols
	group, in := gpu.BlockIdx.X/(groupRows*cols), gpu.BlockIdx.X%(groupRows*cols)
	height := min(rows-group*groupRows, groupRows)
	p.tileRow, p.tileCol = (group*groupRows+in%height)*t.rows, in/height*t.cols
	if s.Triangle == Upper && p.tileCol+t.cols <= p.tileRow || s.Triangle == Lower && p.tileRow+t.rows <= p.tileCol {
		return p, false
	}
	warp, lane := gpu.ThreadIdx.X/gpu.WarpSize, gpu.ThreadIdx.X%gpu.WarpSize
	warps := t.threads / gpu.WarpSize / t.slices
	p.slice, warp = warp/warps, warp%warps
	p.row = warp/t.warpCols*(4*t.threadRows) + (lane/16*2+lane%2)*t.vector
	p.col = warp%t.warpCols*(8*perCols) + lane%16/2*t.vector
	return p, true
}
