// An atomic addition loads, adds and stores in one step, which no other thread can divide.
// Additions of integers come to the same sum in any order.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Histogram(x, counts []int32) {
	for i := range gpu.GridStride(len(x)) {
		gpu.AtomicAdd(&counts[x[i]%8], 1)
	}
}
