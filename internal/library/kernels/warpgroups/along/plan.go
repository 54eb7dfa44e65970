package along

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Factor is A, or B, in memory with elements along k side by side. Its lines begin Row elements
// apart, the factors of a batch Batch apart, 0 for one that all products share, and the parts of
// a sum Part apart. The addresses of the first element and the distances are multiples of 16
// bytes.
type Factor[T any] struct {
	Data             gridstride.Buffer[T]
	Row, Batch, Part int
}

// tensorMap describes the rows of A, or columns of B, in all parts. A block has boxRows of them
// copied at a time. In its third dimension, products are many apart, and parts part.
func (f *Factor[T]) tensorMap(rows, boxRows, depth, parts int, s *warpgroups.Shape) (m gridstride.TensorMap[T], many, part int, err error) {
	many, part = 1, s.Count
	behind := f.Batch
	if f.Batch == 0 {
		many, part, behind = 0, 1, max(f.Part, f.Row)
	}
	m, err = f.Data.TensorMap(gridstride.Tensor{Dims: []int{s.K, rows, part * parts}, Strides: []int{f.Row, behind},
		Box: []int{depth, boxRows, 1}, Swizzle: 128})
	return m, many, part, err
}

// TF32 is the kernels for TF32 on a device. Any goroutine may use it, and the other kernels.
type TF32 struct {
	kernel *productTF32Kernel
	turned *turnedTF32Kernel
}

// LoadTF32 loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func LoadTF32(dev *gridstride.Device) (*TF32, error) {
	kernel, err1 := loadProductTF32(dev)
	turned, err2 := loadTurnedTF32(dev)
	return &TF32{kernel, turned}, errors.Join(err1, err2)
}

// Launch queues the products C = alpha*A*B + beta*C of a batch. Sizes are 1 at least.
//
// Errors: [gridstride.Buffer.TensorMap]'s and [gridstride.Kernel.Launch]'s.
func (k *TF32) Launch(s *gridstride.Stream, a, b Factor[gpu.TF32], c gridstride.Buffer[float32], shape warpgroups.Shape, alpha, beta float32) error {
	return k.launchOn(s, warpgroups.Grid(s.Device(), &shape, tileCols), a, b, c, shape, alpha, beta)
}

// launchOn is Launch with a grid.
func (k *TF32) launchOn(s *gridstride.Stream, grid gridstride.Config, a, b Factor[gpu.TF32], c gridstride.Buffer[float32],
	shape warpgroups.Shape, alpha, beta float32,
) error {
	mapA, manyA, _, err1 := a.tensorMap(shape.M, warpgroups.TileRows, depthTF32, 1, &shape)
	mapB, manyB, _, err2 := b.tensorMap(shape.N, tileCols/warpgroups.Cluster, depthTF32, 1, &shape)
	mapC, boxes, err3 := warpgroups.MapC(c, &shape)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return k.kernel.Launch(s, grid, mapA, mapB, mapC, c, boxes && beta == 0, shape, manyA, manyB, alpha, beta)
}

// LaunchTurned is Launch for a B across k: the elements of a row of it are side by side, and the
// rows begin Row elements apart.
func (k *TF32) LaunchTurned(s *gridstride.Stream, a, b Factor[gpu.TF32], c gridstride.Buffer[float32], shape warpgroups.Shape, alpha, beta float32) error {
	turned := shape.Turned()
	return k.turnedOn(s, warpgroups.Grid(s.Device(), &turned, tileCols), a, b, c, shape, alpha, beta)
}

// turnedOn is LaunchTurned with a grid.
func (k *TF32) turnedOn(s *gridstride.Stream, grid gridstride.Config, a, b Factor[gpu.TF32], c gridstride.Buffer[float32],
	shape warpgroups.Shape, alpha, beta float32,
) error {
	mapA, manyA, _, err1 := a.tensorMap(shape.M, tileCols/warpgroups.Cluster, depthTF32, 1, &shape)
	mapB, manyB, err2 := b.acrossMap(shape.N, &shape)
	mapC, boxes, err3 := warpgroups.MapC(c, &shape)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return k.turned.Launch(s, grid, mapB, mapA, mapC, c, boxes && beta == 0, shape.Turned(), manyB, manyA, alpha, beta)
}

// acrossMap describes cols columns of a B across k. It is copied a panel at a
// time.
func (f *Factor[T]) acrossMap(cols int, s *warpgroups.Shape) (m gridstride.TensorMap[T], many int, err error) {
	many, count, behind := 1, s.Count, f.Batch
	if f.Batch == 0 {
		many, count, behind = 0, 1, f.Row
	}
	m, err = f.Data.TensorMap(gridstride.Tensor{Dims: []int{cols, s.K, count}, Strides: []int{f.Row, behind},
		Box: []int{warpgroups.PanelK, warpgroups.PanelK, 1}, Swizzle: tile.LineBytes})
	return m, many, err
}

// Int8 is the kernel for int8 on a device.
type Int8 struct{ kernel *productInt8Kernel }

// LoadInt8 loads the kernel, as [LoadTF32] does.
func LoadInt8(dev *gridstride.Device) (*Int8, error) {
	k, err := loadProductInt8(dev)
	return &Int8{k}, err
}

// Launch queues products as [TF32.Launch] does.
func (k *Int8) Launch(s *gridstride.Stream, a, b Factor[int8], c gridstride.Buffer[int32], shape warpgroups.Shape, alpha, beta int32) error {
	mapA, manyA, _, err1 := a.tensorMap(shape.M, warpgroups.TileRows, depthInt8, 1, &shape)
	mapB, manyB, _, err2 := b.tensorMap(shape.N, tileCols/warpgroups.Cluster, depthInt8, 1, &shape)
	mapC, boxes, err3 := warpgroups.MapC(c, &shape)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return k.kernel.Launch(s, warpgroups.Grid(s.Device(), &shape, tileCols), mapA, mapB, mapC, c, boxes && beta == 0, shape, manyA, manyB, alpha, beta)
}

// Parts is the kernel for factors that are sums of three BFloat16 on a device.
type Parts struct{ kernel *productPartsKernel }

// LoadParts loads the kernel, as [LoadTF32] does.
func LoadParts(dev *gridstride.Device) (*Parts, error) {
	k, err := loadProductParts(dev)
	return &Parts{k}, err
}

// Launch queues products as [TF32.Launch] does, with the exponents of the rows of all A's and of
// the columns of all B's. special[0] becomes 1 if some sums are not finite. It does not write their
// elements of C.
func (k *Parts) Launch(s *gridstride.Stream, a, b Factor[gpu.BFloat16], exponentsA, exponentsB gridstride.Buffer[int32],
	special gridstride.Buffer[uint32], c gridstride.Buffer[float32], shape warpgroups.Shape, alpha, beta float32,
) error {
	mapA, manyA, partA, err1 := a.tensorMap(shape.M, warpgroups.TileRows, depthBF16, sumParts, &shape)
	mapB, manyB, partB, err2 := b.tensorMap(shape.N, partCols/warpgroups.Cluster, depthBF16, sumParts, &shape)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return k.kernel.Launch(s, warpgroups.Grid(s.Device(), &shape, partCols), mapA, mapB, exponentsA, exponentsB, special, c, shape, manyA, manyB, partA, partB, alpha, beta)
}
