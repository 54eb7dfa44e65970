package formats

import "github.com/gridstride/gridstride/internal/library/kernels/tile"

// kernel is a kernel, or several with one for the transposes.
type kernel int

const (
	largeKernels kernel = iota
	smallKernel
	warpgroupKernels
	groupKernels // package onegroup's
)

// method is a way to compute a product.
type method struct {
	kernel kernel
	tile.Size
}

// multiprocessors is an H200's number of multiprocessors. Each should have a tile.
const multiprocessors = 132

// leastSide is the least number of rows, and of columns, of a product by warpgroups, whose tiles
// are large.
const leastSide = 1024

// chooseStaged takes the largest tiles that give each multiprocessor one, and warpgroups for large
// products if the device has them. The bits do not depend on the choice.
func chooseStaged(large, small tile.Size, warpgroups bool) func(rows, cols, count int) method {
	return func(rows, cols, count int) method {
		switch {
		case warpgroups && rows >= leastSide && cols >= leastSide:
			return method{kernel: warpgroupKernels, Size: large}
		case large == small || large.Tiles(rows, cols)*count < multiprocessors:
			return method{kernel: smallKernel, Size: small}
		}
		return method{kernel: largeKernels, Size: large}
	}
}
