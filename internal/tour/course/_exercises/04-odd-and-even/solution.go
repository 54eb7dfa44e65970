// 2 - 3*(i%2) is 2 for even i and -1 for odd i. All lanes run the same instructions, and no branch
// diverges.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func OddAndEven(x []int32) {
	for i := range gpu.GridStride(len(x)) {
		x[i] *= int32(2 - 3*(i%2))
	}
}
