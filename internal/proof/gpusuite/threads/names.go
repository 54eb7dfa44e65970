package threads

import "github.com/gridstride/gridstride/gpu"

// double and increment each have a parameter with the other's name, and double one with the name
// that another might get for that reason.
//
//gpu:kernel
func double(increment []int32, increment_1 int32) {
	for i := range gpu.GridStride(len(increment)) {
		increment[i] = 2*increment[i] + increment_1
	}
}

//gpu:kernel
func increment(double []int32) {
	for i := range gpu.GridStride(len(double)) {
		double[i]++
	}
}
