// A pointer that is nil for all threads, and one that is for some.
//
//difftest:launch grid=1 block=40 in0=40 out0=40 chk=40 seed=5
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
func Kø(in0 []uint8, out0 []uint8, chk []uint64) {
	tid := gpu.ThreadIdx.X
	var never, sometimes *uint8
	if in0[tid] != 0 {
		sometimes = &out0[tid]
	}
	*sometimes = 3
	chk[tid] = 1
	if tid > 20 {
		*never = 4
	}
	chk[tid] = 2
}
