package p

import "github.com/gridstride/gridstride/gpu"

func abs(x int32) int32 {
	if x < 0 {
		return -x
	}
	return x
}

func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

// Calls are inlined, closures with the variables they capture.
//
//gpu:kernel
func Calls(a []int32) {
	sum := int32(0)
	each(len(a), func(i int) { sum += abs(a[i]) })
	a[0] = sum
}

// Intrinsics are one instruction each, or a few.
//
//gpu:kernel
func Intrinsics(a []int32, f []float32) {
	mask := gpu.BallotSync(gpu.FullMask, a[0] > 0)
	gpu.SyncWarp(mask)
	v := gpu.ShflDownSync(mask, f[0], 16)
	f[1] = gpu.FMA(v, gpu.Sqrt(v), gpu.Abs(v))
	if gpu.AnySync(mask, gpu.LaneID() == gpu.WarpID()) {
		gpu.AtomicAdd(&f[2], v)
		old := gpu.AtomicMax(&a[1], 7)
		gpu.AtomicCAS(&a[2], old, int32(gpu.ActiveMask()))
	}
	gpu.ThreadFenceBlock()
}
