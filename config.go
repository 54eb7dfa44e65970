package gridstride

import "fmt"

// Dim3 is a size or an index in three dimensions, as CUDA's dim3. It has the fields of the Dim3 of
// package gpu, and each converts to the other: gridstride.Dim3(d).
type Dim3 struct {
	X, Y, Z int
}

// String is "(4,1,1)".
func (d Dim3) String() string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

// count is the number of points, for a d within the limits of a block.
func (d Dim3) count() int { return d.X * d.Y * d.Z }

func (d Dim3) array() [3]int { return [3]int{d.X, d.Y, d.Z} }

// Config is how a kernel is launched: how many blocks, of how many threads, with how much dynamic
// shared memory. It is written
//
//	gridstride.Grid(64).Block(256)
//	gridstride.Grid(w, h).Block(16, 16).Shared(4096)
//
// The sizes are checked by the launch, which names what is wrong.
type Config struct {
	// GridDim is the number of blocks in each dimension.
	GridDim Dim3
	// BlockDim is the number of threads of a block in each dimension. Zero takes the block size
	// that the kernel's directive fixes (//gpu:kernel block=256).
	BlockDim Dim3
	// SharedBytes is the size of the dynamic shared memory of a block, what gpu.DynamicShared
	// returns, in bytes.
	SharedBytes int
	// ClusterDim is the number of blocks of a cluster in each dimension. Zero takes the clusters
	// that the kernel's directive fixes (//gpu:kernel cluster=4), and else none.
	ClusterDim Dim3
}

// Grid starts a configuration with one, two or three grid dimensions, in blocks. Those not given
// are 1. It panics if there are more.
func Grid(blocks ...int) Config { return Config{GridDim: dim3(blocks)} }

// Block returns the configuration with one, two or three block dimensions, in threads. Those not
// given are 1. It panics if there are more.
func (c Config) Block(threads ...int) Config {
	c.BlockDim = dim3(threads)
	return c
}

// Shared returns the configuration with that many bytes of dynamic shared memory for each block.
func (c Config) Shared(bytes int) Config {
	c.SharedBytes = bytes
	return c
}

// Cluster returns the configuration with one, two or three cluster dimensions, in blocks. Those not
// given are 1. The grid is whole clusters. It panics if there are more dimensions.
func (c Config) Cluster(blocks ...int) Config {
	c.ClusterDim = dim3(blocks)
	return c
}

// dim3 makes a Dim3 of up to three sizes.
func dim3(n []int) Dim3 {
	d := Dim3{1, 1, 1}
	switch len(n) {
	default:
		panic(fmt.Sprintf("gridstride: %d sizes are given, and grids and blocks have at most 3 dimensions", len(n)))
	case 3:
		d.Z = n[2]
		fallthrough
	case 2:
		d.Y = n[1]
		fallthrough
	case 1:
		d.X = n[0]
	case 0:
	}
	return d
}
