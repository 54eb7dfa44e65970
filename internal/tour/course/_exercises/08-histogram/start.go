// A histogram
//
// Count how often each of the values 0 to 7 is in x: add to counts[x[i]] for each i. counts has 8
// elements, which are 0 at the start.
//
// Many threads add to one count at once. An addition is a load, a sum and a store, and between
// those another thread may come. Look at the race in both orders.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Histogram(x, counts []int32) {
	for i := range gpu.GridStride(len(x)) {
		counts[x[i]%8]++
	}
}
