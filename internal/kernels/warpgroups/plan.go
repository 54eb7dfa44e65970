package warpgroups

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// Factor is A, or B, in memory. Where it is deep, elements along k lie side by side, and otherwise
// those of a column of A or of a row of B. Lines of them begin Row elements behind each other, and
// the next factor of a batch begins Batch behind, 0 for one that all products share. The first
// element and the distances lie at multiples of 16 bytes.
type Factor[T any] struct {
	Data       gridstride.Buffer[T]
	Row, Batch int
	Deep       bool
}

// tensorMap describes so many rows of A, or columns of B, of which a block has some copied at a
// time, and k elements of each.
func (f *Factor[T]) tensorMap(rows, k, count, boxRows int) (m gridstride.TensorMap[T], many int, err error) {
	many = 1
	if f.Batch == 0 {
		many, count = 0, 1
	}
	t := gridstride.Tensor{Dims: []int{k, rows, count}, Strides: []int{f.Row, f.Batch}, Box: tile.Box[tile.AlongK](boxRows), Swizzle: tile.LineBytes}
	if !f.Deep {
		t.Dims[0], t.Dims[1], t.Box = rows, k, tile.Box[tile.AcrossK](boxRows)
	}
	if count == 1 {
		t.Strides[1] = f.Row // which nothing is read by
	}
	m, err = f.Data.TensorMap(t)
	return m, many, err
}

// kernel is what the launchers of the instances of product have in common.
type kernel[T any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[T], c gridstride.Buffer[float32],
		cv gridstride.Buffer[gpu.Float32x4], shape Shape, manyA, manyB int, alpha, beta float32) error
}

// Plan is the kernels for one type of factors made ready on a device. Any goroutine may use it.
type Plan[T tile.Half] struct {
	kernels [2][2]kernel[T] // by whether A is deep, and B
	blocks  int             // that run at once
}

// NewPlan loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and those of [gridstride.Device.Load].
func NewPlan[T tile.Half](dev *gridstride.Device) (*Plan[T], error) {
	p := &Plan[T]{blocks: dev.Info().Multiprocessors / cluster * cluster}
	var errs [4]error
	p.kernels[0][0], errs[0] = loadProduct[T, tile.AcrossK, tile.AcrossK](dev)
	p.kernels[0][1], errs[1] = loadProduct[T, tile.AcrossK, tile.AlongK](dev)
	p.kernels[1][0], errs[2] = loadProduct[T, tile.AlongK, tile.AcrossK](dev)
	p.kernels[1][1], errs[3] = loadProduct[T, tile.AlongK, tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}

// Launch queues the products C = alpha*A*B + beta*C of a batch. Sizes are 1 at least.
//
// Errors: those of [gridstride.Buffer.TensorMap] and [gridstride.Kernel.Launch].
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b Factor[T], c gridstride.Buffer[float32], shape Shape, alpha, beta float32) error {
	mapA, manyA, err1 := a.tensorMap(shape.M, shape.K, shape.Count, tileRows)
	mapB, manyB, err2 := b.tensorMap(shape.N, shape.K, shape.Count, partCols)
	var cv gridstride.Buffer[gpu.Float32x4]
	var err3 error
	if c.Aligned(16) && shape.RowC%perLane == 0 && shape.BatchC%perLane == 0 {
		cv, err3 = gridstride.Cast[gpu.Float32x4](c.Slice(0, c.Len()/perLane*perLane))
	}
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	order := shape.order()
	grid := gridstride.Grid(min(p.blocks, cluster*order.Tiles()))
	return p.kernels[index(a.Deep)][index(b.Deep)].Launch(s, grid, mapA, mapB, c, cv, shape, manyA, manyB, alpha, beta)
}

func index(deep bool) int {
	if deep {
		return 1
	}
	return 0
}
