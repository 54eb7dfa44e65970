package pipelines

import "github.com/gridstride/gridstride/gpu"

// halfDepth is the number of columns of a, and of rows of b, in a place of 16-bit numbers. 16 bytes
// follow each line, so that the eight lines that a warp reads at once are in different banks.
const (
	halfDepth  = 32
	halfPitchA = halfDepth + 8
	halfPitchB = tileCols + 8
)

// halves is the part of a and of b in a place.
type halves[T any] struct {
	a [tileRows * halfPitchA]T
	b [halfDepth * halfPitchB]T
}

// operands are the matrices whose product a block makes a tile of, which begins at a row and a
// column.
type operands[T any] struct {
	x, y     matrix[T]
	row, col int
}

// aligned says whether rows begin at multiples of 16 bytes.
func (o operands[T]) aligned() bool { return o.x.cols%8 == 0 && o.y.cols%8 == 0 }

// rounds is how many places are filled.
func (o operands[T]) rounds() int { return (o.x.cols + halfDepth - 1) / halfDepth }

// fetchHalves fills the place of a round.
func fetchHalves[T gpu.Float16 | gpu.BFloat16](by crew, o operands[T], p *halves[T], round int) {
	at := round * halfDepth
	left, right := lines[T]{p.a[:], tileRows, halfDepth, halfPitchA}, lines[T]{p.b[:], halfDepth, tileCols, halfPitchB}
	if o.aligned() {
		fetch(by, left, o.x, o.row, at, 8, copyEight)
		fetch(by, right, o.y, at, o.col, 8, copyEight)
	} else {
		fetch(by, left, o.x, o.row, at, 1, write)
		fetch(by, right, o.y, at, o.col, 1, write)
	}
}

// MultiplyHalves computes c = a*b, of m by k and k by n elements, row by row, for blocks of 128
// threads: one for each 64 columns in x, and one for each 64 rows in y. Where rows do not begin at
// multiples of 16 bytes, threads copy element by element and wait.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=128 target=sm_80
func MultiplyHalves[T gpu.Float16 | gpu.BFloat16](a, b []T, c []float32, m, n, k int) {
	places := gpu.Shared[[stages]halves[T]]()
	o := operands[T]{matrix[T]{a, m, k}, matrix[T]{b, k, n}, tileRows * gpu.BlockIdx.Y, tileCols * gpu.BlockIdx.X}
	row, col := quarter()
	var sum [2][4]gpu.C16x8[float32]
	stream(o.rounds(), func(round int) {
		fetchHalves(block(), o, &places[round%stages], round)
	}, func(round int) {
		multiply(&sum, &places[round%stages], row, col)
	})
	put(matrix[float32]{c, m, n}, o.row+row, o.col+col, &sum)
}

// MultiplyByRoles is MultiplyHalves by blocks of 160 threads. The last warp copies for the
// others.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=160 target=sm_80
func MultiplyByRoles[T gpu.Float16 | gpu.BFloat16](a, b []T, c []float32, m, n, k int) {
	places := gpu.Shared[[stages]halves[T]]()
	o := operands[T]{matrix[T]{a, m, k}, matrix[T]{b, k, n}, tileRows * gpu.BlockIdx.Y, tileCols * gpu.BlockIdx.X}
	row, col := quarter()
	var sum [2][4]gpu.C16x8[float32]
	ring(o.rounds(), func(round int) {
		fetchHalves(crew{gpu.WarpSize, gpu.LaneID()}, o, &places[round%stages], round)
	}, func(full *gpu.MBarrier) {
		if o.aligned() {
			gpu.CpAsyncMBarrierArriveNoInc(full)
		} else {
			gpu.MBarrierArrive(full)
		}
	}, func(round int) {
		multiply(&sum, &places[round%stages], row, col)
	})
	if gpu.ThreadIdx.X < threads {
		put(matrix[float32]{c, m, n}, o.row+row, o.col+col, &sum)
	}
}

// copyEight copies eight elements at a multiple of 16 bytes.
func copyEight[T gpu.Float16 | gpu.BFloat16](dst, src []T) {
	gpu.CpAsyncZeroFill((*[8]T)(dst), src, gpu.CacheGlobal)
}

// write writes one element.
func write[T any](dst, src []T) {
	var e T
	if len(src) > 0 {
		e = src[0]
	}
	dst[0] = e
}

// multiply adds the product of 32 rows and 32 columns of a place, which begin at a row of its a and
// a column of its b.
func multiply[T gpu.Float16 | gpu.BFloat16](sum *[2][4]gpu.C16x8[float32], p *halves[T], row, col int) {
	lane := gpu.LaneID()
	for at := 0; at < halfDepth; at += 16 {
		var x [2]gpu.A16x16[T]
		for i := range x {
			r, s := x[i].RowAt(lane)
			x[i] = gpu.LdMatrixRows[gpu.A16x16[T]](&p.a[(row+16*i+r)*halfPitchA+at+s])
		}
		for j := range 2 {
			var y [2]gpu.B16x8[T]
			r, s := y[0].RowAt(lane % 16)
			y = gpu.LdMatrixRows2[gpu.B16x8[T]](&p.b[(at+r)*halfPitchB+col+16*j+8*(lane/16)+s])
			for i := range x {
				sum[i][2*j] = gpu.MMA16x8x16(x[i], y[0], sum[i][2*j])
				sum[i][2*j+1] = gpu.MMA16x8x16(x[i], y[1], sum[i][2*j+1])
			}
		}
	}
}
