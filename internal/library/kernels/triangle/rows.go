package triangle

import "github.com/gridstride/gridstride/gpu"

// Kind says what the elements outside the stored triangle are.
type Kind int32

// A symmetric matrix has the stored triangle's elements there. A triangular one has zeros.
const (
	Symmetric Kind = iota
	Triangular
)

// A block of vector has rowWarps warps, and takes tileRows rows.
const (
	rowWarps = 4
	tileRows = gpu.WarpSize
)

// Lines says where the elements of vector's operands are: those of the matrix as in [Shape], element
// i of x at x[X+i*IncX], element i of y at y[Y+i*IncY].
type Lines struct {
	Shape
	Kind             Kind
	X, IncX, Y, IncY int
}

// at is element (i, k) of the matrix. RowA and ColA are where the stored triangle has it.
func at[T gpu.Float](a []T, l *Lines, i, k int) T {
	switch {
	case i >= l.N || k >= l.N:
		return 0
	case i == k && l.Unit:
		return 1
	case l.stored(i, k):
		return a[i*l.RowA+k*l.ColA]
	case l.Kind == Symmetric:
		return a[k*l.RowA+i*l.ColA]
	}
	return 0
}

// vector computes y = alpha*A*x + beta*y, where A is a symmetric or a triangular matrix. A block takes
// tileRows rows. Its warps take tiles of as many columns in turn, through shared memory, so that the
// elements of a stored row are read together. With a beta of 0, y is not read.
//
// Launch with one block for each tileRows rows.
//
//gpu:kernel block=128 T=float32,float64
func vector[T gpu.Float](a, x, y []T, l Lines, alpha, beta T) {
	tiles := gpu.Shared[[rowWarps][tileRows * (tileRows + 1)]T]()
	sums := gpu.Shared[[rowWarps][tileRows]T]()
	warp, lane := gpu.WarpID(), gpu.LaneID()
	first, tile := gpu.BlockIdx.X*tileRows, &tiles[warp]
	along := l.ColA == 1 // a stored row has elements of a row of A
	var sum T
	for col := warp * tileRows; col < l.N; col += rowWarps * tileRows {
		// Of a symmetric matrix, a tile outside the stored triangle is read from its mirror image.
		mirrored := l.Kind == Symmetric && first != col && (col < first) != l.Lower
		if l.Kind == Triangular && first != col && (col < first) != l.Lower {
			continue
		}
		for r := range tileRows {
			if along != mirrored {
				tile[r*(tileRows+1)+lane] = at(a, &l, first+r, col+lane)
			} else {
				tile[lane*(tileRows+1)+r] = at(a, &l, first+lane, col+r)
			}
		}
		gpu.SyncWarp(gpu.FullMask)
		for k := 0; k < tileRows && col+k < l.N; k++ {
			sum = gpu.FMA(tile[lane*(tileRows+1)+k], x[l.X+(col+k)*l.IncX], sum)
		}
		gpu.SyncWarp(gpu.FullMask)
	}
	sums[warp][lane] = sum
	gpu.SyncThreads()
	if i := first + lane; warp == 0 && i < l.N {
		var whole T
		for w := range rowWarps {
			whole += sums[w][lane]
		}
		put(&y[l.Y+i*l.IncY], alpha, whole, beta)
	}
}

// solveOne computes x = inverse(A)*x, where A is a triangle of at most Base rows. A thread has a row.
//
// Launch with one block.
//
//gpu:kernel block=64 T=float32,float64
func solveOne[T gpu.Float](a, x []T, l Lines) {
	t, solved := gpu.Shared[[Base * pitch]T](), gpu.Shared[[Base]T]()
	load(t, a, &l.Shape)
	row := gpu.ThreadIdx.X
	var sum T
	if row < l.N {
		sum = x[l.X+row*l.IncX]
	}
	for step := range l.N {
		i, _, _ := l.row(step, true)
		if row == i {
			if !l.Unit {
				sum /= t[i*pitch+i]
			}
			solved[i] = sum
		}
		gpu.SyncThreads()
		if row < l.N && row != i && l.stored(row, i) {
			sum = gpu.FMA(-t[row*pitch+i], solved[i], sum)
		}
	}
	if row < l.N {
		x[l.X+row*l.IncX] = sum
	}
}
