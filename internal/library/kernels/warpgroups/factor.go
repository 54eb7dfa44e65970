package warpgroups

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/tile"
)

// Factor is A, or B, in memory, of elements of 16 bits. If it is deep, elements along k are side by
// side, and otherwise the elements of a column of A or of a row of B. Its lines begin Row elements
// apart, and the factors of a batch Batch apart, 0 for one that all products share. The addresses
// of the first element and the distances are multiples of 16 bytes.
type Factor[T any] struct {
	Data       gridstride.Buffer[T]
	Row, Batch int
	Deep       bool
}

// MapA and MapB describe the factor to [Halves], as A and as B of products of a shape, with its
// many.
//
// Errors: [gridstride.Buffer.TensorMap]'s.
func (f *Factor[T]) MapA(s *Shape) (m gridstride.TensorMap[T], many int, err error) {
	return f.tensorMap(s.M, TileRows, s)
}

// MapB is MapA for B.
func (f *Factor[T]) MapB(s *Shape) (m gridstride.TensorMap[T], many int, err error) {
	return f.tensorMap(s.N, partCols, s)
}

// tensorMap describes the rows of A, or columns of B. A block has boxRows of them copied at a
// time.
func (f *Factor[T]) tensorMap(rows, boxRows int, s *Shape) (m gridstride.TensorMap[T], many int, err error) {
	many, count := 1, s.Count
	if f.Batch == 0 {
		many, count = 0, 1
	}
	t := gridstride.Tensor{Dims: []int{s.K, rows, count}, Strides: []int{f.Row, f.Batch}, Box: tile.Box[tile.AlongK](boxRows), Swizzle: tile.LineBytes}
	if !f.Deep {
		t.Dims[0], t.Dims[1], t.Box = rows, s.K, tile.Box[tile.AcrossK](boxRows)
	}
	if count == 1 {
		t.Strides[1] = f.Row // which nothing is read by
	}
	m, err = f.Data.TensorMap(t)
	return m, many, err
}

// MapC describes C to [Store], and reports whether Store takes it: C begins at a multiple of 16
// bytes, as its rows and the products of a batch do, and its rows have a multiple of 16 bytes,
// since copies write no less. For another C there is a map of some of it, which nothing uses.
//
// Errors: [gridstride.Buffer.TensorMap]'s.
func MapC[S Number](c gridstride.Buffer[S], s *Shape) (m gridstride.TensorMap[S], boxes bool, err error) {
	const unit = 4 // elements
	t := gridstride.Tensor{Dims: []int{s.N, s.M, s.Count}, Strides: []int{s.RowC, s.BatchC}, Box: []int{boxCols, boxRows, 1}, Swizzle: boxCols * 4}
	if s.Count == 1 {
		t.Strides[1] = s.RowC // which nothing is written by
	}
	if boxes = c.Aligned(16) && s.N%unit == 0 && t.Strides[0]%unit == 0 && t.Strides[1]%unit == 0; !boxes {
		t = gridstride.Tensor{Dims: []int{1}, Box: []int{unit}}
		for !c.Aligned(16) && c.Len() > 0 {
			c = c.Slice(1, c.Len())
		}
	}
	m, err = c.TensorMap(t)
	return m, boxes, err
}

// Grid has as many blocks as run at once on a device, or as there are tiles, of cols
// columns.
func Grid(dev *gridstride.Device, s *Shape, cols int) gridstride.Config {
	return gridstride.Grid(Cluster * min(dev.Info().Multiprocessors/Cluster, s.Order(cols).Tiles()))
}
