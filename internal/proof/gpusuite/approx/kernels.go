// Package approx has the approximations of a GPU in a kernel, for the tests of what the documents
// say of them.
package approx

import "github.com/gridstride/gridstride/gpu"

// Evaluate writes to y one of the functions of x, by its index in the tests' table.
//
//gpu:kernel target=sm_75
func Evaluate(x, y []float32, function int) {
	for i := range gpu.GridStride(len(x)) {
		switch function {
		case 0:
			y[i] = gpu.ApproxExp2(x[i])
		case 1:
			y[i] = gpu.ApproxLog2(x[i])
		case 2:
			y[i] = gpu.ApproxSin(x[i])
		case 3:
			y[i] = gpu.ApproxCos(x[i])
		case 4:
			y[i] = gpu.ApproxTanh(x[i])
		case 5:
			y[i] = gpu.ApproxRsqrt(x[i])
		case 6:
			y[i] = gpu.ApproxRcp(x[i])
		}
	}
}
