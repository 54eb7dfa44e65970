package matmul

import "github.com/gridstride/gridstride/gpu"

// The register-tiled kernel: a block of 256 threads computes a tile of C of 128 by 128, a thread 8 by 8 of it.
const (
	regBlock  = 256
	tileSide  = 128
	tileDepth = 8                               // of the tiles of A and B, along N
	perSide   = 8                               // a thread's rows, and columns, of C
	depthStep = 2                               // multiplied in one go; more would take more than 128 registers, and leave room for one block instead of two
	staged    = tileSide * tileDepth / regBlock // elements of A, and of B, that a thread brings for each step
	padded    = tileSide + 4                    // a row of A's tile in shared memory: its columns then begin in different banks
	groupRows = 16                              // rows of tiles that are computed together
)

// Registers32 has each thread compute 8 by 8 elements of C in registers: for 64 multiply-adds it takes 16 words from shared memory, 16 bytes at a
// time, where Tiled16 takes 128 words. While a block multiplies one pair of tiles, the next is on its way from memory into registers, and goes into a second
// pair of tiles in shared memory: one barrier a step. It is the scheme of V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008),
// with the tiles, and the order of the threads in a warp, of NVIDIA's CUTLASS.
//
// The indices are inside the matrices by construction, for the sizes that Plan.Launch checks: no index is checked here.
//
// Launch with one block for each tile of 128 by 128 of C, in one dimension.
//
//gpu:kernel block=256
//gpu:nobounds
func Registers32(a, b, c []float32, m, n, l int) {
	registers(a, b, c, m, n, l, 4)
}

// Registers64 is Registers32 for float64: the arithmetic is that of the plain units, not of the tensor cores.
//
//gpu:kernel block=256
//gpu:nobounds
func Registers64(a, b, c []float64, m, n, l int) {
	registers(a, b, c, m, n, l, 2)
}

// tiles are the tiles of A and B in shared memory: one pair is read, one is written. A's tile lies column after column, so that a thread's rows
// are neighbours.
type tiles[T gpu.Float] struct {
	a [2][tileDepth][padded]T
	b [2][tileDepth][tileSide]T
}

// registers is the body of the kernels; vector is the number of elements in 16 bytes.
func registers[T gpu.Float](a, b, c []T, m, n, l, vector int) {
	shared := gpu.Shared[tiles[T]]()
	tid := gpu.ThreadIdx.X
	tileRow, tileCol := place(m, l)
	row0, col0 := tileRow*tileSide, tileCol*tileSide

	// The warps lie 4 by 2 on the tile of C, each on 32 rows and 64 columns, and the lanes of a warp 4 by 8: a lane has rows and columns in groups
	// of one vector, and the vectors that a warp reads at once lie side by side.
	warp, lane := tid/gpu.WarpSize, tid%gpu.WarpSize
	laneRow := warp/2*32 + lane/8*vector
	laneCol := warp%2*64 + lane%8*vector

	var sum [perSide][perSide]T
	var nextA, nextB [staged]T
	if n > 0 {
		fetch(a, b, m, n, l, row0, col0, 0, &nextA, &nextB)
		store(shared, 0, &nextA, &nextB)
	}
	gpu.SyncThreads()
	buf := 0
	for k := 0; k < n; k += tileDepth {
		more := k+tileDepth < n
		if more {
			fetch(a, b, m, n, l, row0, col0, k+tileDepth, &nextA, &nextB)
		}
		for i := 0; i < tileDepth; i += depthStep {
			multiply(shared, buf, i, laneRow, laneCol, vector, &sum)
		}
		if more {
			store(shared, buf^1, &nextA, &nextB)
		}
		gpu.SyncThreads()
		buf ^= 1
	}

	for r := range perSide {
		row := row0 + laneRow + r/vector*(4*vector) + r%vector
		for s := range perSide {
			col := col0 + laneCol + s/vector*(8*vector) + s%vector
			if row < m && col < l {
				c[row*l+col] = sum[r][s]
			}
		}
	}
}

// multiply adds the products of depthStep columns of A's tile and rows of B's to the thread's sums.
func multiply[T gpu.Float](shared *tiles[T], buf, depth, laneRow, laneCol, vector int, sum *[perSide][perSide]T) {
	var x, y [depthStep][perSide]T
	for i := range depthStep {
		for j := range perSide {
			x[i][j] = shared.a[buf][depth+i][laneRow+j/vector*(4*vector)+j%vector]
			y[i][j] = shared.b[buf][depth+i][laneCol+j/vector*(8*vector)+j%vector]
		}
		for r := range perSide {
			for s := range perSide {
				sum[r][s] = gpu.FMA(x[i][r], y[i][s], sum[r][s])
			}
		}
	}
}

// place is the row and the column of the block's tile of C. Blocks that run at the same time take tiles of a group of rows, column after column, so that what
// they read of A and B is less and stays in the cache.
func place(m, l int) (row, col int) {
	rows, cols := (m+tileSide-1)/tileSide, (l+tileSide-1)/tileSide
	group := gpu.BlockIdx.X / (groupRows * cols)
	in := gpu.BlockIdx.X % (groupRows * cols)
	height := min(rows-group*groupRows, groupRows)
	return group*groupRows + in%height, in / height
}

// fetch loads the thread's elements of the tiles of A and B that start at column, or row, k. Rows of A and columns of B behind the last are read as
// the last: they are used for elements of C that do not exist. Columns of A and rows of B behind the last are zeros.
func fetch[T gpu.Float](a, b []T, m, n, l, row0, col0, k int, nextA, nextB *[staged]T) {
	tid := gpu.ThreadIdx.X
	depthA, rowA := k+tid%tileDepth, row0+tid/tileDepth
	depthB, colB := k+tid/tileSide, min(col0+tid%tileSide, l-1)
	if k+tileDepth <= n {
		for j := range staged {
			nextA[j] = a[min(rowA+j*(regBlock/tileDepth), m-1)*n+depthA]
			nextB[j] = b[(depthB+j*(regBlock/tileSide))*l+colB]
		}
		return
	}
	for j := range staged {
		nextA[j], nextB[j] = 0, 0
		if depthA < n {
			nextA[j] = a[min(rowA+j*(regBlock/tileDepth), m-1)*n+depthA]
		}
		if d := depthB + j*(regBlock/tileSide); d < n {
			nextB[j] = b[d*l+colB]
		}
	}
}

// store writes what fetch loaded to a pair of tiles.
func store[T gpu.Float](shared *tiles[T], buf int, nextA, nextB *[staged]T) {
	tid := gpu.ThreadIdx.X
	for j := range staged {
		shared.a[buf][tid%tileDepth][tid/tileDepth+j*(regBlock/tileDepth)] = nextA[j]
		shared.b[buf][tid/tileSide+j*(regBlock/tileSide)][tid%tileSide] = nextB[j]
	}
}
