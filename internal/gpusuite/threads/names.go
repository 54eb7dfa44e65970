package threads

import "github.com/gridstride/gridstride/gpu"

// double and increment each have a parameter with the other's name.
//
//gpu:kernel
func double(increment []int32) {
	for i := range gpu.GridStride(len(increment)) {
		increment[i] *= 2
	}
}

//gpu:kernel
func increment(double []int32) {
	for i := range gpu.GridStride(len(double)) {
		double[i]++
	}
}
