package p

import "github.com/gridstride/gridstride/gpu"

// Stencil has the checks that it needs written out: the compiler adds none, and no hidden parameter.
//
//gpu:kernel
func Stencil(in, out []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i > 0 && i < len(in)-1 && i < len(out) {
		out[i] = (in[i-1] + in[i] + in[i+1]) / 4
	}
}
