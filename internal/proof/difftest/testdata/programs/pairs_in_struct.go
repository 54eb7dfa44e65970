// A slice in a struct of parameters has the alignment of one that is a parameter.
//
//difftest:launch grid=2 block=33 par_pairs=66 chk=66 seed=6
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

type parø struct {
	pairs []gpu.Uint64x2
}

//gpu:kernel target=sm_90
func Kø(par parø, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	p := &par
	old := p.pairs[tid]
	if tid%3 == 0 {
		old.Y++
	}
	seen := gpu.AtomicCAS128(&p.pairs[tid], old, gpu.Uint64x2{uint64(tid), old.X})
	chk[tid] = seen.X ^ seen.Y
}
