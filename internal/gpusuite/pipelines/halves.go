package pipelines

import "github.com/gridstride/gridstride/gpu"

// halfDepth is how many columns of a, and rows of b, a place has of numbers of 16 bits. Lines have 16
// bytes behind them, so that the eight that a warp reads at once lie in different banks.
const (
	halfDepth  = 32
	halfPitchA = halfDepth + 8
	halfPitchB = tileCols + 8
)

// halves is what a place has of a and of b.
type halves[T any] struct {
	a [tileRows * halfPitchA]T
	b [halfDepth * halfPitchB]T
}

// MultiplyHalves computes c = a*b, of m by k and k by n elements, row by row, for blocks of 128
// threads: one for each 64 columns in x, and one for each 64 rows in y. Where rows do not begin at
// multiples of 16 bytes, threads copy element by element and wait.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=128 target=sm_80
func MultiplyHalves[T gpu.Float16 | gpu.BFloat16](a, b []T, c []float32, m, n, k int) {
	places := gpu.Shared[[stages]halves[T]]()
	row, col := tileRows*gpu.BlockIdx.Y, tileCols*gpu.BlockIdx.X
	x, y, aligned := matrix[T]{a, m, k}, matrix[T]{b, k, n}, n%8 == 0 && k%8 == 0
	myRow, myCol := quarter()
	var sum [2][4]gpu.C16x8[float32]
	stream((k+halfDepth-1)/halfDepth, func(round int) {
		p, at := &places[round%stages], round*halfDepth
		left, right := lines[T]{p.a[:], tileRows, halfDepth, halfPitchA}, lines[T]{p.b[:], halfDepth, tileCols, halfPitchB}
		if aligned {
			fetch(left, x, row, at, 8, copyEight)
			fetch(right, y, at, col, 8, copyEight)
		} else {
			fetch(left, x, row, at, 1, write)
			fetch(right, y, at, col, 1, write)
		}
	}, func(round int) {
		for at := 0; at < halfDepth; at += 16 {
			multiply(&sum, &places[round%stages], myRow, myCol, at)
		}
	})
	put(matrix[float32]{c, m, n}, row+myRow, col+myCol, &sum)
}

// copyEight copies eight elements, which lie at a multiple of 16 bytes.
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

// multiply adds the product of 32 rows by 16 columns and 16 rows by 32 columns of a place, which begin
// at a row of its a, a column of its b, and a depth.
func multiply[T gpu.Float16 | gpu.BFloat16](sum *[2][4]gpu.C16x8[float32], p *halves[T], row, col, at int) {
	lane := gpu.LaneID()
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
