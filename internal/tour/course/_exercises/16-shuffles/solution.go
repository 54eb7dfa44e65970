// After the first round the first 16 lanes have the sums of two elements each, then 8 lanes of
// four, and so on. The sums of the upper lanes are of no use, and nobody looks at them.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func WarpSum(x, sum []int32) {
	v := x[gpu.ThreadIdx.X]
	for d := 16; d > 0; d /= 2 {
		v += gpu.ShflDownSync(gpu.FullMask, v, d)
	}
	if gpu.ThreadIdx.X == 0 {
		sum[0] = v
	}
}
