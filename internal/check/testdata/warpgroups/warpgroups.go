package warpgroups

import "github.com/gridstride/gridstride/gpu"

// Elected has one lane of each warp add to a count; lanes may have returned before.
//
//gpu:kernel target=sm_90a
func Elected(count []int, n int) {
	if gpu.LaneID() >= n {
		return
	}
	if gpu.ElectSync(gpu.FullMask) {
		gpu.AtomicAdd(&count[0], 1)
	}
}

// ElectedInBranch asks for lanes that are elsewhere.
//
//gpu:kernel target=sm_90a
func ElectedInBranch(count []int, n int) {
	if gpu.LaneID() < n && gpu.ElectSync(gpu.FullMask) {
		gpu.AtomicAdd(&count[0], 1)
	}
}

// Roles gives the registers of one warpgroup to another. Lanes may have returned before.
//
//gpu:kernel target=sm_90a block=256 minblocks=1
func Roles(out []int, n int) {
	if gpu.ThreadIdx.X >= n {
		return
	}
	if gpu.WarpID() < 4 {
		gpu.SetMaxNRegDec(40)
		return
	}
	gpu.SetMaxNRegInc(232)
	out[gpu.ThreadIdx.X-128] = gpu.ThreadIdx.X
}
