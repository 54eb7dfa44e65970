// The other way round
//
// Write the elements of x to y in the opposite order: the first of x is the last of y. Both have
// the same length.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Reverse(x, y []int32) {
	for i := range gpu.GridStride(len(x)) {
		y[len(x)-i] = x[i]
	}
}
