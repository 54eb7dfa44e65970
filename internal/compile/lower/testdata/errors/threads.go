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
