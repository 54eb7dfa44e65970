package p

import g "github.com/gridstride/gridstride/gpu"

// The loop variable is new in each iteration, and assigning to it does not disturb the loop.
//
//gpu:kernel
func Stride(a []int32) {
	for i := range g.GridStride(len(a)) {
		if a[i] < 0 {
			continue
		}
		i += 2
		if i > 7 {
			break
		}
		a[0] = int32(i)
	}
}
