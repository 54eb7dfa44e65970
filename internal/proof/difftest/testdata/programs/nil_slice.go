// An element of a slice that is nil for all threads, where a check before it fails for those that get there.
//
//difftest:launch grid=1 block=64 in0=3 out0=192 out1=256 out2=512 chk=64 seed=8015483
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

type g1ø[T any] struct {
	a T
	b [2]T
	c int
}

func (r g1ø[T]) at(i int) T { return r.b[i] }

type m9ø [4]g1ø[int]

func f13ø(p0 int8, p1 int, rest0 ...float64) g1ø[uint32] {
	var v15 float64
	v16 := p1
	if v16 <= 0 {
		v15 += rest0[v16]
	}
	if 1 <= fitø(v15, -0.5, 65535) {
		return g1ø[uint32]{}
	}
	v16 = g1ø[int]{}.at(v16)
	return g1ø[uint32]{}
}

//gpu:kernel
func Kø(in0 []int8, a0 uint32, a1 int64, out0 []int, out1 []int, out2 []m9ø, chk []uint64) {
	_ = gpu.ThreadIdx
	tid := 0
	var v19 uint16
	ptr20 := &v19
	_ = f13ø(0, out2[tid*8+int((uint((*ptr20))&7))][1].a)
}

func fitø[T float64](x, lo, hi T) T {
	return x
}
