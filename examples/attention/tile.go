package main

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// A block of four warps has tileRows queries, or keys, and each warp 16. The rows that they are
// multiplied with come in tiles of as many.
const (
	block    = 128
	tileRows = 64
)

// Tile is rows in shared memory. The chunks of a row are exchanged, so that eight rows have the same
// chunk in different banks.
type Tile[R Row] [tileRows]R

// chunk is eight numbers of a row, from a column on.
func (t *Tile[R]) chunk(row, col int) *Chunk { return &t[row][swizzle(row, col/8)] }

// swizzle is where a chunk of a row is, so that the same chunk of eight rows is in all banks.
func swizzle(row, chunk int) int { return chunk ^ row%8 }

// fetch starts copies of rows, from the first on. Rows that are not there become zeros.
func (t *Tile[R]) fetch(rows []R, first int) {
	chunks := len(t[0])
	for i := gpu.ThreadIdx.X; i < tileRows*chunks; i += block {
		row, c := i/chunks, i%chunks
		var from []gpu.BFloat16
		if first+row < len(rows) {
			from = rows[first+row][c][:]
		}
		gpu.CpAsyncZeroFill(t.chunk(row, 8*c), from, gpu.CacheGlobal)
	}
}

// arrive waits for the copies that the threads of the block have started.
func arrive() {
	gpu.CpAsyncWaitAll()
	gpu.SyncThreads()
}

// warpRow is the first row of a warp in a tile.
func warpRow() int { return 16 * gpu.WarpID() }

// Scores is a number for each of a warp's 16 rows and each row of a tile. A lane has two of the 16
// rows: elements 0 and 1 of its fragments are in the first, 2 and 3 in the second. The four lanes
// of a quad have the same two.
type Scores [tileRows / 8]gpu.C16x8[float32]

// dots is the dot products of a warp's rows of a tile and the rows of another one.
func dots[R Row](a, b *Tile[R]) (s Scores) {
	var x gpu.A16x16[gpu.BFloat16]
	var y [len(s) / 2][2]gpu.B16x8[gpu.BFloat16]
	lane := gpu.LaneID()
	rowA, colA := x.RowAt(lane)
	colB, rowB := y[0][0].ColumnAt(lane % 16)
	rowA += warpRow()
	rowB += lane / 16 * 8
	for k := 0; k < len(a[0]); k += 2 {
		x = gpu.LdMatrixRows[gpu.A16x16[gpu.BFloat16]](&a[rowA][swizzle(rowA, k+colA/8)][0])
		c := swizzle(rowB, k+colB/8) // in the rows of all j, as they are whole eights apart
		for j := range y {
			y[j] = gpu.LdMatrixColumns2[gpu.B16x8[gpu.BFloat16]](&b[16*j+rowB][c][0])
		}
		for j := range y {
			s[2*j] = gpu.MMA16x8x16(x, y[j][0], s[2*j])
			s[2*j+1] = gpu.MMA16x8x16(x, y[j][1], s[2*j+1])
		}
	}
	return s
}

// Sums64 is a warp's 16 rows of a result, for heads of size 64.
type Sums64 [8]gpu.C16x8[float32]

// Sums128 is a warp's 16 rows of a result, for heads of size 128.
type Sums128 [16]gpu.C16x8[float32]

// Sums is a warp's 16 rows of a result.
type Sums interface{ Sums64 | Sums128 }

// add adds the rows of a tile to sums, each times its score. A fragment of scores has
// its numbers in the places of a factor, so they need not go through memory.
func add[R Row, S Sums](sum S, s *Scores, b *Tile[R]) S {
	var y [2]gpu.B16x8[gpu.BFloat16]
	lane := gpu.LaneID()
	rowB, _ := y[0].RowAt(lane % 16) // its column is 0
	c := swizzle(rowB, lane/16)
	for k := range len(s) / 2 {
		x := s.factor(k)
		for j := range len(sum) / 2 {
			y = gpu.LdMatrixRows2[gpu.B16x8[gpu.BFloat16]](&b[16*k+rowB][2*j^c][0])
			sum[2*j] = gpu.MMA16x8x16(x, y[0], sum[2*j])
			sum[2*j+1] = gpu.MMA16x8x16(x, y[1], sum[2*j+1])
		}
	}
	return sum
}

// factor is 16 columns of scores as a factor, rounded to bfloat16.
func (s *Scores) factor(k int) (x gpu.A16x16[gpu.BFloat16]) {
	for i := range 4 {
		x[i] = gpu.BFloat16Of(s[2*k][i])
		x[4+i] = gpu.BFloat16Of(s[2*k+1][i])
	}
	return x
}

// multiply multiplies all scores by a factor.
func (s *Scores) multiply(by float32) {
	for j := range s {
		for e := range s[j] {
			s[j][e] *= by
		}
	}
}

// mask scales scores of queries, from the first on, and keys. A query's score for what it does not
// see is -Inf.
func (s *Scores) mask(query, key int, shape *Shape) {
	s.multiply(shape.binaryScale())
	if shape.seesAll(query, key) { // all lanes of a warp agree
		return
	}
	for j := range s {
		for e := range s[j] {
			if row, col := s[j].At(gpu.LaneID(), e); !shape.sees(query+row, key+8*j+col) {
				s[j][e] = float32(math.Inf(-1))
			}
		}
	}
}

// maskTransposed is mask for scores whose rows are keys.
func (s *Scores) maskTransposed(key, query int, shape *Shape) {
	s.multiply(shape.binaryScale())
	if shape.seesAll(query, key) {
		return
	}
	for j := range s {
		for e := range s[j] {
			if row, col := s[j].At(gpu.LaneID(), e); !shape.sees(query+8*j+col, key+row) {
				s[j][e] = float32(math.Inf(-1))
			}
		}
	}
}

// put writes a warp's sums, times a factor for each of the lane's rows, to rows from first on.
func put[R Row, S Sums](rows []R, first int, sum S, factor [2]float32) {
	for j := range len(sum) {
		for e := range 4 {
			row, col := sum[j].At(gpu.LaneID(), e)
			if first+row < len(rows) {
				rows[first+row][j][col] = gpu.BFloat16Of(sum[j][e] * factor[e/2])
			}
		}
	}
}
