package fast

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// A block of Block threads computes a tile of C of Tile by Tile, a thread 8 by 8 of it.
const (
	Block = 256
	Tile  = 128

	tileDepth = 8        // of the tiles of A and B, along N
	perSide   = 8        // a thread's rows, and columns, of C
	padded    = Tile + 4 // a row of A's tile in shared memory: its columns then begin in different banks
	groupRows = 16       // rows of tiles that are computed together
)

// Registers32 has each thread compute 8 by 8 elements of C in registers: for 64 multiply-adds it
// takes 16 words from shared memory, 16 bytes at a time, where a thread that computes one element
// takes 128 words. And nothing waits: while a block multiplies one pair of tiles, the next is on
// its way from memory into registers, and goes into a second pair of tiles in shared memory, with
// one barrier a step. While a thread multiplies a column of A's tile by a row of B's, the next are
// on their way from shared memory. It is the scheme of V. Volkov and J. Demmel, "Benchmarking GPUs
// to tune dense linear algebra" (SC 2008), with the tiles, and the order of the threads in a warp,
// of NVIDIA's CUTLASS.
//
// The indices are inside the matrices by construction, for the sizes that Plan.Launch checks: no
// index is checked here.
//
// Launch with one block for each tile of 128 by 128 of C, in one dimension. n and l are multiples
// of 4.
//
//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func Registers32(a, b []gpu.Float32x4, c []float32, m, n, l int) {
	registers(a, b, c, m, n, l, 4, 4, func(v gpu.Float32x4, i int) float32 { return [4]float32{v.X, v.Y, v.Z, v.W}[i] })
}

// Unaligned32 is Registers32 for all other sizes, where rows begin anywhere: it loads A and B
// element by element.
//
//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func Unaligned32(a, b, c []float32, m, n, l int) {
	registers(a, b, c, m, n, l, 1, 4, func(v float32, _ int) float32 { return v })
}

// Registers64 is Registers32 for float64 and all sizes: a multiply-add takes twice as long,
// and longer loads would not shorten that. It computes on the plain units, not on the tensor
// cores.
//
//gpu:kernel block=256
//gpu:nobounds
func Registers64(a, b, c []float64, m, n, l int) {
	registers(a, b, c, m, n, l, 1, 2, func(v float64, _ int) float64 { return v })
}

// tiles are the tiles of A and B in shared memory: one pair is read, one is written. A's tile is
// stored by columns, so that a thread's rows are neighbours.
type tiles[T gpu.Float] struct {
	a [2][tileDepth][padded]T
	b [2][tileDepth][Tile]T
}

// registers is the body of the kernels. A and B come from memory as V, a vector of lanes, and
// lane takes one. From shared memory they come as vectors of 16 bytes, vector elements.
func registers[T gpu.Float, V any](a, b []V, c []T, m, n, l, lanes, vector int, lane func(v V, i int) T) {
	shared := gpu.Shared[tiles[T]]()
	tileRow, tileCol := place(m, l)
	next := begin(a, b, m, n, l, tileRow*Tile, tileCol*Tile, lanes)
	row, col := inTile(vector)

	var sum [perSide][perSide]T
	var x, y [2][perSide]T // one pair is multiplied, one is on its way
	next.load(0, lanes)
	store(&next, shared, 0, lanes, lane)
	gpu.SyncThreads()
	operands(shared, 0, 0, row, col, vector, &x[0], &y[0])
	buf := 0
	for k := 0; k < n; k += tileDepth {
		more := k+tileDepth < n
		if more {
			next.load(k+tileDepth, lanes)
		}
		for i := range tileDepth {
			if i+1 == tileDepth {
				if more {
					buf ^= 1
					store(&next, shared, buf, lanes, lane)
				}
				gpu.SyncThreads()
			}
			operands(shared, buf, (i+1)%tileDepth, row, col, vector, &x[(i+1)%2], &y[(i+1)%2]) // the very last are not used
			multiply(&x[i%2], &y[i%2], &sum)
		}
	}

	row, col = row+tileRow*Tile, col+tileCol*Tile
	for r := range perSide {
		for s := range perSide {
			i, j := row+nth(r, vector, 4), col+nth(s, vector, 8)
			if i < m && j < l {
				c[i*l+j] = sum[r][s]
			}
		}
	}
}

// place is the row and the column of the block's tile of C among the tiles. Blocks that run at the
// same time take tiles of a group of rows, column after column, so that what they read of A and B
// is less and stays in the cache.
func place(m, l int) (row, col int) {
	rows, cols := (m+Tile-1)/Tile, (l+Tile-1)/Tile
	group := gpu.BlockIdx.X / (groupRows * cols)
	in := gpu.BlockIdx.X % (groupRows * cols)
	height := min(rows-group*groupRows, groupRows)
	return group*groupRows + in%height, in / height
}

// inTile is the first row and column of the thread in the block's tile. The warps cover it 4 by 2,
// each 32 rows and 64 columns, and the lanes of a warp 4 by 8 a part of that, vector elements
// apart. Consecutive lanes form squares of 2 by 2: shared memory serves 16 bytes a lane in half as
// many passes if each lane reads the same as one of the next two.
func inTile(vector int) (row, col int) {
	warp, lane := gpu.ThreadIdx.X/gpu.WarpSize, gpu.ThreadIdx.X%gpu.WarpSize
	laneRow, laneCol := lane/16*2+lane%2, lane%16/2
	return warp/2*32 + laneRow*vector, warp%2*64 + laneCol*vector
}

// nth is the distance of a thread's i-th row or column from its first, with lanes threads side by
// side: they are in groups of one vector.
func nth(i, vector, lanes int) int {
	return i/vector*(lanes*vector) + i%vector
}

// operands loads the thread's elements of a column of A's tile and of a row of B's.
func operands[T gpu.Float](shared *tiles[T], buf, depth, row, col, vector int, x, y *[perSide]T) {
	for i := range perSide {
		y[i] = shared.b[buf][depth][col+nth(i, vector, 8)]
	}
	for i := range perSide {
		x[i] = shared.a[buf][depth][row+nth(i, vector, 4)]
	}
}

// multiply adds the products of x and y to the thread's sums. Every second row goes backwards:
// multiply-adds that follow each other then always have one operand in common. The registers hand
// out two operands in the time of a multiply-add, which takes three. One that was just used need
// not be read again.
func multiply[T gpu.Float](x, y *[perSide]T, sum *[perSide][perSide]T) {
	for r := range perSide {
		for i := range perSide {
			s := i
			if r%2 == 1 {
				s = perSide - 1 - i
			}
			sum[r][s] = gpu.FMA(x[r], y[s], sum[r][s])
		}
	}
}
