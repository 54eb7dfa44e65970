// A parameter with a slice of pairs beside an array that is indexed by a variable lies in local
// memory: the compiler has to know that the address of a pair is still a multiple of 16.
//
//difftest:launch grid=1 block=64 par_pairs=2 out=64 chk=64 seed=4002113
package kernels

import "github.com/gridstride/gridstride/gpu"

type parø struct {
	bytes [5]uint8
	pairs []gpu.Uint64x2
}

//gpu:kernel block=64 target=sm_90
func Kø(out []uint8, chk []uint64, par parø) {
	tid := gpu.ThreadIdx.X
	par.bytes[tid%5] = uint8(tid)
	out[tid] = par.bytes[(tid+1)%5]
	addø(&par.pairs[tid%2], uint64(tid))
}

func addø(addr *gpu.Uint64x2, x uint64) {
	for old := (gpu.Uint64x2{}); ; {
		seen := gpu.AtomicCAS128(addr, old, gpu.Uint64x2{X: old.X + x, Y: old.Y ^ x})
		if seen == old {
			return
		}
		old = seen
	}
}
