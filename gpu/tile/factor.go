package tile

import (
	"github.com/gridstride/gridstride/gpu"
)

// LineBytes is the size of a line of a tile: as many bytes as [gpu.Swizzle128] exchanges.
const LineBytes = 128

// A Layout says which elements of a factor are side by side in a tile, which has lines of
// [LineBytes] with [gpu.Swizzle128].
type Layout interface {
	AlongK | AcrossK
	// Transposed is whether wgmma transposes the factor.
	Transposed() bool
}

// AlongK has elements side by side along k: a line is of one row of A, or column of B, one line
// after the other.
type AlongK struct{}

// AcrossK has elements of one k side by side: a line is of 64 rows of A, or columns of B. [Depth]
// consecutive lines are a panel. The next panel has the next rows or columns.
type AcrossK struct{}

func (AlongK) Transposed() bool  { return false }
func (AcrossK) Transposed() bool { return true }

// Half is the numbers of 16 bits, which are multiplied in both layouts.
type Half interface{ gpu.Float16 | gpu.BFloat16 }

// Depth is how many elements of 16 bits a tile has along k, in both layouts.
const Depth = LineBytes / 2

// steps are how many products a tile is deep, of stepK elements along k each.
const (
	steps = 4
	stepK = Depth / steps
)

// group is how many bytes eight lines have, which a swizzle repeats after.
const group = 8 * LineBytes

// matrix is the tile from a step along k on.
func matrix[L Layout, T Half](tile []T, step int) gpu.Matrix[T] {
	var layout L
	if layout.Transposed() {
		return gpu.MatrixOf(tile[step*stepK*Depth:], Depth*LineBytes, group, gpu.Swizzle128)
	}
	return gpu.MatrixOf(tile[step*stepK:], 0, group, gpu.Swizzle128)
}
