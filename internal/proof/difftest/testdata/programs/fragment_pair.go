// Two fragments of eight lines each: the second's lines come from the lanes from 16 on.
//
//difftest:launch grid=1 block=32 in0=256 chk=32 seed=5
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

//gpu:kernel target=sm_80
func Kø(in0 []gpu.BFloat16, chk []uint64) {
	tid := gpu.ThreadIdx.X
	tile := gpu.Shared[[2][64]gpu.BFloat16]()
	for i := tid; i < 64; i += 32 {
		tile[0][i], tile[1][i] = in0[i], in0[64+i]
	}
	gpu.SyncWarp(gpu.FullMask)
	row, col := gpu.B8x8[gpu.BFloat16]{}.RowAt(tid % 16)
	b := gpu.LdMatrixRows2[gpu.B8x8[gpu.BFloat16]](&tile[tid/16][8*row+col])
	chk[tid] = uint64(b[0][0].Bits()) | uint64(b[0][1].Bits())<<16 | uint64(b[1][0].Bits())<<32 | uint64(b[1][1].Bits())<<48
}
