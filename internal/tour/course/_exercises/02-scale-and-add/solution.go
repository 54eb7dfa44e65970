// The grid steps over the elements together: a thread takes its element, then the one as many
// places on as the grid has threads. Any grid is right, and neighbours of a warp stay neighbours in
// memory.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func ScaleAndAdd(a int32, x, y []int32) {
	for i := range gpu.GridStride(len(x)) {
		y[i] = a*x[i] + y[i]
	}
}
