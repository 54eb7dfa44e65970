package p

import "github.com/gridstride/gridstride/gpu"

// Wide multiplies tiles of 64 by 64 and 64 by 16. Between the fence and the wait nothing touches the
// registers of the sum, and D of each product has the registers that C has.
//
//gpu:kernel block=128 target=sm_90a
func Wide(a, b []gpu.BFloat16, c []float32) {
	tileA := gpu.Shared[[64 * 64]gpu.BFloat16]()
	tileB := gpu.Shared[[16 * 64]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < len(tileA); i += 128 {
		tileA[gpu.Swizzle128.Offset(2*i)/2] = a[i]
	}
	for i := gpu.ThreadIdx.X; i < len(tileB); i += 128 {
		tileB[gpu.Swizzle128.Offset(2*i)/2] = b[i]
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var sum gpu.C64x16[float32]
	gpu.WGMMAFence()
	for step := 0; step < 64; step += 16 {
		x, y := gpu.MatrixOf(tileA[step:], 0, 1024, gpu.Swizzle128), gpu.MatrixOf(tileB[step:], 0, 1024, gpu.Swizzle128)
		gpu.WGMMA(&sum, x, y, step > 0)
	}
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	for i := range sum {
		row, col := sum.At(gpu.ThreadIdx.X, i)
		c[16*row+col] = sum[i]
	}
}
