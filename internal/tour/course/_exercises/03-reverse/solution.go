// The first index is 0, so the last one is len(x)-1. The warp's stores are still neighbours, in
// opposite order: they fall into as few sectors as before.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Reverse(x, y []int32) {
	for i := range gpu.GridStride(len(x)) {
		y[len(x)-1-i] = x[i]
	}
}
