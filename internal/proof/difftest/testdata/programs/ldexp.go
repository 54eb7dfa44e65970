// Exponents near the ends of int, which Go's math.Ldexp adds to until they wrap.
//
//difftest:launch grid=1 block=33 in0=40 out0=33 chk=33 seed=31000347
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
func Kø(in0 []int, out0 []float32, chk []uint64) {
	tid := gpu.ThreadIdx.X
	exp := in0[tid]
	if tid%3 == 0 {
		exp = math.MaxInt64 - tid
	} else if tid%3 == 1 {
		exp = math.MinInt64 + tid
	}
	out0[tid] = gpu.Ldexp(float32(tid+1)*11, exp)
	chk[tid] = math.Float64bits(gpu.Ldexp(1e-300*float64(1+tid), exp))
}
