// Package kernels is the kernels in the comments of package rand, and those that its tests run.
package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

//go:generate go tool gridstride build

// Inside is the kernel of rand's package comment: how many of points random points of the unit
// square are in the unit circle.
//
//gpu:kernel
func Inside(seed uint64, points int, inside []uint32) {
	for i := range gpu.GridStride(len(inside)) {
		r := rand.New(seed, uint64(i)) // a stream for each element
		for range points {
			x, y := r.Float32(), r.Float32()
			if gpu.FMA(x, x, y*y) < 1 {
				inside[i]++
			}
		}
	}
}
