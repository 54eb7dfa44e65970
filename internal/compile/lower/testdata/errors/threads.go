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
	gpu.SetMaxNRegDec(40) // ERROR "write //gpu:kernel minblocks=1 and block="
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
