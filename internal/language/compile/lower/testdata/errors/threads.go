package p

import "github.com/gridstride/gridstride/gpu"

type wide struct {
	a [4]float64
	b bool
}

//gpu:kernel
func Exchanges(a []int, p []wide, n int) {
	p[0] = gpu.ShflSync(gpu.FullMask, p[1], 3)       // ERROR "gpu.ShflSync exchanges at most 32 bytes, wide has 40: exchange parts of it, or go through shared memory"
	a[0] = int(gpu.MatchAnySync(gpu.FullMask, p[1])) // ERROR "gpu.MatchAnySync exchanges at most 32 bytes, wide has 40"
	a[1] = len(gpu.ShflUpSync(gpu.FullMask, a, 1))   // ERROR "gpu.ShflUpSync: \[\]int is no value for other lanes: it holds addresses, keep indices instead"
	a[2] = *gpu.ShflDownSync(gpu.FullMask, &a[0], 1) // ERROR "it holds addresses"
}

//gpu:kernel
func Barriers(a []int, n int) {
	gpu.SyncBarrier(0, 32)     // ERROR "gpu.SyncBarrier: there is no barrier 0: they are numbered 1 to 15, and 0 is gpu.SyncThreads's"
	gpu.SyncBarrier(16, n)     // ERROR "there is no barrier 16"
	gpu.ArriveBarrier(n, 48)   // ERROR "gpu.ArriveBarrier: 48 threads cannot meet: it is whole warps that do, so give it a multiple of 32, up to 1024"
	gpu.ArriveBarrier(1, 0)    // ERROR "0 threads cannot meet"
	gpu.ArriveBarrier(1, 2048) // ERROR "2048 threads cannot meet"
	gpu.SyncBarrier(n, n)
}

//gpu:kernel target=sm_90a
func UnknownRegisters(a []int) {
	gpu.SetMaxNRegDec(40) // ERROR "needs a fixed register count"
}

//gpu:kernel target=sm_90
func OldTarget(a []int) {
	gpu.SetMaxNRegDec(40) // ERROR "gpu.SetMaxNRegDec needs sm_90a: write //gpu:kernel target=sm_90a"
	if gpu.ElectSync(gpu.FullMask) {
		a[0] = 1
	}
}

//gpu:kernel target=sm_90a
func Products(sums []gpu.C64x8[float32], n int, o gpu.WGMMAOption) {
	var sum gpu.C64x8[float32]
	var odd gpu.C64x40[int32]
	var a gpu.Matrix[gpu.TF32]
	var b gpu.Matrix[int8]
	gpu.WGMMA(&sums[n], a, a, true)                  // ERROR "gpu.WGMMA: the sum must be a local variable, which stays in registers"
	gpu.WGMMA(&sum, gpu.A64x16[gpu.TF32]{}, a, true) // ERROR "the fragments of A are not 32 bytes wide: give gpu.A64x8"
	gpu.WGMMA(&sum, a, a, true, o)                   // ERROR "the options of a product must be constants, such as gpu.TransposeB"
	gpu.WGMMA(&sum, a, a, true, gpu.TransposeA)      // ERROR "a product transposes matrices of Float16 and BFloat16 in shared memory only"
	gpu.WGMMAS32(&odd, b, b, true)                   // ERROR "gpu.WGMMAS32: integers have 8, 16, 24 or 32 columns, or a multiple of 16"
}

//gpu:kernel block=8x8 target=sm_90a
func Matrices(sums []float32, n int) {
	var sum gpu.C64x8[float32]
	x := gpu.Shared[[64 * 64]gpu.BFloat16]()
	ready := gpu.Shared[gpu.MBarrier]()
	a := gpu.MatrixOf(x[:], -16, n, gpu.Swizzle128)    // ERROR "gpu.MatrixOf: an offset of -16 bytes: it is a multiple of 16 from 0 to 262128"
	b := gpu.MatrixOf(x[:], 0, 1<<18, gpu.Swizzle128)  // ERROR "an offset of 262144 bytes"
	c := gpu.MatrixOf(x[:], 0, 262128, gpu.Swizzle(n)) // known when it runs
	d := gpu.MatrixOf(x[:], 8, 1024, gpu.Swizzle128+3) // ERROR "an offset of 8 bytes" "there is no swizzle 4: there are gpu.NoSwizzle, gpu.Swizzle32"
	gpu.WGMMA(&sum, a, b, true)                        // ERROR "the 128 threads of a warpgroup make the call, and the block has 64"
	gpu.WGMMA(&sum, c, d, true)                        // ERROR "the block has 64"
	for !gpu.MBarrierTestWaitParity(ready, n) {
	}
	gpu.MBarrierWaitParity(ready, -1)       // ERROR "the parity of an mbarrier's phase is 0 or 1, and not -1"
	gpu.MBarrierWaitParityCluster(ready, 2) // ERROR "and not 2"
	gpu.MBarrierTryWaitParity(ready, 1)
	sums[0] = sum[0]
}
