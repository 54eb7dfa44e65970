// A table that a condition indexes: ptxas crashed on its PTX for sm_90.
//
//difftest:launch grid=2 block=33 in0=7 out0=66 chk=66 seed=22002011
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

var (
	tableø = [4]uint8{255, 228, 184, 192}
	wideø  = [3]uint64{1 << 60, 7, 1 << 40}
)

func bitø(c bool) int {
	if c {
		return 1
	}
	return 0
}

//gpu:kernel
func Kø(in0 []int16, a0 int32, out0 []int32, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	x := in0[tid%7]
	one, both, either := tableø[bitø(x > 100)], tableø[bitø(x > 0)&bitø(a0 > 0)], tableø[bitø(x > 9)^bitø(a0 < 0)+2]
	wide := wideø[1+bitø(x < 0)]
	last := 0
	for i := int(x) & 31; i >= 0; i-- {
		out0[tid] += int32(tableø[last])
		last = bitø(out0[tid]&int32(i) != 0)
		if a0 == 7 {
			break
		}
	}
	chk[tid] = uint64(one) + uint64(both)<<8 + uint64(either)<<16 + wide + uint64(tableø[last])<<24
}
