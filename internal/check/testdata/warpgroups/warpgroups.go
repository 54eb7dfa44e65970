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

// tile fills a tile of lines of 32 bytes, which are swizzled.
func tile(to, from []gpu.BFloat16) {
	for i := gpu.ThreadIdx.X; i < len(to); i += gpu.BlockDim.X {
		to[gpu.Swizzle32.Offset(2*i)/2] = from[i]
	}
}

// Product multiplies 64 by 16 and 16 by 16 elements. Each way but 0 has a mistake, or looks like one.
//
//gpu:kernel target=sm_90a
func Product(a, b []gpu.BFloat16, c []float32, way int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	y := gpu.Shared[[16 * 16]gpu.BFloat16]()
	var sum gpu.C64x16[float32]
	tile(x[:], a)
	tile(y[:], b)
	if way != 1 {
		gpu.FenceProxyAsync()
	}
	if way != 2 {
		gpu.SyncThreads()
	}
	if way == 3 { // behind the barrier serves, too
		gpu.FenceProxyAsync()
	}
	if way == 4 && gpu.WarpID() == 2 {
		return
	}
	p, q := gpu.MatrixOf(x[:], 0, 256, gpu.Swizzle32), gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32)
	if way != 5 {
		gpu.WGMMAFence()
	}
	gpu.WGMMA(&sum, p, q, true)
	if way == 6 { // of one sum, products need no fence between
		gpu.WGMMA(&sum, p, q, true)
	}
	if way == 7 {
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		sum[3] = 1
		gpu.WGMMA(&sum, p, q, true)
	}
	if way != 8 {
		gpu.WGMMACommit()
	}
	if way == 9 {
		y[gpu.ThreadIdx.X] = gpu.BFloat16{}
	}
	if way == 10 {
		gpu.WGMMAWait(1)
	} else if way != 11 {
		gpu.WGMMAWait(0)
	}
	if way == 12 { // the others may still read
		y[gpu.ThreadIdx.X] = gpu.BFloat16{}
	}
	for i := range sum {
		row, col := sum.At(gpu.ThreadIdx.X%128, i)
		c[16*row+col] = sum[i]
	}
}

// Fragments multiplies with A in registers, and changes one before the product has read it.
//
//gpu:kernel target=sm_90a block=128
func Fragments(a, b []gpu.BFloat16, c []float32, rounds, early int) {
	y := gpu.Shared[[16 * 16]gpu.BFloat16]()
	tile(y[:], b)
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var x gpu.A64x16[gpu.BFloat16]
	var sum gpu.C64x16[float32]
	for round := range rounds {
		for i := range x {
			row, col := x.At(gpu.ThreadIdx.X, i)
			x[i] = a[16*row+col+round]
		}
		gpu.WGMMAFence()
		gpu.WGMMA(&sum, x, gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32), true)
		gpu.WGMMACommit()
		if early == 0 {
			gpu.WGMMAWait(0)
		}
	}
	gpu.WGMMAWait(0)
	for i := range sum {
		row, col := sum.At(gpu.ThreadIdx.X, i)
		c[16*row+col] = sum[i]
	}
}

// Offsets multiplies tiles whose eights of lines lie so many bytes apart.
//
//gpu:kernel target=sm_90a block=128
func Offsets(c []float32, stride int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		x[i] = gpu.BFloat16{}
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var sum gpu.C64x8[float32]
	p := gpu.MatrixOf(x[:], 128, stride, gpu.NoSwizzle)
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, p, p, true)
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	c[gpu.ThreadIdx.X] = sum[0]
}
