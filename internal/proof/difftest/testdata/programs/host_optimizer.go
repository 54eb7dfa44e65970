// Go 1.26.8 for amd64, when it optimises, takes the pointer for that to the local variable in every thread: the host runs it not optimised.
//
//difftest:launch grid=2 block=3x5 in0=33 in1=64 out0=90 out1=240 out2=120 chk=30 seed=8011842
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

type n1ø int32

//gpu:kernel block=3x5
func Kø(in0 []int64, in1 []int8, a0 n1ø, out0 []uint32, out1 []int16, out2 []float64, chk []uint64) {
	lid := gpu.ThreadIdx.X
	tid := 0
	var v10 int16 = 4
	ptr11 := &out1[tid*8+int(((-uint8(in1[lid]))&7))]
	if 0 == a0 {
		ptr11 = &v10
	}
	*ptr11 = 0
}
