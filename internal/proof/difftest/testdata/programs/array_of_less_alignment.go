//difftest:launch grid=1 block=2 in2=2 chk=2 seed=5001088
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

// The loop copies the array, which was then read from the slice in pieces as wide as that copy's alignment, not the elements'.
//
//gpu:kernel
func Kø(in2 [][33]int16, chk []uint64) {
	tid := gpu.ThreadIdx.X
	v := *(*[2][33]int16)(in2)
	for i := range v {
		chk[tid] += uint64(v[i][3])
	}
}
