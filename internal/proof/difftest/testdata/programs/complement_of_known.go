// Complements of values that a branch makes known, in and, or and xor: ptxas lost the complement.
//
//difftest:launch grid=2 block=33 in0=7 out0=66 chk=66 seed=42002088
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
func Kø(in0 []int16, a0 int, out0 []int32, chk []uint64) {
	lid := gpu.ThreadIdx.X
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + lid
	x := in0[tid%7]
	if lid != 2 {
		chk[tid] = 1
	} else {
		for i, n := 0, tid&3; i < n; i++ {
			part := in0[uint32(i)&7 : (^lid)&7]
			chk[tid] += uint64(len(part)) + uint64(i&^lid)<<8 + uint64(^lid|i)<<16
		}
	}
	switch y := uint8(tid); {
	case y == 40:
		for i := range int(x) & 3 {
			chk[tid] += uint64(^y|1)<<16 + uint64(uint8(i)&^y)
		}
	case a0 == int(x):
		for i := range lid & 3 {
			chk[tid] += uint64(^a0 ^ i)
		}
	}
}
