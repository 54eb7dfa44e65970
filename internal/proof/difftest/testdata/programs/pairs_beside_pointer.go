// A parameter with a slice of pairs beside an array that a pointer may point at lies in local
// memory: the compiler has to know that the address of a pair is still a multiple of 16. One
// pointer is nil or not. The other points at either of two variables, from one round of a loop to
// the next.
//
//difftest:launch grid=2 block=33 par_pairs=66 par_c_rounds=3 chk=66 seed=80010110
package kernels

import "github.com/gridstride/gridstride/gpu"

type parø struct {
	pairs []gpu.Uint64x2
	c     struct {
		rounds []uint16
		flags  [4]bool
	}
}

//gpu:kernel target=sm_90
func Kø(par parø, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	own := [4]bool{tid%2 == 0, tid%3 == 0, tid%5 == 0, true}
	either := &own
	for i, round := range par.c.rounds {
		var sometimes *[4]bool
		if par.c.flags[3] || tid%4 != 0 {
			sometimes = &par.c.flags
		}
		old := par.pairs[tid]
		if either[(tid+i)%4] {
			old.Y += uint64(round)
		}
		sometimes[1] = old.X%2 == 0
		seen := gpu.AtomicExch128(&par.pairs[tid], gpu.Uint64x2{X: old.Y, Y: uint64(tid)})
		chk[tid] += seen.X ^ seen.Y
		if par.c.flags[1] {
			either = &par.c.flags
		}
	}
}
