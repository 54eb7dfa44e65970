// Package extremes has minima and maxima of three integers, one of them negated, for the test that
// a GPU computes them right. ptxas of CUDA 13.0, which drivers of its time have in them, makes one
// instruction of two minima or maxima for sm_90, and loses the sign of an operand that is negated
// and comes second in the first of them: max(y, max(x, -z)) was max(y, x, z). The compiler puts it
// first.
package extremes

import "github.com/gridstride/gridstride/gpu"

// forms is how many results Extremes computes of three numbers.
const forms = 8

// Extremes computes minima and maxima of each three numbers, in every order of the negated one.
//
//gpu:kernel block=128
func Extremes(x, y, z, out []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(x) {
		return
	}
	r := extremes(x[i], y[i], z[i])
	for k := range forms {
		out[forms*i+k] = r[k]
	}
}

// extremes are the results for three numbers, on a device and on the host.
func extremes(x, y, z int32) [forms]int32 {
	return [forms]int32{
		max(y, max(x, -z)), max(y, max(-z, x)), max(max(x, -z), y), max(x, -x, y),
		min(y, min(x, -z)), min(y, min(-z, x)), min(min(x, -z), y), max(y, max(-x, -z)),
	}
}
