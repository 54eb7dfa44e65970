package bench

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

const (
	copyBlock = 256
	copyEach  = 4
	copyTile  = copyBlock * copyEach
)

// copyAll copies src, 16 bytes with each instruction and four loads under way in each thread: the speed of it is what the share of a
// variant is measured against.
//
//gpu:kernel block=256
func copyAll(dst, src []gpu.Uint32x4) {
	dst = dst[:len(src)]
	tid := gpu.ThreadIdx.X
	i := gpu.BlockIdx.X * copyTile
	for ; i+copyTile <= len(src); i += gpu.GridDim.X * copyTile {
		from, to := (*[copyTile]gpu.Uint32x4)(src[i:i+copyTile]), (*[copyTile]gpu.Uint32x4)(dst[i:i+copyTile])
		var v [copyEach]gpu.Uint32x4
		for k := range copyEach {
			v[k] = from[k*copyBlock+tid]
		}
		for k := range copyEach {
			to[k*copyBlock+tid] = v[k]
		}
	}
	for i += tid; i < len(src); i += copyBlock {
		dst[i] = src[i]
	}
}
