// A masked value is widened to 64 bits as any other.
//
//difftest:launch grid=2 block=33 in0=7 out0=66 chk=66 seed=3
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

//gpu:kernel
func Kø(in0 []int16, out0 []int32, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	x := in0[tid%7]
	out0[tid] = int32(in0[int(x&3)]) + int32(uint8(x)&7)
	chk[tid] = uint64(x & 3)
}
