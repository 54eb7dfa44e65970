// Aggregates too large for registers, zeroed, copied and compared.
//
//difftest:launch grid=1 block=31 in0=31 out0=31 chk=31 seed=6
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

type wideø struct {
	a [20]int16
	b [3]struct {
		c float32
		d bool
	}
}

func bumpø(w wideø, i int) wideø {
	w.a[i]++
	w.b[i%3].c += 0.5
	return w
}

//gpu:kernel
func Kø(in0 []wideø, out0 []wideø, chk []uint64) {
	tid := gpu.ThreadIdx.X
	var zero, sum wideø
	w := in0[tid]
	for i := range w.a {
		sum.a[(i*7)%20] += w.a[i]
	}
	if sum == zero {
		chk[tid] = 7
		return
	}
	old := sum
	sum = bumpø(sum, tid%20)
	if old != sum {
		chk[tid]++
	}
	out0[tid], w = sum, old
	out0[tid].b[2].d = w.b == zero.b
}
