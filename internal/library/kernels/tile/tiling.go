// Package tile is the body of a matrix product on a device: a block computes the products of a tile
// of rows of A with columns of B, for kernels that store them, like package level3's, or choose
// among them, like package nearest's.
//
// The products of an element are added along k, each with one fused multiply-add: the bits are the
// same on every device.
package tile

import "github.com/gridstride/gridstride/gpu"

// Size is the rows and the columns of a tile of C.
type Size struct{ Rows, Cols int }

// A Tiling says how a block computes a tile of C. Its warps are dealt to slices, which share k: a
// stage has depth columns of A, and rows of B, for each slice in turn. The warps of a slice cover
// the tile, WarpCols side by side. Each has 64 columns of it and four times the rows of a thread.
// It is constant when a kernel is compiled.
type Tiling struct {
	Threads int
	Size
	ThreadRows    int // of C, that a thread computes; it has PerCols columns
	WarpCols      int // warps side by side
	Slices, Depth int
	Vector        int // elements of 16 bytes
}

// MostRows and PerCols are the rows that a thread has at most, and the columns that it has. Pad is
// the number of elements after a row of a tile in shared memory: its columns then begin in
// different banks.
const (
	MostRows = 16
	PerCols  = 8
	Pad      = 4
)

// Sums are the sums of a thread.
type Sums[T gpu.Number] [MostRows][PerCols]T

// Groups is in how many groups, of vector each, a thread's rows are.
func (t Tiling) Groups() int { return t.ThreadRows / t.Vector }

// Row and Col are the distances of a thread's i-th row and column from its first. The groups of a
// warp's threads, 4 by 8 of them, are side by side.
func (t Tiling) Row(i int) int { return i/t.Vector*(4*t.Vector) + i%t.Vector }
func (t Tiling) Col(i int) int { return i/t.Vector*(8*t.Vector) + i%t.Vector }

// Position is the place of a thread's elements of C: the first row and column of its block's tile,
// its first in that, and its slice.
type Position struct {
	TileRow, TileCol, Row, Col, Slice int
}

// At is the position of the thread in a tile. Consecutive lanes form squares of 2 by 2: shared
// memory serves 16 bytes a lane in half as many passes if each lane reads the same as one of the
// next two.
func (t Tiling) At(tileRow, tileCol int) (p Position) {
	p.TileRow, p.TileCol = tileRow, tileCol
	warp, lane := gpu.ThreadIdx.X/gpu.WarpSize, gpu.ThreadIdx.X%gpu.WarpSize
	warps := t.Threads / gpu.WarpSize / t.Slices
	p.Slice, warp = warp/warps, warp%warps
	p.Row = warp/t.WarpCols*(4*t.ThreadRows) + (lane/16*2+lane%2)*t.Vector
	p.Col = warp%t.WarpCols*(8*PerCols) + lane%16/2*t.Vector
	return p
}
