package p

import "github.com/gridstride/gridstride/gpu"

// Roles has a warpgroup that gives its registers to another, and one lane of each warp write.
//
//gpu:kernel block=256 minblocks=1 target=sm_90a
func Roles(out []int) {
	if gpu.WarpID() < 4 {
		gpu.SetMaxNRegDec(40)
		return
	}
	gpu.SetMaxNRegInc(232)
	if gpu.ElectSync(gpu.FullMask) {
		out[gpu.WarpID()] = gpu.LaneID()
	}
}
