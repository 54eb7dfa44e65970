// Two parameters are the same memory: no load may be kept over a store through the other.
//
//difftest:launch grid=2 block=32 in0=9 out0=256 alias=out0 chk=64 seed=8
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
func Kø(in0 []int32, out0 []int32, alias []int32, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	o, a := out0[tid*4:tid*4+4], alias[tid*4:tid*4+4]
	for i := range 4 {
		a[i] = in0[(tid+i)%9]
		o[(i+1)&3] += a[i]*3 + o[0]
		a[0]++
	}
	copy(a[1:], o)
	chk[tid] = uint64(o[0]) + uint64(a[3])<<32
}
