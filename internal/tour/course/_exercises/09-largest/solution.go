// Each thread finds the largest of its share in a register, where nobody disturbs it. One atomic
// operation a thread then joins the shares.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Largest(x, out []int32) {
	largest := int32(-1 << 31)
	for i := range gpu.GridStride(len(x)) {
		largest = max(largest, x[i])
	}
	gpu.AtomicMax(&out[0], largest)
}
