package pipelines

import "github.com/gridstride/gridstride/gpu"

// doubleDepth is the number of columns of a, and of rows of b, in a place of float64. The elements
// that a warp reads at once are in different banks.
const (
	doubleDepth  = 8
	doublePitchA = doubleDepth + 4
	doublePitchB = tileCols + 4
)

// doubles is the part of a and of b in a place.
type doubles struct {
	a [tileRows * doublePitchA]float64
	b [doubleDepth * doublePitchB]float64
}

// MultiplyDoubles is MultiplyHalves of float64, whose elements are copied one by one.
//
//gpu:kernel block=128 target=sm_90
func MultiplyDoubles(a, b, c []float64, m, n, k int) {
	places := gpu.Shared[[stages]doubles]()
	row, col := tileRows*gpu.BlockIdx.Y, tileCols*gpu.BlockIdx.X
	x, y := matrix[float64]{a, m, k}, matrix[float64]{b, k, n}
	myRow, myCol := quarter()
	var sum [2][4]gpu.C16x8[float64]
	stream((k+doubleDepth-1)/doubleDepth, func(round int) {
		p, at := &places[round%stages], round*doubleDepth
		fetch(block(), lines[float64]{p.a[:], tileRows, doubleDepth, doublePitchA}, x, row, at, 1, copyDouble)
		fetch(block(), lines[float64]{p.b[:], doubleDepth, tileCols, doublePitchB}, y, at, col, 1, copyDouble)
	}, func(round int) {
		multiplyDoubles(&sum, &places[round%stages], myRow, myCol)
	})
	put(matrix[float64]{c, m, n}, row+myRow, col+myCol, &sum)
}

// copyDouble copies one element.
func copyDouble(dst, src []float64) { gpu.CpAsyncZeroFill((*[1]float64)(dst), src) }

// multiplyDoubles adds the product of 32 rows and 32 columns of a place, which begin at a row of
// its a and a column of its b.
func multiplyDoubles(sum *[2][4]gpu.C16x8[float64], p *doubles, row, col int) {
	lane := gpu.LaneID()
	var y [4]gpu.B8x8[float64]
	for j := range y {
		for e := range y[j] {
			r, s := y[j].At(lane, e)
			y[j][e] = p.b[r*doublePitchB+col+8*j+s]
		}
	}
	for i := range sum {
		var x gpu.A16x8[float64]
		for e := range x {
			r, s := x.At(lane, e)
			x[e] = p.a[(row+16*i+r)*doublePitchA+s]
		}
		for j := range y {
			sum[i][j] = gpu.MMA16x8x8F64(x, y[j], sum[i][j])
		}
	}
}
