// An index that is shifted up to the sign: together with the size of an element it is a shift by 63,
// which is no factor.
//
//difftest:launch grid=2 block=2x3x7 in0=4 in1=2 out0=84 chk=84 seed=41013704
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
func Kø(in0 []uint16, in1 []int64, a0 int32, out0 []int32, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.Y*4 + int(a0)&0
	out0[gpu.ThreadIdx.Y] = int32(in0[tid<<62])
	chk[gpu.ThreadIdx.Y] = uint64(in1[tid<<60]) + uint64(in0[tid<<61])
}
