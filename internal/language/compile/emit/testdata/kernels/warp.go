package p

import "github.com/gridstride/gridstride/gpu"

// WarpSum adds up a warp by shuffles; one atomic a warp, whose result is not used.
//
//gpu:kernel
func WarpSum(a []float32, out []float32) {
	var sum float32
	for i := range gpu.GridStride(len(a)) {
		sum += a[i]
	}
	for d := 16; d > 0; d /= 2 {
		sum += gpu.ShflXorSync(0xffffffff, sum, d)
	}
	if gpu.LaneID() == 0 {
		gpu.AtomicAdd(&out[0], sum)
	}
}
