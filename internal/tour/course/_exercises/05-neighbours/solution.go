// With the grid-stride loop the 32 lanes load 32 neighbours of 4 bytes, which are 4 sectors of 32
// bytes. With a run for each lane they were 32 sectors, eight times the bytes.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Copy(x, y []int32) {
	for i := range gpu.GridStride(len(x)) {
		y[i] = x[i]
	}
}
