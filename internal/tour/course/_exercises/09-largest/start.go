// The largest
//
// Write the largest element of x to out[0]. out[0] is the least number there is at the start.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Largest(x, out []int32) {
	for i := range gpu.GridStride(len(x)) {
		if x[i] > out[0] {
			out[0] = x[i]
		}
	}
}
