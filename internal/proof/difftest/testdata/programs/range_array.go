// A range loop that wants no elements of an array does not evaluate it: this one would be out of range.
//
//difftest:launch grid=1 block=33 in0=1 out0=33 chk=33 seed=9
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

func callø(a [3]int32) [3]int32 { return a }

//gpu:kernel
func Kø(in0 [][3]int32, out0 []int32, chk []uint64) {
	tid := gpu.ThreadIdx.X
	var none *[5]int8
	var local [4]int16
	for i := range in0[tid] {
		out0[tid] += int32(i)
	}
	for range none {
		out0[tid] *= 3
	}
	for i, _ := range local {
		local[i] = int16(tid)
	}
	for i, x := range local {
		local[3-i] += x // the loop reads a copy
	}
	chk[tid] = uint64(local[0]) | uint64(local[3])<<16
	for i := range callø(in0[tid]) { // a call is made
		chk[tid] += uint64(i)
	}
}
