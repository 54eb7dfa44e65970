// The variable of a loop is a new one in each iteration, of which closures and pointers may know.
//
//difftest:launch grid=1 block=33 in0=33 out0=33 chk=33 seed=4
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
func Kø(in0 []int32, out0 []int32, chk []uint64) {
	tid := gpu.ThreadIdx.X
	sum := int32(0)
	for i := 0; i < 5; i++ {
		add := func(x int32) int32 { return x + int32(i) }
		p := &i
		if in0[tid] > 3 {
			*p++ // the next iteration starts from this
		}
		sum = sum*31 + add(in0[(tid+i)%33])
	}
	out0[tid] = sum
	chk[tid] = 1
}
