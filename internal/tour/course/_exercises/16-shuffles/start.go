// From register to register
//
// Add up 32 elements with one warp, without shared memory and without barriers.
//
// gpu.ShflDownSync(gpu.FullMask, v, d) gives a lane the v of the lane that is d further on. All 32
// lanes take part.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func WarpSum(x, sum []int32) {
	v := x[gpu.ThreadIdx.X]
	v += gpu.ShflDownSync(gpu.FullMask, v, 1)
	if gpu.ThreadIdx.X == 0 {
		sum[0] = v
	}
}
