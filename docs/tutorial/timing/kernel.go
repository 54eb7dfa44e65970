package main

//go:generate go tool gridstride build

import "github.com/gridstride/gridstride/gpu"

// Iterate applies x = 3.75·x·(1-x) to every element again and again: work that takes a while and no
// memory. Launch with any grid and block.
//
//gpu:kernel
func Iterate(x []float32, times int) {
	for i := range gpu.GridStride(len(x)) {
		v := x[i]
		for range times {
			v = 3.75 * v * (1 - v)
		}
		x[i] = v
	}
}
