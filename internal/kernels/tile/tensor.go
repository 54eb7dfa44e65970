package tile

import "github.com/gridstride/gridstride/gpu"

// A TensorTiling is how a block computes a tile of C on tensor cores. Its warps lie on the tile, so
// many side by side; each has so many fragments of C below each other, and side by side. It is
// known when a kernel is compiled.
type TensorTiling struct {
	Threads int
	Size
	WarpCols     int // warps side by side
	Down, Across int // fragments of 16 rows and 8 columns that a warp has
}

// MostFragments is the number of fragments that a warp has at most in a row, and in a column.
// TensorDepth is the number of columns of A, and of rows of B, in a stage: those of an instruction.
const (
	MostFragments = 4
	TensorDepth   = 8
)

// Fragments are what a thread has of the sums of its warp.
type Fragments [MostFragments][MostFragments]gpu.C16x8[float64]

// Warp is the first row and column of the thread's warp in the tile.
func (t TensorTiling) Warp() (row, col int) {
	warp := gpu.WarpID()
	return warp / t.WarpCols * 16 * t.Down, warp % t.WarpCols * 8 * t.Across
}

// AccumulateTensor adds up the sums of the warp's elements of C, of the products along k from first
// up to end, for the tile that begins at a row and a column.
//
// The tensor cores add the products of float64 in their order, each with one fused multiply-add, so
// the bits are those of [Accumulate] without slices. Stages come as they do there. Lanes that load
// an element of a fragment each, of 8 rows and 4 columns, find them in different banks: [Pad] is 4.
func AccumulateTensor(sum *Fragments, shared []float64, a, b Operand[float64], first, end, tileRow, tileCol int, t TensorTiling,
	deepA, deepB bool,
) {
	countA, countB := t.Rows*TensorDepth/t.Threads, t.Cols*TensorDepth/t.Threads
	nextA := begin(a.Data, tileRow, a.Size, first, a.Stride, 1, t.Rows, TensorDepth, t.Threads, countA, deepA)
	nextB := begin(b.Data, tileCol, b.Size, first, b.Stride, 1, t.Cols, TensorDepth, t.Threads, countB, deepB)
	strideA, strideB := t.Rows+Pad, t.Cols+Pad
	stageA, stageB := TensorDepth*strideA, TensorDepth*strideB
	sharedA, sharedB := shared, shared[2*stageA:]
	row, col := t.Warp()

	nextA.loadPart(first, end, 1, countA, deepA)
	nextB.loadPart(first, end, 1, countB, deepB)
	store(&nextA, sharedA, strideA, 1, countA, deepA, Only[float64])
	store(&nextB, sharedB, strideB, 1, countB, deepB, Only[float64])
	gpu.SyncThreads()
	rounds, whole := int32((end-first+TensorDepth-1)/TensorDepth), int32((end-first)/TensorDepth)
	buf := 0
	for round := int32(1); round <= rounds; round++ {
		if round < whole {
			nextA.load(1, countA)
			nextB.load(1, countB)
		} else if round < rounds {
			nextA.loadPart(first+int(round)*TensorDepth, end, 1, countA, deepA)
			nextB.loadPart(first+int(round)*TensorDepth, end, 1, countB, deepB)
		}
		multiplyTensor(sum, sharedA[buf*stageA+row:], sharedB[buf*stageB+col:], t)
		buf ^= 1
		if round < rounds {
			store(&nextA, sharedA[buf*stageA:], strideA, 1, countA, deepA, Only[float64])
			store(&nextB, sharedB[buf*stageB:], strideB, 1, countB, deepB, Only[float64])
		}
		gpu.SyncThreads()
	}
}

// multiplyTensor adds the products of a stage to the warp's sums.
func multiplyTensor(sum *Fragments, a, b []float64, t TensorTiling) {
	lane := gpu.LaneID()
	var y [MostFragments]gpu.B8x8[float64]
	for j := range t.Across {
		for i := range len(y[j]) {
			r, c := y[j].At(lane, i)
			y[j][i] = b[r*(t.Cols+Pad)+8*j+c]
		}
	}
	for f := range t.Down {
		var x gpu.A16x8[float64]
		for i := range len(x) {
			r, c := x.At(lane, i)
			x[i] = a[c*(t.Rows+Pad)+16*f+r]
		}
		for j := range t.Across {
			sum[f][j] = gpu.MMA16x8x8F64(x, y[j], sum[f][j])
		}
	}
}
