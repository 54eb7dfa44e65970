// Odd and even
//
// Double the elements at even places of x, and negate those at odd places.
//
// If the lanes of a warp go different ways at an if, the warp goes both ways, one after the other.
// Try to do without an if on the index.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func OddAndEven(x []int32) {
	for i := range gpu.GridStride(len(x)) {
		if i%2 == 0 {
			x[i] *= 2
		}
	}
}
