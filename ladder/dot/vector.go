package dot

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	fast "github.com/gridstride/gridstride/internal/kernels/dot"
)

// Vector32 loads 16 bytes with each instruction and keeps several loads, and several sums, going at
// once: a loop of one load and one sum waits for both (fast.Share32). It is what reaches the limit
// of the memory.
//
// Launch with any grid; a4 and b4 are the elements of a and b, up to the last few or none, as
// vectors; c gets a sum a block.
//
//gpu:kernel block=256 minblocks=4
func Vector32(a4, b4 []gpu.Float32x4, a, b, c []float32) {
	sum := collective.BlockSum(fast.Share32(a4, b4, a, b))
	if gpu.ThreadIdx.X == 0 {
		c[gpu.BlockIdx.X] = sum
	}
}

// Vector64 is Vector32 for float64, two in a vector.
//
//gpu:kernel block=256 minblocks=4
func Vector64(a2, b2 []gpu.Float64x2, a, b, c []float64) {
	sum := collective.BlockSum(fast.Share64(a2, b2, a, b))
	if gpu.ThreadIdx.X == 0 {
		c[gpu.BlockIdx.X] = sum
	}
}
