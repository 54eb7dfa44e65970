package dot

import (
	"github.com/gridstride/gridstride/examples/ladder/dot/fast"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Vector loads 16 bytes with each instruction and keeps several loads, and several sums, going at
// once: a loop of one load and one sum waits for both (fast.Share). This reaches the limit of the
// memory.
//
// Launch with any grid. av and bv are elements of both vectors as vectors of 16 bytes. a and b are
// the elements that are not in those. c gets a sum a block.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func Vector[T gpu.Float, V gpu.FloatVector[T, V]](av, bv []V, a, b, c []T) {
	sum := collective.BlockSum(fast.Share(av, bv, a, b))
	if gpu.ThreadIdx.X == 0 {
		c[gpu.BlockIdx.X] = sum
	}
}
