// An index outside a slice is an error in a kernel, as it is in Go. Only the first and the last
// lane go another way.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Smooth(x, y []int32) {
	for i := range gpu.GridStride(len(x)) {
		sum := x[i]
		if i > 0 {
			sum += x[i-1]
		}
		if i+1 < len(x) {
			sum += x[i+1]
		}
		y[i] = sum
	}
}
