package tile

import "github.com/gridstride/gridstride/gpu"

// An instruction takes two lines of each row of A. A line has this many elements of a format.
const (
	PerLineHalf = 8
	PerLineTF32 = 4
	PerLineInt8 = 16
)

// A StagedTiling says how a block computes a tile of C with factors in stages. Its warps cover the
// tile, WarpCols side by side. Each has Down fragments of C below each other, of 16 rows, and
// Across side by side, of 8 columns. It is constant when a kernel is compiled.
type StagedTiling struct {
	Threads int
	Size
	WarpCols     int
	Down, Across int
}

// Warp is the first row and column of the thread's warp in the tile.
func (t StagedTiling) Warp() (row, col int) {
	warp := gpu.WarpID()
	return warp / t.WarpCols * 16 * t.Down, warp % t.WarpCols * 8 * t.Across
}

// WarpSums are a thread's part of the sums of its warp.
type WarpSums[S any] [mostDown][mostAcross]gpu.C16x8[S]

// mostDown and mostAcross are the numbers of fragments that a warp has at most.
const (
	mostDown   = 4
	mostAcross = 8
)

// half is the formats of 16 bits.
type half interface{ gpu.Float16 | gpu.BFloat16 }

// deepA is where in a tile with deep rows the lane's line of a fragment of A is, for the fragment
// that begins at a row and at a step of k. r and c are its place in the fragment.
func deepA(row, step, r, c, perLine int) int {
	return (row*Lines + deepLine(r, 2*step+c/perLine)) * perLine
}

// deepB is the same of B, for two fragments side by side.
func deepB(col, step, r, c, perLine int) int {
	return (col*Lines + deepLine(gpu.LaneID()/16*8+c, 2*step+r/perLine)) * perLine
}

// HalfA is a fragment of A in a tile of that many rows.
func HalfA[T half](tile []T, row, step, rows int, deep bool) (x gpu.A16x16[T]) {
	if deep {
		r, c := x.RowAt(gpu.LaneID())
		return gpu.LdMatrixRows[gpu.A16x16[T]](&tile[deepA(row, step, r, c, PerLineHalf)])
	}
	r, c := x.ColumnAt(gpu.LaneID())
	at := wideLine(16*step+c, (row+r)/PerLineHalf, rows/PerLineHalf)
	return gpu.LdMatrixColumns[gpu.A16x16[T]](&tile[at*PerLineHalf])
}

// HalfB is two fragments of B side by side in a tile of cols columns.
func HalfB[T half](tile []T, col, step, cols int, deep bool) [2]gpu.B16x8[T] {
	var y gpu.B16x8[T]
	if deep {
		r, c := y.ColumnAt(gpu.LaneID() % 16)
		return gpu.LdMatrixColumns2[gpu.B16x8[T]](&tile[deepB(col, step, r, c, PerLineHalf)])
	}
	r, _ := y.RowAt(gpu.LaneID() % 16)
	at := wideLine(16*step+r, col/PerLineHalf+gpu.LaneID()/16, cols/PerLineHalf)
	return gpu.LdMatrixRows2[gpu.B16x8[T]](&tile[at*PerLineHalf])
}

// TF32A and TF32B are the same of TF32 in deep tiles, and Int8A and Int8B of int8.
func TF32A(tile []gpu.TF32, row, step int) (x gpu.A16x8[gpu.TF32]) {
	r, c := x.RowAt(gpu.LaneID())
	return gpu.LdMatrixRows[gpu.A16x8[gpu.TF32]](&tile[deepA(row, step, r, c, PerLineTF32)])
}

func TF32B(tile []gpu.TF32, col, step int) [2]gpu.B8x8[gpu.TF32] {
	var y gpu.B8x8[gpu.TF32]
	r, c := y.ColumnAt(gpu.LaneID() % 16)
	return gpu.LdMatrixColumns2[gpu.B8x8[gpu.TF32]](&tile[deepB(col, step, r, c, PerLineTF32)])
}

func Int8A(tile []int8, row, step int) (x gpu.A16x32[int8]) {
	r, c := x.RowAt(gpu.LaneID())
	return gpu.LdMatrixRows[gpu.A16x32[int8]](&tile[deepA(row, step, r, c, PerLineInt8)])
}

func Int8B(tile []int8, col, step int) [2]gpu.B32x8[int8] {
	var y gpu.B32x8[int8]
	r, c := y.ColumnAt(gpu.LaneID() % 16)
	return gpu.LdMatrixColumns2[gpu.B32x8[int8]](&tile[deepB(col, step, r, c, PerLineInt8)])
}

// Multiply adds the products of a stage to the warp's sums: loadA gives a fragment of A in a row of
// fragments, and loadB two of B.
func Multiply[A, B, S any](sum *WarpSums[S], t StagedTiling, loadA func(f, step int) A, loadB func(j, step int) [2]B,
	mma func(a A, b B, c gpu.C16x8[S]) gpu.C16x8[S],
) {
	multiplyStep(sum, t, 0, loadA, loadB, mma)
	multiplyStep(sum, t, 1, loadA, loadB, mma)
}

// multiplyStep is Multiply of what an instruction takes along k.
func multiplyStep[A, B, S any](sum *WarpSums[S], t StagedTiling, step int, loadA func(f, step int) A,
	loadB func(j, step int) [2]B, mma func(a A, b B, c gpu.C16x8[S]) gpu.C16x8[S],
) {
	var x [mostDown]A
	for f := range t.Down {
		x[f] = loadA(f, step)
	}
	for j := range t.Across / 2 {
		y := loadB(j, step)
		for h := range 2 {
			for f := range t.Down {
				sum[f][2*j+h] = mma(x[f], y[h], sum[f][2*j+h])
			}
		}
	}
}

// MultiplyParts adds the products of a stage of factors that are sums of three parts, the largest
// first, to the warp's sums. It multiplies parts whose numbers add up to at most 2, the smallest
// first. Tensor cores cut off addends. So the sum of one instruction's depth begins at zero, and is
// added to the sum with a rounding to nearest.
func MultiplyParts(sum *WarpSums[float32], t StagedTiling, tileA, tileB []gpu.BFloat16, row, col int) {
	partStep(sum, t, 0, tileA, tileB, row, col)
	partStep(sum, t, 1, tileA, tileB, row, col)
}

// partStep is MultiplyParts of what an instruction takes along k.
func partStep(sum *WarpSums[float32], t StagedTiling, step int, tileA, tileB []gpu.BFloat16, row, col int) {
	const depth = Lines * PerLineHalf
	var x [SumParts][mostDown]gpu.A16x16[gpu.BFloat16]
	for p := range SumParts {
		for f := range t.Down {
			x[p][f] = HalfA(tileA[p*t.Rows*depth:], row+16*f, step, t.Rows, true)
		}
	}
	for j := range t.Across / 2 {
		var y [SumParts][2]gpu.B16x8[gpu.BFloat16]
		for p := range SumParts {
			y[p] = HalfB(tileB[p*t.Cols*depth:], col+16*j, step, t.Cols, true)
		}
		for h := range 2 {
			var some [mostDown]gpu.C16x8[float32]
			for total := SumParts - 1; total >= 0; total-- {
				for p := range total + 1 {
					for f := range t.Down {
						some[f] = gpu.MMA16x8x16(x[p][f], y[total-p][h], some[f])
					}
				}
			}
			for f := range t.Down {
				for i := range len(some[f]) {
					sum[f][2*j+h][i] += some[f][i]
				}
			}
		}
	}
}
